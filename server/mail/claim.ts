import type { Clock } from "../core/clock.ts";
import { fromInstant, toInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";
import type { Log } from "../core/log.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { toMail } from "./mailbox.ts";
import { MAIL_PART, mailKey, replaceOps } from "./record.ts";
import type { MailRecord } from "./record.ts";

export interface ClaimDeps {
  readonly store: StoreDriver;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds for which a claim holds; renewed at a third of it while the attempt runs. */
  readonly leaseMs: number;
}

/** A mail as this worker last read or wrote it. */
export interface Claim {
  mail: MailRecord;
  version: number;
  /** The worker before died, or lost the store, in the middle of its attempt: the mail may have left. */
  readonly isTakenOver: boolean;
}

/**
 * A claim is a commit with a version check, so of two workers that want the same mail, in one process or on two
 * nodes, one gets it. It ends by itself when its worker dies.
 */
export interface Claims {
  /** Null when the mail is finished, not due, or claimed by another worker. `early` takes a queued mail before its time. */
  take(id: string, early: boolean): Promise<Claim | null>;
  /** Writes the next state; false, and nothing written, when another worker wrote meanwhile. */
  advance(claim: Claim, next: MailRecord): Promise<boolean>;
  /** Reloads the mail into the claim; false when it no longer exists. */
  reread(claim: Claim): Promise<boolean>;
  /** Runs `work` while renewing the claim. `lost` aborts when another worker has the mail. */
  hold(claim: Claim, work: (lost: AbortSignal) => Promise<void>): Promise<void>;
}

export function createClaims({ store, clock, log, leaseMs }: ClaimDeps): Claims {
  const leaseEnd = (): string => toInstant(clock.now() + leaseMs);

  async function advance(claim: Claim, next: MailRecord): Promise<boolean> {
    // Several mails are tried at the same time, and writing a large one takes milliseconds.
    await giveWay(MAIL_PART);
    const check = { key: mailKey(claim.mail.id), version: claim.version };
    const result = await store.commit(MAIL_PART, replaceOps(claim.mail, next), [check]);
    if (!result.ok) return false;
    claim.mail = next;
    claim.version = result.version;
    return true;
  }

  return {
    advance,
    async take(id, early) {
      const doc = await store.get(mailKey(id));
      if (doc === null) return null;
      const mail = toMail(doc);
      if (mail.next_at === null) return null;
      const isDue = fromInstant(mail.next_at) <= clock.now();
      if (!isDue && !(early && mail.state === "queued")) return null;
      const claim: Claim = { mail, version: doc.version, isTakenOver: mail.state === "sending" };
      const claimed: MailRecord = {
        ...mail,
        state: "sending",
        attempts: mail.attempts + 1,
        next_at: leaseEnd(),
      };
      return (await advance(claim, claimed)) ? claim : null;
    },
    async reread(claim) {
      const doc = await store.get(mailKey(claim.mail.id));
      if (doc === null) return false;
      claim.mail = toMail(doc);
      claim.version = doc.version;
      return true;
    },
    async hold(claim, work) {
      const lost = new AbortController();
      let renewal = Promise.resolve();
      const renew = async (): Promise<void> => {
        if (!(await advance(claim, { ...claim.mail, next_at: leaseEnd() }))) lost.abort();
      };
      const timer = setInterval(() => {
        // A renewal that fails is tried again at the next turn; two turns fit into the lease.
        renewal = renewal
          .then(renew)
          .catch((err: unknown) =>
            log.warn({ err, mail: claim.mail.id }, "failed to renew the claim on a mail"),
          );
      }, leaseMs / 3);
      try {
        await work(lost.signal);
      } finally {
        clearInterval(timer);
        await renewal;
      }
    },
  };
}
