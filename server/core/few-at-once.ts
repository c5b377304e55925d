import { fail } from "../lib/errors.ts";
import { createFairSlots } from "../lib/fair-slots.ts";
import type { Tx } from "./tx.ts";

/**
 * Runs work that has much in memory: so many at once for a customer, or without one for the store, whatever their routes. Others wait.
 */
export function fewAtOnce(count: number) {
  const places = createFairSlots({ max: Infinity, perKey: count });
  return async <R>(
    { part, customerId = part, signal }: Pick<Tx, "part" | "customerId" | "signal">,
    work: () => Promise<R>,
  ): Promise<R> => {
    if (!(await places.take(customerId, signal?.())))
      throw fail("service_unavailable", "The client closed the connection.");
    try {
      return await work();
    } finally {
      places.release(customerId);
    }
  };
}
