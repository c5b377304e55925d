import { beforeAll, expect, it } from "vitest";
import { z } from "zod";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { mapAll } from "../../server/core/read-page.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";
import { followParsed } from "../support/follow-parsed.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

const DOCS = 160;
const orders = defineCollection({
  name: "test.orders",
  schema: z.strictObject({
    id: z.string(),
    lines: z.array(z.strictObject({ name: z.string(), n: z.int() })),
  }),
  indexes: { new: { values: () => [""], order: ({ id }) => id } },
});

let runTx: RunTx;
beforeAll(async () => {
  runTx = createRunTx({
    store: createMemoryDriver({ clock: createTestClock() }),
    cursors: createCursorCodec(new Uint8Array(32)),
  });
  const lines = many(3_000, (n) => ({ name: `Loaf ${n}`, n }));
  for (let n = 0; n < DOCS; n += 10) {
    await runTx("p", async (tx) => {
      for (let at = n; at < n + 10; at += 1)
        tx.create(orders, { id: `ord_${String(at).padStart(4, "0")}`, lines });
    });
  }
}, 60_000);

it("a whole collection of large documents is parsed with pauses, and is complete and in order", async () => {
  const longest = await longestOf(
    () => undefined,
    async () => {
      const all = await runTx("p", (tx) => tx.peekAll(orders));
      const lines = all.reduce((sum, { value }) => sum + value.lines.length, 0);
      expect([all.length, lines]).toEqual([DOCS, 3_000 * DOCS]);
      const ids = all.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted());
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);

it("keeps none of the values that are mapped", async () => {
  const parsed = followParsed(50_000, 40);
  const sizes = await runTx("p", (tx) => mapAll(tx, orders, {}, ({ lines }) => lines.length));
  const { all, most } = parsed.end();
  expect([sizes.length, all, most <= 4]).toEqual([DOCS, DOCS, true]);
}, 60_000);

it("409 for more text than a handler has in memory at once", async () => {
  const lines = many(8_000, (n) => ({ name: `Loaf ${n}`, n }));
  const ids = many(100, (n) => `ord_${n + 100}`);
  for (const id of ids) await runTx("q", async (tx) => void tx.create(orders, { id, lines }));
  await expect(runTx("q", (tx) => tx.peekAll(orders))).rejects.toThrow(
    "The collection test.orders contains more than 20000000 characters of JSON, which is too many to evaluate. Delete or archive what is no longer used.",
  );
  expect(await runTx("q", (tx) => mapAll(tx, orders, {}, ({ id }) => id))).toEqual(ids);
}, 60_000);
