import { changeDue } from "../../../core/batches.ts";
import type { Ctx } from "../../../core/route.ts";
import { fromInstant, MINUTE_MS, toInstant } from "../../../lib/instant.ts";
import { recurringOrders } from "../repository.ts";

/** Has the jobs look at all recurring orders in a minute, when other holidays are stored: days and deadlines follow from them. */
export async function followHolidays({ log, now, runTx, tx: { part } }: Ctx): Promise<void> {
  const lookAt = now + MINUTE_MS;
  const list = {
    collection: recurringOrders,
    index: "by",
    value: "status.active",
    isDue: () => true,
    max: Number.POSITIVE_INFINITY,
  };
  await changeDue({ log, part, runTx, signal: new AbortController().signal }, list, async (tx, id) => {
    const order = await tx.get(recurringOrders, id);
    const at = order?.value.next_action_at ?? null;
    if (order === null || (at !== null && fromInstant(at) <= lookAt)) return 0;
    tx.put(recurringOrders, order, { ...order.value, next_action_at: toInstant(lookAt) });
    return 1;
  });
}
