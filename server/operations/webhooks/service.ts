import type { Payer } from "../../core/budgets.ts";
import type { Observation } from "../../http/principal.ts";
import { toInstant } from "../../lib/instant.ts";
import { domainEvents, eventFilters } from "../../core/events.ts";
import { derivedId } from "../../core/ids.ts";
import type { AccountsDeps } from "../../accounts/deps.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import type { RunTx } from "../../core/tx.ts";
import { createFairSlots, inPlace } from "../../lib/fair-slots.ts";
import { deliveries } from "./collections.ts";
import { deliver } from "./deliver.ts";
import type { DeliverDeps, Outcome } from "./deliver.ts";
import { eventsDueMs, fanOut } from "./fan-out.ts";
import { notifyDisabled } from "./notify.ts";
import { continueReplays } from "./replay.ts";
import { trimDeliveries, trimEvents } from "./trim.ts";
import type { TrimDeps } from "./trim.ts";
import { createWaker } from "./waker.ts";
import type { Waker } from "./waker.ts";

/**
 * Posts that run at the same time: in all, and of one partition, so that one shop's slow receiver delays no other shop; and those beyond
 * that take longer than `SLOW_POST_MS`, so that a few shops together do not, either. What waits is a connection and 20 KB.
 */
const POSTS = { max: 32, perKey: 8, lent: 224 };
const SLOW_POST_MS = 1_000;
const DUE_BATCH = 50;
/** Pages that replays look through at a time, some thousand deliveries; the job goes on every minute. */
const REPLAY_PAGES = 200;

export type WebhookDeps = AccountsDeps &
  Pick<TrimDeps, "quotaOf"> & {
    readonly portsOf: DeliverDeps["portsOf"];
    /** Whose budget of background work is used up. */
    readonly findOwner: (part: string) => Promise<Payer | null>;
  };

export type Worked = Readonly<Record<"events" | Outcome, number>>;

/** Sends events to those who asked for them. */
export interface Webhooks extends Waker {
  /**
   * Does all that is due in a partition, as long as it has time and its customer has budget for background work: without it, events and
   * deliveries are queued. `always` also looks where no endpoint is known.
   */
  work(part: string, options: WorkOptions): Promise<Worked>;
  /** Reports, at most once a minute, that a key ran into its limit. */
  observe(observation: Pick<Observation, "principal" | "rate" | "status" | "now">): void;
}

interface WorkOptions {
  readonly signal: AbortSignal;
  /** Asked before each piece of work, such as a delivery. */
  readonly hasTime?: () => boolean;
  readonly always?: boolean;
}

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { budgets, runTx, clock, log } = deps;
  const slots = createFairSlots(POSTS);

  async function work(
    part: string,
    { signal, always = false, hasTime = () => !signal.aborted }: WorkOptions,
  ): Promise<Worked> {
    const counts = { events: 0, delivered: 0, failed: 0, skipped: 0 };
    if (!always && !(await isWatched(runTx, part))) return counts;
    const payer = await deps.findOwner(part);
    // What happened and what is due waits until the budget renews; where that is too much, the oldest is deleted.
    if (payer !== null && (await budgets.look(payer, "background")).remaining === 0) {
      await trimEvents(deps, part);
      return counts;
    }
    const busy = createBusyTime();
    busy.start();
    try {
      for (let seen = 1; seen > 0 && hasTime();) {
        seen = await fanOut(deps, part, toInstant(clock.now()));
        counts.events += seen;
        if (seen > 0) await trimDeliveries(deps, part);
      }
      const deliverAll = () => busy.without(() => deliverDue(part, { signal, hasTime, busy }, counts));
      await deliverAll();
      // After what is due: a resend of many must not keep what happens now from being sent.
      let replayed = 0;
      for (let pages = 1; pages > 0 && replayed < REPLAY_PAGES && hasTime(); replayed += pages) {
        pages = await continueReplays(deps, part, clock.now());
      }
      if (replayed > 0) await deliverAll();
      if (!signal.aborted) await notifyDisabled(deps, part);
      return counts;
    } finally {
      busy.stop();
      if (payer !== null) await budgets.charge(payer.customerId, "background", busy.totalMs());
    }
  }

  async function deliverDue(
    part: string,
    {
      signal,
      hasTime,
      busy,
    }: Required<Pick<WorkOptions, "signal" | "hasTime">> & { readonly busy: BusyTime },
    counts: Record<Outcome, number>,
  ): Promise<void> {
    const portsOf: DeliverDeps["portsOf"] = (of) => {
      const { post } = deps.portsOf(of);
      return { post: (request) => busy.without(() => post(request)) };
    };
    for (let isMore = true; isMore && !signal.aborted;) {
      const due = (await listDue(runTx, part)).filter(({ dueMs }) => dueMs <= clock.now());
      const queue = due.map(({ id }) => id);
      const worker = async (): Promise<void> => {
        for (let id = queue.shift(); id !== undefined && hasTime(); id = queue.shift()) {
          const next = id;
          const outcome = await inPlace(slots, { key: part, signal, slowMs: SLOW_POST_MS }, () =>
            busy.within(() => deliver({ ...deps, portsOf }, part, next)),
          );
          if (outcome === undefined) return;
          counts[outcome] += 1;
        }
      };
      await Promise.all(Array.from({ length: POSTS.perKey }, worker));
      isMore = due.length === DUE_BATCH && queue.length === 0;
    }
  }

  const waker = createWaker({
    work,
    nextDueMs: (part) => nextDueMs(deps, part),
    clock,
    log,
  });
  return { ...waker, work, observe: createLimitWatch(deps) };
}

