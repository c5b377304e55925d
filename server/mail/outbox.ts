import type { Clock } from "../core/clock.ts";
import { fromInstant } from "../lib/instant.ts";
import type { NewId, Random } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { senderAddress } from "./address.ts";
import type { NewMail } from "./compose.ts";
import { composeMail } from "./compose.ts";
import type { Outcome } from "./delivery.ts";
import { createDelivery } from "./delivery.ts";
import type { Mailbox } from "./mailbox.ts";
import { createMailbox, pageMail, toMail } from "./mailbox.ts";
import type { MailRecord } from "./record.ts";
import type { MailName } from "./render.ts";
import { createRunner } from "./runner.ts";
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

/** Attempts that run at the same time. */
const CONCURRENCY = 5;
const LEASE_MS = 60_000;
const SWEEP_EVERY_MS = 3_000;
const SWEEP_LIMIT = 100;
const STOP_GRACE_MS = 10_000;

/** Throws a TypeError when `from` is not one address. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, log } = deps;
  senderAddress(deps.from);
  const mailbox = createMailbox(store);
  const runner = createRunner(createDelivery({ ...deps, leaseMs: deps.leaseMs ?? LEASE_MS }), CONCURRENCY);
  const sweeper = createSweeper(() => runDue({ limit: SWEEP_LIMIT }), log);

  async function isSentNow(id: string, patience: AbortSignal): Promise<boolean> {
    try {
      const outcome = await runner.run(id, { early: true, patience });
      if (outcome !== "skipped") return outcome === "sent";
      return !patience.aborted && (await mailbox.get(id))?.state === "sent";
    } catch (err) {
      log.error({ err, mail: id }, "mail attempt failed");
      return false;
    }
  }

  async function runDue({ limit }: { limit: number }): Promise<OutcomeCounts> {
    const counts = { sent: 0, retry: 0, unreachable: 0, failed: 0, dead: 0, skipped: 0 };
    const nowMs = clock.now();
    const { items } = await pageMail(store, "due", { prefix: "@", limit });
    const due = items.map(toMail).filter(({ next_at }) => next_at !== null && fromInstant(next_at) <= nowMs);
    const worker = async (): Promise<void> => {
      for (const mail of takeFrom(due)) {
        // When the mail server is away, the rest stays due: it keeps its attempts for when the server is back.
        if (counts.unreachable > 0 || sweeper.isStopped()) return;
        counts[await runner.run(mail.id, { early: false })] += 1;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    await mailbox.purge(nowMs, limit);
    return counts;
  }

  return {
    ...mailbox,
    compose: (mail) => composeMail(mail, { ...deps, id: mail.id ?? deps.newId("mail"), nowMs: clock.now() }),
    async deliverNow(id, { timeoutMs }) {
      if (sweeper.isStopped()) return false;
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

/** Hands the items out one by one, to several workers. */
function* takeFrom<T>(items: T[]): Generator<T> {
  for (let next = items.shift(); next !== undefined; next = items.shift()) yield next;
}

/** Repeats `sweep`, a pause after each end, so that a slow one is never joined by the next. */
function createSweeper(sweep: () => Promise<unknown>, log: Log) {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<unknown> = Promise.resolve();
  let stopped = false;
  const schedule = (): void => {
    timer = setTimeout(() => {
      current = sweep()
        .catch((err: unknown) => log.error({ err }, "mail sweep failed"))
        .finally(() => {
          if (!stopped) schedule();
        });
    }, SWEEP_EVERY_MS);
    timer.unref();
  };
  return {
    isStopped: () => stopped,
    start() {
      if (timer === undefined && !stopped) schedule();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      return current;
    },
  };
}
