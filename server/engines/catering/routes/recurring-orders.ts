import { z } from "zod";

import { DEMO_IDS } from "../data/demo-ids.ts";
import { byAll } from "../../../core/by-value.ts";
import { invalidField } from "../../../lib/errors.ts";
import { created, item } from "../../../core/reply.ts";
import { Id, listFields, LocalTime, TimeZone, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { saveRecurring } from "../services/recurring-steps.ts";
import { invalidState } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import { policyOf, withIds } from "../services/write-quote.ts";
import { accounts, headcountSources, recurringOrders } from "../repository.ts";
import { linesFault } from "../rules/draft-quote.ts";
import { scheduleFault } from "../rules/occurrences.ts";
import { recurringStates } from "../rules/recurring-state.ts";
import { CATERING_LIMITS, NewLines, Service, Text } from "../schema/parts.ts";
import { HolidayPolicy, RecurringOrder, RecurringStatus, scheduleFields } from "../schema/recurring.ts";
import { badState, cateringWorkOf } from "./env.ts";
import { newResource } from "../../../lib/new-resource.ts";

export const RecurringView = withVersion(RecurringOrder);
const shape = RecurringOrder.shape;

export const recurringOrderResource = resource({
  id: "catering.recurring-orders",
  collection: recurringOrders,
  view: RecurringView,
  example: DEMO_IDS.recurring,
});

const listRecurring = recurringOrderResource.list({
  summary: "Recurring orders, newest first",
  query: z.object({ ...listFields, status: RecurringStatus.optional(), account_id: Id.optional() }),
  find: ({ account_id: account, cursor, limit, status }) => {
    return byAll([account, status && `status.${status}`], { limit, cursor });
  },
});

const NewMenu = z.strictObject({ title: Text, lines: NewLines.min(1) });
const writable = {
  title: shape.title,
  ...scheduleFields,
  duration_minutes: shape.duration_minutes,
  service: Service,
  site: shape.site,
  lines: NewLines,
  menu_rotation: z.array(NewMenu).max(CATERING_LIMITS.rotation),
  dietary: shape.dietary,
  lead_days: shape.lead_days,
  count_at: LocalTime,
  default_heads: shape.default_heads,
  headcount_source_ids: shape.headcount_source_ids,
  approval_mode: shape.approval_mode,
  policy_id: shape.policy_id,
  po_number: shape.po_number,
  cost_centre: shape.cost_centre,
  metadata: shape.metadata,
};
const Create = z.strictObject({
  account_id: Id,
  title: writable.title,
  dtstart: writable.dtstart,
  rrule: writable.rrule,
  timezone: TimeZone.optional(),
  exdates: writable.exdates.default([]),
  rdates: writable.rdates.default([]),
  until: writable.until.default(null),
  month_end: writable.month_end.default(false),
  holiday_policy: HolidayPolicy.default("skip"),
  duration_minutes: writable.duration_minutes.default(60),
  service: writable.service.default("drop_off"),
  site: writable.site.default(""),
  lines: writable.lines.default([]),
  menu_rotation: writable.menu_rotation.default([]),
  dietary: writable.dietary.default([]),
  lead_days: writable.lead_days.default(2),
  count_at: writable.count_at.default("12:00"),
  default_heads: writable.default_heads,
  headcount_source_ids: writable.headcount_source_ids.default([]),
  approval_mode: writable.approval_mode.default("auto"),
  policy_id: writable.policy_id.default(null),
  po_number: writable.po_number.default(null),
  cost_centre: writable.cost_centre.default(null),
  metadata: writable.metadata.default({}),
});

const createRecurring = recurringOrderResource.custom.create({
  summary: "Begin a recurring order",
  description:
    "Its days follow from an RRULE of whole days on the wall clock. At each day's deadline the heads are counted by the best source, and the order is " +
    "made; occurrences whose deadline has passed already are counted at once.",
  body: Create,
  example: {
    body: {
      account_id: DEMO_IDS.account,
      title: "Tuesday lunch",
      dtstart: "2026-06-02T12:30",
      rrule: "FREQ=WEEKLY;BYDAY=TU",
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
      default_heads: 20,
      holiday_policy: "next",
    },
  },
  async handle({ body }, ctx) {
    const work = await cateringWorkOf(ctx);
    const order: RecurringOrder = {
      ...body,
      ...newResource(ctx.newId("crc"), ctx.nowAt),
      status: "active",
      timezone: body.timezone ?? work.settings.timezone,
      lines: withIds(body.lines, ctx.newId),
      menu_rotation: body.menu_rotation.map((menu) => ({ ...menu, lines: withIds(menu.lines, ctx.newId) })),
      edits: [],
      progress: [],
      weekday_counts: {},
      next_action_at: null,
    };
    await refuseFaults(work, order);
    return created(await saveRecurring(work, null, order), `/recurring-orders/${order.id}`);
  },
});

const getRecurring = recurringOrderResource.get({ summary: "Show a recurring order" });

const updateRecurring = recurringOrderResource.custom.update({
  summary: "Change a recurring order from here on",
  description:
    "What was ordered stays as it is. Single dates that were skipped, edited or left out stay so when the time of day changes; when the days change, edits stay with theirs.",
  body: z.strictObject(writable).partial(),
  errors: [badState],
  example: { body: { default_heads: 25 } },
  async handle({ params: { id }, body }, ctx) {
    const before = await ctx.current(recurringOrders, id);
    if (before.value.status === "ended") throw invalidState("An ended recurring order is not changed.");
    const { lines, menu_rotation: rotation, ...plain } = body;
    const named = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
    const work = await cateringWorkOf(ctx);
    const order: RecurringOrder = {
      ...before.value,
      ...timesAt(before.value, body.dtstart),
      ...named,
      // What was ordered before says nothing of a number that was given since.
      ...(body.default_heads === undefined ? {} : { weekday_counts: {} }),
      ...(lines === undefined ? {} : { lines: withIds(lines, ctx.newId) }),
      ...(rotation === undefined
        ? {}
        : { menu_rotation: rotation.map((menu) => ({ ...menu, lines: withIds(menu.lines, ctx.newId) })) }),
    };
    await refuseFaults(work, order);
    return item(await saveRecurring(work, before, order));
  },
});

/** Days at their new time of day: none is ordered a second time, or though it was left out. Single dates that were added have times of their own. */
function timesAt(
  { dtstart, edits, exdates, progress, rdates }: RecurringOrder,
  next: string = dtstart,
): Pick<RecurringOrder, "edits" | "exdates" | "progress"> {
  const [old, time] = [dtstart.slice(10), next.slice(10)];
  const moved = (at: string): string =>
    at.endsWith(old) && !rdates.includes(at) ? `${at.slice(0, 10)}${time}` : at;
  const movedStart = <T extends { readonly original_start: string }>(day: T): T => ({
    ...day,
    original_start: moved(day.original_start),
  });
  return {
    edits: edits.map(movedStart),
    exdates: exdates.map(moved),
    progress: progress.map(movedStart),
  };
}

async function refuseFaults(work: CateringWork, order: RecurringOrder): Promise<void> {
  const { tx } = work;
  const fault = scheduleFault(order);
  if (fault !== null) throw invalidField(["rrule"], fault);
  if (order.until !== null && order.until < order.dtstart.slice(0, 10))
    throw invalidField(["until"], "`until` must not be earlier than `dtstart`.");
  if (order.lines.length === 0 && order.menu_rotation.length === 0)
    throw invalidField(["lines"], "Send `lines` or `menu_rotation`.");
  const menus = order.menu_rotation.map(({ lines }, at) => linesFault(lines, ["menu_rotation", at, "lines"]));
  const bad = [linesFault(order.lines), ...menus].find((found) => found !== null);
  if (bad != null) throw invalidField(bad.path, bad.detail);
  const account = await tx.get(accounts, order.account_id);
  if (account === null) throw invalidField(["account_id"], "No such account.");
  const { cost_centre: centre } = order;
  if (centre !== null && !account.value.cost_centres.some(({ code }) => code === centre))
    throw invalidField(["cost_centre"], "The account has no such cost centre.");
  await policyOf(work, order.policy_id);
  for (const [at, id] of order.headcount_source_ids.entries()) {
    if ((await tx.get(headcountSources, id)) === null)
      throw invalidField(["headcount_source_ids", at], "No such source.");
  }
}

const TURNS = {
  pause: { to: "paused", summary: "Pause a recurring order: nothing is counted or ordered" },
  resume: { to: "active", summary: "Resume a recurring order; what passed meanwhile is not made up" },
  end: { to: "ended", summary: "End a recurring order permanently; its orders stay" },
} as const;

const turns = (["pause", "resume", "end"] as const).map((verb) => {
  const { summary, to } = TURNS[verb];
  return recurringOrderResource.action(verb, {
    summary,
    errors: [badState],
    async handle({ params: { id } }, ctx) {
      const before = await ctx.tx.require(recurringOrders, id);
      if (before.value.status === to) return item(before);
      if (!recurringStates.allows(verb, before.value.status))
        throw invalidState(`The recurring order is ${before.value.status}.`);
      return item(await saveRecurring(await cateringWorkOf(ctx), before, { ...before.value, status: to }));
    },
  });
});

export const recurringRoutes = [listRecurring, createRecurring, getRecurring, updateRecurring, ...turns];
