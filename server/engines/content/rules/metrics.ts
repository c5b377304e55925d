import { addDays } from "../../../lib/local-time.ts";
import type { Article, MetricDay } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";

/** Merges days, replacing existing ones; oldest first, limited to the stored number. */
export function mergeMetrics(stored: readonly MetricDay[], added: readonly MetricDay[]): MetricDay[] {
  const days = new Map([...stored, ...added].map((day) => [day.date, day]));
  return [...days.values()].sort((a, b) => (a.date < b.date ? -1 : 1)).slice(-CONTENT_LIMITS.metricDays);
}

const SUMMED_DAYS = 28;

/** The last 28 days with data: sums, click-through rate, and the position weighted by impressions. */
export function summariseMetrics(days: readonly MetricDay[]): Article["metrics"] {
  const until = days.at(-1)?.date;
  if (until === undefined) return null;
  const recent = days.filter(({ date }) => date > addDays(until, -SUMMED_DAYS));
  const clicks = recent.reduce((sum, day) => sum + day.clicks, 0);
  const impressions = recent.reduce((sum, day) => sum + day.impressions, 0);
  const placed = recent.filter(({ position }) => position !== null);
  const seen = placed.reduce((sum, day) => sum + day.impressions, 0);
  const weighed = placed.reduce((sum, day) => sum + (day.position ?? 0) * day.impressions, 0);
  return {
    until,
    clicks,
    impressions,
    ctr: impressions === 0 ? null : Math.round((10_000 * clicks) / impressions) / 10_000,
    position: seen === 0 ? null : Math.round((10 * weighed) / seen) / 10,
  };
}
