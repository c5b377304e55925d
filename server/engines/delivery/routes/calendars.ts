import { z } from "zod";

import { conflict, conflictWhen, fail } from "../../../lib/errors.ts";
import { created, empty, item, ok, values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { LocalDate, ListQuery } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { calendars, loadPlan, markChanged, shippedCalendars } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { Calendar, CalendarEvent } from "../schema/blocked-date.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { refuseWhenFull } from "./check-zone.ts";
import { pageOf } from "../../../core/computed-page.ts";
import { newResource } from "../../../lib/new-resource.ts";

const CalendarView = Calendar.extend({
  version: z.int().nonnegative().meta({ description: "0 for the snapshot shipped with the service" }),
});
const Create = z.strictObject({
  name: Calendar.shape.name,
  source: Calendar.shape.source.default(""),
  events: z
    .array(CalendarEvent.extend({ substitute: z.boolean().default(false) }))
    .max(DELIVERY_LIMITS.eventsPerCalendar)
    .default([]),
});

/** An event as published by gov.uk (`notes`, `bunting`), or in our own format (`substitute`). */
const ImportedEvent = z.strictObject({
  date: LocalDate,
  title: CalendarEvent.shape.title,
  substitute: z.boolean().optional(),
  notes: z.string().max(200).optional(),
  bunting: z.boolean().optional(),
});
const Import = z.strictObject({
  division: z.string().max(60).optional().meta({ description: "As published by gov.uk; not stored" }),
  source: Calendar.shape.source.default("import"),
  events: z.array(ImportedEvent).min(1).max(DELIVERY_LIMITS.eventsPerCalendar),
});

const calendarResource = routesOf({
  id: "delivery.calendars",
  view: CalendarView,
  example: "gb-eng",
});

const listCalendars = calendarResource.list({
  summary: "List calendars",
  description:
    "gb-eng, gb-sct and gb-nir are the bank holidays that gov.uk publishes (Open Government Licence v3.0), ordered " +
    "by id together with the store's own calendars. A calendar takes effect when the settings or a blocked date " +
    "refer to it.",
  query: ListQuery,
  handle: async ({ query }, { tx }) => {
    const own = (await tx.peekAll(calendars)).map(({ value, version }) => ({ ...value, version }));
    const ids = new Set(own.map(({ id }) => id));
    const shipped = shippedCalendars
      .filter(({ id }) => !ids.has(id))
      .map((value) => ({ ...value, version: 0 }));
    const page = pageOf([...shipped, ...own], ({ id }) => id, { part: tx.part, list: "calendars" }, query);
    return values(page.items, page);
  },
});

const createCalendar = calendarResource.create({
  summary: "Create a calendar",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of calendars")],
  example: {
    body: { name: "Market days", events: [{ date: "2026-09-12", title: "Harvest market" }] },
  },
  handle: async ({ body }, ctx) => {
    await loadPlan(ctx.tx);
    // First, so that the commit notices a calendar that is added after they are counted.
    await markChanged(ctx.tx, ctx.newId);
    refuseWhenFull((await ctx.tx.peekAll(calendars)).length, DELIVERY_LIMITS.calendars, "custom calendars");
    const value = { ...newResource(ctx.newId("cal"), ctx.nowAt), ...body };
    return created(
      ctx.tx.create(calendars, { ...value, events: byDate(body.events) }),
      `/calendars/${value.id}`,
    );
  },
});

const getCalendar = calendarResource.get({
  summary: "Show a calendar",
  handle: async ({ params }, { tx }) => {
    const { stored, value } = await findCalendar(tx, params.id);
    return stored === null ? ok({ ...value, version: 0 }) : item(stored);
  },
});

const importCalendar = calendarResource.action("import", {
  cost: 5,
  summary: "Replace the days of a calendar",
  description:
    "Accepts one division of https://www.gov.uk/bank-holidays.json unchanged, or a list of events. Importing into " +
    "gb-eng, gb-sct or gb-nir replaces the snapshot shipped with the service.",
  body: Import,
  example: {
    body: {
      division: "england-and-wales",
      source: "https://www.gov.uk/bank-holidays.json",
      events: [{ title: "Boxing Day", date: "2026-12-28", notes: "Substitute day", bunting: true }],
    },
  },
  handle: async ({ params, body }, ctx) => {
    const { stored, value } = await findCalendar(ctx.tx, params.id);
    const next = {
      ...value,
      source: body.source,
      events: byDate(body.events.map(toEvent)),
      updated_at: ctx.nowAt,
    };
    await loadPlan(ctx.tx);
    await markChanged(ctx.tx, ctx.newId);
    return item(ctx.tx.save(calendars, stored, next));
  },
});

const removeCalendar = calendarResource.remove({
  summary: "Delete a calendar, or restore the snapshot of a shipped one",
  errors: [
    { type: "not_found", when: "No custom calendar with this id" },
    conflictWhen("in_use", "The settings or a blocked date refer to the calendar"),
  ],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(calendars, params.id);
    if (!isShipped(params.id)) refuseWhileUsed(await loadPlan(ctx.tx), params.id);
    ctx.tx.remove(calendars, before);
    await markChanged(ctx.tx, ctx.newId);
    return empty();
  },
});

const isShipped = (id: string): boolean => shippedCalendars.some((shipped) => shipped.id === id);

function refuseWhileUsed(plan: Plan, id: string): void {
  const isUsed =
    plan.settings.calendar_ids.includes(id) || plan.blockedDates.some((entry) => entry.calendar_id === id);
  if (!isUsed) return;
  throw conflict(
    "in_use",
    "The settings or a blocked date refer to this calendar. Remove the reference first.",
  );
}

/** The store's own calendar, otherwise the shipped one with that id. */
async function findCalendar(
  tx: Tx,
  id: string,
): Promise<{ stored: Stored<Calendar> | null; value: Calendar }> {
  const stored = await tx.get(calendars, id);
  const value = stored?.value ?? shippedCalendars.find((shipped) => shipped.id === id);
  if (value === undefined) throw fail("not_found", "No such resource.");
  return { stored, value };
}

const toEvent = ({ date, title, substitute, notes }: z.output<typeof ImportedEvent>): CalendarEvent => ({
  date,
  title,
  substitute: substitute ?? /substitute/i.test(notes ?? ""),
});

const byDate = (events: readonly CalendarEvent[]): CalendarEvent[] =>
  [...events].sort((a, b) => (a.date < b.date ? -1 : 1));

export const calendarRoutes = [listCalendars, createCalendar, getCalendar, importCalendar, removeCalendar];
