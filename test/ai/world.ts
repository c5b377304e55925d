import type { TestClock } from "../harness.ts";
import { createAi } from "../../server/ai/service.ts";
import { Ai as AiConfigSchema } from "../../server/config/ai.ts";
import type { AiConfig } from "../../server/config/ai.ts";
import type { Ai, AiProvider, AiRequest } from "../../server/core/ai.ts";
import { budgets, readBudgetState, usageDays, usageRecords } from "../../server/core/ai-ledger.ts";
import type { Budget, BudgetState, UsageDay, UsageRecord } from "../../server/core/ai-ledger.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { domainEvents, eventFilters } from "../../server/core/events.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import type { NewId } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import type { Budgets } from "../../server/core/budgets.ts";
import type { Log } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";

export const PART = "sto_1";

/** The AI service over a store in memory, with what a test wants to look at. */
export interface World {
  readonly ai: Ai;
  readonly clock: TestClock;
  readonly runTx: RunTx;
  readonly newId: NewId;
  ask(more?: Partial<AiRequest>): AiRequest;
  budget(more?: Partial<Budget>): Promise<Budget>;
  state(budget: Budget): Promise<BudgetState>;
  records(): Promise<UsageRecord[]>;
  days(): Promise<UsageDay[]>;
  events(): Promise<string[]>;
}

function createTestClock(): TestClock {
  let now = Date.parse("2026-06-01T09:00:00.000Z");
  return {
    now: () => now,
    set(instant) {
      now = Date.parse(instant);
    },
    advance(ms) {
      now += ms;
    },
  };
}

export async function createWorld(
  config: Partial<AiConfig> = {},
  log: Log = silentLog,
  custom: readonly AiProvider[] = [],
  { isActive = true, ...planBudgets }: Partial<Budgets> & { readonly isActive?: boolean } = {},
): Promise<World> {
  const clock = createTestClock();
  const newId = createNewId(clock, createSystemRandom());
  const runTx = createRunTx({
    store: createMemoryDriver({ clock }),
    cursors: createCursorCodec(new Uint8Array(32)),
  });
  const ai = createAi({
    config: { ...AiConfigSchema.parse({}), ...config },
    runTx,
    newId,
    clock,
    log,
    budgets: {
      reserve: async ({ customerId }, budget, amount) => ({ customerId, budget, amount, resetAtMs: 0 }),
      settle: async () => undefined,
      ...planBudgets,
    },
    findOwner: async () => ({
      customerId: "cus_1",
      isActive,
      limits: { mails: null, new_recipients: null, cpu: null, background: null, outgoing: null, ai: 1_000 },
    }),
    custom,
  });
  await runTx(PART, async (tx) => tx.create(eventFilters, { id: "wanted", types: ["content.*"] }));
  let asked = 0;
  return {
    ai,
    clock,
    runTx,
    newId,
    ask(more = {}) {
      asked += 1;
      return {
        engine: "content",
        operation: "summarise",
        input: { text: "Our bread is good. We bake it daily." },
        key_id: "key_1",
        resource: "drf_1",
        request_id: `req_${asked}`,
        part: PART,
        ...more,
      };
    },
    async budget(more = {}) {
      const at = toInstant(clock.now());
      const budget: Budget = {
        id: newId("bud"),
        created_at: at,
        updated_at: at,
        name: "All",
        limit_micros: 1_000_000,
        limit_tokens: null,
        period: "month",
        time_zone: "Europe/London",
        soft_pct: 80,
        on_exceed: "block",
        key_id: null,
        engine: null,
        model: null,
        active: true,
        ...more,
      };
      await runTx(PART, async (tx) => tx.create(budgets, budget));
      return budget;
    },
    state: (budget) => runTx(PART, (tx) => readBudgetState(tx, budget, clock.now())),
    records: () =>
      runTx(PART, async (tx) =>
        (await tx.peekAll(usageRecords, { index: "time" })).map(({ value }) => value),
      ),
    days: () =>
      runTx(PART, async (tx) => (await tx.peekAll(usageDays, { index: "day" })).map(({ value }) => value)),
    events: () =>
      runTx(PART, async (tx) =>
        (await tx.peekAll(domainEvents, { index: "time" })).map(({ value }) => value.type),
      ),
  };
}

/** Each member of the days' sums held against the records themselves. */
export function sumsOf(records: readonly UsageRecord[]): Record<string, number> {
  const sum = (pick: (record: UsageRecord) => number): number =>
    records.reduce((all, next) => all + pick(next), 0);
  return {
    calls: records.length,
    blocked: sum(({ status }) => Number(status === "blocked")),
    errors: sum(({ status }) => Number(status === "error")),
    cancelled: sum(({ status }) => Number(status === "cancelled")),
    fallbacks: sum(({ status }) => Number(status === "fallback")),
    estimated_calls: sum(({ estimated }) => Number(estimated)),
    unpriced_calls: sum(({ cost_micros: cost }) => Number(cost === null)),
    input_tokens: sum((record) => record.input_tokens),
    output_tokens: sum((record) => record.output_tokens),
    cache_read_tokens: sum((record) => record.cache_read_tokens),
    cache_write_tokens: sum((record) => record.cache_write_tokens),
    reasoning_tokens: sum((record) => record.reasoning_tokens),
    total_tokens: sum((record) => record.total_tokens),
    cost_micros: sum((record) => record.cost_micros ?? 0),
  };
}

/** The days' sums added up, member by member as `sumsOf` has them. */
export function totalOf(days: readonly UsageDay[]): Record<string, number> {
  const total: Record<string, number> = Object.fromEntries(Object.keys(sumsOf([])).map((name) => [name, 0]));
  for (const day of days) {
    for (const [name, value] of Object.entries(day)) {
      if (typeof value === "number") total[name] = (total[name] ?? 0) + value;
    }
  }
  return total;
}
