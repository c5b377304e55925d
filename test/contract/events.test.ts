import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { PLATFORM_PART, storePartition } from "../../server/core/partitions.ts";
import { domainEvents, eventsOf } from "../../server/core/events.ts";
import { eventTypesOf } from "../../server/accounts/event-types.ts";
import { engines } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { callExample, createWorld, isStream, isWrite, keyEndpoints } from "./world.ts";
import type { World } from "./world.ts";

const types = eventTypesOf(engines);
const declared = new Set(types.map(({ type }) => type));

describe("types of event", () => {
  it("are many, and each is declared once", () => {
    expect(types.length).toBeGreaterThan(80);
    expect(declared.size).toBe(types.length);
  });

  it.each(engines.map((engine) => [engine.name, engine] as const))(
    "%s declares its own, with an example of ids, states and amounts",
    (name, engine) => {
      expect(engine.events.length).toBeGreaterThan(0);
      for (const { type, summary, example } of engine.events) {
        expect(type).toMatch(new RegExp(`^${name}(\\.[a-z_]+){1,3}$`));
        expect(summary).toMatch(/^[A-Z].*\.$/);
        expect(Object.keys(example).length, type).toBeGreaterThan(0);
        expect(JSON.stringify(example).length, type).toBeLessThan(1_000);
      }
    },
  );
});

describe("what the examples of all routes bring about", () => {
  let harness: Harness;
  let world: World;
  beforeAll(async () => {
    harness = await createHarness();
    world = await createWorld(harness);
    const body = { url: "https://orders.shop.example/webhooks", types: ["*"] };
    expect((await harness.call("POST", "/v1/account/webhooks", { key: world.key, body })).status).toBe(201);
    const wanted = keyEndpoints.filter((endpoint) => isWrite(endpoint) && !isStream(endpoint));
    for (const endpoint of wanted.filter(({ namespace }) => namespace.name !== "account")) {
      await callExample(harness, endpoint, { world });
    }
  });
  afterAll(() => harness.close());

  it("is emitted under declared types, without what a person wrote", async () => {
    const part = storePartition(world.key.storeId, "live");
    const stored = await harness.services.runTx(part, (tx) => tx.peekAll(domainEvents, { index: "time" }));
    const events = stored.flatMap(({ value }) => eventsOf(value));
    expect(events.length).toBeGreaterThan(20);
    expect(events.filter(({ type }) => !declared.has(type)).map(({ type }) => type)).toEqual([]);
    for (const { type, data } of events) {
      const text = JSON.stringify(data);
      expect([type, text]).toEqual([type, expect.not.stringMatching(/@|\s\S+\s\S+\s\S+\s/)]);
    }
    // Most engines emit some.
    expect(new Set(events.map(({ type }) => type.split(".")[0])).size).toBeGreaterThan(5);
    // An id in an event is one of the kind of resource that its example shows.
    const shown = new Map(types.map(({ type, example }) => [type, example]));
    for (const { type, data } of events) {
      for (const [member, value] of Object.entries(shown.get(type) ?? {})) {
        const kinds = [kindOf(value), kindOf(data[member])];
        if (!kinds.includes(null)) expect([type, member, kinds[1]]).toEqual([type, member, kinds[0]]);
      }
    }
  });

  it("has the kinds of resources that the examples of events refer to", async () => {
    const part = storePartition(world.key.storeId, "live");
    const kinds = new Set<string | null>();
    for (const place of [part, PLATFORM_PART]) {
      for (const { name } of await harness.store.collections(place)) {
        const { items } = await harness.store.page(place, name, { limit: 500 });
        for (const { key } of items) kinds.add(kindOf(key.slice(key.lastIndexOf(":") + 1)));
      }
    }
    const unknown = types.flatMap(({ type, example }) =>
      Object.values(example)
        .map(kindOf)
        .filter((kind) => kind !== null && !kinds.has(kind))
        .map((kind) => `${type}: ${kind}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** The prefix of an id such as `sub_01JD8Z5T9QK3M4N5P6R7S8T9V0`; null for any other value. */
const kindOf = (value: unknown): string | null =>
  /^([a-z]+)_[0-9A-Za-z]{20,}$/.exec(String(value))?.[1] ?? null;
