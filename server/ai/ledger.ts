import {
  budgets,
  emptySpend,
  fits,
  measureOf,
  reservations,
  spendId,
  spends,
  spentOf,
  usageRecords,
} from "../core/ai-ledger.ts";
import type { Budget, Reservation, Spend, UsageRecord } from "../core/ai-ledger.ts";
import { fromInstant, toInstant } from "../lib/instant.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../lib/errors.ts";
import type { NewId } from "../core/ids.ts";
import { readTestClock } from "../core/test-clock.ts";
import type { RunTx, Stored, Tx } from "../core/tx.ts";
import { isUnheard, toRecord, unheard, writeRecord } from "./usage-book.ts";
import type { Call, Outcome } from "./usage-book.ts";

/** What a call may come to at most. Micros are 0 for a model without a price: budgets in money cannot count it. */
export interface Estimate {
  readonly micros: number;
  readonly tokens: number;
}

export type Verdict =
  | { readonly accepted: true; readonly spendIds: readonly string[] }
  | { readonly accepted: false; readonly instead: "block" | "fallback_builtin"; readonly budget: Budget };

/** The books: a promise before each call, the truth after it. Each step is one commit of the store's partition. */
export interface Ledger {
  /** Promises an estimate of every budget that the call falls under, or of none. A refusal is kept as well. */
  reserve(call: Call, estimate: Estimate, ttlMs: number): Promise<Verdict>;
  /**
   * Writes the usage record and takes the promise back. Doing it twice changes nothing. `spendIds` are those of the
   * verdict: a promise that was released meanwhile is no longer in them.
   */
  settle(call: Call, outcome: Outcome, spendIds: readonly string[]): Promise<UsageRecord>;
}

interface LedgerDeps {
  readonly currency: string;
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly newId: NewId;
}

export function createLedger({ runTx, clock, newId, currency }: LedgerDeps): Ledger {
  const nowOf = async (tx: Tx): Promise<number> => (await readTestClock(tx)) ?? clock.now();
  return {
    reserve: (call, estimate, ttlMs) =>
      runTx(call.part, async (tx) => {
        const now = await nowOf(tx);
        await releaseExpired(tx, now, currency);
        return reserveIn(tx, { call, estimate, now, expiresAt: now + ttlMs, newId });
      }),
    settle: (call, outcome, spendIds) =>
      persist(() =>
        runTx(call.part, async (tx) =>
          settleIn(tx, { call, outcome, spendIds, now: await nowOf(tx), newId }),
        ),
      ),
  };
}

/** What was used must be written down: a lost race is no reason not to. */
async function persist<R>(work: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || error.type !== "conflict" || tries >= 5) throw error;
    }
  }
}

interface Asked {
  readonly call: Call;
  readonly estimate: Estimate;
  readonly now: number;
  readonly expiresAt: number;
  readonly newId: NewId;
}

interface Line {
  readonly budget: Budget;
  readonly before: Stored<Spend> | null;
  readonly spend: Spend;
}

async function reserveIn(tx: Tx, asked: Asked): Promise<Verdict> {
  const { call, estimate, now, expiresAt } = asked;
  const lines = await linesFor(tx, call, now);
  const over = lines.filter(
    ({ budget, spend }) =>
      !fits(measureOf(budget).limit, spentOf(budget, spend), estimateFor(budget, estimate)),
  );
  const stop = over.find(({ budget }) => budget.on_exceed === "block") ?? over.find(isFallback);
  for (const line of lines) {
    const isOver = over.includes(line);
    const next: Spend = {
      ...line.spend,
      ...(stop === undefined
        ? {
            reserved_micros: line.spend.reserved_micros + estimate.micros,
            reserved_tokens: line.spend.reserved_tokens + estimate.tokens,
          }
        : { refused_calls: line.spend.refused_calls + (isOver ? 1 : 0) }),
      updated_at: toInstant(now),
    };
    if (stop !== undefined && !isOver) continue;
    saveSpend(tx, line, isOver ? markReported(tx, "exceeded", { ...line, spend: next }, asked) : next);
  }
  if (stop !== undefined) {
    const instead = stop.budget.on_exceed === "block" ? "block" : "fallback_builtin";
    return { accepted: false, instead, budget: stop.budget };
  }
  const spendIds = lines.map(({ spend }) => spend.id);
  if (spendIds.length === 0) return { accepted: true, spendIds };
  const { part: _, ...who } = call;
  tx.create(reservations, {
    ...who,
    created_at: toInstant(now),
    expires_at: toInstant(expiresAt),
    ...estimate,
    spend_ids: spendIds,
  });
  return { accepted: true, spendIds };
}

const isFallback = ({ budget }: Line): boolean => budget.on_exceed === "fallback_builtin";

const estimateFor = (budget: Budget, estimate: Estimate): number => estimate[measureOf(budget).unit];

