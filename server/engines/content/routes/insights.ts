import { z } from "zod";

import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { newestFirst, timeOrder } from "../../../core/collection.ts";
import type { Collection } from "../../../core/collection.ts";
import { readEach } from "../../../core/read-page.ts";
import { pageOf, pageOfMany } from "../../../core/computed-page.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { addDays, daysBetween, localDateAt, startOfDay } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import { values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, Instant, listFields, ListQuery, LocalDate } from "../../../core/schema.ts";
import { liveUses } from "../jobs/review-articles.ts";
import { drafts, posts, readSettings } from "../repository.ts";
import { giveWay } from "../../../lib/slices.ts";
import { findRivalries, MEMBERS_MAX } from "../rules/cannibalisation.ts";
import type { Rivalry } from "../rules/cannibalisation.ts";
import { CONTENT_LIMITS } from "../schema.ts";

const RivalryView = z.object({
  similarity: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: "1: identical words; otherwise the Jaccard index of their stems" }),
  phrases: z.array(z.string()),
  members: z.array(
    z.object({
      id: Id,
      kind: z.enum(["draft", "article"]),
      title: z.string(),
      url: z.string().nullable(),
      phrase: z.string(),
    }),
  ),
});

const cannibalisation = routesOf({ id: "content.cannibalisation", view: RivalryView }).list({
  cost: 2,
  summary: "List live texts that compete for a keyphrase, most severe first",
  description:
    "Compares published posts and active articles whose keyphrases have the same stems or a Jaccard index of at " +
    "least 0.8. A post and the article that tracks it count as one text. With more than 5,000 keyphrases, only the " +
    "newest are compared; of a keyphrase that is similar to many others, only some are listed.",
  query: ListQuery,
  handle: async ({ query }, { tx }) => {
    const found = await findRivalries(await liveUses(tx), () => giveWay(tx.part));
    const keyOf = ({ similarity, members }: Rivalry): string =>
      `${(1 - similarity).toFixed(3)} ${String(MEMBERS_MAX - members.length).padStart(4, "0")} ${members.map(({ id }) => id).join(" ")}`;
    const place = { part: tx.part, list: "content.cannibalisation" };
    const page = await pageOfMany(found, keyOf, place, query);
    const rows = page.items.map(({ similarity, phrases, members }) => ({
      similarity,
      phrases: [...phrases],
      members: members.map(({ id, kind, title, url, phrase }) => ({ id, kind, title, url, phrase })),
    }));
    return values(rows, page);
  },
});

const Entry = z.object({
  date: LocalDate.meta({ description: "In the time zone of the content settings" }),
  kind: z.enum(["planned", "scheduled", "published"]),
  at: Instant.nullable().meta({ description: "Null for a plan, which has a day only" }),
  draft_id: Id,
  title: z.string(),
});
type Entry = z.output<typeof Entry>;

const calendar = routesOf({ id: "content.calendar", view: Entry }).list({
  cost: 2,
  summary: "Show planned, scheduled and published drafts by day",
  description:
    "Up to 92 days, and up to 500 entries of each kind. A draft with a plan and a schedule is listed twice.",
  query: z.object({ ...listFields, from: LocalDate, to: LocalDate }),
  example: {
    query: { from: "2026-06-01", to: "2026-06-30" },
  },
  handle: async ({ query }, ctx) => {
    const { from, to } = query;
    if (daysBetween(from, to) < 0) throw invalidParameter("to", "`to` must not be earlier than `from`.");
    if (daysBetween(from, to) >= CONTENT_LIMITS.calendarDays) {
      throw invalidParameter("to", `The range must be at most ${CONTENT_LIMITS.calendarDays} days.`);
    }
    const { time_zone: zone } = await readSettings(ctx.tx);
    const entries = await entriesOf(ctx, { from, to, zone });
    const place = { part: ctx.tx.part, list: `content.calendar.${from}.${to}` };
    const page = pageOf(
      entries,
      ({ date, at, kind, draft_id: id }) => `${date} ${at ?? ""} ${kind} ${id}`,
      place,
      query,
    );
    return values(page.items, page);
  },
});

interface Span {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

async function entriesOf({ tx }: Ctx, { from, to, zone }: Span): Promise<Entry[]> {
  const begin = toInstant(startOfDay(from, zone));
  const end = toInstant(startOfDay(addDays(to, 1), zone));
  const entry = (kind: Entry["kind"], at: string, draft_id: string, title: string): Entry => ({
    date: localDateAt(fromInstant(at), zone),
    kind,
    at,
    draft_id,
    title,
  });
  return [
    ...(await firstOf(tx, drafts, { index: "planned", from }, ({ id, planned_for: on, title }) =>
      on === null || on > to ? null : [{ date: on, kind: "planned", at: null, draft_id: id, title }],
    )),
    ...(await firstOf(
      tx,
      drafts,
      { index: "due", from: timeOrder(begin) },
      ({ id, scheduled_at: at, title }) =>
        at === null || at >= end ? null : [entry("scheduled", at, id, title)],
    )),
    ...(await firstOf(
      tx,
      posts,
      { index: "live", from: newestFirst(end) },
      ({ id, published_at: at, title }) =>
        // One that was published at the end is the first of the index, and not yet within.
        at < begin ? null : at < end ? [entry("published", at, id, title)] : [],
    )),
  ];
}

/** The entries of the first documents of an index, up to one that has null. Of a document, only its entry is kept. */
async function firstOf<T extends { id: string }>(
  tx: Ctx["tx"],
  collection: Collection<T>,
  query: { readonly index: string; readonly from: string },
  entriesIn: (value: T) => Entry[] | null,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let left: number = CONTENT_LIMITS.calendarEntries;
  for await (const { value } of readEach(tx.part, collection, query, (from, page) =>
    tx.peekPage(from, page),
  )) {
    const own = entriesIn(value);
    if (own === null) break;
    entries.push(...own);
    left -= 1;
    if (left === 0) break;
  }
  return entries;
}

export const insightRoutes = [cannibalisation, calendar];
