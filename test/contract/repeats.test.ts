import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createMemoryDriver } from "../../server/storage/memory.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { dumpStore } from "./dump.ts";
import {
  callExample,
  createWorld,
  isOwnPart,
  isWrite,
  keyEndpoints,
  pathOf,
  queryOf,
  titleOf,
} from "./world.ts";

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
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ store: held.store });
});
afterAll(() => harness.close());

const writes = keyEndpoints.filter(isWrite);
const table = writes.map((endpoint) => [titleOf(endpoint), endpoint] as const);
/** Routes whose example succeeds against a filled store: only those have an answer to repeat. */
const repeated = new Set<string>();
const withKey = (key: string) => ({ "idempotency-key": key });

describe("Idempotency-Key", () => {
  it("has routes to look at", () => expect(writes.length).toBeGreaterThan(5));

  it.each(table)("gives the first answer again, and does nothing twice: %s", async (_, endpoint) => {
    const world = await createWorld(harness);
    const first = await callExample(harness, endpoint, { world, headers: withKey("again") });
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    if (first.status >= 300) return;
    repeated.add(endpoint.route.id);
    const before = await dumpStore(harness.store, isOwnPart(world));
    const second = await callExample(harness, endpoint, { world, headers: withKey("again") });
    expect(await dumpStore(harness.store, isOwnPart(world))).toEqual(before);
    if (endpoint.route.sensitive) {
      // A secret is shown once: the repeat is told that the work was done.
      expect(second.status).toBe(409);
      return;
    }
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect([second.status, second.json?.data]).toEqual([first.status, first.json?.data]);
    for (const name of ["location", "etag"]) expect(second.headers.get(name)).toBe(first.headers.get(name));
    if (second.json !== undefined) expect(second.json.meta).not.toEqual(first.json.meta);
  });

  it("repeats most routes", () => expect(repeated.size).toBeGreaterThan(writes.length / 2));

  it.each(table)("422 for the same key with another request: %s", async (_, endpoint) => {
    if (!repeated.has(endpoint.route.id)) return;
    const world = await createWorld(harness);
    await callExample(harness, endpoint, { world, headers: withKey("other") });
    const query = queryOf(endpoint, world);
    const path = `${pathOf(endpoint, world)}${query === "" ? "?" : `${query}&`}changed=yes`;
    const answer = await callExample(harness, endpoint, { world, path, headers: withKey("other") });
    expect(answer.status).toBe(422);
    expect(answer.json.error.errors[0].header).toBe("Idempotency-Key");
  });

  it.each(table)("409 with Retry-After while the first still runs: %s", async (_, endpoint) => {
    if (!repeated.has(endpoint.route.id)) return;
    const world = await createWorld(harness);
    const { entered, release } = held.hold();
    const first = callExample(harness, endpoint, { world, headers: withKey("running") });
    await Promise.race([entered, first]);
    const second = await callExample(harness, endpoint, { world, headers: withKey("running") });
    release();
    expect(second.status).toBe(409);
    expect(second.headers.get("retry-after")).toBe("1");
    expect((await first).status).toBeLessThan(300);
  });

  it.each(table)("outlives a restart: %s", async (_, endpoint) => {
    if (!repeated.has(endpoint.route.id)) return;
    const world = await createWorld(harness);
    const first = await callExample(harness, endpoint, { world, headers: withKey("restart") });
    const restarted = await createHarness({ store: harness.store });
    const second = await callExample(restarted, endpoint, { world, headers: withKey("restart") });
    if (endpoint.route.sensitive) expect(second.status).toBe(409);
    else expect([second.status, second.json?.data]).toEqual([first.status, first.json?.data]);
  });

  it.each(table)("is one caller's own: %s", async (_, endpoint) => {
    if (!repeated.has(endpoint.route.id)) return;
    const one = await createWorld(harness);
    const other = await createWorld(harness);
    await callExample(harness, endpoint, { world: one, headers: withKey("mine") });
    const answer = await callExample(harness, endpoint, { world: other, headers: withKey("mine") });
    expect(answer.headers.get("idempotency-replayed")).toBeNull();
  });

  it.each(table)("400 for a key that is none: %s", async (_, endpoint) => {
    const world = await createWorld(harness);
    const before = await dumpStore(harness.store, isOwnPart(world));
    for (const key of ["", "a b", "x".repeat(256), '""', "é"]) {
      const answer = await callExample(harness, endpoint, { world, headers: withKey(key) });
      expect([key, answer.status]).toEqual([key, 400]);
    }
    expect(await dumpStore(harness.store, isOwnPart(world))).toEqual(before);
  });
});
