import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { declaredIndexes, defineCollection, toText } from "../../server/core/collection.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import type { Key, StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { verifyStore } from "../../server/storage/verify.ts";
import { createTestClock } from "./conformance.ts";
import { snapshotOf } from "./model.ts";

const rooms = defineCollection({
  name: "verifytest.rooms",
  schema: z.object({ id: z.string(), floor: z.string() }),
  indexes: { floor: { values: ({ floor }) => [floor] } },
});
const indexed = (coll: string) => declaredIndexes.get(coll) ?? null;

let store: StoreDriver;
beforeEach(async () => {
  store = createMemoryDriver({ clock: createTestClock() });
  const runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
  await runTx("sto_1", async (tx) => {
    for (let i = 0; i < 9; i++) tx.create(rooms, { id: `room_${i}`, floor: i % 2 === 0 ? "even" : "odd" });
  });
});

const entries = async (): Promise<Key[]> =>
  (await snapshotOf(store, "sto_1")).flatMap(({ key }) => (key.startsWith("sto_1:ix.") ? key : []));

describe("verify", () => {
  it("finds nothing where all was written by transactions", async () => {
    expect(await verifyStore(store, { indexed })).toEqual({
      documents: 27,
      problemCount: 0,
      fixedCount: 0,
      problems: [],
    });
  });

  it("names what is no JSON and, of unknown collections, entries that point nowhere", async () => {
    await store.commit("b", [
      { put: "b:c:bad", value: "{" },
      { put: "b:c:one", value: "1" },
      { put: "b:ix.c.by.new:@1~one", value: "1" },
      { put: "b:ix.c.new:@2~gone", value: "1" },
      { put: "b:ix.c.new:@3~one", value: "1" },
      { put: "b:ix.c.new:no-target", value: "1" },
    ]);
    expect((await verifyStore(store)).problems).toEqual([
      { key: "b:c:bad", problem: "is not JSON", fixed: false },
      { key: "b:ix.c.by.new:@1~one", problem: "references b:c.by:one, which does not exist", fixed: false },
      { key: "b:ix.c.new:@2~gone", problem: "references b:c:gone, which does not exist", fixed: false },
    ]);
  });

  it("tells, and with fix mends, entries that are missing, point nowhere, are old, or of no index", async () => {
    const right = await entries();
    const [missing, other] = right.filter((key) => key.includes("floor:odd"));
    if (missing === undefined || other === undefined) throw new Error("no entries");
    const moved = toText(rooms, { id: "room_0", floor: "odd" });
    await store.commit("sto_1", [
      { del: missing },
      { put: "sto_1:ix.verifytest.rooms.floor:even@0~room_gone", value: "1" },
      { put: "sto_1:ix.verifytest.rooms.colour:red@0~room_1", value: "1" },
      // The document changed and its entries did not.
      { put: "sto_1:verifytest.rooms:room_0", value: moved },
    ]);
    const told = await verifyStore(store, { indexed });
    expect(told).toMatchObject({ problemCount: 5, fixedCount: 0 });
    expect(told.problems.map(({ problem }) => problem.replace(/sto_1:[^\s,]+/, "<key>")).sort()).toEqual([
      "belongs to no index of this version",
      "does not match the current state of <key>",
      "is missing: <key> is not listed there",
      "is missing: <key> is not listed there",
      "references <key>, which does not exist",
    ]);
    // Nothing was changed by looking.
    expect(await verifyStore(store, { indexed })).toEqual(told);
    const mended = await verifyStore(store, { indexed, fix: true });
    expect(mended).toMatchObject({ problemCount: 5, fixedCount: 5 });
    expect(mended.problems.every(({ fixed }) => fixed)).toBe(true);
    expect((await verifyStore(store, { indexed })).problemCount).toBe(0);
    const odd = (await entries()).filter((key) => key.includes("floor:odd"));
    expect(odd).toHaveLength(5);
    expect((await entries()).filter((key) => key.includes("room_0"))).toHaveLength(2);
  });

  it("leaves documents alone that it cannot read", async () => {
    await store.commit("sto_1", [
      { put: "sto_1:verifytest.rooms:room_1", value: "{" },
      { put: "sto_1:verifytest.rooms:room_2", value: "null" },
    ]);
    const found = await verifyStore(store, { indexed, fix: true });
    expect(found).toMatchObject({ problemCount: 2, fixedCount: 0 });
    expect(found.problems.map(({ problem }) => problem)).toEqual([
      "is not JSON",
      expect.stringContaining("cannot be read"),
    ]);
    expect((await store.get("sto_1:verifytest.rooms:room_1"))?.value).toBe("{");
  });

  it("does not take for wrong what a writer changes while it reads", async () => {
    let reads = 0;
    const busy: StoreDriver = {
      ...store,
      async page(part, coll, options) {
        const page = await store.page(part, coll, options);
        // Between the page and the look at its entries, the document moves to another floor, with its entries.
        if (coll === "verifytest.rooms" && reads++ === 0) {
          const runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
          await runTx("sto_1", async (tx) => {
            const room = await tx.require(rooms, "room_0");
            tx.put(rooms, room, { id: "room_0", floor: "odd" });
          });
        }
        return page;
      },
    };
    expect(await verifyStore(busy, { indexed, fix: true })).toMatchObject({ problemCount: 0 });
    expect(reads).toBeGreaterThan(0);
  });

  it("does not mend what was put right meanwhile", async () => {
    const [entry] = await entries();
    if (entry === undefined) throw new Error("no entries");
    await store.commit("sto_1", [{ del: entry }]);
    let commits = 0;
    const busy: StoreDriver = {
      ...store,
      async commit(part, ops, checks) {
        if (commits++ === 0) await store.commit("sto_1", [{ put: entry, value: "1" }]);
        return store.commit(part, ops, checks);
      },
    };
    expect(await verifyStore(busy, { indexed, fix: true })).toMatchObject({ problemCount: 0, fixedCount: 0 });
    expect(commits).toBe(1);
  });
});
