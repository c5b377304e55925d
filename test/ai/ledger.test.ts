import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { costMicros, priceUsage, tokensOf } from "../../server/ai/cost.ts";
import { createLedger } from "../../server/ai/ledger.ts";
import type { Ledger } from "../../server/ai/ledger.ts";
import type { Call } from "../../server/ai/usage-book.ts";
import { fits, periodAt } from "../../server/core/ai-ledger.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { createWorld, PART, sumsOf, totalOf } from "./world.ts";
import type { World } from "./world.ts";

const TTL = 60_000;
const ledgerOf = (world: World): Ledger => createLedger({ ...world, currency: "USD" });
const callOf = (id: string, more: Partial<Call> = {}): Call => ({
  id: `aiu_${id}`,
  part: PART,
  engine: "content",
  operation: "draft",
  provider: "openai-compatible",
  model: "m",
  key_id: "key_1",
  resource: null,
  request_id: `req_${id}`,
  ...more,
});
const outcome = (cost: number | null, tokens = cost ?? 0) => ({
  status: "ok" as const,
  latency_ms: 5,
  usage: { ...tokensOf(tokens, 0, false), cost_micros: cost, currency: "USD" },
});

describe("cost", () => {
  it.each([
    [1200, 350, 1000],
    [1, 0, 1],
    [0, 0, 0],
  ])("A22: %i in, %i out cost %i micros", (input, output, cost) =>
    expect(costMicros(tokensOf(input, output, false), { input: 250_000, output: 2_000_000 })).toBe(cost),
  );

  it("has a price of its own for what a cache gave", () => {
    const tokens = { ...tokensOf(1000, 0, false), cache_read_tokens: 400 };
    expect(costMicros(tokens, { input: 1_000_000, output: 0, cacheRead: 100_000 })).toBe(640);
    expect(costMicros(tokens, { input: 1_000_000, output: 0 })).toBe(1000);
  });

  it("is not known for a model without a price", () =>
    expect(priceUsage(tokensOf(5, 5, false), "m", { prices: [], currency: "EUR" })).toMatchObject({
      cost_micros: null,
      total_tokens: 10,
      currency: "EUR",
    }));

  it("does not lose a micro to binary fractions", () => {
    const price = { input: 999_999_999_999, output: 1 };
    expect(costMicros(tokensOf(1_000_000, 1, false), price)).toBe(1_000_000_000_000);
  });
});

describe("periods", () => {
  it.each([
    ["day", "Europe/London", "2026-06-30T23:30:00.000Z", "2026-07-01", "2026-07-01T23:00:00.000Z"],
    ["week", "Europe/London", "2026-06-07T22:59:00.000Z", "2026-06-01", "2026-06-07T23:00:00.000Z"],
    ["month", "America/New_York", "2026-07-01T03:00:00.000Z", "2026-06-01", "2026-07-01T04:00:00.000Z"],
    ["month", "Europe/Berlin", "2026-12-31T23:00:00.000Z", "2027-01-01", "2027-01-31T23:00:00.000Z"],
  ] as const)("a %s in %s at %s begins on %s", (period, zone, now, ...ends) => {
    const found = periodAt({ period, time_zone: zone }, Date.parse(now));
    expect([found.start, toInstant(found.endsAt)]).toEqual(ends);
  });
});

