import { afterAll, beforeAll, expect, it } from "vitest";

import { createWorld } from "../../contract/world.ts";
import type { World } from "../../contract/world.ts";
import { createHarness } from "../../harness.ts";
import type { Harness } from "../../harness.ts";
import { longestTurn, many, TURN_MS } from "../../support/longest-turn.ts";

// Programmes as large as a document may be: those who publish one at the same time run again one after another, in the same turn.

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
}, 120_000);
afterAll(() => harness.close());

const criterion = {
  metric: "category_spend",
  key: "c".repeat(40),
  op: "gte",
  value: 1_000_000_000_000,
  window: { type: "rolling", months: 36 },
};
const entry = { any: many(8, () => ({ any: many(8, () => criterion) })) };
const levels = many(12, (rank) => ({
  id: `lvl_${rank}`,
  name: "Level",
  rank,
  entry: rank === 0 ? { all: [] } : entry,
  benefits: many(12, () => ({ kind: "custom", ref: "r".repeat(80), value: 1, title: "t".repeat(120) })),
}));

it("publishes a programme of hundreds of criteria for sixteen requests at once", async () => {
  const created = await harness.call("POST", "/v1/tiers/programmes", {
    key: world.key,
    body: { name: "Large", levels },
  });
  expect(created.status, created.text).toBe(201);
  const { id } = created.json.data;
  const publish = { harness, world, path: `/tiers/programmes/${id}/publish` };
  expect(await longestTurn(publish, {}, 200, { atOnce: 16 })).toBeLessThan(2 * TURN_MS);
  const shown = await harness.call("GET", "/v1/tiers/ladder", { key: world.key });
  expect(shown.json.data).toHaveLength(12);
}, 60_000);
