import { readEach } from "../../../core/read-page.ts";
import { takeTurn } from "../../../core/room.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { addDays } from "../../../lib/local-time.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { accounts, countBooks, headcountSources, orders, recurringOrders, rsvps } from "../repository.ts";
import { occurrenceSteps } from "../rules/occurrences.ts";
import { mayOrder } from "../rules/order-state.ts";
import { withNeeds } from "../rules/tally-rsvps.ts";
import type { Rsvp } from "../schema/headcount.ts";
import type { Order } from "../schema/order.ts";
import type { Dietary } from "../schema/parts.ts";
import type { RecurringOrder } from "../schema/recurring.ts";
import { todayOf } from "./invoice-steps.ts";
import { saveOrder } from "./save-order.ts";
import { emit } from "./work.ts";
import type { CateringWork } from "./work.ts";

/** What an answer is to: a day of a source. */
type Asked = Pick<Rsvp, "date" | "source_id">;

/**
 * Takes an answer into the orders of its day that were made before it: until the food is on its way, the kitchen needs to know what
 * a guest cannot eat. The number of guests stays, since changing it can cost a fee: the event says by how many it is out.
 */
export async function followAnswer(work: CateringWork, before: Rsvp | null, after: Rsvp): Promise<void> {
  const { date } = after;
  const heads = headsOf(after) - headsOf(before);
  const [old, needs] = [before?.dietary ?? [], after.dietary];
  if (heads === 0 && old.join() === needs.join()) return;
  await takeAnswersTurn(work, after.source_id);
  for await (const { order: known, recurring } of ordersOf(work, after)) {
    const { id, value } = known;
    if (!mayOrder("diet", value.status)) continue;
    const order = await work.tx.require(orders, id);
    const others = old.length === 0 ? [] : await otherNeeds(work, recurring, date);
    const dietary = withNeeds(order.value.dietary, { old, needs, others });
    await saveOrder(work, order, { ...order.value, dietary }, { check: false });
    emit(work, "order.answered_late", id, { date, heads });
  }
}

/** Of an answer and a count of answers at the same time, the later one runs again, and so finds the order or the answer. */
export const takeAnswersTurn = ({ tx }: CateringWork, sourceId: string): Promise<void> =>
  takeTurn(tx, `${rsvps.name}.${sourceId}`);

/** Needs that an order has without its guests: those of the account or the recurring order, and of sources that are numbers. */
async function otherNeeds(
  { tx }: CateringWork,
  { account_id: account, dietary, headcount_source_ids: sources }: RecurringOrder,
  date: string,
): Promise<Dietary> {
  const standing =
    dietary.length > 0 ? dietary : (await tx.require(accounts, account)).value.dietary_defaults;
  const books = await Promise.all(sources.map((id) => tx.get(countBooks, id)));
  const days = books.flatMap((book) => book?.value.days ?? []).filter((day) => day.date === date);
  return [...standing, ...days.flatMap((day) => day.dietary)];
}

const headsOf = (rsvp: Rsvp | null): number => (rsvp?.answer === "accepted" ? 1 + rsvp.guests : 0);

/**
 * Whether an answer would change nothing: its source is archived, or the food is on its way, called off or not to be ordered. Of a day
 * that has passed, the page says so.
 */
export async function isClosed(work: CateringWork, asked: Asked): Promise<boolean> {
  const source = await work.tx.get(headcountSources, asked.source_id);
  if (source === null || source.value.status === "archived") return true;
  if (asked.date < todayOf(work)) return false;
  let isGone = false;
  for await (const { order } of ordersOf(work, asked)) {
    if (mayOrder("diet", order.value.status)) return false;
    isGone = true;
  }
  return isGone || isOff(work, asked);
}

/** Whether each recurring order that counts a source on a date leaves that date out, or has ended. A paused one may be resumed. */
async function isOff(work: CateringWork, { date, source_id: source }: Asked): Promise<boolean> {
  const { part, tx } = work;
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  const window = { from: addDays(date, -MOVED_DAYS), to: addDays(date, MOVED_DAYS), today: date };
  let isLeftOut = false;
  for await (const { id, value } of readEach(
    part,
    recurringOrders,
    { index: "by", value: `source.${source}` },
    page,
  )) {
    const steps = occurrenceSteps(id, value, { ...window, holidays: work.holidays });
    for (const { date: day, original_start: original, state } of await runInSlices(steps, part)) {
      if (day !== date && original.slice(0, 10) !== date) continue;
      if (value.status !== "ended" && state !== "skipped" && state !== "cancelled") return false;
      isLeftOut = true;
    }
  }
  return isLeftOut;
}

/** Days within which a date that was moved is still found by its first day. */
const MOVED_DAYS = 31;

/** Orders for which the people of a source were asked, and what they recur by. */
async function* ordersOf(
  work: CateringWork,
  asked: Asked,
): AsyncGenerator<{ readonly order: Stored<Order>; readonly recurring: RecurringOrder }> {
  for await (const order of ordersOn(work, asked.date)) {
    if (order.value.recurring_order_id === null) continue;
    const recurring = await work.tx.get(recurringOrders, order.value.recurring_order_id);
    if (recurring === null) continue;
    const { headcount_source_ids: sources, progress } = recurring.value;
    // It may have been counted by sources that count no longer.
    const counted = progress.find(({ order_id: made }) => made === order.id)?.headcount;
    const all = [...sources, counted?.source_id, ...(counted?.source_ids ?? [])];
    if (all.includes(asked.source_id)) yield { order, recurring: recurring.value };
  }
}

/** Orders of a day, and those that were moved from it. */
async function* ordersOn({ part, tx }: CateringWork, date: string): AsyncGenerator<Stored<Order>> {
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  yield* readEach(part, orders, { index: "by", value: `moved.${date}` }, page);
  for await (const order of readEach(part, orders, { index: "event", value: "", from: date }, page)) {
    if (order.value.event.date !== date) break;
    yield order;
  }
}
