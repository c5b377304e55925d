import { describe, expect, it } from "vitest";
import { z } from "zod";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { shareCommits } from "../../server/core/share-commits.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { Tx } from "../../server/core/tx.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";

const counts = defineCollection({
  name: "test.counts",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), count: z.int() }),
});

/** Transactions over a store that counts its commits, and refuses those that `refuse` names. */
function open(refuse: (ids: readonly string[]) => boolean = () => false) {
  const memory = createMemoryDriver({ clock: createTestClock() });
  const commits: number[] = [];
  const commit: StoreDriver["commit"] = async (part, ops, ...rest) => {
    commits.push(ops.length);
    if (refuse(ops.map((op) => ("put" in op ? op.put : op.del)))) throw new Error("refused");
    return memory.commit(part, ops, ...rest);
  };
  const runTx = createRunTx({
    store: { ...memory, commit },
    cursors: createCursorCodec(new Uint8Array(32)),
  });
  const read = (id: string) => runTx("p", async (tx) => (await tx.get(counts, id))?.value.count ?? null);
  return { runTx, shared: shareCommits(runTx, "p"), commits, read };
}

const add = (id: string) => async (tx: Tx) => {
  const before = await tx.get(counts, id);
  return tx.save(counts, before, { id, count: (before?.value.count ?? 0) + 1 }).value.count;
};

describe("transactions of one turn", () => {
  it("share a commit, see what those before them staged, and get their own results", async () => {
    const { commits, read, shared } = open();
    const ids = ["a", "b", "a", "c", "a"];
    expect(await Promise.all(ids.map((id) => shared("p", add(id))))).toEqual([1, 1, 2, 1, 3]);
    expect(commits).toEqual([3]);
    expect(await read("a")).toBe(3);
  });

  it("take as many commits as their operations need", async () => {
    const { commits, read, shared } = open();
    const many = (from: number) => async (tx: Tx) => {
      for (let at = 0; at < 70; at += 1) tx.create(counts, { id: `${from}-${at}`, count: 1 });
    };
    await Promise.all([0, 1, 2, 3, 4].map((from) => shared("p", many(from))));
    expect(commits).toEqual([70, 70, 70, 70, 70]);
    expect(await read("4-69")).toBe(1);
  });

  it("run by themselves where one throws: it fails, the others do not, and none is done twice", async () => {
    const { read, shared } = open();
    const fails = async () => {
      throw new Error("fails");
    };
    const results = await Promise.allSettled([
      shared("p", add("a")),
      shared("p", fails),
      shared("p", add("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([await read("a"), await read("b")]).toEqual([1, 1]);
  });

  it("run by themselves where the commit fails", async () => {
    const { commits, read, shared } = open((keys) => keys.length > 1 || keys[0]?.endsWith(":b") === true);
    const results = await Promise.allSettled(["a", "b", "c"].map((id) => shared("p", add(id))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(commits).toEqual([3, 1, 1, 1]);
    expect([await read("a"), await read("b"), await read("c")]).toEqual([1, null, 1]);
  });

  it("run again together where a document changed meanwhile", async () => {
    const { read, runTx, shared } = open();
    let isFirst = true;
    const slow = async (tx: Tx) => {
      const count = await add("a")(tx);
      if (isFirst) await runTx("p", add("a"));
      isFirst = false;
      return count;
    };
    expect(await Promise.all([shared("p", slow), shared("p", add("b"))])).toEqual([2, 1]);
    expect([await read("a"), await read("b")]).toEqual([2, 1]);
  });

  it("of another partition have a commit of their own", async () => {
    const { commits, shared } = open();
    await Promise.all([shared("p", add("a")), shared("q", add("a")), shared("p", add("b"))]);
    expect(commits.toSorted((a, b) => a - b)).toEqual([1, 2]);
  });
});