/** The active budgets that a call falls under, each with its sums of the period. */
async function linesFor(tx: Tx, call: Call, now: number): Promise<Line[]> {
  const active = await tx.peekAll(budgets, { index: "active" });
  const own = active
    .map(({ value }) => value)
    .filter(
      (budget) =>
        (budget.key_id === null || budget.key_id === call.key_id) &&
        (budget.engine === null || budget.engine === call.engine) &&
        (budget.model === null || budget.model === call.model),
    );
  return Promise.all(
    own.map(async (budget) => {
      const before = await tx.get(spends, spendId(budget, now));
      return { budget, before, spend: before?.value ?? emptySpend(budget, now) };
    }),
  );
}

interface Settled {
  readonly call: Call;
  readonly outcome: Outcome;
  readonly spendIds: readonly string[];
  readonly now: number;
  readonly newId: NewId;
}

async function settleIn(tx: Tx, settled: Settled): Promise<UsageRecord> {
  const { call, outcome, now } = settled;
  const held = await tx.get(reservations, call.id);
  const before = await tx.get(usageRecords, call.id);
  // Settled already: only a record that was written for want of an answer gives way to the answer.
  if (before !== null && !isUnheard(before.value)) return before.value;
  const record = toRecord(call, outcome, before?.value.created_at ?? toInstant(now));
  for (const id of held?.value.spend_ids ?? settled.spendIds) {
    await settleSpend(tx, id, { ...settled, held: held?.value ?? null });
  }
  if (held !== null) tx.remove(reservations, held);
  await writeRecord(tx, record, before);
  return record;
}

async function settleSpend(
  tx: Tx,
  id: string,
  settled: Settled & { held: Reservation | null },
): Promise<void> {
  const { outcome, held, now } = settled;
  const before = await tx.get(spends, id);
  if (before === null) return;
  const spend = before.value;
  const next: Spend = {
    ...spend,
    reserved_micros: Math.max(0, spend.reserved_micros - (held?.micros ?? 0)),
    reserved_tokens: Math.max(0, spend.reserved_tokens - (held?.tokens ?? 0)),
    settled_micros: spend.settled_micros + (outcome.usage.cost_micros ?? 0),
    settled_tokens: spend.settled_tokens + outcome.usage.total_tokens,
    calls: spend.calls + 1,
    unpriced_calls: spend.unpriced_calls + (outcome.usage.cost_micros === null ? 1 : 0),
    updated_at: toInstant(now),
  };
  const budget = await tx.get(budgets, spend.budget_id);
  if (budget === null) return void tx.put(spends, before, next);
  const line = { budget: budget.value, before, spend: next };
  const { settled: used } = spentOf(line.budget, next);
  const { limit } = measureOf(line.budget);
  const soft = used * 100 >= limit * line.budget.soft_pct ? markReported(tx, "soft", line, settled) : next;
  saveSpend(tx, line, used > limit ? markReported(tx, "exceeded", { ...line, spend: soft }, settled) : soft);
}

/** Promises whose time ran out: their process died. They are given back, and the call is kept as one that broke. */
async function releaseExpired(tx: Tx, now: number, currency: string): Promise<void> {
  const { items } = await tx.peekPage(reservations, { index: "due", limit: 20 });
  for (const { id, value } of items) {
    if (fromInstant(value.expires_at) > now) return;
    // Read again, so that the commit checks that it is still there.
    const held = await tx.get(reservations, id);
    if (held === null) continue;
    for (const spend of held.value.spend_ids) await release(tx, spend, held.value, now);
    tx.remove(reservations, held);
    const { created_at: at, engine, operation, provider, model, key_id, resource, request_id } = held.value;
    const call = { id, engine, operation, provider, model, key_id, resource, request_id, part: tx.part };
    if ((await tx.get(usageRecords, id)) === null) {
      await writeRecord(tx, toRecord(call, unheard(currency), at), null);
    }
  }
}

async function release(tx: Tx, id: string, held: Reservation, now: number): Promise<void> {
  const before = await tx.get(spends, id);
  if (before === null) return;
  tx.put(spends, before, {
    ...before.value,
    reserved_micros: Math.max(0, before.value.reserved_micros - held.micros),
    reserved_tokens: Math.max(0, before.value.reserved_tokens - held.tokens),
    updated_at: toInstant(now),
  });
}

function saveSpend(tx: Tx, { before }: Line, spend: Spend): void {
  tx.save(spends, before, spend);
}

/** Says once in a period that a budget is nearly or wholly used up. */
function markReported(
  tx: Tx,
  what: "soft" | "exceeded",
  { budget, spend }: Line,
  { now, newId }: { readonly now: number; readonly newId: NewId },
): Spend {
  const member = what === "soft" ? "soft_at" : "exceeded_at";
  if (spend[member] !== null) return spend;
  const { unit, limit } = measureOf(budget);
  const { settled, reserved } = spentOf(budget, spend);
  tx.emit({
    id: newId("evt"),
    type: `content.budget.${what}`,
    at: toInstant(now),
    data: {
      budget_id: budget.id,
      period: budget.period,
      period_start: spend.period_start,
      unit,
      limit,
      used: settled,
      reserved,
      on_exceed: budget.on_exceed,
    },
  });
  return { ...spend, [member]: toInstant(now) };
}
