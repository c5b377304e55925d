import { z } from "zod";

import { defineCollection, newestFirst, timeOrder } from "./collection.ts";
import { toInstant } from "../lib/instant.ts";
import { addDays, addMonths, isoWeekdayOf, localDateAt, startOfDay } from "../lib/local-time.ts";
import { Currency, Id, Instant, LocalDate, resourceFields, TimeZone } from "./schema.ts";
import type { Tx } from "./tx.ts";

/**
 * The books of the AI service, in each store's own partition: what was used, what may be used, what is promised. Only
 * `server/ai` writes usage, spends and reservations; budgets are the shop's, made and changed by the routes of content.
 */

const Count = z.int().nonnegative();

/** Tokens of one call. `total_tokens` is input and output; the others are parts of these. */
export const AiUsage = z.strictObject({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_tokens: Count.meta({ description: "Included in input_tokens" }),
  cache_write_tokens: Count.meta({ description: "Included in input_tokens" }),
  reasoning_tokens: Count.meta({ description: "Included in output_tokens" }),
  total_tokens: Count,
  estimated: z.boolean().meta({ description: "Counted locally because the provider did not report usage" }),
  cost_micros: Count.nullable().meta({
    description: "Millionths of the currency, rounded up; null if no price is configured",
  }),
  currency: Currency,
});
export type AiUsage = z.output<typeof AiUsage>;

/** One call: written once it is over, or when its time has run out without a word. */
export const UsageRecord = z.strictObject({
  ...resourceFields,
  ...AiUsage.shape,
  engine: z.string(),
  operation: z.string(),
  provider: z.string(),
  model: z.string(),
  latency_ms: Count,
  status: z.enum(["ok", "error", "blocked", "cancelled", "fallback"]),
  key_id: Id.nullable(),
  resource: z.string().nullable(),
  request_id: z.string(),
});
export type UsageRecord = z.output<typeof UsageRecord>;

export const usageRecords = defineCollection({
  name: "ai.usage_records",
  schema: UsageRecord,
  indexes: {
    key: { values: ({ key_id: key }) => (key === null ? [] : [key]) },
    resource: { values: ({ resource }) => (resource === null || !isIndexable(resource) ? [] : [resource]) },
    /** Oldest first, for a span of time: `from` is `timeOrder(instant)`. */
    time: { values: () => [""], order: ({ created_at: at }) => timeOrder(at) },
  },
});

/** What is counted of calls: of a day, and of whatever days are added up to. */
const UsageCounts = z.strictObject({
  calls: Count,
  /** Calls that were refused, broke, were broken off, or went to the builtin provider instead. */
  blocked: Count,
  errors: Count,
  cancelled: Count,
  fallbacks: Count,
  estimated_calls: Count,
  unpriced_calls: Count,
  input_tokens: Count,
  output_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  reasoning_tokens: Count,
  total_tokens: Count,
  cost_micros: Count,
});
export type UsageCounts = z.output<typeof UsageCounts>;
export const USAGE_COUNTS = UsageCounts.keyof().options;

export const NO_USAGE: Readonly<UsageCounts> = {
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
};

/** The sum of the records of one UTC day that agree in all that one can group by. Written with each record. */
export const UsageDay = z.strictObject({
  /** Derived from the members below. */
  id: Id,
  day: LocalDate.meta({ description: "UTC" }),
  engine: z.string(),
  operation: z.string(),
  provider: z.string(),
  model: z.string(),
  key_id: Id.nullable(),
  ...UsageCounts.shape,
  currency: Currency,
});
export type UsageDay = z.output<typeof UsageDay>;

export const usageDays = defineCollection({
  name: "ai.usage_days",
  unlisted: true,
  schema: UsageDay,
  indexes: {
    /** Oldest first: `from` is a date. */
    day: { values: () => [""], order: ({ day }) => day },
  },
});

const BudgetPeriod = z.enum(["day", "week", "month"]);
type BudgetPeriod = z.output<typeof BudgetPeriod>;

/** What may be used in a calendar period. It counts every call that leaves this machine and that its filters match. */
export const Budget = z.strictObject({
  ...resourceFields,
  name: z.string().min(1).max(100),
  limit_micros: z
    .int()
    .positive()
    .nullable()
    .meta({ description: "Millionths of the currency. Specify either this or limit_tokens" }),
  limit_tokens: z.int().positive().nullable(),
  period: BudgetPeriod.meta({ description: "Calendar period. Weeks start on Monday" }),
  time_zone: TimeZone,
  soft_pct: z
    .int()
    .min(1)
    .max(100)
    .meta({ description: "Share of the limit at which the event content.budget.soft is emitted" }),
  on_exceed: z.enum(["block", "fallback_builtin", "notify"]),
  key_id: Id.nullable().meta({ description: "Only calls of this key; null for all" }),
  engine: z.string().nullable().meta({ description: "Only calls for this engine; null for all" }),
  model: z.string().nullable().meta({ description: "Only calls of this model; null for all" }),
  active: z.boolean(),
});
export type Budget = z.output<typeof Budget>;

export const budgets = defineCollection({
  name: "ai.budgets",
  schema: Budget,
  indexes: {
    active: { values: ({ active }) => (active ? [""] : []) },
  },
});

/** The most budgets that a store may have: each call reads those that are active. */
export const BUDGETS_MAX = 50;

