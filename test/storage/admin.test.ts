import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storeInfo } from "../../server/storage/admin.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { openStore } from "../../server/storage/open.ts";
import { createTestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";

let folder: Awaited<ReturnType<typeof makeFolder>>;
let store: StoreDriver;

describe.each(["fs", "memory"] as const)("the store's tools on %s", (driver) => {
  beforeEach(async () => {
    folder = await makeFolder();
    store = await openStore({ driver, base: folder.path }, { clock: createTestClock() });
    await store.commit("b", [{ put: "b:c:old", value: "1" }]);
    await store.commit("b", [{ del: "b:c:old" }]);
    await store.commit("b", [
      { put: "b:c:two", value: '{"name": "Zürich"}' },
      { put: "b:c:one", value: '{"n":9007199254740993}' },
      { put: "b:ix.c.new:@1~one", value: "1" },
    ]);
    await store.commit("a", [{ put: "a:x.y:1", value: '""' }]);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  it("tells what is there", async () => {
    expect(await storeInfo(store)).toMatchObject({
      driver,
      nodes: "one",
      documents: 4,
      partitions: [
        { name: "a", version: 1, documents: 1, collections: [{ name: "x.y", count: 1 }] },
        {
          name: "b",
          version: 3,
          documents: 3,
          collections: [
            { name: "c", count: 2 },
            { name: "ix.c.new", count: 1 },
          ],
        },
      ],
      stats: { documents: 4 },
    });
  });
});
