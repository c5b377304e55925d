import { addDays, daysBetween } from "../../../lib/local-time.ts";
import type { Decay, MetricDay } from "../schema/article.ts";

const WEEKS_MIN = 8;
const WEEKS_MAX = 52;
const WINDOW = 4;
const DECAYED_PCT = -30;
const BEST_MIN = 10;

/**
 * Whether the clicks of an article decline: the mean of the last four weeks compared with the best four consecutive
 * weeks of a year, with at least eight weeks of data. It has decayed at −30 % or less if its best was at least ten
 * clicks a week. Weeks end with the last day with data; `since` is the first day after the best weeks, the latest ones
 * of equal weeks. Null if it has not decayed, or with too little data.
 */
export function decayOf(days: readonly MetricDay[]): Decay | null {
  const weeks = weeklyClicks(days);
  if (weeks.length < WEEKS_MIN) return null;
  const recent = mean(weeks.slice(-WINDOW));
  let best = 0;
  let bestAt = 0;
  for (let at = 0; at + WINDOW <= weeks.length; at += 1) {
    const clicks = mean(weeks.slice(at, at + WINDOW));
    if (clicks >= best) [best, bestAt] = [clicks, at];
  }
  if (best < BEST_MIN) return null;
  const pct = (100 * (recent - best)) / best;
  if (pct > DECAYED_PCT) return null;
  const last = lastDay(days);
  const weeksAfter = weeks.length - (bestAt + WINDOW);
  return {
    pct: Math.round(pct * 10) / 10,
    best_weekly_clicks: Math.round(best * 10) / 10,
    recent_weekly_clicks: Math.round(recent * 10) / 10,
    since: addDays(last, 1 - weeksAfter * 7),
  };
}

/** Clicks of whole weeks, oldest first; missing days count as zero. */
export function weeklyClicks(days: readonly MetricDay[]): number[] {
  const [first] = days.map(({ date }) => date).sort();
  if (first === undefined) return [];
  const last = lastDay(days);
  const count = Math.min(WEEKS_MAX, Math.floor((daysBetween(first, last) + 1) / 7));
  const weeks = Array.from({ length: count }, () => 0);
  for (const { date, clicks } of days) {
    const week = count - 1 - Math.floor(daysBetween(date, last) / 7);
    if (week >= 0) weeks[week] = (weeks[week] ?? 0) + clicks;
  }
  return weeks;
}

const lastDay = (days: readonly MetricDay[]): string =>
  days
    .map(({ date }) => date)
    .sort()
    .at(-1) ?? "";

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
