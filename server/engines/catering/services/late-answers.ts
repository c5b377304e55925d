import { readEach } from "../../../core/read-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { orders, recurringOrders } from "../repository.ts";
import { mayOrder } from "../rules/order-state.ts";
import { withNeeds } from "../rules/tally-rsvps.ts";
import type { Rsvp } from "../schema/headcount.ts";
import { saveOrder } from "./save-order.ts";
import { emit } from "./work.ts";
import type { CateringWork } from "./work.ts";

/**
 * Takes an answer into the orders of its day that were made before it: until the food is on its way, the kitchen needs to know what
 * a guest cannot eat. The number of guests stays, since changing it can cost a fee: the event says by how many it is out.
 */
export async function followAnswer(work: CateringWork, before: Rsvp | null, after: Rsvp): Promise<void> {
  const { date, source_id: source } = after;
  const heads = headsOf(after) - headsOf(before);
  const [old, needs] = [before?.dietary ?? [], after.dietary];
  if (heads === 0 && old.join() === needs.join()) return;
  const page: Tx["peekPage"] = (collection, query) => work.tx.peekPage(collection, query);
  const from = { index: "event", value: "live", from: date };
  for await (const { id, value } of readEach(work.part, orders, from, page)) {
    if (value.event.date !== date) break;
    if (value.recurring_order_id === null || !mayOrder("diet", value.status)) continue;
    const recurring = await work.tx.get(recurringOrders, value.recurring_order_id);
    if (recurring?.value.headcount_source_ids.includes(source) !== true) continue;
    const order = await work.tx.require(orders, id);
    const dietary = withNeeds(order.value.dietary, { old, needs });
    await saveOrder(work, order, { ...order.value, dietary }, { check: false });
    emit(work, "order.answered_late", id, { date, heads });
  }
}

const headsOf = (rsvp: Rsvp | null): number => (rsvp?.answer === "accepted" ? 1 + rsvp.guests : 0);
