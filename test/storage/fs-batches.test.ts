import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import { createTestClock } from "../harness.ts";
import { many } from "../support/longest-turn.ts";
import { makeFolder } from "./folders.ts";

const LARGE = JSON.stringify("x".repeat(250_000));

describe("batches of the log", () => {
  let folder: Awaited<ReturnType<typeof makeFolder>>;
  let store: FsDriver;
  beforeEach(async () => {
    folder = await makeFolder();
    store = await openFsDriver({ base: folder.path, clock: createTestClock() });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  // In the order of arrival, the small one waited for all of them.
  it("have partitions take turns: a crowd of large commits of one keeps no other waiting", async () => {
    const done: string[] = [];
    const crowd = many(40, async (n) => {
      await store.commit(
        "sto_a",
        many(4, (at) => ({ put: `sto_a:docs:${n}-${at}` as const, value: LARGE })),
      );
      done.push("large");
    });
    await store.commit("sto_b", [{ put: "sto_b:docs:one", value: "{}" }]);
    done.push("small");
    await Promise.all(crowd);
    expect(done.indexOf("small")).toBeLessThan(16);
    const versions = await store.getMany(many(40, (n) => `sto_a:docs:${n}-0` as const));
    expect(versions.map((doc) => doc?.version)).toEqual(many(40, (n) => n + 1));
  });

  // In one batch, what is durable was shown in one turn of the event loop: 350 ms for fifty thousand entries.
  it("hold only so many writes, however short these are", async () => {
    const before = (await store.stats())["batches"] ?? 0;
    await Promise.all(
      many(100, (n) =>
        store.commit(
          "sto_a",
          many(200, (at) => ({ put: `sto_a:ix.docs.new:${n}-${at}~id` as const, value: "1" })),
        ),
      ),
    );
    expect(((await store.stats())["batches"] ?? 0) - before).toBeGreaterThan(4);
  });
});
