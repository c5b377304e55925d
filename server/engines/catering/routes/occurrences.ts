import { z } from "zod";

import { fail, invalidField, invalidParameter } from "../../../lib/errors.ts";
import { item, ok, values } from "../../../core/reply.ts";
import { defineRoute, missing, stale } from "../../../core/route.ts";
import { Id, LocalDate, LocalTime, TimeZone } from "../../../core/schema.ts";
import {
  agendaWorld,
  countOccurrence,
  orderOccurrence,
  saveRecurring,
  withProgress,
} from "../services/recurring-steps.ts";
import { emit, invalidState } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import { recurringOrders } from "../repository.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { addDays, daysBetween, localDateAt } from "../../../lib/local-time.ts";
import { occurrenceSteps, scheduleFault } from "../rules/occurrences.ts";
import { CATERING_LIMITS, Heads, ShortNote } from "../schema/parts.ts";
import { HolidayPolicy, Occurrence, scheduleFields } from "../schema/recurring.ts";
import type { Edit, RecurringOrder } from "../schema/recurring.ts";
import { badState, cateringWorkOf } from "./env.ts";
import { RecurringView, recurringOrderResource } from "./recurring-orders.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";

/** A day that a rule gives before there is an order; its id says nothing yet. */
const Preview = z.object(Occurrence.omit({ id: true }).shape);
const Params = z.object({ id: Id, oid: Id.meta({ description: "Id of the occurrence" }) });
const params = { id: DEMO_IDS.recurring, oid: "coc_8V274P82567BCQD96J5J0CBAMW" };

const listOccurrences = recurringOrderResource.read("occurrences", {
  summary: "Occurrences of a span of days",
  description: `Default: sixty days from today; at most ${CATERING_LIMITS.windowDays} days.`,
  query: z.object({ from: LocalDate.optional(), to: LocalDate.optional() }),
  data: z.array(Occurrence),
  async handle({ params: { id }, query }, ctx) {
    const { value } = await ctx.tx.require(recurringOrders, id);
    const work = await cateringWorkOf(ctx);
    const { holidays, today } = agendaWorld(work, value);
    const from = query.from ?? today;
    const to = query.to ?? addDays(from, 60);
    if (to < from) throw invalidParameter("to", "`to` must not be earlier than `from`.");
    if (daysBetween(from, to) > CATERING_LIMITS.windowDays)
      throw invalidParameter("to", `At most ${CATERING_LIMITS.windowDays} days after from.`);
    const steps = occurrenceSteps(id, value, { from, to, holidays, today });
    return values(await runInSlices(steps, ctx.tx.part));
  },
});

/** The occurrence with an id, looked for in the days that can still be changed; 404 when there is none. */
async function findOccurrence(work: CateringWork, order: RecurringOrder, id: string): Promise<Occurrence> {
  const { holidays, today } = agendaWorld(work, order);
  const window = {
    from: addDays(today, -30),
    to: addDays(today, CATERING_LIMITS.windowDays),
    holidays,
    today,
  };
  const all = await runInSlices(occurrenceSteps(order.id, order, window), work.tx.part);
  const found = all.find((occurrence) => occurrence.id === id);
  if (found === undefined) throw fail("not_found", "No such occurrence in the days that can be changed.");
  return found;
}

function withEdit(order: RecurringOrder, original: string, change: Partial<Edit>): RecurringOrder {
  const before = order.edits.find(({ original_start: at }) => at === original);
  const edit: Edit = {
    original_start: original,
    skip: false,
    date: null,
    start: null,
    headcount: null,
    note: "",
    confirmed: false,
    ...before,
    ...change,
  };
  const others = order.edits.filter(({ original_start: at }) => at !== original);
  if (others.length >= CATERING_LIMITS.edits) throw invalidState("The order has too many edited dates.");
  return { ...order, edits: [...others, edit] };
}

function requireOpen(order: RecurringOrder, occurrence: Occurrence): void {
  if (order.status === "ended") throw invalidState("The recurring order has ended.");
  if (occurrence.state === "ordered")
    throw invalidState("It is ordered already. Change or cancel its order.");
}

const updateOccurrence = defineRoute({
  id: "catering.recurring-orders.update-occurrence",
  method: "PATCH",
  path: "/recurring-orders/:id/occurrences/:oid",
  summary: "Change a single date: its day, time, headcount or note, or bring back one that was skipped",
  description: "If-Match names the version of the recurring order, which is what is answered.",
  params: Params,
  body: z
    .strictObject({
      date: LocalDate.nullable(),
      start: LocalTime.nullable(),
      headcount: Heads.nullable(),
      note: ShortNote,
      skip: z.boolean(),
      confirmed: z
        .boolean()
        .meta({ description: "Confirms the occurrence where `approval_mode` is `confirm_each`" }),
    })
    .partial(),
  data: RecurringView,
  errors: [missing, stale, badState],
  example: { params, body: { headcount: 24 } },
  async handle({ params: { id, oid }, body }, ctx) {
    const before = await ctx.current(recurringOrders, id);
    const work = await cateringWorkOf(ctx);
    const occurrence = await findOccurrence(work, before.value, oid);
    requireOpen(before.value, occurrence);
    const { today } = agendaWorld(work, before.value);
    if (body.date !== undefined && body.date !== null && body.date < today)
      throw invalidField(["date"], "Must not be in the past.");
    const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const { original_start: original, reason, state } = occurrence;
    const isHoliday = state === "skipped" && reason === "holiday";
    const isBack = isHoliday && body.skip === false && body.date === undefined;
    const edited = withEdit(before.value, original, {
      ...change,
      ...(isBack ? { date: original.slice(0, 10) } : {}),
    });
    const after = await findOccurrence(work, edited, oid);
    if (after.date !== occurrence.date || after.start !== occurrence.start)
      emit(work, "occurrence.moved", id, { from: occurrence.date, to: after.date });
    const isRecounted = body.headcount !== undefined || body.confirmed === true;
    if (after.state !== "counted" || !isRecounted)
      return item(await saveRecurring(work, before, dropped(edited, after)));
    if (edited.status === "paused")
      throw invalidState("The recurring order is paused, and nothing is ordered for it. Resume it first.");
    if (fromInstant(after.starts_at) <= ctx.now)
      throw invalidState(`It began at ${after.starts_at}: nothing is ordered for it any more.`);
    return item(await saveRecurring(work, before, await recount(work, edited, after)));
  },
});

