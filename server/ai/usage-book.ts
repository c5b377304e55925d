import { NO_USAGE, usageDays, usageRecords } from "../core/ai-ledger.ts";
import type { AiUsage, UsageDay, UsageRecord } from "../core/ai-ledger.ts";
import { derivedId } from "../core/ids.ts";
import type { Stored, Tx } from "../core/tx.ts";
import { tokensOf } from "./cost.ts";

/** Who asks for what of whom, as usage records keep it. */
export type Call = Pick<
  UsageRecord,
  "id" | "engine" | "operation" | "provider" | "model" | "key_id" | "resource" | "request_id"
> & { readonly part: string };

export interface Outcome extends Pick<UsageRecord, "status" | "latency_ms"> {
  readonly usage: AiUsage;
}

export function toRecord(
  call: Call,
  { usage, status, latency_ms: latency }: Outcome,
  at: string,
): UsageRecord {
  const { part: _, ...who } = call;
  return { ...who, created_at: at, updated_at: at, ...usage, latency_ms: latency, status };
}

/** The outcome of a call of which nothing was heard again. */
export const unheard = (currency: string): Outcome => ({
  status: "error",
  latency_ms: 0,
  usage: { ...tokensOf(0, 0, true), cost_micros: null, currency },
});

/** True for a record of a call of which nothing was heard: what is heard after all takes its place. */
export const isUnheard = ({
  status,
  estimated,
  total_tokens: tokens,
  cost_micros: cost,
}: UsageRecord): boolean => status === "error" && estimated && tokens === 0 && cost === null;

/** The record, and its share of the day's sum, in one commit: the sums are those of the records, always. */
export async function writeRecord(
  tx: Tx,
  record: UsageRecord,
  before: Stored<UsageRecord> | null,
): Promise<void> {
  tx.save(usageRecords, before, record);
  const id = dayId(record);
  const old = await tx.get(usageDays, id);
  let sum = old?.value ?? emptyDay(record);
  // What is replaced has the same day and the same names: only its figures go.
  if (before !== null) sum = add(sum, before.value, -1);
  sum = add(sum, record, 1);
  tx.save(usageDays, old, sum);
}

const dayOf = ({ created_at: at }: UsageRecord): string => at.slice(0, "YYYY-MM-DD".length);

const dayId = (record: UsageRecord): string =>
  derivedId("aid", new Uint8Array(), [
    dayOf(record),
    record.engine,
    record.operation,
    record.provider,
    record.model,
    record.key_id ?? "",
  ]);

const emptyDay = (record: UsageRecord): UsageDay => ({
  id: dayId(record),
  day: dayOf(record),
  engine: record.engine,
  operation: record.operation,
  provider: record.provider,
  model: record.model,
  key_id: record.key_id,
  ...NO_USAGE,
  currency: record.currency,
});

const COUNTERS = {
  ok: "calls",
  blocked: "blocked",
  error: "errors",
  cancelled: "cancelled",
  fallback: "fallbacks",
} as const;

function add(sum: UsageDay, record: UsageRecord, sign: 1 | -1): UsageDay {
  const next = {
    ...sum,
    calls: sum.calls + sign,
    estimated_calls: sum.estimated_calls + (record.estimated ? sign : 0),
    unpriced_calls: sum.unpriced_calls + (record.cost_micros === null ? sign : 0),
    input_tokens: sum.input_tokens + sign * record.input_tokens,
    output_tokens: sum.output_tokens + sign * record.output_tokens,
    cache_read_tokens: sum.cache_read_tokens + sign * record.cache_read_tokens,
    cache_write_tokens: sum.cache_write_tokens + sign * record.cache_write_tokens,
    reasoning_tokens: sum.reasoning_tokens + sign * record.reasoning_tokens,
    total_tokens: sum.total_tokens + sign * record.total_tokens,
    cost_micros: sum.cost_micros + sign * (record.cost_micros ?? 0),
  };
  const counter = COUNTERS[record.status];
  return counter === "calls" ? next : { ...next, [counter]: next[counter] + sign };
}
