import { setMaxListeners } from "node:events";

import type { Clock } from "../core/clock.ts";
import { toInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";
import type { NewId, Random } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { domainOf, normaliseAddress, senderAddress } from "./address.ts";
import type { NewMail } from "./compose.ts";
import { composeMail } from "./compose.ts";
import type { Outcome } from "./delivery.ts";
import { createDelivery } from "./delivery.ts";
import type { Mailbox } from "./mailbox.ts";
import { createMailbox, pageMail, toMail } from "./mailbox.ts";
import { MAIL_PART } from "./record.ts";
import type { MailRecord } from "./record.ts";
import type { MailName } from "./render.ts";
import { createRunner } from "./runner.ts";
import type { Runner } from "./runner.ts";
import type { MailTransport } from "./transport.ts";

export interface OutboxDeps {
  readonly store: StoreDriver;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Spreads the retries. */
  readonly random: Pick<Random, "next">;
  readonly log: Log;
  /** `mail.from` of the configuration. */
  readonly from: string;
  /** Public address of the service, for the links of the mail's frame. */
  readonly baseUrl: string;
  /** `mail.templates` of the configuration. */
  readonly templatesDir?: string;
  /** Milliseconds for which a worker holds a mail without a sign of life. */
  readonly leaseMs?: number;
}

export type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** Mail that waits in the store until a mail server took it. */
export interface Outbox extends Mailbox {
  /**
   * Renders a mail, ready to be stored: put `mailOps(mail)` into the commit of its cause, then call `deliverNow`.
   * Throws a TypeError on an unsafe address, a ZodError on data that the template does not take.
   */
  compose<N extends MailName>(mail: NewMail<N>): Promise<MailRecord>;
  /**
   * Tries at once, waiting at most `timeoutMs`. True only if the mail server took the mail (or had taken it before).
   * False promises nothing: an attempt that is still running goes on, a failed one is repeated by `runDue`. Never throws.
   */
  deliverNow(id: string, options: { readonly timeoutMs: number }): Promise<boolean>;
  /** Attempts mail that is due, at most `limit`, and deletes what is past its keeping. Resolves to what became of it. */
  runDue(options: { readonly limit: number }): Promise<OutcomeCounts>;
  /** Runs `runDue` every few seconds until `stop`. */
  start(): void;
  /** Waits for running attempts, at most `graceMs`, then cuts them short; what is not sent stays in the store. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Attempts that run at the same time: in all, and of one sender. A mail server that checks an address while it is asked may take
 * minutes for it, and one sender must not hold all places with such addresses; nor must a few together, so a slow attempt, which only
 * keeps a connection open, gives its place away.
 */
const ATTEMPTS = { max: 8, perKey: 3, lent: 24, slowMs: 5_000 };
/** Mails of one sender that wait for a place, so that those of others behind them are found. */
const QUEUED_PER_SENDER = 60;
/** Times as many mails as it starts that one sweep looks through, and bytes of them that are in memory at a time. */
const LOOK_TIMES = 5;
const PAGE_BYTES = 1_000_000;
const LEASE_MS = 60_000;
const SWEEP_EVERY_MS = 3_000;
const SWEEP_LIMIT = 100;
const STOP_GRACE_MS = 10_000;

interface DueMail {
  readonly id: string;
  readonly sender: string;
}

/** Throws a TypeError when `from` is not one address. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, log } = deps;
  senderAddress(deps.from);
  const mailbox = createMailbox(store);
  const runner = createRunner(createDelivery({ ...deps, leaseMs: deps.leaseMs ?? LEASE_MS }), ATTEMPTS);
  const sweeper = createSweeper(() => sweep(), log);

  async function isSentNow(id: string, patience: AbortSignal): Promise<boolean> {
    try {
      const mail = await mailbox.get(id);
      if (mail === null) return false;
      const outcome = await runner.run(id, { early: true, sender: senderOf(mail), patience });
      if (outcome !== "skipped") return outcome === "sent";
      return !patience.aborted && (await mailbox.get(id))?.state === "sent";
    } catch (err) {
      log.error({ err, mail: id }, "mail attempt failed");
      return false;
    }
  }

  /** Where the next look begins, if not with what is due first. */
  let place: string | undefined;

  async function listDue(limit: number): Promise<DueMail[]> {
    const nowAt = toInstant(clock.now());
    const look = await findDue({ store, runner }, { limit, nowAt, after: place });
    place = look.next;
    return look.found;
  }

  /** Starts attempts. When the mail server is away, the rest stays due: it keeps its attempts for when the server is back. */
  function attemptAll(mails: readonly DueMail[]): Promise<readonly Outcome[]> {
    const away = new AbortController();
    const patience = AbortSignal.any([away.signal, sweeper.stopping]);
    setMaxListeners(0, patience);
    return Promise.all(
      mails.map(async ({ id, sender }) => {
        const outcome = await runner.run(id, { early: false, sender, patience });
        if (outcome === "unreachable") away.abort();
        return outcome;
      }),
    );
  }

  async function runDue({ limit }: { limit: number }): Promise<OutcomeCounts> {
    const counts = { sent: 0, retry: 0, unreachable: 0, failed: 0, dead: 0, skipped: 0 };
    for (const outcome of await attemptAll(await listDue(limit))) counts[outcome] += 1;
    await mailbox.purge(clock.now(), limit);
    return counts;
  }

  /** Waits for no attempt: one that takes minutes must not keep the mail that comes meanwhile. */
  async function sweep(): Promise<void> {
    const due = await listDue(SWEEP_LIMIT);
    attemptAll(due).catch((err: unknown) => log.error({ err }, "mail attempt failed"));
    await mailbox.purge(clock.now(), SWEEP_LIMIT);
  }

  return {
    ...mailbox,
    compose: (mail) => composeMail(mail, { ...deps, id: mail.id ?? deps.newId("mail"), nowMs: clock.now() }),
    async deliverNow(id, { timeoutMs }) {
      if (sweeper.stopping.aborted) return false;
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), timeoutMs);
      const timeout = new Promise<false>((resolve) => {
        patience.signal.addEventListener("abort", () => resolve(false), { once: true });
      });
      try {
        return await Promise.race([isSentNow(id, patience.signal), timeout]);
      } finally {
        clearTimeout(timer);
      }
    },
    runDue,
    start: () => sweeper.start(),
    async stop({ graceMs = STOP_GRACE_MS } = {}) {
      const swept = sweeper.stop();
      await runner.drain(graceMs);
      await swept;
    },
  };
}

