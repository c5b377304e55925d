import { expect, it } from "vitest";
import { z } from "zod";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { requireRoom } from "../../server/core/room.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { PageOptions } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";
import { many } from "../support/longest-turn.ts";

const MAX = 1_203;
const forms = defineCollection({
  name: "test.forms",
  schema: z.strictObject({ id: z.string(), kind: z.string(), text: z.string() }),
  indexes: { by: { values: ({ kind }) => [kind] } },
});

function open() {
  const store = createMemoryDriver({ clock: createTestClock() });
  let read = 0;
  const page = async (part: string, coll: string, options: PageOptions) => {
    const found = await store.page(part, coll, options);
    for (const { value } of found.items) read += value.length;
    return found;
  };
  const runTx = createRunTx({ store: { ...store, page }, cursors: createCursorCodec(new Uint8Array(32)) });
  const fill = async (from: number, to: number, kind: string) => {
    for (let n = from; n < to; n += 50)
      await runTx("p", async (tx) => {
        for (let at = n; at < Math.min(n + 50, to); at += 1)
          tx.create(forms, {
            id: `frm_${kind}${String(at).padStart(4, "0")}`,
            kind,
            text: "x".repeat(5_000),
          });
        await Promise.resolve();
      });
  };
  const add = (id: string, kind: string) =>
    runTx("p", async (tx) => {
      await requireRoom(tx, forms, { index: "by", value: kind, max: MAX, noun: "forms" });
      tx.create(forms, { id, kind, text: "" });
    });
  return { runTx, fill, add, read: () => read };
}

it("finds out whether there is room without reading what is there", async () => {
  const { runTx, fill, add, read } = open();
  await fill(0, MAX - 1, "a");
  await fill(0, 10, "b");
  await add("frm_new", "a");
  await expect(add("frm_newer", "a")).rejects.toMatchObject({ options: { code: "limit_reached" } });
  await add("frm_other", "b");
  expect(read()).toBeLessThan(100_000);
  const counted = await runTx("p", async (tx) => [
    await tx.peekCount(forms, { index: "by", value: "a", max: MAX + 1 }),
    await tx.peekCount(forms, { index: "by", value: "a", max: 1_001 }),
    await tx.peekCount(forms, { index: "by", value: "b", max: 1_001 }),
    await tx.peekCount(forms, { index: "by", value: "no such kind", max: 1_001 }),
  ]);
  expect(counted).toEqual([MAX, 1_001, 11, 0]);
});

it("lets as many of parallel additions in as there is room for", async () => {
  const { fill, add } = open();
  await fill(0, MAX - 3, "a");
  const all = await Promise.allSettled(many(9, (n) => add(`frm_new${n}`, "a")));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
});
