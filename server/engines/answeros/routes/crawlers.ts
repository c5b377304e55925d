import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { invalidField, invalidParameter } from "../../../lib/errors.ts";
import { sha256Hex } from "../../../core/ids.ts";
import { defineRoute, ok, values } from "../../../core/route.ts";
import { Instant, listFields, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { BOTS, BOTS_AS_OF } from "../data/bots.ts";
import { crawlerDays, crawlerLogs, dayOrder } from "../repository.ts";
import { addDays } from "../rules/count-hits.ts";
import { ANSWEROS_LIMITS, WindowQuery } from "../schema.ts";
import { CrawlerDay } from "../schema/files.ts";
import { countLog } from "../services/import-tasks.ts";
import { windowOf } from "./parts.ts";

const Counted = z.strictObject({
  id: z.string(),
  created_at: Instant,
  lines: z.int(),
  hits: z.int().meta({ description: "Requests of known crawlers" }),
  skipped: z.int().meta({ description: "Requests of people and other clients" }),
  unreadable: z.int(),
  repeated: z.boolean().meta({ description: "True if this log was already counted: nothing was added" }),
});

const exampleLine =
  '192.0.2.7 - - [01/Jun/2026:06:12:01 +0000] "GET /sourdough HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)"';

const createLog = defineRoute({
  id: "answeros.crawler-logs.create",
  cost: 10,
  method: "POST",
  path: "/crawler-logs",
  summary: "Count crawler requests in a web server log",
  description:
    "Lines in the combined log format, or CSV with date, path, status and user_agent; up to " +
    `${ANSWEROS_LIMITS.logLinesPerCall} lines per request. IP addresses, query strings and referrers are not stored. ` +
    "Crawlers are identified by their user agent only, which can be forged. Sending the same log again has no " +
    "further effect.",
  body: z.strictObject({
    format: z.enum(["combined", "csv"]).default("combined"),
    log: z.string().min(1).max(950_000),
  }),
  data: Counted,
  errors: [
    ...textErrors,
    { type: "unprocessable_content", code: "bad_log", when: "No line can be parsed, or there are too many" },
  ],
  example: {
    body: { log: exampleLine },
    data: {
      id: "log_6b51d431df5d7f141cbececcf79edf3d",
      created_at: "2026-06-01T09:00:00.000Z",
      lines: 1,
      hits: 1,
      skipped: 0,
      unreadable: 0,
      repeated: false,
    },
  },
  handle: async ({ body }, { tx, nowAt }) => {
    const id = `log_${sha256Hex(body.log).slice(0, 32)}`;
    const before = await tx.get(crawlerLogs, id);
    if (before !== null) return ok({ ...before.value, repeated: true });
    const { days, hits, skipped, lines, unreadable } = await countLog(tx, body);
    if (lines === 0) throw invalidField(["log"], "No line can be parsed.", "bad_log");
    if (days.length > DAYS_MAX) {
      throw invalidField(
        ["log"],
        `The log contains more than ${DAYS_MAX} pairs of day and crawler. Send shorter logs.`,
        "bad_log",
      );
    }
    for (const day of days) await addDay(tx, day);
    const counts = { lines: lines + unreadable, hits, skipped, unreadable };
    const log = tx.create(crawlerLogs, { id, created_at: nowAt, ...counts });
    return ok({ ...log.value, repeated: false });
  },
});

/** Limit of a commit: each day of a crawler is a document and two index entries. */
const DAYS_MAX = 60;

async function addDay(tx: Tx, day: CrawlerDay): Promise<void> {
  const before = await tx.get(crawlerDays, day.id);
  tx.save(crawlerDays, before, before === null ? day : addDays(before.value, day));
}

const Bot = z.strictObject({
  name: z.string(),
  vendor: z.string(),
  purpose: z.enum(["training", "search", "user"]),
  obeys_robots: z.boolean(),
});
const CrawlerView = CrawlerDay.extend({ crawler: Bot });
const BotName = z.enum(BOTS.map(({ name }) => name));

const listCrawlers = defineRoute({
  id: "answeros.crawlers.list",
  method: "GET",
  path: "/crawlers",
  summary: "List crawler requests by day, newest first",
  query: z.object({ ...listFields, ...WindowQuery, bot: BotName.optional() }),
  data: z.array(CrawlerView),
  example: {
    query: { from: "2026-05-25", to: "2026-06-01" },
    data: [
      {
        id: "crd_2026-06-01_OAI-SearchBot",
        date: "2026-06-01",
        bot: "OAI-SearchBot",
        hits: 14,
        by_status: { "200": 13, "404": 1 },
        paths: [{ path: "/sourdough", status: 200, hits: 13 }],
        paths_left_out: 0,
        crawler: { name: "OAI-SearchBot", vendor: "OpenAI", purpose: "search", obeys_robots: true },
      },
    ],
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to } = windowOf(query, now);
    const { bot, limit, cursor } = query;
    const index = { index: "day", value: bot ?? "all", from: dayOrder(to) };
    const page = await tx.peekPage(crawlerDays, { ...index, limit, cursor });
    const days = page.items.map(({ value }) => value).filter(({ date }) => date >= from);
    return values(
      days.map((day) => ({ ...day, crawler: botView(day.bot) })),
      { limit, next: days.length < page.items.length ? null : page.next },
    );
  },
});

function botView(name: string): z.output<typeof Bot> {
  const bot = BOTS.find((one) => one.name === name);
  if (bot === undefined) throw invalidParameter("bot", "No crawler with this id.");
  const { vendor, purpose, obeys_robots } = bot;
  return { name, vendor, purpose, obeys_robots };
}

const listBots = defineRoute({
  id: "answeros.crawlers.bots",
  method: "GET",
  path: "/crawlers/bots",
  summary: "List known crawlers and their purposes",
  description:
    "Training, search and fetching on behalf of a person are separate purposes: robots.txt can allow each of them " +
    "separately.",
  data: z.array(Bot.extend({ source: z.string(), as_of: LocalDate })),
  example: {
    data: [
      {
        name: "GPTBot",
        vendor: "OpenAI",
        purpose: "training",
        obeys_robots: true,
        source: "https://platform.openai.com/docs/bots",
        as_of: BOTS_AS_OF,
      },
    ],
  },
  handle: async () =>
    values(BOTS.map((bot) => ({ ...botView(bot.name), source: bot.source, as_of: BOTS_AS_OF }))),
});

export const crawlerRoutes = [createLog, listCrawlers, listBots];
