import { HOUR_MS, MINUTE_MS } from "../lib/instant.ts";

/**
 * A response after so many milliseconds may have computed for long: those of its kind are measured for some minutes. Measuring makes each
 * wait of the process dearer, so what most requests take on a busy server is not enough.
 */
const SLOW_MS = 250;
const WATCHED_MS = 10 * MINUTE_MS;
/** So many quick runs end it earlier: what they had waited for was other work. */
const WATCHED_RUNS = 1_000;
/** What a handler computes for so long is charged. */
const HEAVY_MS = 50;
/** Requests shorter than this are quick. Those of a customer that are not are added up, and treated as slow beyond so much in a minute. */
const QUICK_MS = 20;
const SUM_MS = 1_000;
/** Kinds that are remembered: those that were slow last stay. */
const KINDS_MAX = 10_000;

/** A route and the customer that calls it. */
interface Kind {
  readonly customerId: string;
  readonly routeId: string;
}

/**
 * Which routes were slow for which customers of this process of late. What they compute for them counts towards the CPU budget,
 * whatever they cost of the rate limit: a list that is cheap for most stores may not be in one that holds what its limits allow.
 */
export interface SlowRoutes {
  /** Whether a response was slow, or many of the customer were together, for whatever reason, so that the next ones are measured. */
  isWatched(kind: Kind, nowMs: number): boolean;
  /** Whether the handler of one that was measured computed for long itself, or those of many of the customer together. */
  isHeavy(kind: Kind, nowMs: number): boolean;
  /** After each run: how long it took since its request came. */
  noteTime(kind: Kind, ms: number, nowMs: number): void;
  /** After each one that was measured: how long it computed. `isAdded`: it counts with others of the customer. */
  noteWork(kind: Kind, cpuMs: number, nowMs: number, isAdded: boolean): void;
  /** The same by the visitor who sent it, and however quick: nobody's key limits how many there are. */
  noteVisit(kind: Kind, cpuMs: number, nowMs: number): void;
}

interface Seen {
  readonly watchedUntilMs: number;
  readonly heavyUntilMs: number;
  /** Quick runs after which it is watched no longer. */
  runsLeft: number;
}

const NEVER: Seen = { watchedUntilMs: 0, heavyUntilMs: 0, runsLeft: WATCHED_RUNS };

/** Adds up what is not quick by customer and minute: true where that is much. */
function createSums(quickMs = QUICK_MS): (customerId: string, ms: number, nowMs: number) => boolean {
  const sums = new Map<string, { readonly startMs: number; readonly ms: number }>();
  return (customerId, ms, nowMs) => {
    if (ms < quickMs) return false;
    const open = sums.get(customerId);
    const isOver = open === undefined || Math.abs(nowMs - open.startMs) >= MINUTE_MS;
    const sum = isOver ? { startMs: nowMs, ms } : { startMs: open.startMs, ms: open.ms + ms };
    sums.delete(customerId);
    sums.set(customerId, sum);
    const [oldest] = sums.keys();
    if (sums.size > KINDS_MAX && oldest !== undefined) sums.delete(oldest);
    return sum.ms >= SUM_MS;
  };
}

export function createSlowRoutes(): SlowRoutes {
  const [isLongTogether, isMuchTogether, isMuchOfVisitor] = [createSums(), createSums(), createSums(0)];
  /** What was slow last comes last. */
  const seen = new Map<string, Seen>();
  const nameOf = ({ customerId, routeId }: Kind): string => `${customerId} ${routeId}`;
  const find = (kind: Kind): Seen | undefined => (seen.size === 0 ? undefined : seen.get(nameOf(kind)));
  const remember = (kind: Kind, one: Seen): void => {
    seen.delete(nameOf(kind));
    seen.set(nameOf(kind), one);
    const [oldest] = seen.keys();
    if (seen.size > KINDS_MAX && oldest !== undefined) seen.delete(oldest);
  };
  const rememberHeavy = (kind: Kind, untilMs: number): void =>
    remember(kind, { ...NEVER, watchedUntilMs: untilMs, heavyUntilMs: untilMs });
  const noteQuick = (kind: Kind, nowMs: number): void => {
    const one = find(kind);
    if (one === undefined || nowMs < one.heavyUntilMs) return;
    one.runsLeft -= 1;
    if (one.runsLeft === 0) seen.delete(nameOf(kind));
  };

  return {
    isWatched: (kind, nowMs) => nowMs < (find(kind)?.watchedUntilMs ?? 0),
    isHeavy: (kind, nowMs) => nowMs < (find(kind)?.heavyUntilMs ?? 0),
    noteTime(kind, ms, nowMs) {
      if (!isLongTogether(kind.customerId, ms, nowMs) && ms < SLOW_MS) return;
      const known = find(kind);
      const one = known !== undefined && nowMs < known.watchedUntilMs ? known : NEVER;
      remember(kind, { ...one, watchedUntilMs: Math.max(one.watchedUntilMs, nowMs + WATCHED_MS) });
    },
    noteWork(kind, cpuMs, nowMs, isAdded) {
      const isMuch = isAdded && isMuchTogether(kind.customerId, cpuMs, nowMs);
      if (isMuch || cpuMs >= HEAVY_MS) rememberHeavy(kind, nowMs + HOUR_MS);
      else if (cpuMs < QUICK_MS) noteQuick(kind, nowMs);
    },
    noteVisit(kind, cpuMs, nowMs) {
      if (isMuchOfVisitor(kind.customerId, cpuMs, nowMs)) rememberHeavy(kind, nowMs + HOUR_MS);
    },
  };
}
