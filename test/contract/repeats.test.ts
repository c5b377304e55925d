import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createMemoryDriver } from "../../server/storage/memory.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";
import type { Endpoint } from "../../server/http/namespace.ts";
import { createWatchedStore } from "./dump.ts";
import { callExample, createWorld, isWrite, keyEndpoints, titleOf } from "./world.ts";
import type { World } from "./world.ts";

interface Held {
  readonly entered: Promise<void>;
  readonly release: () => void;
}

/** A store whose commits can be held back, so that a request can be seen while it runs. */
function createHeldStore(): { store: StoreDriver; hold(): Held } {
  const inner = createMemoryDriver({ clock: createTestClock() });
  let gate: { entered: () => void; open: Promise<void> } | null = null;
  return {
    store: {
      ...inner,
      async commit(part, ops, checks) {
        const isWatched = ops.some((op) => "put" in op && op.put.includes(":http.idempotency:"));
        const held = isWatched ? gate : null;
        held?.entered();
        await held?.open;
        return inner.commit(part, ops, checks);
      },
    },
    hold() {
      const { promise: entered, resolve: enter } = deferred();
      const { promise: open, resolve: release } = deferred();
      gate = { entered: enter, open };
      return {
        entered,
        release: () => {
          gate = null;
          release();
        },
      };
    },
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = () => settle();
  });
  return { promise, resolve };
}

const held = createHeldStore();
const { store, changes } = createWatchedStore(held.store);
let harness: Harness;
/** Over the same store: it knows of a request what is stored, as after a restart. */
let node: Harness;
/** Somebody else, who uses the same keys. */
let other: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  node = await createHarness({ store });
  other = await createWorld(harness);
});
afterAll(() => Promise.all([harness.close(), node.close()]));

const writes = keyEndpoints.filter(isWrite);
const table = writes.map((endpoint) => [titleOf(endpoint), endpoint] as const);
/** Routes whose example succeeds against a filled store: only those have an answer to repeat. */
const repeated = new Set<string>();
/** Routes that refused a changed body under the key of another request. */
const distinguished = new Set<string>();
const withKey = (key: string) => ({ "idempotency-key": key });
const NO_KEYS = ["", "a b", "x".repeat(256), '""', "é"];

/** Bodies that differ from an example in one member each. */
const changedBodies = (body: unknown): unknown[] =>
  Object.entries(Object(body)).flatMap(([name, value]) => {
    if (typeof value === "string") return [{ ...Object(body), [name]: `${value}x` }];
    if (typeof value === "number") return [{ ...Object(body), [name]: value + 1 }];
    if (typeof value === "boolean") return [{ ...Object(body), [name]: !value }];
    return [];
  });

describe("Idempotency-Key", () => {
  it("has routes to look at", () => expect(writes.length).toBeGreaterThan(5));

  it.each(table)(
    "409 while the first runs; then its answer, also from another node, and nothing is done twice; one caller's and one request's: %s",
    async (_, endpoint) => {
      const world = await createWorld(harness, {}, endpoint.namespace.name);
      const send = (key: string, path?: string) =>
        callExample(harness, endpoint, { world, headers: withKey(key), ...(path ? { path } : {}) });
      const untouched = changes();
      for (const key of NO_KEYS) expect([key, (await send(key)).status]).toEqual([key, 400]);
      expect(changes()).toBe(untouched);

      const { entered, release } = held.hold();
      const running = send("again");
      await Promise.race([entered, running]);
      const meanwhile = await send("again");
      release();
      const first = await running;
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      if (first.status >= 300) return;
      expect(changes()).toBeGreaterThan(untouched);
      repeated.add(endpoint.route.id);
      expect(meanwhile.status).toBe(409);
      expect(meanwhile.headers.get("retry-after")).toBe("1");

      const before = changes();
      const second = await send("again");
      expectRepeat(endpoint, first, second);
      const elsewhere = await callExample(node, endpoint, { world, headers: withKey("again") });
      expectRepeat(endpoint, first, elsewhere);
      // Another request under the same key: one whose body passes the schema is refused for the key.
      for (const body of changedBodies(endpoint.route.example.body)) {
        const another = await callExample(harness, endpoint, { world, headers: withKey("again"), body });
        expect(another.status).toBe(422);
        if (another.json.error.errors?.[0]?.header !== "Idempotency-Key") continue;
        distinguished.add(endpoint.route.id);
        break;
      }
      expect(changes()).toBe(before);

      const theirs = await callExample(harness, endpoint, { world: other, headers: withKey("again") });
      expect(theirs.headers.get("idempotency-replayed")).toBeNull();
    },
  );

  it("repeats most routes", () => expect(repeated.size).toBeGreaterThan(writes.length / 2));

  it("tells another request under the same key apart on most routes that have a body", () => {
    const withBody = writes.filter(({ route }) => repeated.has(route.id) && route.body !== null);
    expect(distinguished.size).toBeGreaterThan(withBody.length / 2);
  });
});

function expectRepeat(endpoint: Endpoint, first: Answer, second: Answer): void {
  if (endpoint.route.sensitive) {
    // A secret is shown once: the repeat is told that the work was done.
    expect(second.status).toBe(409);
    return;
  }
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect([second.status, second.json?.data]).toEqual([first.status, first.json?.data]);
  for (const name of ["location", "etag"]) expect(second.headers.get(name)).toBe(first.headers.get(name));
  if (second.json !== undefined) expect(second.json.meta).not.toEqual(first.json.meta);
}
