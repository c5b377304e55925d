import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openScopes, scopes } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { callExample, createWorld, isStream, keyEndpoints, openEndpoints, titleOf } from "./world.ts";
import type { World } from "./world.ts";

let harness: Harness;
let world: World;
/** Holds every scope there is, to no avail where a route is not open. */
let everything: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
  everything = await harness.key({ kind: "publishable", scopes: [...scopes, ...openScopes] });
});
afterAll(() => harness.close());

const open = keyEndpoints.filter(({ openScope }) => openScope !== null);
const closed = keyEndpoints.filter(({ openScope }) => openScope === null);

const pageKey = (held: readonly string[]): Promise<TestKey> =>
  harness.key({
    kind: "publishable",
    scopes: [...held],
    customer_id: world.key.customerId,
    store_id: world.key.storeId,
  });

describe("publishable keys", () => {
  it("have routes to call, and many more that they may not call", () => {
    expect(open.length).toBeGreaterThan(3);
    expect(closed.length).toBeGreaterThan(100);
    const withScopes = new Set(openScopes.map((scope) => scope.split(":")[0]));
    const withRoutes = new Set(open.map(({ namespace }) => namespace.name));
    expect(withScopes).toEqual(withRoutes);
  });

  it.each(open.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "the one scope is enough: %s",
    async (_, endpoint) => {
      const key = await pageKey([String(endpoint.openScope)]);
      const answer = await callExample(harness, endpoint, { world, key });
      expect(answer.headers.get("www-authenticate")).toBeNull();
      // What else it may demand (a proof that one wrote it, say) is for the route itself.
      expect(answer.json?.error?.code).not.toBe("insufficient_scope");
      expect(answer.status).not.toBe(401);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it.each(open.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "403 with every scope but the one: %s",
    async (_, endpoint) => {
      const held = [...scopes, ...openScopes].filter((scope) => scope !== endpoint.openScope);
      const answer = await callExample(harness, endpoint, { world, key: await pageKey(held) });
      expect([answer.status, answer.json.error.code]).toEqual([403, "insufficient_scope"]);
      expect(answer.headers.get("www-authenticate")).toContain(`scope="${endpoint.openScope}"`);
    },
  );

  it.each(closed.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "403 whatever it holds: %s",
    async (_, endpoint) => {
      // A window of its own for each route: there are more of them than a minute allows.
      await harness.store.resetCounter(everything.id);
      const answer = await callExample(harness, endpoint, { key: everything });
      expect([answer.status, answer.json.error.code]).toEqual([403, "insufficient_scope"]);
    },
  );

  it.each(
    openEndpoints
      .filter((endpoint) => !isStream(endpoint))
      .filter(({ route }) => route.open !== null)
      .map((endpoint) => [titleOf(endpoint), endpoint] as const),
  )("a link that anybody may open asks for no key: %s", async (_, endpoint) => {
    expect([401, 403]).not.toContain((await callExample(harness, endpoint, {})).status);
  });
});

it("every page and address without a key names the store that pays for what it computes", () => {
  const pages = openEndpoints.filter(({ namespace }) => namespace.name === "public");
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter(({ route }) => route.paidBy === null).map(({ route }) => route.id)).toEqual([]);
  // A link of an example was issued nowhere.
  const addresses = pages.filter(({ route }) => !("token" in (route.example.params ?? {})));
  expect(addresses.length).toBeGreaterThan(8);
  const payerOf = ({ route: { example, paidBy } }: (typeof pages)[number]) =>
    paidBy?.({ params: { ...example.params }, query: {}, body: example.body }, harness.services);
  expect(addresses.filter((page) => payerOf(page) === null).map(({ route }) => route.id)).toEqual([]);
});
