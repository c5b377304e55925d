import { z } from "zod";

import { fail, invalidField, invalidParameter } from "../../../kernel/errors.ts";
import { mergePatch } from "../../../kernel/merge-patch.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { created, defineRoute, item, list, ok, values } from "../../../kernel/route.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../kernel/schema.ts";
import { todayOf } from "../jobs/invoice-steps.ts";
import { invalidState } from "../jobs/world.ts";
import { accounts, countBooks, headcountSources } from "../repository.ts";
import { addDays } from "../../../kernel/local-time.ts";
import { countDays, matches } from "../rules/count-attendees.ts";
import { readCalendar } from "../rules/read-calendar.ts";
import { DayCount, HeadcountSource, sourceFields, SourceKind } from "../schema/headcount.ts";
import type { CountBook } from "../schema/headcount.ts";
import { CATERING_LIMITS, Dietary, Heads } from "../schema/parts.ts";
import { badState, missing, stale, worldOf } from "./env.ts";
import { exampleSource } from "./examples.ts";

const SourceView = withVersion(HeadcountSource);
const Params = z.object({ id: Id });
const params = { id: exampleSource.id };
const fields = sourceFields;

export const CountingInput = {
  mode: fields.mode.default("attendees"),
  match: fields.match.default({ uid: null, summary_contains: null, category: null }),
  weights: fields.weights.default({ accepted: 1, tentative: 0, needs_action: 0 }),
  include_guests: fields.include_guests.default(true),
  count_organizer: fields.count_organizer.default(false),
};
const Create = z.strictObject({
  title: fields.title,
  account_id: fields.account_id.default(null),
  kind: fields.kind,
  ...CountingInput,
  buffer_bps: fields.buffer_bps.default(0),
  min: fields.min.default(0),
  max: fields.max.default(CATERING_LIMITS.heads),
  pack_size: fields.pack_size.default(1),
  timezone: fields.timezone.default(null),
  stale_after_h: fields.stale_after_h.default(48),
  status: fields.status.default("active"),
  metadata: fields.metadata.default({}),
});

const listSources = defineRoute({
  id: "catering.headcount-sources.list",
  method: "GET",
  path: "/headcount-sources",
  summary: "Headcount sources, newest first",
  query: z.object({ ...listFields, kind: SourceKind.optional(), account_id: Id.optional() }),
  data: z.array(SourceView),
  example: { data: [exampleSource] },
  async handle({ query: { account_id: account, cursor, kind, limit } }, { tx }) {
    if (account !== undefined && kind !== undefined)
      throw invalidParameter("kind", "Give one filter at a time.");
    const value = account ?? (kind === undefined ? undefined : `kind.${kind}`);
    return list(
      await tx.page(
        headcountSources,
        value === undefined ? { limit, cursor } : { index: "by", value, limit, cursor },
      ),
    );
  },
});

const createSource = defineRoute({
  id: "catering.headcount-sources.create",
  method: "POST",
  path: "/headcount-sources",
  status: 201,
  summary: "Add a source of headcounts",
  description:
    "rsvp: people answer by their own link. calendar_upload and calendar_feed: an .ics text that refresh takes (a feed is pushed by you; it " +
    "is not asked any more when it was not refreshed for stale_after_h). api and manual: a number for a day.",
  body: Create,
  data: SourceView,
  example: {
    body: {
      title: "Tuesday lunch",
      kind: "rsvp",
      account_id: exampleSource.account_id,
      buffer_bps: 500,
      max: 200,
    },
    data: exampleSource,
  },
  async handle({ body }, ctx) {
    if (body.account_id !== null && (await ctx.tx.get(accounts, body.account_id)) === null)
      throw invalidField(["account_id"], "No such account.");
    if (body.min > body.max) throw invalidField(["min"], "Must not exceed max.");
    const source: HeadcountSource = {
      ...body,
      id: ctx.newId("chs"),
      created_at: ctx.nowAt,
      updated_at: ctx.nowAt,
      last_ok_at: null,
      warnings: [],
    };
    return created(ctx.tx.create(headcountSources, source), `/headcount-sources/${source.id}`);
  },
});

const getSource = defineRoute({
  id: "catering.headcount-sources.get",
  method: "GET",
  path: "/headcount-sources/:id",
  summary: "Show a headcount source",
  params: Params,
  data: SourceView,
  errors: [missing],
  example: { params, data: exampleSource },
  handle: async ({ params: { id } }, { tx }) => item(await tx.require(headcountSources, id)),
});

const { kind: _kind, ...patchable } = fields;
const updateSource = defineRoute({
  id: "catering.headcount-sources.update",
  method: "PATCH",
  path: "/headcount-sources/:id",
  summary: "Change a headcount source, or archive it",
  params: Params,
  body: z.strictObject(patchable).partial(),
  data: SourceView,
  errors: [missing, stale],
  example: { params, body: { buffer_bps: 1000 }, data: { ...exampleSource, buffer_bps: 1000 } },
  async handle({ params: { id }, body }, ctx) {
    const before = await ctx.current(headcountSources, id);
    const source = { ...mergePatch(before.value, body), updated_at: ctx.nowAt };
    if (source.min > source.max) throw invalidField(["min"], "Must not exceed max.");
    return item(ctx.tx.put(headcountSources, before, source));
  },
});

