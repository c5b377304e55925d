import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { byAll } from "../../../core/by-value.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, ok, values } from "../../../core/reply.ts";
import { defineRoute, missing, stale } from "../../../core/route.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { todayOf } from "../services/invoice-steps.ts";
import { readFeed } from "../jobs/feeds.ts";
import { saveBook, takeCalendar } from "../services/take-calendar.ts";
import { invalidState } from "../services/work.ts";
import { accounts, countBooks, feeds, headcountSources } from "../repository.ts";
import { addDays } from "../../../lib/local-time.ts";
import { readFeedUrl } from "../rules/feed-url.ts";
import { DayCount, HeadcountSource, sourceFields, SourceKind } from "../schema/headcount.ts";
import type { Feed } from "../schema/headcount.ts";
import { CATERING_LIMITS, Dietary, Heads } from "../schema/parts.ts";
import { badState, cateringWorkOf } from "./env.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";

const SourceView = withVersion(HeadcountSource);
const fields = sourceFields;

export const CountingInput = {
  mode: fields.mode.default("attendees"),
  match: fields.match.default({ uid: null, summary_contains: null, category: null }),
  weights: fields.weights.default({ accepted: 1, tentative: 0, needs_action: 0 }),
  include_guests: fields.include_guests.default(true),
  count_organizer: fields.count_organizer.default(false),
};
const FeedUrl = z.string().trim().min(1).max(2000).meta({
  description: "Of a calendar_feed: https or webcal. It is kept like a password, and never shown again",
});
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
  url: FeedUrl.nullable().default(null),
  stale_after_h: fields.stale_after_h.default(48),
  status: fields.status.default("active"),
  metadata: fields.metadata.default({}),
});

const headcountSourceResource = resource({
  id: "catering.headcount-sources",
  collection: headcountSources,
  view: SourceView,
  example: DEMO_IDS.source,
});

const listSources = headcountSourceResource.list({
  summary: "Headcount sources, newest first",
  query: z.object({ ...listFields, kind: SourceKind.optional(), account_id: Id.optional() }),
  find: ({ account_id: account, cursor, kind, limit }) => {
    return byAll([account, kind && `kind.${kind}`], { limit, cursor });
  },
});

const createSource = headcountSourceResource.create({
  summary: "Add a source of headcounts",
  description:
    "rsvp: people answer by a link. calendar_upload: an .ics text that refresh takes. calendar_feed: the calendar at url, " +
    "fetched four times an hour, or an .ics text that you push by refresh; it is not asked any more when it was not " +
    "heard of for stale_after_h. api and manual: a number for a day.",
  body: Create,
  errors: [
    { type: "unprocessable_content", when: "The account is not known, or the url is not one of a calendar" },
  ],
  example: {
    body: {
      title: "Tuesday lunch",
      kind: "rsvp",
      account_id: DEMO_IDS.account,
      buffer_bps: 500,
      max: 200,
    },
  },
  make: async (body, ctx) => {
    await requireAccount(ctx, body.account_id);
    if (body.min > body.max) throw invalidField(["min"], "Must not exceed max.");
    const { url: given, ...rest } = body;
    const url = given === null ? null : checkedUrl(body.kind, given);
    const source: HeadcountSource = {
      ...rest,
      id: ctx.newId("chs"),
      feed: url === null ? null : newState(url),
      created_at: ctx.nowAt,
      updated_at: ctx.nowAt,
      last_ok_at: null,
      warnings: [],
    };
    if (url !== null) ctx.tx.create(feeds, newFeed(source, url, ctx.nowAt));
    return source;
  },
});

const getSource = headcountSourceResource.get({ summary: "Show a headcount source" });

const { kind: _kind, ...patchable } = fields;
const updateSource = headcountSourceResource.update({
  summary: "Change a headcount source, or archive it",
  body: z.strictObject({ ...patchable, url: FeedUrl.nullable() }).partial(),
  example: { body: { buffer_bps: 1000 } },
  change: async (before, body, ctx) => {
    const { url: given, ...rest } = body;
    const merged = { ...mergePatch(before, rest), updated_at: ctx.nowAt };
    if (merged.min > merged.max) throw invalidField(["min"], "Must not exceed max.");
    if (merged.account_id !== before.account_id) await requireAccount(ctx, merged.account_id);
    const url = given === undefined || given === null ? given : checkedUrl(merged.kind, given);
    return await moveFeed(ctx, merged, url);
  },
});

async function requireAccount({ tx }: Ctx, id: string | null): Promise<void> {
  if (id !== null && (await tx.get(accounts, id)) === null)
    throw invalidField(["account_id"], "No such account.");
}

const newState = ({ host }: URL): HeadcountSource["feed"] => ({ host, checked_at: null, error: null });

const newFeed = ({ id, status }: HeadcountSource, { href }: URL, nowAt: string): Feed => ({
  id,
  url: href,
  etag: null,
  last_modified: null,
  read_at: null,
  failures: 0,
  next_at: status === "active" ? nowAt : null,
});

