import type { Bot } from "../data/bots.ts";
import type { CrawlerDay } from "../schema/files.ts";
import { botOf } from "./crawler-log.ts";
import type { LogLine } from "./crawler-log.ts";

/** Paths recorded per day and crawler; requests for others are only counted. */
export const PATHS_MAX = 100;

/** A line of a log with its print, the same for the same line of the same log sent again. */
export interface PrintedLine extends LogLine {
  readonly print: string;
}

/** A request of a crawler on a day. Thousands of them are copied from one thread to another: without what the day has. */
type Hit = Pick<PrintedLine, "path" | "status" | "print">;

/** Requests of one crawler on one day. */
export interface DayHits {
  readonly id: string;
  readonly date: string;
  readonly bot: string;
  readonly hits: readonly Hit[];
}

/** Crawler requests by day and crawler. Requests of people and of unknown crawlers are only counted as skipped. */
export function groupHits(
  lines: readonly PrintedLine[],
  bots: readonly Bot[],
): { readonly days: readonly DayHits[]; readonly skipped: number } {
  const days = new Map<string, { id: string; date: string; bot: string; hits: Hit[] }>();
  let skipped = 0;
  for (const line of lines) {
    const bot = botOf(line.user_agent, bots);
    if (bot === null) {
      skipped += 1;
      continue;
    }
    const id = crawlerDayId(line.date, bot.name);
    const day = days.get(id) ?? { id, date: line.date, bot: bot.name, hits: [] };
    const { path, print, status } = line;
    day.hits.push({ path, print, status });
    days.set(id, day);
  }
  return { days: [...days.values()], skipped };
}

/** The counts of requests of a crawler on a day. */
export function countHits({ id, date, bot, hits }: DayHits): CrawlerDay {
  const byStatus = new Map<string, number>();
  const paths = new Map<string, { path: string; status: number; hits: number }>();
  let leftOut = 0;
  for (const { path, status } of hits) {
    byStatus.set(String(status), (byStatus.get(String(status)) ?? 0) + 1);
    const key = `${status} ${path}`;
    const one = paths.get(key);
    if (one !== undefined) one.hits += 1;
    else if (paths.size < PATHS_MAX) paths.set(key, { path, status, hits: 1 });
    else leftOut += 1;
  }
  return {
    id,
    date,
    bot,
    hits: hits.length,
    by_status: Object.fromEntries(byStatus),
    paths: [...paths.values()],
    paths_left_out: leftOut,
  };
}

/** Prints of a day and crawler in one document, one after the other, and documents of them; requests beyond are counted without. */
const PRINTS_PER_DOCUMENT = 20_000;
export const PRINT_DOCUMENTS_MAX = 10;
export const PRINT_CHARS = 6;

/** Adds those of the wanted prints that a document contains. */
export function addRecorded(found: Set<string>, wanted: ReadonlySet<string>, document: string): void {
  for (let at = 0; at < document.length; at += PRINT_CHARS) {
    const print = document.slice(at, at + PRINT_CHARS);
    if (wanted.has(print)) found.add(print);
  }
}

/** The requests that are not recorded yet, and their prints. */
export function takeFresh(
  day: DayHits,
  recorded: ReadonlySet<string>,
): { readonly fresh: DayHits; readonly prints: string } {
  const hits = day.hits.filter(({ print }) => !recorded.has(print));
  return { fresh: { ...day, hits }, prints: hits.map(({ print }) => print).join("") };
}

/** The documents that change when prints are added, by their place: the last one is filled, then further ones begin. */
export function addPrints(documents: readonly string[], prints: string): ReadonlyMap<number, string> {
  const full = PRINTS_PER_DOCUMENT * PRINT_CHARS;
  const changed = new Map<number, string>();
  let rest = prints;
  for (let at = Math.max(0, documents.length - 1); rest !== "" && at < PRINT_DOCUMENTS_MAX; at += 1) {
    const before = documents[at] ?? "";
    const room = full - before.length;
    if (room > 0) changed.set(at, before + rest.slice(0, room));
    rest = rest.slice(Math.max(0, room));
  }
  return changed;
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