const refresh = defineRoute({
  id: "catering.headcount-sources.refresh",
  method: "POST",
  path: "/headcount-sources/:id/refresh",
  summary: "Read an .ics calendar into a source",
  description: `Takes the place of what it said before, from today for ${CATERING_LIMITS.windowDays} days. Up to ${CATERING_LIMITS.calendarChars} characters.`,
  params: Params,
  body: z.strictObject({ ics: z.string().min(1).max(CATERING_LIMITS.calendarChars) }),
  data: z.strictObject({ source: SourceView, days: z.array(DayCount) }),
  errors: [
    missing,
    { type: "conflict", code: "not_a_calendar", when: "The source takes no calendar" },
    { type: "unprocessable_content", when: "The calendar cannot be read, or is too large" },
  ],
  example: {
    params,
    body: { ics: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n" },
    data: { source: exampleSource, days: [] },
  },
  async handle({ params: { id }, body }, ctx) {
    const before = await ctx.tx.require(headcountSources, id);
    const source = before.value;
    if (source.kind !== "calendar_upload" && source.kind !== "calendar_feed")
      throw fail("conflict", `A source of kind ${source.kind} takes no calendar.`, {
        code: "not_a_calendar",
      });
    const world = await worldOf(ctx);
    const from = todayOf(world);
    const found = readCalendar(body.ics, {
      from,
      to: addDays(from, CATERING_LIMITS.windowDays - 1),
      timezone: source.timezone ?? world.settings.timezone,
      wants: (event) => matches(event, source),
    });
    if (!found.ok) throw invalidField(["ics"], found.detail);
    const days = countDays(found.events, source).map((day) => ({
      ...day,
      count: Math.min(day.count, CATERING_LIMITS.heads),
      evidence: day.evidence.map((text) => text.slice(0, 200)),
      dietary: [],
      at: ctx.nowAt,
    }));
    await saveBook(ctx, { id, days });
    const saved = ctx.tx.put(headcountSources, before, {
      ...source,
      last_ok_at: ctx.nowAt,
      warnings: [...found.warnings],
      updated_at: ctx.nowAt,
    });
    return ok({ source: { ...saved.value, version: before.version }, days });
  },
});

async function saveBook({ tx }: Pick<Ctx, "tx">, book: CountBook): Promise<void> {
  const before = await tx.get(countBooks, book.id);
  if (before === null) tx.create(countBooks, book);
  else tx.put(countBooks, before, book);
}

const listCounts = defineRoute({
  id: "catering.headcount-sources.counts",
  method: "GET",
  path: "/headcount-sources/:id/counts",
  summary: "What a source says, by day",
  params: Params,
  data: z.array(DayCount),
  errors: [missing],
  example: { params, data: [] },
  async handle({ params: { id } }, { tx }) {
    await tx.require(headcountSources, id);
    const book = await tx.get(countBooks, id);
    return values(book?.value.days ?? []);
  },
});

const setCount = defineRoute({
  id: "catering.headcount-sources.set-count",
  method: "PUT",
  path: "/headcount-sources/:id/counts/:date",
  summary: "Say how many come on a day",
  params: z.object({ id: Id, date: LocalDate }),
  body: z.strictObject({ count: Heads, dietary: Dietary.default([]) }),
  data: SourceView,
  errors: [missing, stale, badState],
  example: {
    params: { id: exampleSource.id, date: "2026-06-09" },
    body: { count: 24, dietary: [{ code: "vegan", count: 4 }] },
    data: { ...exampleSource, kind: "api" },
  },
  async handle({ params: { id, date }, body }, ctx) {
    const before = await ctx.current(headcountSources, id);
    if (before.value.kind !== "api" && before.value.kind !== "manual")
      throw invalidState(`A source of kind ${before.value.kind} takes no numbers.`);
    if (body.dietary.reduce((all, { count }) => all + count, 0) > body.count)
      throw invalidField(["dietary"], "Adds up to more than count.");
    const keepFrom = addDays(todayOf(await worldOf(ctx)), -30);
    const book = await ctx.tx.get(countBooks, id);
    const others = (book?.value.days ?? []).filter((day) => day.date !== date && day.date >= keepFrom);
    if (others.length >= CATERING_LIMITS.windowDays) throw invalidState("The source knows too many days.");
    const day = { date, ...body, cancelled: false, evidence: [`${body.count} by the API`], at: ctx.nowAt };
    await saveBook(ctx, { id, days: [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1)) });
    const next = { ...before.value, last_ok_at: ctx.nowAt, updated_at: ctx.nowAt };
    return item(ctx.tx.put(headcountSources, before, next));
  },
});

export const headcountRoutes = [
  listSources,
  createSource,
  getSource,
  updateSource,
  refresh,
  listCounts,
  setCount,
];
