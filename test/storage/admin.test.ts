import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { exportFiles, exportNdjson, storeInfo, verifyStore } from "../../server/storage/admin.ts";
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
      documents: 4,
      partitions: [
        { name: "a", documents: 1, collections: [{ name: "x.y", count: 1 }] },
        {
          name: "b",
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

  it("verifies, and names what is no JSON or points nowhere", async () => {
    expect(await verifyStore(store)).toEqual({ documents: 4, problemCount: 0, problems: [] });
    await store.commit("b", [
      { put: "b:c:bad", value: "{" },
      { put: "b:ix.c.by.new:@1~one", value: "1" },
      { put: "b:ix.c.new:@2~gone", value: "1" },
      { put: "b:ix.c.new:no-target", value: "1" },
    ]);
    expect(await verifyStore(store)).toEqual({
      documents: 8,
      problemCount: 3,
      problems: [
        { key: "b:c:bad", problem: "is not JSON" },
        { key: "b:ix.c.by.new:@1~one", problem: "points to b:c.by:one, which is not there" },
        { key: "b:ix.c.new:@2~gone", problem: "points to b:c:gone, which is not there" },
      ],
    });
  });

  it("exports lines with the texts as they are stored, and a trailer that proves them", async () => {
    let text = "";
    const trailer = await exportNdjson(store, (piece) => {
      text += piece;
    });
    const lines = text.split("\n");
    expect(lines.pop()).toBe("");
    expect(JSON.parse(lines[0] ?? "")).toEqual({ format: 1, driver, versions: { a: 1, b: 3 } });
    expect(lines.slice(1, -1)).toEqual([
      '{"k":"a:x.y:1","v":1,"d":""}',
      '{"k":"b:c:one","v":3,"d":{"n":9007199254740993}}',
      '{"k":"b:c:two","v":3,"d":{"name": "Zürich"}}',
      '{"k":"b:ix.c.new:@1~one","v":3,"d":1}',
    ]);
    const sha256 = createHash("sha256")
      .update(`${lines.slice(1, -1).join("\n")}\n`)
      .digest("hex");
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ count: 4, sha256 });
    expect(trailer).toEqual({ count: 4, sha256 });
  });

  it("exports one private file a document, into an empty folder only", async () => {
    const dir = join(folder.path, "out", "deep");
    expect(await exportFiles(store, dir)).toBe(4);
    expect(await readFile(join(dir, "b/c/one.json"), "utf8")).toBe('{"n":9007199254740993}\n');
    expect(await readFile(join(dir, "b/ix.c.new/@1~one.json"), "utf8")).toBe("1\n");
    expect((await stat(join(dir, "b/c/one.json"))).mode & 0o777).toBe(0o600);
    await expect(exportFiles(store, dir)).rejects.toMatchObject({ code: "INVALID" });
  });
});