/** No endpoint, nothing to look for: a look at one document. */
const isWatched = (runTx: RunTx, part: string): Promise<boolean> =>
  runTx(part, async (tx) => (await tx.get(eventFilters, "wanted")) !== null);

const listDue = (runTx: RunTx, part: string): Promise<{ id: string; dueMs: number }[]> =>
  runTx(part, async (tx) => {
    const { items } = await tx.peekPage(deliveries, { index: "due", limit: DUE_BATCH });
    return items.map(({ id, value }) => ({ id, dueMs: Date.parse(value.next_at ?? "") }));
  });

/** When the oldest event is due, in epoch milliseconds; undefined where there is none. */
const firstEventMs = (runTx: RunTx, part: string, now: string): Promise<number | undefined> =>
  runTx(part, async (tx) => {
    const [first] = (await tx.peekPage(domainEvents, { index: "time", limit: 1 })).items;
    return first === undefined ? undefined : eventsDueMs(first.value, now);
  });

/** When something is next due; not before the budget renews, and never where `work` does nothing. */
async function nextDueMs(
  { budgets, clock, findOwner, runTx }: WebhookDeps,
  part: string,
): Promise<number | null> {
  const [next] = await listDue(runTx, part);
  const eventMs = await firstEventMs(runTx, part, toInstant(clock.now()));
  const dueMs = Math.min(eventMs ?? Infinity, next?.dueMs ?? Infinity);
  if (dueMs > clock.now()) return dueMs === Infinity ? null : dueMs;
  if (!(await isWatched(runTx, part))) return null;
  const payer = await findOwner(part);
  const state = payer === null ? null : await budgets.look(payer, "background");
  return state?.remaining === 0 ? (state.renewsAtMs ?? Infinity) : dueMs;
}

interface BusyTime {
  start(): void;
  stop(): void;
  within<R>(work: () => Promise<R>): Promise<R>;
  /** Runs what one of the workers only waits for. */
  without<R>(work: () => Promise<R>): Promise<R>;
  totalMs(): number;
}

/** Measures the time in which at least one of several workers does something other than wait for receivers. */
function createBusyTime(): BusyTime {
  let [workers, sinceMs, totalMs] = [0, 0, 0];
  const start = (): void => {
    if (workers === 0) sinceMs = performance.now();
    workers += 1;
  };
  const stop = (): void => {
    workers -= 1;
    if (workers === 0) totalMs += performance.now() - sinceMs;
  };
  return {
    start,
    stop,
    async within(work) {
      start();
      try {
        return await work();
      } finally {
        stop();
      }
    },
    async without(work) {
      stop();
      try {
        return await work();
      } finally {
        start();
      }
    },
    totalMs: () => Math.ceil(totalMs),
  };
}

const KEYS_REMEMBERED = 10_000;

/** Emits `rate_limit.exceeded` once for each window of a key; several nodes give it one id. */
function createLimitWatch({ runTx, secret, log }: WebhookDeps): Webhooks["observe"] {
  const reported = new Map<string, number>();
  return ({ principal, rate, status, now }) => {
    if (status !== 429 || principal === null || rate === null || rate.allowed) return;
    const { keyId, customerId, store } = principal;
    if (reported.get(keyId) === rate.resetAtMs) return;
    if (reported.size >= KEYS_REMEMBERED) reported.clear();
    reported.set(keyId, rate.resetAtMs);
    const reset_at = toInstant(rate.resetAtMs);
    const event = {
      id: derivedId("evt", secret, ["rate_limit.exceeded", keyId, reset_at]),
      type: "rate_limit.exceeded",
      at: toInstant(now),
      data: { id: keyId, customer_id: customerId, store_id: store.id, limit: rate.limit, reset_at },
    };
    runTx(PLATFORM_PART, async (tx) => tx.emit(event)).catch((err: unknown) => {
      log.warn({ err, key_id: keyId }, "failed to emit a rate limit event");
    });
  };
}
