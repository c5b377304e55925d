import { afterAll, beforeAll, expect, it } from "vitest";

import { createWorld } from "../contract/world.ts";
import type { World } from "../contract/world.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";

// On Redis and S3 each of these calls is a round trip: what a request reads in one, it does not wait for twice.

const memory = createMemoryDriver({ clock: createTestClock() });
let calls: string[] = [];
const collectionOf = (key: string): string => key.split(":")[1] ?? "";
const store: typeof memory = {
  ...memory,
  get(key) {
    calls.push(collectionOf(key));
    return memory.get(key);
  },
  getMany(keys) {
    calls.push([...new Set(keys.map(collectionOf))].join(" + "));
    return memory.getMany(keys);
  },
};

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  world = await createWorld(harness);
});
afterAll(() => harness.close());

it("reads the settings of an engine together with the profile of the shop, and the slugs of further posts at once", async () => {
  const create = () =>
    harness.call("POST", "/v1/content/drafts", {
      key: world.key.plaintext,
      body: { title: "Rye bread", body: "We bake every day." },
    });
  for (let n = 0; n < 4; n += 1) expect((await create()).status).toBe(201);
  calls = [];
  const { status, json } = await create();
  expect([status, json.data.slug]).toEqual([201, "rye-bread-5"]);
  // In the same turn of the event loop: Redis is asked once for all that is read in it.
  const first = calls.indexOf("content.settings + account.shop");
  expect(calls.slice(first - 1, first)).toEqual(["kernel.event_filters"]);
  const own = calls.filter((name) => /account\.shop|content\.(settings|slugs)/.test(name));
  expect(own).toEqual(["content.settings + account.shop", "content.slugs", "content.slugs", "content.slugs"]);
});
