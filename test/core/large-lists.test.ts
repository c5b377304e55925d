import { beforeAll, expect, it } from "vitest";
import { z } from "zod";

import { byAll, pageWhile } from "../../server/core/by-value.ts";
import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx, StoredPage, Tx } from "../../server/core/tx.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";
import { followParsed } from "../support/follow-parsed.ts";
import { many } from "../support/longest-turn.ts";

// Lists that look at each of a hundred large documents, and serve them as text.

const DOCS = 100;
const AT_ONCE = 4;
const loaves = defineCollection({
  name: "test.loaves",
  schema: z.strictObject({ id: z.string(), text: z.string() }),
  indexes: { by: { values: () => ["rye", "large"] }, day: { values: () => [""], order: ({ id }) => id } },
});

let runTx: RunTx;
beforeAll(async () => {
  runTx = createRunTx({
    store: createMemoryDriver({ clock: createTestClock() }),
    cursors: createCursorCodec(new Uint8Array(32)),
  });
  const text = "r".repeat(100_000);
  for (let n = 0; n < DOCS; n += 1)
    await runTx(
      "p",
      async (tx) => void tx.create(loaves, { id: `loaf_${String(n).padStart(4, "0")}`, text }),
    );
}, 60_000);

const lists: Record<string, (tx: Tx) => Promise<StoredPage<{ id: string }>>> = {
  "several filters": (tx) => tx.peekPage(loaves, byAll(["rye", "large"], { limit: DOCS })),
  "a span of days": (tx) => pageWhile(tx, loaves, { index: "day", limit: DOCS }, ({ text }) => text !== ""),
};

it.each(Object.entries(lists))(
  "a list by %s has few documents in memory",
  async (_name, read) => {
    const parsed = followParsed(50_000, DOCS);
    const pages = await Promise.all(many(AT_ONCE, () => runTx("p", read)));
    const { all, most } = parsed.end();
    expect(pages.map(({ items }) => items.length)).toEqual(many(AT_ONCE, () => DOCS));
    expect(all).toBe(DOCS * AT_ONCE);
    expect(most).toBeLessThanOrEqual(2 * AT_ONCE);
  },
  60_000,
);
