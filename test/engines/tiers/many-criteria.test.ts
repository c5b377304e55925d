import { afterAll, beforeAll, expect, it } from "vitest";

import { evaluate } from "../../../server/engines/tiers/rules/evaluate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { HISTORY_MOVES } from "../../../server/engines/tiers/rules/replay.ts";
import { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import { judgeMember, newMember } from "../../../server/engines/tiers/services/members.ts";
import { replayHistories } from "../../../server/engines/tiers/services/replay-tasks.ts";
import { createWorld } from "../../contract/world.ts";
import type { World } from "../../contract/world.ts";
import { level, mapOf, rulesOf } from "./fixture.ts";
import { createHarness } from "../../harness.ts";
import type { Harness } from "../../harness.ts";
import { longestOf, longestTurn, many, TURN_MS } from "../../support/longest-turn.ts";

// As many criteria as a programme may have, evaluated at the end of each of many monthly terms.

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
}, 120_000);
afterAll(() => harness.close());

const criterion = (value: number) => ({ metric: "spend", op: "gte", value, window: { type: "lifetime" } });
const levels = many(12, (rank) => {
  const node = () => ({ any: many(8, () => criterion(rank === 1 ? 0 : 1_000_000_000_000)) });
  return { id: `lvl_a${rank}`, name: "L", rank, entry: rank === 0 ? { all: [] } : { any: many(8, node) } };
});
const programme = { name: "P", start_date: "1900-01-01", term: { type: "rolling", months: 1 }, levels };
const order = (n: number) => ({
  type: "order",
  external_id: `o${n}`,
  order_ref: `o${n}`,
  currency: "GBP",
  amount: 100,
  occurred_at: new Date(Date.parse("2026-05-30T10:00:00.000Z") - n * 100 * 86_400_000).toISOString(),
});

it("simulates a customer under hundreds of criteria", async () => {
  const body = { programme, events: many(20, order), as_of: "2026-05-31" };
  expect(await longestTurn({ harness, world, path: "/tiers/evaluations" }, body)).toBeLessThan(TURN_MS);
}, 60_000);

const century = {
  ...order(0),
  external_id: "old",
  order_ref: "old",
  occurred_at: "1930-01-01T10:00:00.000Z",
};

it("simulates a customer with a tier from long ago, without events", async () => {
  const current = { level_id: "lvl_a1", since: "1930-01-01", expires_on: "1930-02-01" };
  const body = { programme, current, as_of: "2026-05-31" };
  expect(await longestTurn({ harness, world, path: "/tiers/evaluations" }, body)).toBeLessThan(TURN_MS);
  const endless = { ...body, current: { ...current, expires_on: null }, as_of: "9900-12-31" };
  expect(await longestTurn({ harness, world, path: "/tiers/evaluations" }, endless)).toBeLessThan(TURN_MS);
}, 60_000);

it("shows the last moves of a customer whose level was renewed a thousand times", async () => {
  const body = {
    programme: { ...programme, levels: levels.slice(0, 2) },
    events: [century],
    as_of: "2026-05-31",
  };
  const path = "/tiers/evaluations";
  const answer = await harness.call("POST", `/v1${path}`, { key: world.key, body });
  const { moves } = answer.json.data;
  expect([moves.length, moves.at(-1)]).toEqual([
    100,
    expect.objectContaining({ kind: "renewed", on: "2026-05-01" }),
  ]);
  expect(await longestTurn({ harness, world, path }, body)).toBeLessThan(2 * TURN_MS);
}, 60_000);

it("takes no more of a history of a thousand renewals from a thread than is logged", async () => {
  const rules = rulesOf({
    term: { type: "rolling", months: 1, round_to: "none" },
    levels: [level(0, "Base"), level(1, "Friend")],
  });
  const facts = factsOf(mapOf([EventFacts.parse(century)]), rules);
  const replayed = await replayHistories("sto_a", { rules, asOf: "2026-05-31", facts, before: null });
  expect(replayed.news).toHaveLength(HISTORY_MOVES);
  const again = await replayHistories("sto_a", { rules, asOf: "2026-05-31", facts, before: facts });
  expect(again).toEqual({ ...replayed, news: [], superseded: [] });
});

it("imports the history of a customer under hundreds of criteria", async () => {
  const post = async (path: string, sent: unknown) => {
    const answer = await harness.call("POST", `/v1/tiers${path}`, { key: world.key, body: sent });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.json.data;
  };
  const { id } = await post("/programmes", programme);
  await post(`/programmes/${id}/publish`, {});
  let round = 0;
  const body = () => {
    round += 1;
    const customer = { id: `cus-${round}` };
    const events = many(20, (n) => ({ customer, event: { ...order(n), external_id: `o${round}-${n}` } }));
    return { events, backfill: true };
  };
  const path = "/tiers/events/batches";
  expect(await longestTurn({ harness, world, path }, body)).toBeLessThan(TURN_MS);
}, 60_000);

it("evaluates a customer of whom nothing was received for sixty monthly terms", async () => {
  const rules = rulesOf(programme as object);
  const ledger = mapOf([EventFacts.parse({ ...order(0), source: "shop" })]);
  const { standing } = evaluate({ rules, facts: factsOf(ledger, rules), asOf: "2026-05-31", current: null });
  const member = { ...newMember("tcu_1", "ada", "2026-05-31T00:00:00.000Z"), ledger, standing };
  const context = {
    rules,
    programme_id: "prg_1",
    programme_version: 1,
    nowAt: "2031-06-01T00:00:00.000Z",
    cuts: null,
  };
  const measured = longestOf(
    () => member,
    async (before) => {
      const judged = await judgeMember({ part: "sto" }, before, context, { asOf: "2031-06-01" });
      expect([judged.member.moves, judged.member.standing?.renewals]).toEqual([30, 60]);
    },
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);
