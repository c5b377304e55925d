import type { UsageDay } from "../../../kernel/ai-ledger.ts";

export const GROUPS = ["day", "key", "model", "operation", "engine"] as const;
export type Group = (typeof GROUPS)[number];

const COUNTED = [
  "calls",
  "blocked",
  "errors",
  "cancelled",
  "fallbacks",
  "estimated_calls",
  "unpriced_calls",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "total_tokens",
  "cost_micros",
] as const;

export type UsageSum = Record<(typeof COUNTED)[number], number> & {
  readonly group: string | null;
  readonly currency: string;
};

/** Adds days up, one sum for each value of the group and each currency; exact, since all of them are integers. */
export function sumUsage(days: readonly UsageDay[], group: Group | null): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const day of days) {
    const value = group === null ? null : valueOf(day, group);
    const key = `${value ?? ""} ${day.currency}`;
    const sum = sums.get(key) ?? empty(value, day.currency);
    for (const name of COUNTED) sum[name] += day[name];
    sums.set(key, sum);
  }
  return [...sums.values()];
}

function valueOf(day: UsageDay, group: Group): string {
  if (group === "key") return day.key_id ?? "none";
  return group === "day" ? day.day : day[group];
}

const empty = (group: string | null, currency: string): UsageSum => ({
  group,
  currency,
  calls: 0,
  blocked: 0,
  errors: 0,
  cancelled: 0,
  fallbacks: 0,
  estimated_calls: 0,
  unpriced_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 0,
  cost_micros: 0,
});
