import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { changeDue, eachDue, inBatches, removeOld } from "../../server/core/batches.ts";
import { defineCollection, timeOrder } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createTestClock } from "../harness.ts";
import { silentLog } from "../../server/core/log.ts";
import { OutgoingError } from "../../server/core/ports.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";

const tasks = defineCollection({
  name: "test.tasks",
  schema: z.strictObject({ id: z.string(), at: z.string() }),
  indexes: { due: { values: () => [""], order: ({ at }) => timeOrder(at) } },
});
const NOW = "2026-06-01T09:00:00.000Z";
const isDue = ({ at }: { readonly at: string }): boolean => at <= NOW;
const due = { collection: tasks, index: "due", isDue };

let runTx: RunTx;
const work = () => ({ part: "p", runTx, signal: new AbortController().signal, log: silentLog });

beforeEach(async () => {
  runTx = createRunTx({
    store: createMemoryDriver({ clock: createTestClock() }),
    cursors: createCursorCodec(new Uint8Array(32)),
  });
  // 250 due documents are three pages; the last five are not due yet.
  for (let start = 0; start < 255; start += 51) {
    await runTx("p", async (tx) => {
      for (let n = start; n < start + 51; n += 1) {
        tx.create(tasks, {
          id: `tsk_${String(n).padStart(3, "0")}`,
          at: n < 250 ? `2026-05-01T09:00:00.${String(n).padStart(3, "0")}Z` : "2026-07-01T09:00:00.000Z",
        });
      }
    });
  }
});

describe("due documents", () => {
  it("are processed in the order in which they are due; one that fails does not affect the others", async () => {
    const seen: string[] = [];
    const result = await eachDue(work(), due, async (id) => {
      if (id === "tsk_007") throw new Error("fails");
      return seen.push(id) > 0 ? 1 : 0;
    });
    expect(result).toEqual({ looked: 250, done: 249, failed: 1 });
    expect(seen).toEqual(seen.toSorted());
  });

  it("are read a megabyte at a time, where they are large", async () => {
    const files = defineCollection({
      name: "test.files",
      schema: z.strictObject({ id: z.string(), text: z.string() }),
      indexes: { due: { values: () => [""], order: ({ id }) => id } },
    });
    for (let n = 10; n < 30; n += 1)
      await runTx("p", async (tx) => void tx.create(files, { id: `fil_${n}`, text: "x".repeat(200_000) }));
    const pages: number[] = [];
    const watched: RunTx = async (part, run, options) => {
      const result = await runTx(part, run, options);
      if (typeof result === "object" && result !== null && "items" in result && Array.isArray(result.items))
        pages.push(result.items.length);
      return result;
    };
    const list = { collection: files, index: "due", isDue: () => true };
    expect(await eachDue({ ...work(), runTx: watched }, list, async () => 1)).toMatchObject({ done: 20 });
    expect(Math.max(...pages)).toBeLessThan(8);
  });

  it("wait for a later run, all that are left, where the budget of outgoing requests is used up", async () => {
    const seen: string[] = [];
    const result = await eachDue(work(), due, async (id) => {
      if (id === "tsk_002") throw new OutgoingError("refused", "No budget.", { renewsAtMs: 0 });
      return seen.push(id) > 0 ? 1 : 0;
    });
    expect(result).toEqual({ looked: 3, done: 2, failed: 0 });
  });

  it("are left to the next turn when the time of the store is over", async () => {
    const hasTime = vi.fn<() => boolean>().mockReturnValueOnce(true).mockReturnValue(false);
    const result = await eachDue({ ...work(), hasTime }, due, async () => 1);
    expect(result).toEqual({ looked: 2, done: 2, failed: 0 });
  });

  it("are all reached although more than a turn has time for fail, or have nothing to do, before them", async () => {
    const seen: string[] = [];
    const result = await eachDue({ ...work(), hasTime: () => false }, due, async (id) => {
      if (id < "tsk_050") throw new Error("fails");
      return id < "tsk_120" ? 0 : seen.push(id);
    });
    expect(seen).toEqual(["tsk_120"]);
    expect(result).toEqual({ looked: 121, done: 1, failed: 50 });
  });
});

describe("changes of due documents", () => {
  it("are all made; one that fails does not affect the others", async () => {
    const result = await changeDue(work(), due, async (tx, id) => {
      if (id === "tsk_007") throw new Error("fails");
      const stored = await tx.require(tasks, id);
      tx.put(tasks, stored, { id, at: "2026-07-01T09:00:00.000Z" });
      return 1;
    });
    expect(result).toEqual({ looked: 250, done: 249, failed: 1 });
    const left = await runTx("p", (tx) => tx.peekAll(tasks, { index: "due" }));
    expect(left.filter(({ value }) => isDue(value)).map(({ id }) => id)).toEqual(["tsk_007"]);
  });

  it("leave out what is listed without anything left to do, which does not count as looked at", async () => {
    const isDone = ({ id }: { readonly id: string }): boolean => id < "tsk_200";
    const seen: string[] = [];
    await changeDue(work(), { ...due, isDone, max: 50 }, async (_, id) => seen.push(id));
    expect(seen).toHaveLength(50);
    expect(seen[0]).toBe("tsk_200");
  });
});

describe("batches", () => {
  it("delete documents with more index entries than a commit of fifty holds", async () => {
    const filed = defineCollection({
      name: "test.filed",
      schema: tasks.schema,
      indexes: {
        due: { values: () => [""], order: ({ at }) => timeOrder(at) },
        by: { values: () => ["a", "b", "c", "d", "e", "f", "g", "h"] },
      },
    });
    for (let start = 0; start < 60; start += 10) {
      await runTx("p", async (tx) => {
        for (let n = start; n < start + 10; n += 1) tx.create(filed, { id: `fil_${n}`, at: NOW });
      });
    }
    expect(await removeOld(work(), filed, { index: "due", isOver: isDue })).toBe(60);
    expect(await runTx("p", (tx) => tx.peekAll(filed))).toEqual([]);
  });

  it("delete what is over and nothing else, over several commits", async () => {
    expect(await removeOld(work(), tasks, { index: "due", isOver: isDue })).toBe(250);
    expect((await runTx("p", (tx) => tx.peekAll(tasks))).length).toBe(5);
  });

  it("end after the number of commits of a run, and when the run is aborted", async () => {
    const bounds = { size: 40, commits: 2 };
    expect(await removeOld(work(), tasks, { index: "due", isOver: isDue }, bounds)).toBe(80);
    const aborted = { ...work(), signal: AbortSignal.abort() };
    expect(await inBatches(aborted, async () => 50)).toBe(0);
  });
});
