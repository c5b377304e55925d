import { z } from "zod";

import { mapPage } from "../../../core/map-page.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { invalidField, invalidParameter, unprocessableWhen } from "../../../lib/errors.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { listFields, LocalDate } from "../../../core/schema.ts";
import { BOTS, BOTS_AS_OF } from "../data/bots.ts";
import { crawlerDays, dayOrder } from "../repository.ts";
import { ANSWEROS_LIMITS, WindowQuery } from "../schema.ts";
import { CrawlerDay } from "../schema/files.ts";
import { addHits, countStream } from "../services/crawler-hits.ts";
import { LOG_FORMATS, readLog } from "../services/import-tasks.ts";
import { windowOf } from "./parts.ts";

const Counted = z.strictObject({
  lines: z.int(),
  hits: z.int().meta({ description: "Requests of known crawlers that were not counted before" }),
  repeated: z.int().meta({ description: "Requests of known crawlers that were already counted" }),
  skipped: z.int().meta({ description: "Requests of people and other clients" }),
  unreadable: z.int(),
});

const exampleLine =
  '192.0.2.7 - - [01/Jun/2026:06:12:01 +0000] "GET /sourdough HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)"';

const createLog = routesOf({ id: "answeros.crawler-logs", view: Counted }).create({
  status: 200,
  cost: 10,
  summary: "Count crawler requests in a web server log",
  description:
    "Lines in the combined log format of Apache and nginx, CSV with columns for time, path, status and user agent, or " +
    "one JSON object per line, with the names of nginx's variables, of Cloudflare's logs or of Caddy; up to " +
    `${ANSWEROS_LIMITS.logLinesPerCall} lines per request. Each line is counted once: send a growing log again, or a ` +
    "large one in parts, in any order. Of a crawler's requests on a day, 200,000 are recognised. POST /crawler-logs/stream takes a log of any size. IP addresses, query " +
    "strings and referrers are not stored. Crawlers are identified by their user agent only, which can be forged.",
  body: z.strictObject({
    format: z.enum(LOG_FORMATS).default("auto").meta({ description: "auto: by the first line" }),
    log: z.string().min(1).max(950_000),
  }),
  errors: [...textErrors, unprocessableWhen("bad_log", "No line can be parsed, or there are too many")],
  example: {
    body: { log: exampleLine },
  },
  handle: async ({ body }, { tx }) => {
    const { days, skipped, lines, unreadable } = await readLog(tx, body);
    if (lines === unreadable) throw invalidField(["log"], "No line can be parsed.", "bad_log");
    if (days.length > DAYS_MAX) {
      throw invalidField(
        ["log"],
        `The log contains more than ${DAYS_MAX} pairs of day and crawler. Send shorter logs.`,
        "bad_log",
      );
    }
    const given = days.reduce((sum, day) => sum + day.hits.length, 0);
    let hits = 0;
    for (const day of days) hits += await addHits(tx, day);
    return ok({ lines, hits, repeated: given - hits, skipped, unreadable });
  },
});

/** Limit of a commit: each day of a crawler is two documents and two index entries. */
const DAYS_MAX = 60;

const streamLog = defineRoute({
  id: "answeros.crawler-logs.stream",
  cost: 10,
  method: "POST",
  path: "/crawler-logs/stream",
  summary: "Count crawler requests in a web server log of any size",
  description:
    "As POST /crawler-logs, with the log itself as the body, plain or compressed by gzip: curl -T access.log.1.gz -H " +
    "'Content-Type: text/plain' -X POST. It is read and counted in parts as it arrives. If the connection breaks, send it " +
    "again: what was counted is not counted twice. Of a crawler's requests on a day, 200,000 are recognised; lines of more " +
    "than 64,000 characters are unreadable.",
  stream: "text/plain",
  query: z.object({
    format: z.enum(LOG_FORMATS).default("auto").meta({ description: "auto: by the first line" }),
  }),
  data: Counted,
  errors: [...textErrors, unprocessableWhen("bad_log", "No line can be parsed, or it is damaged gzip")],
  handle: async ({ query: { format } }, { bodyStream, runTx, tx }) =>
    ok(await countStream({ tx, runTx }, bodyStream(), format)),
});

const Bot = z.strictObject({
  name: z.string(),
  vendor: z.string(),
  purpose: z.enum(["training", "search", "user"]),
  obeys_robots: z.boolean(),
});
const CrawlerView = CrawlerDay.extend({ crawler: Bot });
const BotName = z.enum(BOTS.map(({ name }) => name));

const listCrawlers = routesOf({ id: "answeros.crawlers", view: CrawlerView }).list({
  summary: "List crawler requests by day, newest first",
  query: z.object({ ...listFields, ...WindowQuery, bot: BotName.optional() }),
  example: {
    query: { from: "2026-05-25", to: "2026-06-01" },
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to } = windowOf(query, now);
    const { bot, limit, cursor } = query;
    const index = { index: "day", value: bot ?? "all", from: dayOrder(to) };
    const page = await mapPage(tx, crawlerDays, { ...index, limit, cursor }, ({ value }) => value);
    const days = page.items.filter(({ date }) => date >= from);
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
  handle: async () =>
    values(BOTS.map((bot) => ({ ...botView(bot.name), source: bot.source, as_of: BOTS_AS_OF }))),
});

export const crawlerRoutes = [createLog, streamLog, listCrawlers, listBots];
