import { setTimeout as pause } from "node:timers/promises";

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
  commit(...args) {
    calls.push("commit");
    return memory.commit(...args);
  },
  async take(counter, limit, windowMs, amount = 1) {
    if (amount < 0) await pause(20);
    const taken = await memory.take(counter, limit, windowMs, amount);
    if (amount < 0) calls.push("given back");
    return taken;
  },
};

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  world = await createWorld(harness);
});
afterAll(() => harness.close());

const create = (title: string) =>
  harness.call("POST", "/v1/content/drafts", {
    key: world.key.plaintext,
    body: { title, body: "We bake every day." },
  });

it("gives back the CPU time that it did not use while it commits, and answers afterwards", async () => {
  const { json } = await create("Spelt bread");
  calls = [];
  const scored = await harness.call("POST", `/v1/content/drafts/${json.data.id}/scores`, {
    key: world.key.plaintext,
  });
  expect(scored.status).toBeLessThan(300);
  expect(calls.filter((name) => name === "commit" || name === "given back")).toEqual([
    "commit",
    "given back",
  ]);
});

it("does not ask again for what is not there", async () => {
  calls = [];
  expect((await create("Barley bread")).status).toBe(201);
  expect(calls.filter((name) => name.startsWith("content."))).toEqual([
    "content.settings + account.shop",
    "content.slugs",
    "content.keyphrases",
  ]);
});

it("reads the settings of an engine together with the profile of the shop, and the slugs of further posts at once", async () => {
  for (let n = 0; n < 4; n += 1) expect((await create("Rye bread")).status).toBe(201);
  calls = [];
  const { status, json } = await create("Rye bread");
  expect([status, json.data.slug]).toEqual([201, "rye-bread-5"]);
  // In the same turn of the event loop: Redis is asked once for all that is read in it.
  const first = calls.indexOf("content.settings + account.shop");
  expect(calls.slice(first - 1, first)).toEqual(["kernel.event_filters"]);
  const own = calls.filter((name) => /account\.shop|content\.(settings|slugs)/.test(name));
  expect(own).toEqual(["content.settings + account.shop", "content.slugs", "content.slugs"]);
});
