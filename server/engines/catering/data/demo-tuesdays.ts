import { toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import { addDays, isoWeekdayOf, toEpochMs } from "../../../lib/local-time.ts";
import { runAtOnce } from "../../../lib/slices.ts";
import { businessDaysBefore } from "../rules/calendar.ts";
import { newOrder, settledOrder } from "../rules/new-order.ts";
import { nextLook, upcomingSteps } from "../rules/recurring-agenda.ts";
import type { Order } from "../schema/order.ts";
import type { Progress, RecurringOrder } from "../schema/recurring.ts";
import { DEFAULT_TERMS } from "./default-policy.ts";
import { DEMO_IDS } from "./demo-ids.ts";
import { dayLines, DEMO_NUMBER, TIME_ZONE } from "./demo-shop.ts";
import type { Stage } from "./demo-shop.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Tuesdays that have passed. */
export const WEEKS = 8;
/** Guests of the Tuesdays that have passed, the latest last. */
const GUESTS = [22, 19, 24, 21, 26, 23, 20, 25] as const;

export interface Tuesdays {
  readonly recurring: RecurringOrder[];
  readonly orders: Order[];
  /** The next Tuesday that has not been counted yet. */
  readonly next: string;
}

/** Two months of lunches, and those to come. */
export function demoTuesdays(stage: Stage): Tuesdays {
  const { now, today, holidays } = stage;
  const last = addDays(today, -((((isoWeekdayOf(today) - 2) % 7) + 7) % 7 || 7));
  const first = addDays(last, -7 * (WEEKS - 1));
  const past = GUESTS.map((heads, week) => ({ heads, date: addDays(first, 7 * week) }));
  // Those whose deadline has passed already are ordered, as the worker would have done.
  const ahead = [1, 2]
    .map((week) => addDays(last, 7 * week))
    .filter((date) => now >= toEpochMs(businessDaysBefore(date, 2, holidays), "12:00", TIME_ZONE));
  const days = [...past, ...ahead.map((date) => ({ heads: 23, date }))];
  const orders = days.map(({ date, heads }, at) => tuesdayOrder(stage, { date, heads, at }));
  const progress: Progress[] = orders.map((order) => ({
    original_start: `${order.event.date}T12:30`,
    state: "ordered",
    order_id: order.id,
    headcount: null,
    blocked: null,
  }));
  const weekly = recurringOf(stage, { id: DEMO_IDS.recurring, title: "Tuesday lunch", first, progress });
  const resting: RecurringOrder = {
    ...recurringOf(stage, {
      id: DEMO_IDS.recurringPaused,
      title: "Friday breakfast",
      first: addDays(first, 3),
      progress: [],
    }),
    status: "paused",
    rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
    headcount_source_ids: [],
    next_action_at: null,
  };
  return { recurring: [resting, weekly], orders, next: addDays(last, 7 * (ahead.length + 1)) };
}

function recurringOf(
  { holidays, now, today }: Stage,
  { first, id, progress, title }: { id: string; title: string; first: string; progress: Progress[] },
): RecurringOrder {
  const startedAt = toInstant(toEpochMs(addDays(first, -7), "09:00", TIME_ZONE));
  const order: RecurringOrder = {
    ...newResource(id, startedAt),
    account_id: DEMO_IDS.account,
    status: "active",
    title,
    dtstart: `${first}T12:30`,
    rrule: "FREQ=WEEKLY;BYDAY=TU",
    timezone: TIME_ZONE,
    exdates: [],
    rdates: [],
    until: null,
    month_end: false,
    holiday_policy: "next",
    duration_minutes: 60,
    service: "drop_off",
    site: "1 Long Lane, reception",
    lines: [...dayLines],
    menu_rotation: [],
    dietary: [{ code: "vegan", count: 3 }],
    lead_days: 2,
    count_at: "12:00",
    default_heads: 20,
    headcount_source_ids: [DEMO_IDS.source, DEMO_IDS.sourceApi],
    approval_mode: "auto",
    policy_id: null,
    po_number: null,
    cost_centre: "ENG",
    edits: [],
    progress,
    weekday_counts: progress.length === 0 ? {} : { "2": 25 },
    next_action_at: null,
    metadata: {},
  };
  const agenda = { now, today, holidays };
  const next = nextLook(order, runAtOnce(upcomingSteps(order, agenda)), agenda);
  return { ...order, next_action_at: next === null ? null : toInstant(next) };
}

function tuesdayOrder(
  { account, holidays, now }: Stage,
  { at, date, heads }: { readonly at: number; readonly date: string; readonly heads: number },
): Order {
  const countedAt = toEpochMs(businessDaysBefore(date, 2, holidays), "12:00", TIME_ZONE);
  const made = newOrder(
    {
      id: derivedId("cor", new Uint8Array(), [DEMO_IDS.recurring, `${date}T12:30`]),
      number: DEMO_NUMBER + at,
      account_id: account.id,
      contact: { name: "Ada Byron", email: "ada@office.example", company: account.legal_name },
      recurring_order_id: DEMO_IDS.recurring,
      occurrence: `${date}T12:30`,
      status: "confirmed",
      title: "Tuesday lunch",
      currency: "GBP",
      tax_included: true,
      lines: [...dayLines],
      deposit_schedule: [],
      policy: DEFAULT_TERMS,
      payment_terms: account.terms,
      event: {
        date,
        start: "12:30",
        end: "13:30",
        timezone: TIME_ZONE,
        service: "drop_off",
        site: "1 Long Lane, reception",
      },
      dietary: [{ code: "vegan", count: 3 }],
      po_number: null,
      cost_centre: "ENG",
      heads,
    },
    { now: countedAt, holidays },
  );
  if (at >= WEEKS) return made;
  const deliveredAt = toInstant(Math.min(now, toEpochMs(date, "12:15", TIME_ZONE)));
  const delivered: Order = {
    ...made,
    status: "delivered",
    delivered_at: deliveredAt,
    updated_at: deliveredAt,
    headcount: { ...made.headcount, served: heads - 1, locked_at: toInstant(countedAt) },
  };
  return settledOrder(delivered, { now, holidays });
}