describe("budgets", () => {
  it("A21: what is reserved counts until it is settled", async () => {
    const world = await createWorld();
    const budget = await world.budget();
    const ledger = ledgerOf(world);
    const reserve = async (id: string, micros: number) =>
      (await ledger.reserve(callOf(id), { micros, tokens: 1 }, TTL)).accepted;
    expect([await reserve("a", 400_000), await reserve("b", 500_000), await reserve("c", 200_000)]).toEqual([
      true,
      true,
      false,
    ]);
    await ledger.settle(callOf("a"), outcome(120_000), []);
    expect(await world.state(budget)).toMatchObject({
      used_micros: 120_000,
      reserved_micros: 500_000,
      refused_calls: 1,
    });
    expect(await reserve("c", 200_000)).toBe(true);
  });

  it("holds under fifty calls at once", async () => {
    const world = await createWorld();
    const budget = await world.budget({ limit_micros: 1000 });
    const ledger = ledgerOf(world);
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const call = callOf(`p${at}`);
        const verdict = await ledger.reserve(call, { micros: 100, tokens: 10 }, TTL);
        return { call, verdict };
      }),
    );
    const accepted = verdicts.filter(({ verdict }) => verdict.accepted);
    expect(accepted).toHaveLength(10);
    expect(await world.state(budget)).toMatchObject({
      used_micros: 0,
      reserved_micros: 1000,
      refused_calls: 40,
    });
    await Promise.all(accepted.map(({ call }) => ledger.settle(call, outcome(70), [])));
    expect(await world.state(budget)).toMatchObject({ used_micros: 700, reserved_micros: 0, calls: 10 });
    expect(totalOf(await world.days())).toEqual(sumsOf(await world.records()));
  });

  it("gives back what a dead process left reserved, and keeps its call as one that broke", async () => {
    const world = await createWorld();
    const budget = await world.budget({ limit_micros: 100 });
    const ledger = ledgerOf(world);
    expect((await ledger.reserve(callOf("dead"), { micros: 100, tokens: 1 }, TTL)).accepted).toBe(true);
    world.clock.advance(TTL - 1);
    expect((await ledger.reserve(callOf("early"), { micros: 100, tokens: 1 }, TTL)).accepted).toBe(false);
    world.clock.advance(1);
    expect((await ledger.reserve(callOf("next"), { micros: 100, tokens: 1 }, TTL)).accepted).toBe(true);
    expect(await world.state(budget)).toMatchObject({ reserved_micros: 100, used_micros: 0 });
    const [record] = await world.records();
    expect(record).toMatchObject({ id: "aiu_dead", status: "error", estimated: true, total_tokens: 0 });
  });

  it("believes an answer that comes after all", async () => {
    const world = await createWorld();
    const budget = await world.budget({ limit_micros: 100 });
    const ledger = ledgerOf(world);
    const verdict = await ledger.reserve(callOf("slow"), { micros: 100, tokens: 1 }, TTL);
    world.clock.advance(TTL);
    await ledger.reserve(callOf("next"), { micros: 1, tokens: 1 }, TTL);
    const spendIds = verdict.accepted ? verdict.spendIds : [];
    await ledger.settle(callOf("slow"), outcome(90), spendIds);
    expect(await world.state(budget)).toMatchObject({ used_micros: 90, reserved_micros: 1, calls: 1 });
    expect(await world.records()).toMatchObject([{ status: "ok", cost_micros: 90 }]);
    expect(totalOf(await world.days())).toEqual(sumsOf(await world.records()));
  });

  it("settles once, however often it is told", async () => {
    const world = await createWorld();
    const budget = await world.budget();
    const ledger = ledgerOf(world);
    const verdict = await ledger.reserve(callOf("a"), { micros: 10, tokens: 1 }, TTL);
    const spendIds = verdict.accepted ? verdict.spendIds : [];
    for (let times = 0; times < 3; times += 1) await ledger.settle(callOf("a"), outcome(7), spendIds);
    expect(await world.state(budget)).toMatchObject({ used_micros: 7, reserved_micros: 0, calls: 1 });
    expect(await world.records()).toHaveLength(1);
  });

  it("counts only the calls it is about", async () => {
    const world = await createWorld();
    const mine = await world.budget({ key_id: "key_1", limit_micros: 10 });
    const other = await world.budget({ key_id: "key_2", limit_micros: 10 });
    const engine = await world.budget({ engine: "answeros", limit_micros: 10 });
    const paused = await world.budget({ active: false, limit_micros: 1 });
    await ledgerOf(world).reserve(callOf("a"), { micros: 10, tokens: 1 }, TTL);
    const reserved = await Promise.all([mine, other, engine, paused].map(world.state));
    expect(reserved.map((state) => state.reserved_micros)).toEqual([10, 0, 0, 0]);
  });

  it("begins anew with the period, and settles where it was promised", async () => {
    const world = await createWorld();
    const budget = await world.budget({ period: "day", limit_tokens: 100, limit_micros: null });
    const ledger = ledgerOf(world);
    expect((await ledger.reserve(callOf("a"), { micros: 0, tokens: 100 }, 10 * 86_400_000)).accepted).toBe(
      true,
    );
    expect((await ledger.reserve(callOf("b"), { micros: 0, tokens: 1 }, TTL)).accepted).toBe(false);
    const yesterday = world.clock.now();
    world.clock.advance(86_400_000);
    expect(await world.state(budget)).toMatchObject({ reserved_tokens: 0 });
    await ledger.settle(callOf("a"), outcome(null, 40), []);
    expect(await world.state(budget)).toMatchObject({ used_tokens: 0 });
    world.clock.set(toInstant(yesterday));
    expect(await world.state(budget)).toMatchObject({
      used_tokens: 40,
      reserved_tokens: 0,
      unpriced_calls: 1,
    });
  });

  it("tells once when it runs low, and once when it is used up", async () => {
    const world = await createWorld();
    const budget = await world.budget({ limit_micros: 100 });
    const ledger = ledgerOf(world);
    const use = async (id: string, cost: number) => {
      const verdict = await ledger.reserve(callOf(id), { micros: cost, tokens: 1 }, TTL);
      if (verdict.accepted) await ledger.settle(callOf(id), outcome(cost), verdict.spendIds);
    };
    await use("a", 79);
    expect(await world.events()).toEqual([]);
    world.clock.advance(1);
    await use("b", 1);
    world.clock.advance(1);
    await use("c", 5);
    world.clock.advance(1);
    await use("d", 50);
    await use("e", 50);
    expect(await world.events()).toEqual(["content.budget.soft", "content.budget.exceeded"]);
    const state = await world.state(budget);
    expect([state.soft_at, state.exceeded_at].every((at) => at !== null)).toBe(true);
    expect(state).toMatchObject({ used_micros: 85, used_pct: 85, refused_calls: 2 });
  });

  it("lets calls through that it only tells of", async () => {
    const world = await createWorld();
    const budget = await world.budget({ limit_micros: 10, on_exceed: "notify" });
    expect((await ledgerOf(world).reserve(callOf("a"), { micros: 50, tokens: 1 }, TTL)).accepted).toBe(true);
    expect(await world.events()).toEqual(["content.budget.exceeded"]);
    expect(await world.state(budget)).toMatchObject({ reserved_micros: 50, used_pct: 500 });
  });

  it("promises of all budgets or of none, and the strictest decides", async () => {
    const world = await createWorld();
    const wide = await world.budget({ limit_micros: 1000, on_exceed: "block" });
    await world.budget({ limit_micros: 10, on_exceed: "fallback_builtin" });
    const verdict = await ledgerOf(world).reserve(callOf("a"), { micros: 50, tokens: 1 }, TTL);
    expect(verdict).toMatchObject({ accepted: false, instead: "fallback_builtin" });
    expect(await world.state(wide)).toMatchObject({ reserved_micros: 0, refused_calls: 0 });
  });

  it("never lets more through than fits, in whatever order calls come, end and die", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("reserve", "settle", "die"), fc.integer({ min: 1, max: 60 })), {
          maxLength: 30,
        }),
        async (steps) => {
          const world = await createWorld();
          const budget = await world.budget({ limit_micros: 100 });
          const ledger = ledgerOf(world);
          const open: { id: string; micros: number }[] = [];
          let used = 0;
          for (const [at, [step, amount]] of steps.entries()) {
            const held = open.reduce((sum, { micros }) => sum + micros, 0);
            if (step === "reserve") {
              const verdict = await ledger.reserve(callOf(`s${at}`), { micros: amount, tokens: 1 }, TTL);
              expect(verdict.accepted).toBe(fits(100, { settled: used, reserved: held }, amount));
              if (verdict.accepted) open.push({ id: `s${at}`, micros: amount });
            } else if (step === "die") {
              world.clock.advance(TTL);
              open.length = 0;
              await ledger.reserve(callOf(`x${at}`), { micros: 1_000_000, tokens: 1 }, TTL);
            } else {
              const call = open.shift();
              if (call === undefined) continue;
              const cost = Math.min(amount, call.micros);
              used += cost;
              await ledger.settle(callOf(call.id), outcome(cost), []);
            }
            const state = await world.state(budget);
            expect(state.used_micros).toBe(used);
            expect(state.used_micros + state.reserved_micros).toBeLessThanOrEqual(100);
          }
          expect(totalOf(await world.days())).toEqual(sumsOf(await world.records()));
        },
      ),
      { numRuns: 60 },
    ));
});
