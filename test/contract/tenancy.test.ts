import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createWatchedStore } from "./dump.ts";
import {
  callExample,
  createWorld,
  isPaged,
  isStoredId,
  isStream,
  keyEndpoints,
  pathOf,
  queryOf,
  titleOf,
} from "./world.ts";
import type { World } from "./world.ts";

const { store, changes } = createWatchedStore(createMemoryDriver({ clock: createTestClock() }));
let harness: Harness;
let owner: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  owner = await createWorld(harness);
  // Filling the first world takes a while beside other files.
}, 120_000);
afterAll(() => harness.close());

// A list below a resource is no list of the store: its resource is what another store must not reach.
const lists = keyEndpoints.filter((endpoint) => isPaged(endpoint) && !endpoint.path.includes("/:"));
/** A cart is made under whatever id the shop gives it, so another store's id names a new one of its own. */
const withId = keyEndpoints
  .filter((endpoint) => endpoint.path.includes("/:") && !isStream(endpoint))
  .filter(({ route }) => route.id !== "cart.carts.put");

describe("tenancy", () => {
  it("has lists that hold something", () => {
    const filled = lists.filter(({ path }) => (owner.lists.get(path) ?? []).length > 0);
    expect(filled.length).toBeGreaterThan(10);
  });

  // A list below a resource is looked at with the routes that name one.
  const roots = lists.filter(({ path }) => !path.includes("/:"));
  it.each(roots.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "a list never shows what another store holds: %s",
    async (_, endpoint) => {
      const stranger = await harness.key();
      const answer = await harness.call("GET", endpoint.path + queryOf(endpoint), { key: stranger });
      // Ids that are no ids of ours (`gb-eng`) name what every store is given.
      const listed = (owner.lists.get(endpoint.path) ?? []).map(({ id }) => id);
      const owned = new Set(listed.filter((id) => isStoredId(String(id))));
      const seen = answer.json.data.map(({ id }: { id: unknown }) => id);
      expect(seen.filter((id: unknown) => owned.has(id))).toEqual([]);
    },
  );

  it.each(withId.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "404 for what another store holds, and nothing of it changes: %s",
    async (_, endpoint) => {
      const path = pathOf(endpoint, owner);
      const isLive = path.split("/").some(isStoredId);
      const part = storePartition(owner.key.storeId, "live");
      const before = changes(part);
      const stranger = await harness.key();
      const answer = await callExample(harness, endpoint, { world: owner, key: stranger });
      if (isLive) expect(answer.status, answer.text).toBe(404);
      for (const id of [...owner.ids.values()].flat())
        expect(path.includes(id) ? "" : answer.text).not.toContain(id);
      expect(changes(part)).toBe(before);
    },
  );

  it("looks at live ids", () => {
    const live = withId.filter((endpoint) => pathOf(endpoint, owner).split("/").some(isStoredId));
    expect(live.length).toBeGreaterThan(5);
  });
});
