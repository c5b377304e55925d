import type { z } from "zod";

import type { Budget, UsageRecord } from "../../../core/ai-ledger.ts";
import type { Generation } from "../schema/generation.ts";
import { IDS } from "./examples.ts";

const at = "2026-06-01T09:00:00.000Z";
const times = { created_at: at, updated_at: at };

const usage = {
  input_tokens: 17,
  output_tokens: 17,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 34,
  estimated: true,
  cost_micros: 0,
  currency: "USD",
};

export const exampleGeneration = {
  id: IDS.generation,
  ...times,
  operation: "meta_description",
  provider: "builtin",
  model: "builtin-1",
  draft_id: null,
  input_revision: null,
  input_hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  output:
    "Crumb bakes sourdough bread in Hackney every morning, with organic flour, water and salt. Customers order before " +
    "noon and get their bread on the next day.",
  items: [],
  usage,
  usage_id: "aiu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  fallback: false,
  unsupported_claims: [],
  applied_revision: null,
  applied_at: null,
  override: null,
  version: 1,
} satisfies z.input<typeof Generation> & { version: number };

export const exampleUsageRecord = {
  id: "aiu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  ...usage,
  engine: "content",
  operation: "meta_description",
  provider: "builtin",
  model: "builtin-1",
  latency_ms: 4,
  status: "ok",
  key_id: IDS.key,
  resource: IDS.draft,
  request_id: "req_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  version: 1,
} satisfies z.input<typeof UsageRecord> & { version: number };

export const exampleBudget = {
  id: "bud_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  name: "Blog",
  limit_micros: 5_000_000,
  limit_tokens: null,
  period: "month",
  time_zone: "Europe/London",
  soft_pct: 80,
  on_exceed: "fallback_builtin",
  key_id: null,
  engine: null,
  model: null,
  active: true,
  version: 1,
} satisfies z.input<typeof Budget> & { version: number };
