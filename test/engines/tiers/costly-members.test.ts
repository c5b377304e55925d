import { afterAll, expect, it } from "vitest";

import { memberId } from "../../../server/engines/tiers/repository.ts";
import { evaluate } from "../../../server/engines/tiers/rules/evaluate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import type { Criteria, Rules } from "../../../server/engines/tiers/schema/programme.ts";
import { Recalculation } from "../../../server/engines/tiers/schema/recalculation.ts";
import { evaluateMemberSteps, newMember } from "../../../server/engines/tiers/services/members.ts";
import { planMembers } from "../../../server/engines/tiers/services/plan-members.ts";
import { closeWorkers } from "../../../server/lib/worker-tasks.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { level, mapOf, order, rulesOf } from "./fixture.ts";

// A recalculation of a few members that take long: each with as many orders as a ledger holds, or with centuries of terms that ended.

const AT = "2026-06-01T09:00:00.000Z";
afterAll(() => closeWorkers());

const tree = (rank: number, value: number): Criteria => ({
  any: many(8, (a) => ({
    any: many(8, (b) => ({
      metric: "category_spend" as const,
      key: `c${rank}_${a}_${b}`,
      op: "gte" as const,
      value,
      window: { type: "rolling" as const, months: 1 + ((8 * a + b) % 36) },
    })),
  })),
});

/** The page of a dry run with members of so many orders, evaluated on one day and again on another. */
function pageOf(
  rules: Rules,
  { count, orders, days }: { count: number; orders: number; days: readonly [string, string] },
) {
  const [first, asOf] = days;
  const ledger = mapOf(
    many(orders, (n) => order(addDays(first, -n - 1), 100, { categories: { c1_1_1: 50 } })),
  );
  const { standing } = evaluate({ rules, facts: factsOf(ledger, rules), asOf: first, current: null });
  const rows = many(count, (n) => {
    const { id, ...member } = { ...newMember(memberId(`c${n}`), `c${n}`, AT), ledger, standing };
    return {
      id,
      member: { id, version: 1, members: JSON.stringify({ id, ...member }).slice(1) },
      shown: null,
      diff: null,
    };
  });
  const job = Recalculation.parse({
    id: "trc_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    created_at: AT,
    updated_at: AT,
    status: "judging",
    mode: "dry_run",
    as_of: asOf,
    scope: { level_id: null },
    placement: "hold",
    programme_id: "tpg_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    programme_version: 1,
    draft: false,
    levels: rules.levels.map(({ id }) => ({ level_id: id, before: 0, after: 0 })),
    discounts: { currency: "GBP", before: 0, after: 0 },
    progress: { done: 0, total: count, cursor: null },
    counts: { up: 0, down: 0, same: 0, errors: 0, written: 0, skipped: 0 },
    moves_sample: [],
    guard: { exceeded: false, down: 0, members: 0 },
    rfm: null,
    applied_at: null,
    rollback_until: null,
  });
  const { programme_id, programme_version } = job;
  const context = { programme_id, programme_version, rules, cuts: null, nowAt: AT };
  return { part: "sto_costly", job, context, before: rules, rows, shop: null };
}

const turnOf = (page: ReturnType<typeof pageOf>): Promise<number> =>
  longestOf(
    () => page,
    async () => {
      const commits = await planMembers(page.part, page);
      expect(commits.reduce((sum, { count }) => sum + count, 0)).toBe(page.rows.length);
      expect(commits.at(-1)?.effect.counts.same).toBe(page.rows.length);
    },
  );

it("evaluates twenty members with full ledgers under hundreds of criteria", async () => {
  const levels = many(12, (rank) => level(rank, `L${rank}`, rank === 0 ? { all: [] } : tree(rank, 1e12)));
  const rules = rulesOf({
    start_date: "2020-01-01",
    term: { type: "rolling", months: 1, round_to: "none" },
    levels,
  });
  const page = pageOf(rules, { count: 20, orders: 390, days: ["2026-05-31", "2026-06-01"] });
  expect(await turnOf(page)).toBeLessThan(TURN_MS);
}, 120_000);

it("evaluates a few members of whom nothing was received for a thousand terms", async () => {
  const levels = [level(0, "Base"), level(1, "Friend", tree(1, 0))];
  const rules = rulesOf({
    start_date: "1970-01-01",
    term: { type: "rolling", months: 1, round_to: "none" },
    levels,
  });
  const page = pageOf(rules, { count: 5, orders: 10, days: ["1970-02-01", "2060-01-01"] });
  expect(await turnOf(page)).toBeLessThan(TURN_MS);
}, 120_000);

it("evaluates a member a level at a time", () => {
  const levels = many(12, (rank) => level(rank, `L${rank}`, rank === 0 ? { all: [] } : tree(rank, 1e12)));
  const ledger = mapOf([order("2026-05-31", 100, { categories: { c1_1_1: 50 } })]);
  const member = { ...newMember(memberId("c"), "c", AT), ledger };
  const rules = rulesOf({ evidence: "fresh", levels });
  const steps = [...evaluateMemberSteps(member, { rules }, { asOf: "2026-06-01" })];
  expect(steps.length).toBeGreaterThanOrEqual(levels.length);
});

it("evaluates a member who got a level in the year 1, once levels have terms", async () => {
  const rules = rulesOf({
    start_date: "2026-01-01",
    term: { type: "absolute", months: 1, round_to: "none" },
  });
  const since = "0001-01-01";
  const held = {
    level_id: "lvl_silver",
    rank: 1,
    since,
    renewals: 0,
    expires_on: null,
    state: "held" as const,
  };
  const current = { ...held, until: null, before: null, noticed: null, as_of: since };
  const measured = longestOf(
    () => ({ rules, facts: factsOf(mapOf([]), rules), asOf: "2026-06-01", current }),
    async (question) =>
      expect(evaluate(question).standing).toMatchObject({ renewals: 24_305, expires_on: "2026-07-01" }),
  );
  expect(await measured).toBeLessThan(TURN_MS);
});
