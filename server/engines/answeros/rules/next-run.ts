import { DAY_MS } from "../../../lib/instant.ts";
import type { Prompt } from "../schema/tracking.ts";

const DAYS = { daily: 1, weekly: 7 } as const;

/**
 * When a prompt is run again, epoch milliseconds: a whole number of periods after the last time, and never in the
 * past, so that after an outage it runs once and not once per missed day. Null for one that is run manually.
 */
export function nextRunAt(cadence: Prompt["cadence"], lastRunAt: string | null, now: number): number | null {
  if (cadence === "manual") return null;
  if (lastRunAt === null) return now;
  const period = DAYS[cadence] * DAY_MS;
  const last = Date.parse(lastRunAt);
  const missed = Math.max(1, Math.ceil((now - last) / period));
  return last + missed * period;
}
