import { afterAll, beforeAll, expect, it } from "vitest";

import { createWorld } from "../contract/world.ts";
import type { World } from "../contract/world.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

// The provider and the model of a text must exist; the routes document the codes, and the harness compares each answer with the document.

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
});
afterAll(() => harness.close());

it.each([
  [{ provider: "nobody" }, "unknown_provider"],
  [{ model: "no-such-model" }, "unknown_model"],
  [{}, "needs_model"],
  [{ operation: "draft" }, "needs_model"],
])("422 for a generation with %j: %s", async (request, code) => {
  const input = { text: "Crumb bakes sourdough bread in Hackney every morning." };
  const body = { operation: "meta_description", input, ...request };
  const { status, json } = await harness.call("POST", "/v1/content/generations", { key: world.key, body });
  expect([status, json.error.code]).toEqual([422, code]);
});

it("422 for a suggestion by a provider that does not exist", async () => {
  const path = `/v1/reviews/${world.ids.get("rev")?.[0]}/reply-suggestions`;
  const { status, json } = await harness.call("POST", path, { key: world.key, body: { provider: "nobody" } });
  expect([status, json.error.code]).toEqual([422, "unknown_provider"]);
});

it("404 for reviews of a group that does not exist", async () => {
  const answer = await harness.call("GET", "/v1/reviews?group_id=rvg_01JD8Z5T9QK3M4N5P6R7S8T9V0", world);
  expect(answer.status).toBe(404);
});
