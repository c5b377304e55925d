import { NO_USAGE, USAGE_COUNTS } from "../../../core/ai-ledger.ts";
import type { UsageCounts, UsageDay } from "../../../core/ai-ledger.ts";

export const GROUPS = ["day", "key", "model", "operation", "engine"] as const;
export type Group = (typeof GROUPS)[number];

export type UsageSum = UsageCounts & { readonly group: string | null; readonly currency: string };

/** Sums days per value of the group and currency; exact, since all values are integers. */
export function sumUsage(days: readonly UsageDay[], group: Group | null): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const day of days) {
    const value = group === null ? null : valueOf(day, group);
    const key = `${value ?? ""} ${day.currency}`;
    const sum = sums.get(key) ?? { group: value, currency: day.currency, ...NO_USAGE };
    for (const name of USAGE_COUNTS) sum[name] += day[name];
    sums.set(key, sum);
  }
  return [...sums.values()];
}

function valueOf(day: UsageDay, group: Group): string {
  if (group === "key") return day.key_id ?? "none";
  return group === "day" ? day.day : day[group];
}
