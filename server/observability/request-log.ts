import type { Observation } from "../http/principal.ts";
import type { Clock } from "../core/clock.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { RunTx } from "../core/tx.ts";
import { remember, toEntry } from "./request-entry.ts";
import type { Remembered, RequestEntry } from "./request-entry.ts";
import { createRing } from "./ring.ts";
import type { Feed } from "./ring.ts";
import { findStored, writeBatch } from "./request-store.ts";
import { createDelayedWrite } from "../core/delayed-write.ts";

/** What the configuration says of the request log. */
export interface RequestLogSettings {
  /** Which requests outlive the process. */
  readonly store: "errors" | "all" | "none";
  readonly days: number;
  /** Requests kept in the store, over all nodes. */
  readonly entries: number;
  /** Latest requests that this process remembers, whatever became of them. */
  readonly memory: number;
}

/**
 * The latest requests, for support. Every process remembers its own in memory, successes included; what the settings
 * say (default: refusals and failures) is written to the store in batches and is found from every node and after a
 * restart. A process that is killed loses what it has not written: at most `FLUSH_AFTER_MS`.
 */
export interface RequestLog {
  /** Remembers one finished request; only writes into memory. */
  observe(observation: Observation): void;
  /** By request id: in this process, else in the store. Null where nothing is known of it. */
  find(requestId: string): Promise<RequestEntry | null>;
  /** The requests that this process remembers, newest first. */
  recent(): RequestEntry[];
  /** Writes what waits; on failure it goes on waiting. */
  flush(): Promise<void>;
  readonly feed: Feed<Remembered>;
  readonly settings: RequestLogSettings;
  /** Writes the rest and remembers no more. */
  close(): Promise<void>;
}

const FLUSH_AFTER_MS = 3_000;
/** Entries of one batch, which is a document, and their bytes: the names that an entry repeats can be long. */
const BATCH_MAX = 100;
const BATCH_BYTES = 200_000;
/** Entries of each kind that may wait: what comes beyond is counted, not kept. */
const WAITING_MAX: Readonly<Record<Kind, number>> = { failed: 200, refused: 200, anonymous: 50, fine: 400 };

/** In the order in which they are worth keeping: a flood of strangers must not push a customer's failure out. */
type Kind = "failed" | "refused" | "anonymous" | "fine";
const KINDS = ["failed", "refused", "anonymous", "fine"] as const;

export function createRequestLog(deps: {
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly settings: RequestLogSettings;
}): RequestLog {
  const { settings, log, clock } = deps;
  const ring = createRing(settings.memory, fillSlot);
  const waiting = createWaiting();
  /** Taken from those that wait and not stored yet. */
  let inFlight: readonly Seen[] = [];

  async function writeAll(): Promise<void> {
    const { seen, skipped } = waiting.take();
    let left = skipped;
    for (let from = 0; from < seen.length;) {
      inFlight = seen.slice(from);
      try {
        const entries = firstOf(inFlight);
        from += entries.length;
        await writeBatch(deps, { entries, skipped: left, atMs: clock.now(), keep: settings.entries });
      } catch (error) {
        waiting.giveBack(inFlight, left);
        throw error;
      } finally {
        inFlight = [];
      }
      left = 0;
    }
  }

  const delayed = createDelayedWrite({
    write: writeAll,
    delayMs: FLUSH_AFTER_MS,
    log,
    failure: "failed to write the request log, retrying later",
  });

  return {
    settings,
    feed: ring,
    observe(observation) {
      // Probes, pages and successful requests of the operator would push out entries that are asked for.
      if (observation.status < 400 && !isCustomers(observation.routeId)) return;
      const seen = remember(observation);
      ring.push(seen);
      if (settings.store === "none" || (seen.status < 400 && settings.store === "errors")) return;
      waiting.add(kindOf(seen), seen);
      delayed.arm();
    },
    recent: () => ring.newest().map(toEntry),
    async find(requestId) {
      const isIt = (seen: Seen): boolean => seen.requestId === requestId;
      const seen = ring.newest().find(isIt) ?? waiting.all().find(isIt) ?? inFlight.find(isIt);
      return seen === undefined ? findStored(deps, requestId) : toEntry(seen);
    },
    flush: delayed.flush,
    async close() {
      ring.close();
      await delayed
        .flush()
        .catch((err: unknown) =>
          log.warn({ err }, "failed to write the request log on shutdown, entries lost"),
        );
      delayed.stop();
    },
  };
}

type Seen = Remembered;

function fillSlot(
  slot: { -readonly [member in keyof Remembered]: Remembered[member] },
  seen: Remembered,
): void {
  slot.now = seen.now;
  slot.requestId = seen.requestId;
  slot.principal = seen.principal;
  slot.routeId = seen.routeId;
  slot.method = seen.method;
  slot.status = seen.status;
  slot.durationMs = seen.durationMs;
  slot.target = seen.target;
  slot.refusal = seen.refusal;
}

/** The first of those that wait, as many as one batch takes. */
function firstOf(waiting: readonly Seen[]): RequestEntry[] {
  const entries: RequestEntry[] = [];
  let bytes = 0;
  for (const entry of waiting.slice(0, BATCH_MAX).map(toEntry)) {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (entries.length > 0 && bytes > BATCH_BYTES) break;
    entries.push(entry);
  }
  return entries;
}

const isCustomers = (routeId: string | null): boolean =>
  routeId !== null && !routeId.startsWith("pages.") && !routeId.startsWith("admin.");

function kindOf({ status, principal }: Seen): Kind {
  if (status < 400) return "fine";
  if (status >= 500) return "failed";
  return principal === null ? "anonymous" : "refused";
}

/** What waits to be written: so much of each kind, and a count of the rest. */
function createWaiting() {
  const empty = (): Record<Kind, Seen[]> => ({ failed: [], refused: [], anonymous: [], fine: [] });
  let kept = empty();
  let skipped = 0;
  const all = (): Seen[] => KINDS.flatMap((kind) => kept[kind]);
  return {
    all,
    add(kind: Kind, seen: Seen): void {
      if (kept[kind].length >= WAITING_MAX[kind]) skipped += 1;
      else kept[kind].push(seen);
    },
    take() {
      const taken = { seen: all(), skipped };
      kept = empty();
      skipped = 0;
      return taken;
    },
    /** After a write that failed: the oldest come first again, and what does not fit is counted. */
    giveBack(seen: readonly Seen[], lost: number): void {
      const room = Math.max(0, RETRY_MAX - all().length);
      kept.failed.unshift(...seen.slice(0, room));
      skipped += lost + Math.max(0, seen.length - room);
    },
  };
}

/** Entries that may wait while the store cannot be written. */
const RETRY_MAX = 1_000;