/** What was counted before is counted again, by the new number, and ordered if it was approved. */
async function recount(
  work: CateringWork,
  order: RecurringOrder,
  occurrence: Occurrence,
): Promise<RecurringOrder> {
  const headcount = await countOccurrence(work, order, occurrence);
  const edit = order.edits.find(({ original_start: at }) => at === occurrence.original_start);
  const base = { original_start: occurrence.original_start, order_id: null, headcount, blocked: null };
  if (headcount.size === 0) return withProgress(order, { ...base, state: "cancelled" });
  if (order.approval_mode === "confirm_each" && edit?.confirmed !== true)
    return withProgress(order, { ...base, state: "counted" });
  return withProgress(order, await orderOccurrence(work, order, occurrence, headcount));
}

/** One that was called off for want of heads is recounted when it is changed. */
const dropped = (order: RecurringOrder, { original_start: original, state }: Occurrence): RecurringOrder =>
  state === "cancelled"
    ? { ...order, progress: order.progress.filter(({ original_start: at }) => at !== original) }
    : order;

const skipOccurrence = defineRoute({
  id: "catering.recurring-orders.skip-occurrence",
  method: "POST",
  path: "/recurring-orders/:id/occurrences/:oid/skip",
  summary: "Leave a single date out",
  params: Params,
  data: RecurringView,
  errors: [missing, badState],
  example: { params },
  async handle({ params: { id, oid } }, ctx) {
    const before = await ctx.tx.require(recurringOrders, id);
    const work = await cateringWorkOf(ctx);
    const occurrence = await findOccurrence(work, before.value, oid);
    if (occurrence.state === "skipped") return item(before);
    requireOpen(before.value, occurrence);
    emit(work, "occurrence.skipped", id, { date: occurrence.date });
    const edited = withEdit(before.value, occurrence.original_start, { skip: true });
    const progress = edited.progress.filter(({ original_start: at }) => at !== occurrence.original_start);
    return item(await saveRecurring(work, before, { ...edited, progress }));
  },
});

const preview = defineRoute({
  id: "catering.recurring-orders.previews",
  method: "POST",
  path: "/recurring-orders/previews",
  scope: "read",
  summary: "Preview the occurrences of a recurrence rule",
  description: "The same expansion as the real order's. The holidays are those of the settings.",
  body: z.strictObject({
    dtstart: scheduleFields.dtstart,
    rrule: scheduleFields.rrule,
    timezone: TimeZone.optional(),
    exdates: scheduleFields.exdates.default([]),
    rdates: scheduleFields.rdates.default([]),
    until: scheduleFields.until.default(null),
    month_end: z.boolean().default(false),
    holiday_policy: HolidayPolicy.default("skip"),
    lead_days: z.int().min(0).max(60).default(2),
    count_at: LocalTime.default("12:00"),
    n: z.int().min(1).max(CATERING_LIMITS.previewOccurrences).default(10),
  }),
  data: z.strictObject({ occurrences: z.array(Occurrence.omit({ id: true })) }),
  example: {
    body: { dtstart: "2026-06-09T12:30", rrule: "FREQ=WEEKLY;BYDAY=TU", n: 1 },
  },
  async handle({ body }, ctx) {
    const fault = scheduleFault(body);
    if (fault !== null) throw invalidField(["rrule"], fault);
    const work = await cateringWorkOf(ctx);
    const { n, ...rest } = body;
    const timezone = body.timezone ?? work.settings.timezone;
    const schedule = { ...rest, timezone, edits: [], progress: [] };
    const first = body.dtstart.slice(0, 10);
    const today = localDateAt(ctx.now, timezone);
    const found: Occurrence[] = [];
    // A year at a time, until there are enough or the rule is certainly over.
    for (let year = 0; year < PREVIEW_YEARS && found.length < n; year += 1) {
      const from = addDays(first, year * 366 - (year === 0 ? 30 : 0));
      const to = addDays(first, year * 366 + 365);
      const steps = occurrenceSteps("preview", schedule, { from, to, holidays: work.holidays, today });
      found.push(...(await runInSlices(steps, ctx.tx.part)));
    }
    return ok({ occurrences: found.slice(0, n).map(withoutId) });
  },
});

const PREVIEW_YEARS = 12;

function withoutId(occurrence: z.input<typeof Occurrence>) {
  return Preview.parse(occurrence);
}

export const occurrenceRoutes = [preview, listOccurrences, updateOccurrence, skipOccurrence];