/** What was used and is promised of one budget in one period. */
export const Spend = z.strictObject({
  /** `<budget id>.<first date of the period>` */
  id: z.string(),
  budget_id: Id,
  period_start: LocalDate,
  settled_micros: Count,
  reserved_micros: Count,
  settled_tokens: Count,
  reserved_tokens: Count,
  calls: Count,
  /** Calls of models without a price: a limit in money cannot count them. */
  unpriced_calls: Count,
  refused_calls: Count,
  soft_at: Instant.nullable(),
  exceeded_at: Instant.nullable(),
  updated_at: Instant,
});
export type Spend = z.output<typeof Spend>;

export const spends = defineCollection({
  name: "ai.spends",
  unlisted: true,
  schema: Spend,
  indexes: {
    budget: { values: ({ budget_id: budget }) => [budget], order: ({ updated_at: at }) => newestFirst(at) },
  },
});

/** A promise made before a call; gone once the call is settled. One that outlives its time is released. */
export const Reservation = z.strictObject({
  /** Id of the usage record that settles it. */
  id: Id,
  created_at: Instant,
  expires_at: Instant,
  engine: z.string(),
  operation: z.string(),
  provider: z.string(),
  model: z.string(),
  key_id: Id.nullable(),
  resource: z.string().nullable(),
  request_id: z.string(),
  micros: Count,
  tokens: Count,
  spend_ids: z.array(z.string()),
});
export type Reservation = z.output<typeof Reservation>;

export const reservations = defineCollection({
  name: "ai.reservations",
  unlisted: true,
  schema: Reservation,
  indexes: { due: { values: () => [""], order: ({ expires_at: at }) => timeOrder(at) } },
});

/** A budget with its state, as routes serve it. */
export const BudgetState = z.strictObject({
  period_start: LocalDate,
  period_ends_at: Instant,
  used_micros: Count,
  reserved_micros: Count,
  used_tokens: Count,
  reserved_tokens: Count,
  used_pct: z
    .number()
    .nonnegative()
    .meta({ description: "Share of the limit that is used, including reservations" }),
  calls: Count,
  unpriced_calls: Count,
  refused_calls: Count,
  soft_at: Instant.nullable(),
  exceeded_at: Instant.nullable(),
});
export type BudgetState = z.output<typeof BudgetState>;

/** State of a budget at an instant (epoch milliseconds). */
export async function readBudgetState(tx: Tx, budget: Budget, now: number): Promise<BudgetState> {
  const period = periodAt(budget, now);
  const stored = await tx.get(spends, spendId(budget, now));
  const spend = stored?.value ?? emptySpend(budget, now);
  const { limit } = measureOf(budget);
  const used = spentOf(budget, spend);
  return {
    period_start: period.start,
    period_ends_at: toInstant(period.endsAt),
    used_micros: spend.settled_micros,
    reserved_micros: spend.reserved_micros,
    used_tokens: spend.settled_tokens,
    reserved_tokens: spend.reserved_tokens,
    used_pct: Math.round((10_000 * (used.settled + used.reserved)) / limit) / 100,
    calls: spend.calls,
    unpriced_calls: spend.unpriced_calls,
    refused_calls: spend.refused_calls,
    soft_at: spend.soft_at,
    exceeded_at: spend.exceeded_at,
  };
}

/** The calendar period of a budget at an instant: its first date, and the instant at which the next one begins. */
export function periodAt(
  { period, time_zone: zone }: Pick<Budget, "period" | "time_zone">,
  now: number,
): { readonly start: string; readonly endsAt: number } {
  const today = localDateAt(now, zone);
  const start =
    period === "day"
      ? today
      : period === "week"
        ? addDays(today, 1 - isoWeekdayOf(today))
        : `${today.slice(0, "YYYY-MM".length)}-01`;
  const next =
    period === "day" ? addDays(start, 1) : period === "week" ? addDays(start, 7) : addMonths(start, 1);
  return { start, endsAt: startOfDay(next, zone) };
}

export const spendId = (budget: Pick<Budget, "id" | "period" | "time_zone">, now: number): string =>
  `${budget.id}.${periodAt(budget, now).start}`;

export const emptySpend = (budget: Budget, now: number): Spend => ({
  id: spendId(budget, now),
  budget_id: budget.id,
  period_start: periodAt(budget, now).start,
  settled_micros: 0,
  reserved_micros: 0,
  settled_tokens: 0,
  reserved_tokens: 0,
  calls: 0,
  unpriced_calls: 0,
  refused_calls: 0,
  soft_at: null,
  exceeded_at: null,
  updated_at: toInstant(now),
});

/** What a budget counts, and how much of it there is. */
export const measureOf = (budget: Budget): { readonly unit: "micros" | "tokens"; readonly limit: number } =>
  budget.limit_micros === null
    ? { unit: "tokens", limit: budget.limit_tokens ?? 1 }
    : { unit: "micros", limit: budget.limit_micros };

/** What of a spend counts for a budget, in its own unit. */
export const spentOf = (
  budget: Budget,
  spend: Spend,
): { readonly settled: number; readonly reserved: number } =>
  measureOf(budget).unit === "micros"
    ? { settled: spend.settled_micros, reserved: spend.reserved_micros }
    : { settled: spend.settled_tokens, reserved: spend.reserved_tokens };

/** The rule of a budget: a call fits iff what is settled, what is reserved and its own estimate stay within the limit. */
export const fits = (
  limit: number,
  spent: { settled: number; reserved: number },
  estimate: number,
): boolean => spent.settled + spent.reserved + estimate <= limit;

const isIndexable = (text: string): boolean => /^[A-Za-z0-9_.-]{1,100}$/.test(text);
