import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { takesIfMatch } from "../../server/openapi/errors.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createWatchedStore } from "./dump.ts";
import { callExample, createWorld, isStoredId, keyEndpoints, pathOf, queryOf, titleOf } from "./world.ts";
import type { World } from "./world.ts";

const { store, changes } = createWatchedStore(createMemoryDriver({ clock: createTestClock() }));
let harness: Harness;
/** For what only reads. */
let shared: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  shared = await createWorld(harness);
});
afterAll(() => harness.close());

const writes = keyEndpoints.filter(takesIfMatch);
const reads = keyEndpoints.filter(({ route }) => route.method === "GET" && route.rawType === null);
const compared = { writes: 0, reads: 0 };

describe("If-Match", () => {
  it.each(writes.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "412 for another version, and nothing changes; its own version passes: %s",
    async (_, endpoint) => {
      const world = await createWorld(harness, {}, endpoint.namespace.name);
      if (!pathOf(endpoint, world).split("/").some(isStoredId)) return;
      compared.writes += 1;
      const before = changes();
      const stale = await callExample(harness, endpoint, { world, headers: { "if-match": '"999999999"' } });
      expect(stale.status, stale.text).toBe(412);
      expect(changes()).toBe(before);
      const etag = stale.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"\d+"$/);
      const fresh = await callExample(harness, endpoint, {
        world,
        headers: { "if-match": `"1", W/${etag}` },
      });
      expect(fresh.status, fresh.text).not.toBe(412);
      if (fresh.json?.data?.version !== undefined) {
        expect(fresh.headers.get("etag")).toBe(`"${fresh.json.data.version}"`);
      }
    },
  );

  it("compares versions", () => expect(compared.writes).toBeGreaterThan(2));
});

describe("If-None-Match", () => {
  it.each(reads.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "304 while nothing changed, at the same cost: %s",
    async (_, endpoint) => {
      const { customerId, storeId } = shared.key;
      const key = await harness.key({ customer_id: customerId, store_id: storeId });
      const path = pathOf(endpoint, shared) + queryOf(endpoint, shared);
      // A key's first use shows in its account.
      await harness.call("GET", path, { key });
      const first = await harness.call("GET", path, { key });
      const etag = first.headers.get("etag");
      if (first.status !== 200) return;
      compared.reads += 1;
      expect(etag).toMatch(/^(W\/)?"[\w-]+"$/);
      const again = await harness.call("GET", path, {
        key,
        headers: { "if-none-match": `"x", ${etag}` },
      });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      const left = (answer: typeof first) => Number(answer.headers.get("x-ratelimit-remaining"));
      expect(left(first) - left(again)).toBe(endpoint.route.cost);
      const other = await harness.call("GET", path, { key, headers: { "if-none-match": '"x"' } });
      expect(other.status).toBe(200);
    },
  );

  it("compares ETags", () => expect(compared.reads).toBeGreaterThan(9));
});