/**
 * Due mail that no attempt here waits for or runs, in order, at most `limit`, and with those so many of each sender. Of each only who sent
 * it is kept, and it is read with pauses: a hundred large ones take more than 100 ms. Where a look ends before it has found as many, the
 * next one goes on there: hundreds of mails of a few senders, all of them slow, must not hide those of others.
 */
async function findDue(
  { runner, store }: { readonly runner: Pick<Runner, "has" | "senders">; readonly store: StoreDriver },
  from: { readonly limit: number; readonly nowAt: string; readonly after: string | undefined },
): Promise<{ readonly found: DueMail[]; readonly next: string | undefined }> {
  const { limit, nowAt } = from;
  const queued = runner.senders();
  const found: DueMail[] = [];
  let { after } = from;
  for (let seen = 0; seen < LOOK_TIMES * limit && found.length < limit;) {
    const query = { prefix: "@", limit, bytes: PAGE_BYTES, ...(after === undefined ? {} : { after }) };
    const { items, next } = await pageMail(store, "due", query);
    for (const doc of items) {
      await giveWay(MAIL_PART);
      const mail = toMail(doc);
      if (mail.next_at === null || mail.next_at > nowAt) return { found, next: undefined };
      const sender = senderOf(mail);
      const count = queued.get(sender) ?? 0;
      if (count >= QUEUED_PER_SENDER || found.length === limit || runner.has(mail.id)) continue;
      queued.set(sender, count + 1);
      found.push({ id: mail.id, sender });
    }
    if (next === undefined) return { found, next: undefined };
    seen += items.length;
    after = next;
  }
  return { found, next: found.length === limit ? undefined : after };
}

/** The store that wrote it; of mail that anybody can have the platform send, the server that it goes to. */
const senderOf = ({ message, part }: MailRecord): string => part ?? domainOf(normaliseAddress(message.to));

/** Repeats `sweep`, a pause after each end, so that a slow one is never joined by the next. */
function createSweeper(sweep: () => Promise<unknown>, log: Log) {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<unknown> = Promise.resolve();
  const stopping = new AbortController();
  const schedule = (): void => {
    timer = setTimeout(() => {
      current = sweep()
        .catch((err: unknown) => log.error({ err }, "mail sweep failed"))
        .finally(() => {
          if (!stopping.signal.aborted) schedule();
        });
    }, SWEEP_EVERY_MS);
    timer.unref();
  };
  return {
    stopping: stopping.signal,
    start() {
      if (timer === undefined && !stopping.signal.aborted) schedule();
    },
    stop() {
      stopping.abort();
      clearTimeout(timer);
      return current;
    },
  };
}
