import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { StoreDriver } from "../../server/storage/contract.ts";
import { findFreeze, freezeStore, LOOK_MS, thawStore, withFreeze } from "../../server/storage/freeze.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { liveNodes, nodeKey, SILENT_MS } from "../../server/storage/nodes.ts";
import { openStore } from "../../server/storage/open.ts";
import { claimStore, endFilling } from "../../server/storage/transfer.ts";
import { createTestClock } from "./conformance.ts";
import type { TestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";

let clock: TestClock;
let store: StoreDriver;
beforeEach(() => {
  clock = createTestClock();
  store = createMemoryDriver({ clock });
});
afterEach(() => store.close());

const write = (node: StoreDriver, value: string) => node.commit("p", [{ put: "p:c:a", value }]);

describe("a frozen store", () => {
  it("takes no writes on the node that froze it, at once, and on every other within a look", async () => {
    const [one, other] = [withFreeze(store, clock), withFreeze(store, clock)];
    await write(one, "1");
    await write(other, "2");
    await freezeStore(one, { untilMs: clock.now() + 60_000, reason: "it is being moved" });
    await expect(write(one, "3")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryable: true,
      message: expect.stringContaining("it is being moved"),
    });
    await write(other, "4");
    clock.advance(LOOK_MS);
    await expect(write(other, "5")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(other.setItem?.("p:c:a", "6", {})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    // Reads, limits, and asking for a version go on.
    expect((await other.get("p:c:a"))?.value).toBe("4");
    expect((await other.take("k", 1, 1000)).allowed).toBe(true);
    expect(await other.commit("p", [])).toMatchObject({ ok: true });
  });

  it("takes them again when it is thawed, or when its time is over", async () => {
    const node = withFreeze(store, clock);
    await freezeStore(node, { untilMs: null, reason: "for good" });
    clock.advance(86_400_000);
    await expect(write(node, "1")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await thawStore(node);
    await write(node, "2");
    await freezeStore(node, { untilMs: clock.now() + 5_000, reason: "for a while" });
    await expect(write(node, "3")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    clock.advance(4_999);
    await expect(write(node, "4")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await findFreeze(store, clock.now())).toMatchObject({ reason: "for a while" });
    clock.advance(1);
    await write(node, "5");
    expect(await findFreeze(store, clock.now())).toBeNull();
  });

  it("looks once for many writers, and not more than once a second", async () => {
    let looks = 0;
    const counted: StoreDriver = {
      ...store,
      get(key) {
        looks++;
        return store.get(key);
      },
    };
    const node = withFreeze(counted, clock);
    for (let i = 0; i < 3; i++) {
      await Promise.all(Array.from({ length: 20 }, () => write(node, "1")));
      clock.advance(LOOK_MS / 2);
    }
    expect(looks).toBe(2);
    clock.advance(-3_600_000);
    await write(node, "1");
    expect(looks).toBe(3);
  });
});

describe("opening a store to serve it", () => {
  it("refuses one that a restore did not finish, with what to do", async () => {
    const folder = await makeFolder();
    const config = { driver: "fs", base: folder.path } as const;
    let open = await openStore(config, { clock });
    await claimStore(open, { what: "restore", source: "shop.ndjson", id: "1", started_at: "" });
    await open.close();
    await expect(openStore(config, { clock })).rejects.toMatchObject({
      code: "INVALID",
      message: "a restore from shop.ndjson into this store was interrupted. Run it again",
    });
    // Nothing was left open: the folder can be had.
    const { openDriver } = await import("../../server/storage/open.ts");
    open = await openDriver(config, { clock });
    await endFilling(open);
    await open.close();
    await (await openStore(config, { clock })).close();
    await folder.remove();
  });
});

describe("the nodes of a store", () => {
  it("are those that gave a sign of life lately", async () => {
    const node = { id: "n1", host: "a", pid: 1, started_at: "", seen_ms: clock.now() };
    await store.commit("storage", [
      { put: nodeKey("n1"), value: JSON.stringify(node) },
      { put: nodeKey("n2"), value: JSON.stringify({ ...node, id: "n2", seen_ms: clock.now() - SILENT_MS }) },
    ]);
    expect((await liveNodes(store, clock.now())).map(({ id }) => id)).toEqual(["n1"]);
  });
});
