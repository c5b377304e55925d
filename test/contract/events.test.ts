import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
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

  it("is told under declared types, without what a person wrote", async () => {
    const part = storePartition(world.key.storeId, "live");
    const stored = await harness.services.runTx(part, (tx) => tx.peekAll(domainEvents, { index: "time" }));
    const events = stored.flatMap(({ value }) => eventsOf(value));
    expect(events.length).toBeGreaterThan(20);
    expect(events.filter(({ type }) => !declared.has(type)).map(({ type }) => type)).toEqual([]);
    for (const { type, data } of events) {
      const text = JSON.stringify(data);
      expect([type, text]).toEqual([type, expect.not.stringMatching(/@|\s\S+\s\S+\s\S+\s/)]);
    }
    // Most engines are told of.
    expect(new Set(events.map(({ type }) => type.split(".")[0])).size).toBeGreaterThan(5);
  });
});
