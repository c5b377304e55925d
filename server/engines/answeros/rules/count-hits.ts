import type { Bot } from "../data/bots.ts";
import type { CrawlerDay } from "../schema/files.ts";
import { botOf } from "./crawler-log.ts";
import type { LogLine } from "./crawler-log.ts";

/** Paths recorded per day and crawler; requests for others are only counted. */
export const PATHS_MAX = 100;

/** Crawler requests by day and crawler. Requests of people and of unknown crawlers are only counted as skipped. */
export function countHits(
  lines: readonly LogLine[],
  bots: readonly Bot[],
): { readonly days: readonly CrawlerDay[]; readonly hits: number; readonly skipped: number } {
  const days = new Map<string, CrawlerDay>();
  let skipped = 0;
  for (const line of lines) {
    const bot = botOf(line.user_agent, bots);
    if (bot === null) {
      skipped += 1;
      continue;
    }
    const id = crawlerDayId(line.date, bot.name);
    const hit: CrawlerDay = {
      id,
      date: line.date,
      bot: bot.name,
      hits: 1,
      by_status: { [String(line.status)]: 1 },
      paths: [{ path: line.path, status: line.status, hits: 1 }],
      paths_left_out: 0,
    };
    const before = days.get(id);
    days.set(id, before === undefined ? hit : addDays(before, hit));
  }
  return { days: [...days.values()], hits: lines.length - skipped, skipped };
}

export const crawlerDayId = (date: string, bot: string): string => `crd_${date}_${bot}`;

/** The sum of two counts of the same day and crawler. */
export function addDays(left: CrawlerDay, right: CrawlerDay): CrawlerDay {
  const byStatus = new Map(Object.entries(left.by_status));
  for (const [status, hits] of Object.entries(right.by_status)) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + hits);
  }
  const paths = new Map(left.paths.map((one) => [`${one.status} ${one.path}`, one]));
  let leftOut = left.paths_left_out + right.paths_left_out;
  for (const one of right.paths) {
    const key = `${one.status} ${one.path}`;
    const before = paths.get(key);
    if (before === undefined && paths.size >= PATHS_MAX) leftOut += one.hits;
    else paths.set(key, { ...one, hits: one.hits + (before?.hits ?? 0) });
  }
  return {
    ...left,
    hits: left.hits + right.hits,
    by_status: Object.fromEntries(byStatus),
    paths: [...paths.values()],
    paths_left_out: leftOut,
  };
}