function checkedUrl(kind: HeadcountSource["kind"], text: string): URL {
  if (kind !== "calendar_feed") throw invalidField(["url"], `A source of kind ${kind} fetches nothing.`);
  const url = readFeedUrl(text);
  if (url === null) throw invalidField(["url"], "Not an https or webcal address without a password in it.");
  return url;
}

/** Fetches the calendar of a changed source again, whole: what counts in it may have changed. */
async function moveFeed(
  { nowAt, tx }: Ctx,
  source: HeadcountSource,
  url: URL | null | undefined,
): Promise<HeadcountSource> {
  const before = await tx.get(feeds, source.id);
  if (url === null) {
    if (before !== null) tx.remove(feeds, before);
    return { ...source, feed: null };
  }
  const wanted = url ?? (before === null ? null : new URL(before.value.url));
  if (wanted === null) return source;
  const next = newFeed(source, wanted, nowAt);
  tx.save(feeds, before, next);
  // What another calendar said is no longer believed.
  return url === undefined ? source : { ...source, feed: newState(url), last_ok_at: null };
}

const refresh = headcountSourceResource.action("refresh", {
  summary: "Import a calendar into a source",
  description: `Takes the place of what it said before, from today for ${CATERING_LIMITS.windowDays} days. Up to ${CATERING_LIMITS.calendarChars} characters; one that is fetched, 2 MB.`,
  body: z.strictObject({
    ics: z.string().min(1).max(CATERING_LIMITS.calendarChars).optional().meta({
      description: "Without it the source's url is fetched now",
    }),
  }),
  data: z.strictObject({ source: SourceView, days: z.array(DayCount) }),
  errors: [
    ...textErrors,
    conflictWhen("not_a_calendar", "The source takes no calendar"),
    conflictWhen("feed_unreadable", "The URL does not return a readable calendar"),
    { type: "unprocessable_content", when: "The calendar cannot be read, or is too large" },
  ],
  example: { body: { ics: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n" } },
  async handle({ params: { id }, body: { ics } }, ctx) {
    if (ics === undefined) return fetchNow(ctx, id);
    const before = await ctx.tx.require(headcountSources, id);
    mustTakeCalendar(before.value);
    const taken = await takeCalendar(await cateringWorkOf(ctx), before, ics);
    if (typeof taken === "string") throw invalidField(["ics"], taken);
    return ok({ source: { ...taken.source.value, version: before.version }, days: [...taken.days] });
  },
});

/** Fetches a calendar in this moment. The request's own transaction takes no part, or it would lose to what is kept. */
async function fetchNow(ctx: Ctx, id: string) {
  const part = ctx.tx.part;
  const [asked, feed] = await ctx.runTx(part, (tx) =>
    Promise.all([tx.require(headcountSources, id), tx.get(feeds, id)]),
  );
  mustTakeCalendar(asked.value);
  if (feed === null || feed.value.next_at === null)
    throw invalidField(["ics"], "Send `ics`: the source has no `url` to fetch, or is archived.");
  const { detail, outcome } = await readFeed({ ...ctx, part, signal: ctx.signal() }, feed.value);
  if (outcome === "failed") throw conflict("feed_unreadable", detail);
  const [source, book] = await ctx.runTx(part, (tx) =>
    Promise.all([tx.require(headcountSources, id), tx.get(countBooks, id)]),
  );
  return ok({ source: { ...source.value, version: source.version }, days: book?.value.days ?? [] });
}

function mustTakeCalendar({ kind }: HeadcountSource): void {
  if (kind === "calendar_upload" || kind === "calendar_feed") return;
  throw conflict("not_a_calendar", `A source of kind ${kind} takes no calendar.`);
}

const listCounts = headcountSourceResource.read("counts", {
  summary: "List the counts of a source by day",
  data: z.array(DayCount),
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
  summary: "Set the headcount of a day",
  params: z.object({ id: Id, date: LocalDate }),
  body: z.strictObject({ count: Heads, dietary: Dietary.default([]) }),
  data: SourceView,
  errors: [missing, stale, badState],
  example: {
    params: { id: DEMO_IDS.sourceApi, date: "2026-06-09" },
    body: { count: 24, dietary: [{ code: "vegan", count: 4 }] },
  },
  async handle({ params: { id, date }, body }, ctx) {
    const before = await ctx.current(headcountSources, id);
    if (before.value.kind !== "api" && before.value.kind !== "manual")
      throw invalidState(`A source of kind ${before.value.kind} takes no numbers.`);
    if (body.dietary.reduce((all, { count }) => all + count, 0) > body.count)
      throw invalidField(["dietary"], "Adds up to more than count.");
    const keepFrom = addDays(todayOf(await cateringWorkOf(ctx)), -30);
    const book = await ctx.tx.get(countBooks, id);
    const others = (book?.value.days ?? []).filter((day) => day.date !== date && day.date >= keepFrom);
    if (others.length >= CATERING_LIMITS.windowDays) throw invalidState("The source knows too many days.");
    const day = { date, ...body, cancelled: false, evidence: [`${body.count} by the API`], at: ctx.nowAt };
    await saveBook(ctx.tx, { id, days: [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1)) });
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
