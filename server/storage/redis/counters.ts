import type { Clock } from "../../core/clock.ts";
import { StoreError } from "../contract.ts";
import type { RateResult, StoreDriver } from "../contract.ts";
import { splitKey } from "../keys.ts";
import type { Client } from "./client.ts";
import type { Same } from "./identity.ts";
import { corrupt } from "./errors.ts";
import type { Names } from "./names.ts";
import { numberOf } from "./script.ts";
import { peekScript, takeIfScript, takeScript } from "./scripts/take.ts";

export type Limits = Pick<StoreDriver, "take" | "peek" | "resetCounter">;
type TakeIf = NonNullable<StoreDriver["takeIf"]>;

/**
 * Fixed windows in Redis, exact over any number of nodes: one step counts and decides, by Redis's own time unless a clock is
 * given. A take whose answer is lost may have counted, and is never repeated.
 */
export function createLimits(client: Client, names: Names, clock?: Clock): Limits {
  const now = (): number | "" => clock?.now() ?? "";
  return {
    async take(counter, limit, windowMs, amount = 1) {
      const args = [...toWindow(limit, windowMs), now(), amount];
      return toRate(counter, limit, await client.run(takeScript, [names.counter(counter)], args));
    },
    async peek(counter) {
      const found = await client.run(peekScript, [names.counter(counter)], [now()]);
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

/**
 * Counts an authenticated request in the step that checks whether its key is still valid. The documents and the counter are in
 * different slots, so this is for one server, not for Redis Cluster.
 */
export function createTakeIf(client: Client, names: Names, same: Same, clock?: Clock): TakeIf {
  return async (checks, counter, ...[limit, windowMs, amount = 1]) => {
    const places = checks.map(({ key, version }) => ({ ...splitKey(key), version }));
    const docs = numberOf(places.map(({ part, coll }) => names.part(part).docs(coll)));
    const args = places.flatMap(({ part, coll, id, version }) => [
      docs.get(names.part(part).docs(coll)) ?? 0,
      id,
      version,
    ]);
    const found = await client.run(
      takeIfScript,
      [names.counter(counter), ...docs.keys(), ...same.keys],
      [...toWindow(limit, windowMs), clock?.now() ?? "", amount, same.id, ...args],
    );
    return found === null ? null : toRate(counter, limit, found);
  };
}

/** Limit and window as Lua takes them: no limit at all is a large number. Throws StoreError INVALID. */
function toWindow(limit: number, windowMs: number): [number, number] {
  if (!(windowMs > 0) || !Number.isFinite(windowMs) || Number.isNaN(limit)) {
    throw new StoreError("INVALID", `invalid window: ${limit} in ${windowMs} ms`);
  }
  return [Math.min(limit, Number.MAX_SAFE_INTEGER), Math.ceil(windowMs)];
}

function toRate(counter: string, limit: number, found: unknown): RateResult {
  const [allowed, count, resetAtMs] = toNumbers(found);
  if (allowed === undefined || count === undefined || resetAtMs === undefined) throw corrupt(counter);
  return { allowed: allowed === 1, limit, remaining: Math.max(0, limit - count), resetAtMs };
}

function toNumbers(found: unknown): number[] {
  return Array.isArray(found) ? found.map(Number) : [];
}
