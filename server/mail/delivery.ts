import { fromInstant } from "../lib/instant.ts";
import type { Random } from "../core/ids.ts";
import { domainOf, senderAddress } from "./address.ts";
import type { Claim, ClaimDeps } from "./claim.ts";
import { createClaims } from "./claim.ts";
import type { MailRecord } from "./record.ts";
import { isMarketing, toDead, toFailed, toSent, toUnknown } from "./retry.ts";
import { MailError } from "./transport.ts";
import type { MailTransport, OutgoingMail } from "./transport.ts";

export interface DeliveryDeps extends ClaimDeps {
  readonly transport: MailTransport;
  /** Spreads the retries. */
  readonly random: Pick<Random, "next">;
  /** `Name <address>` of the configuration. */
  readonly from: string;
}

/**
 * What became of an attempt. `skipped`: not ours to send (finished, claimed elsewhere, or not due).
 * `unreachable` is a retry that says more: no mail will leave just now.
 */
export type Outcome = "sent" | "retry" | "unreachable" | "failed" | "dead" | "skipped";

const RECORD_ROUNDS = 5;

/**
 * Sends one stored mail: claim, hand over, record.
 *
 * This is at-least-once, and cannot be more: SMTP has no way to ask a server afterwards whether it took a mail.
 * A second copy can leave in three cases only: the server took the mail and its answer did not reach us within ten
 * minutes or before a shutdown (RFC 5321 §4.5.3.2.6 asks the client to send again); this process died between the
 * server's answer and the commit that records it; or it was halted for longer than its claim.
 * The Message-ID is the same on every attempt, by which most receivers drop such a copy. Marketing mail is at-most-once
 * instead: once an attempt may have reached the server, it is never repeated.
 */
export function createDelivery(deps: DeliveryDeps) {
  const { transport, clock, log } = deps;
  const claims = createClaims(deps);
  /** Only where the store is the mailbox does anybody read a mail here after it was sent. */
  const keepsText = transport.name === "dev" || transport.name === "console";
  /** Accepted by the server while the store could not be written: remembered here, so that it is not sent again. */
  const accepted = new Set<string>();

  /** Records that the server took the mail. A worker that claimed it meanwhile finds that out at its own commit. */
  async function recordSent(claim: Claim): Promise<void> {
    const { id } = claim.mail;
    accepted.add(id);
    for (let round = 0; round < RECORD_ROUNDS; round += 1) {
      const isRecorded =
        claim.mail.state === "sent" ||
        (await claims.advance(claim, toSent(claim.mail, clock.now(), keepsText)));
      if (isRecorded || !(await claims.reread(claim))) {
        accepted.delete(id);
        return;
      }
    }
  }

  async function recordFailure(claim: Claim, error: MailError): Promise<Outcome> {
    const next = toFailed(claim.mail, error, { ms: clock.now(), random: deps.random.next() });
    const { id, attempts, state, next_at } = next;
    log.warn({ mail: id, attempts, state, next_at, reason: next.last_error }, "mail not delivered");
    if (!(await claims.advance(claim, next))) return "skipped";
    if (state === "failed" || state === "dead") return state;
    return error.fault === "unreachable" ? "unreachable" : "retry";
  }

  async function handOver(claim: Claim, signal: AbortSignal): Promise<MailError | null> {
    try {
      await claims.hold(claim, async (lost) => {
        await transport.send(toOutgoing(claim.mail, deps.from), { signal: AbortSignal.any([signal, lost]) });
      });
      return null;
    } catch (error) {
      if (error instanceof MailError) return error;
      log.error({ err: error, mail: claim.mail.id }, "mail transport failed");
      return new MailError(
        isMarketing(claim.mail) ? "unknown" : "deferred",
        "Internal error while sending. See the log.",
      );
    }
  }

  return async function attempt(
    id: string,
    options: { early: boolean; signal: AbortSignal },
  ): Promise<Outcome> {
    const claim = await claims.take(id, options.early);
    if (claim === null) return "skipped";
    if (!accepted.has(id)) {
      const nowMs = clock.now();
      if (claim.isTakenOver && isMarketing(claim.mail)) {
        return (await claims.advance(claim, toUnknown(claim.mail, nowMs))) ? "dead" : "skipped";
      }
      if (fromInstant(claim.mail.expires_at) <= nowMs) {
        return (await claims.advance(claim, toDead(claim.mail, nowMs))) ? "dead" : "skipped";
      }
      const error = await handOver(claim, options.signal);
      if (error !== null) return recordFailure(claim, error);
    }
    try {
      await recordSent(claim);
    } catch (err) {
      // It is out, which is what the caller asks; the record follows when the claim runs out.
      log.error({ err, mail: id }, "mail sent, but not recorded yet");
    }
    return "sent";
  };
}

/**
 * The configured address under the name of the store that the mail is from. Stores choose their names: so that none passes for the
 * service or for an address of somebody else, the domain of the service follows, and no `@` remains.
 */
function namedSender(from: string, name: string | undefined): string {
  if (name === undefined) return from;
  const address = senderAddress(from);
  const own = name.replaceAll(/["\\]/g, "").replaceAll(/@/gu, " at ");
  return `"${own} via ${domainOf(address)}" <${address}>`;
}

function toOutgoing(mail: MailRecord, from: string): OutgoingMail {
  const unsubscribeUrl = mail.message.unsubscribe_url ?? mail.message.stop_url;
  return {
    id: mail.id,
    messageId: mail.message.message_id,
    from: namedSender(from, mail.message.from_name),
    to: mail.message.to,
    subject: mail.message.subject,
    text: mail.message.text,
    html: mail.message.html,
    dateMs: fromInstant(mail.created_at),
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
    ...(mail.message.reply_to === undefined ? {} : { replyTo: mail.message.reply_to }),
  };
}
