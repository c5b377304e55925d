import type { Clock } from "../../kernel/clock.ts";
import { StoreError } from "../contract.ts";
import type { StoreDriver } from "../contract.ts";
import type { Client } from "./client.ts";
import { corrupt } from "./errors.ts";
import type { Names } from "./names.ts";
import { peekScript, takeScript } from "./scripts/take.ts";

export type Limits = Pick<StoreDriver, "take" | "peek" | "resetCounter">;

/**
 * Fixed windows in Redis, exact over any number of nodes: one step counts and decides, by Redis's own time unless a clock is
 * given. A take whose answer is lost may have counted, and is never repeated.
 */
export function createLimits(client: Client, names: Names, clock?: Clock): Limits {
  const now = (): number | "" => clock?.now() ?? "";
  return {
    async take(counter, limit, windowMs) {
      if (!(windowMs > 0) || !Number.isFinite(windowMs) || Number.isNaN(limit)) {
        throw new StoreError("INVALID", `no window: ${limit} in ${windowMs} ms`);
      }
      const args = [toLuaNumber(limit), Math.ceil(windowMs), now()];
      const [allowed, count, resetAtMs] = toNumbers(
        await client.run(takeScript, [names.counter(counter)], args),
      );
      if (allowed === undefined || count === undefined || resetAtMs === undefined) throw corrupt(counter);
      return { allowed: allowed === 1, limit, remaining: Math.max(0, limit - count), resetAtMs };
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

/** No limit at all is a large number to Lua. */
const toLuaNumber = (limit: number): number => Math.min(limit, Number.MAX_SAFE_INTEGER);

function toNumbers(found: unknown): number[] {
  return Array.isArray(found) ? found.map(Number) : [];
}
