import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";

import { byAll } from "../../server/core/by-value.ts";
import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";

const cups = defineCollection({
  name: "test.cups",
  schema: z.strictObject({ id: z.string(), colour: z.string(), size: z.string(), rank: z.int() }),
  indexes: {
    by: { values: ({ colour, size }) => [colour, size] },
    rank: { values: () => [""], order: ({ rank }) => String(rank).padStart(4, "0") },
  },
});

const clock = createTestClock();
const newId = createNewId(clock, createSystemRandom());
const Colour = fc.constantFrom("red", "blue");
const Size = fc.constantFrom("s", "m", "l");

it("lists by several filters, page by page, what a plain filter finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(Colour, Size), { maxLength: 150 }),
      fc.tuple(fc.option(Colour), fc.option(Size), fc.boolean(), fc.integer({ min: 1, max: 40 })),
      async (wanted, [colour, size, isRanked, limit]) => {
        const runTx = createRunTx({
          store: createMemoryDriver({ clock }),
          cursors: createCursorCodec(new Uint8Array(32)),
        });
        const all = wanted.map(([one, other], index) => ({
          id: newId("cup"),
          colour: one,
          size: other,
          rank: (index * 37) % 1000,
        }));
        for (const cup of all) await runTx("p", async (tx) => void tx.create(cups, cup));
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const query = { limit, cursor, ...(isRanked ? { index: "rank" } : {}) };
          const page = await runTx("p", (tx) => tx.peekPage(cups, byAll([colour, size], query)));
          if (page.next !== null) expect(page.items).toHaveLength(limit);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.next ?? undefined;
        } while (cursor !== undefined);
        const fits = all.filter(
          (cup) => (colour === null || cup.colour === colour) && (size === null || cup.size === size),
        );
        const sorted = isRanked ? fits.toSorted((one, other) => one.rank - other.rank) : fits.toReversed();
        expect(found).toEqual(sorted.map(({ id }) => id));
      },
    ),
    { numRuns: 40 },
  );
});
