import type { Clock } from "../../core/clock.ts";
import { StoreError } from "../contract.ts";
import type { Check, RateResult, StoreDriver } from "../contract.ts";
import { splitKey } from "../keys.ts";
import type { Client } from "./client.ts";
import { corrupt } from "./errors.ts";
import type { Names } from "./names.ts";
import { peekScript } from "./scripts/take.ts";
import { createShared } from "./turns.ts";
import type { Step, TurnCall, Turns } from "./turns.ts";

export type Limits = Pick<StoreDriver, "take" | "peek" | "resetCounter">;
type TakeIf = NonNullable<StoreDriver["takeIf"]>;

/** Equal takes of one turn: their number is sent to Redis, which returns how many of them fit. */
interface Group {
  readonly step: Step;
  readonly checks: readonly Check[];
  readonly slots: readonly number[];
  times: number;
}

interface Taking {
  readonly counter: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly amount: number;
  readonly checks: readonly Check[];
}

/** Place of the number of times among the arguments of a take. */
const TIMES = 4;

/**
 * Fixed windows in Redis, exact over any number of nodes: one step counts and decides, by Redis's own time unless a clock is
 * given. A take whose answer is lost may have counted, and is never repeated.
 */
export function createLimits(
  client: Client,
  names: Names,
  turns: Turns,
  clock?: Clock,
): Limits & { readonly takeIf: TakeIf } {
  const shared = createShared<Group>();
  /** The revisions at which checks were last found true: while they are current, no document is read. */
  const found = new WeakMap<readonly Check[], readonly string[]>();

  async function take(taking: Taking): Promise<RateResult | null> {
    const { counter, limit, windowMs, amount, checks } = taking;
    const window = toWindow(limit, windowMs);
    const call = turns.join(counter, 0);
    const name = `${counter} ${limit} ${windowMs} ${amount}`;
    const begin = (): Group => ask(call, { names, taking, window, known: found.get(checks) ?? [] });
    const same = shared(call, name, begin);
    const group = same.checks === checks ? same : begin();
    const index = group.times;
    group.times += 1;
    call.args[group.step.begin + TIMES] = group.times;
    const answers = await call.answered;
    const reply = answers.of(group.step);
    if (reply === 0) return null;
    if (index === 0 && checks.length > 0) {
      const revisions = group.slots.flatMap((slot) => answers.revision(slot) ?? []);
      if (revisions.length === checks.length) found.set(checks, revisions);
    }
    return toRate(taking, reply, index);
  }

  return {
    async take(counter, limit, windowMs, amount = 1) {
      const rate = await take({ counter, limit, windowMs, amount, checks: NO_CHECKS });
      if (rate === null) throw corrupt(counter);
      return rate;
    },
    takeIf: (checks, counter, ...[limit, windowMs, amount = 1]) =>
      take({ counter, limit, windowMs, amount, checks }),
    async peek(counter) {
      const found = await client.run(peekScript, [names.counter(counter)], [clock?.now() ?? ""]);
      if (found === null) return null;
      const [count, resetAtMs] = toNumbers(found);
      if (count === undefined || resetAtMs === undefined) throw corrupt(counter);
      return { count, resetAtMs };
    },
    async resetCounter(counter) {
      await client.ask((redis) => redis.del(names.counter(counter)));
    },
  };
}

const NO_CHECKS: readonly Check[] = [];

function ask(
  call: TurnCall,
  what: {
    readonly names: Names;
    readonly taking: Taking;
    readonly window: readonly [number, number];
    readonly known: readonly string[];
  },
): Group {
  const { counter, amount, checks } = what.taking;
  const places = checks.map(({ key, version }) => ({ ...splitKey(key), version }));
  const slots = places.map(({ part, coll }) => call.slot(part, coll));
  const args = places.flatMap(({ part, coll, id, version }, i) => [
    call.key(call.own(part).docs(coll)),
    id,
    version,
    slots[i] ?? 0,
    what.known[i] ?? "",
  ]);
  const head = [call.key(what.names.counter(counter)), ...what.window, amount, 0, checks.length];
  return { step: call.ask("take", [...head, ...args]), checks, slots, times: 0 };
}

/** Limit and window as Lua takes them: no limit at all is a large number. Throws StoreError INVALID. */
function toWindow(limit: number, windowMs: number): [number, number] {
  if (!(windowMs > 0) || !Number.isFinite(windowMs) || Number.isNaN(limit)) {
    throw new StoreError("INVALID", `invalid window: ${limit} in ${windowMs} ms`);
  }
  return [Math.min(limit, Number.MAX_SAFE_INTEGER), Math.ceil(windowMs)];
}

/** What the take with this index of its group was answered. */
function toRate({ counter, limit, amount }: Taking, reply: unknown, index: number): RateResult {
  const [before, fit, resetAtMs] = toNumbers(reply);
  if (before === undefined || fit === undefined || resetAtMs === undefined) throw corrupt(counter);
  const count = Math.max(0, before + Math.min(index + 1, fit) * amount);
  return { allowed: index < fit, limit, remaining: Math.max(0, limit - count), resetAtMs };
}

function toNumbers(found: unknown): number[] {
  return Array.isArray(found) ? found.map(Number) : [];
}
