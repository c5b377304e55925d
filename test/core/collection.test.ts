import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";

import {
  declaredIndexes,
  defineCollection,
  fromText,
  indexChanges,
  indexEntries,
  newestFirst,
  timeOrder,
  toText,
} from "../../server/core/collection.ts";
import { seeded } from "../seeded.ts";

const instants = fc
  .integer({ min: Date.parse("1970-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") })
  .map((epochMs) => new Date(epochMs).toISOString());
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

it("timeOrder is as instants follow each other, newestFirst the other way round; both fit a key", () =>
  fc.assert(
    fc.property(instants, instants, (one, other) => {
      expect(compare(timeOrder(one), timeOrder(other))).toBe(compare(one, other));
      expect(compare(newestFirst(one), newestFirst(other))).toBe(compare(other, one));
      expect(timeOrder(one)).toMatch(/^[A-Za-z0-9_.-]+$/);
      expect(newestFirst(one)).toMatch(/^\d{15}$/);
    }),
    seeded(),
  ));

it("keeps the text that stands in stored indexes", () => {
  expect(timeOrder("2026-06-01T09:30:00.000Z")).toBe("2026-06-01T093000.000Z");
  expect(timeOrder("2026-06-01")).toBe("2026-06-01");
  expect(newestFirst("2026-06-01T09:30:00.000Z")).toBe("998219693799999");
  expect(newestFirst("1970-01-01T00:00:00.000Z")).toBe("999999999999999");
});

it("lifts what an older version wrote, and refuses what a newer one did", () => {
  const notes = defineCollection({
    name: "test.notes",
    unlisted: true,
    schema: z.strictObject({ id: z.string(), title: z.string(), pinned: z.boolean() }),
    schemaVersion: 2,
    upgrade: (old) => ({ ...old, pinned: false }),
  });
  expect(fromText(notes, '{"schema_version":1,"id":"n","title":"a"}')).toEqual({
    id: "n",
    title: "a",
    pinned: false,
  });
  const own = { id: "n", title: "a", pinned: true };
  expect(fromText(notes, toText(notes, own))).toEqual(own);
  expect(() => fromText(notes, '{"schema_version":3,"id":"n"}')).toThrow(
    expect.objectContaining({
      type: "service_unavailable",
      cause: new Error("a document of test.notes has schema version 3, this version of the platform knows 2"),
    }),
  );
  const { isNewer } = declaredIndexes.get("test.notes") ?? {};
  expect([1, 2, 3].map((version) => isNewer?.(`{"schema_version":${version},"id":"n"}`))).toEqual([
    false,
    false,
    true,
  ]);
});

it("changes exactly the index entries by which two states of a document differ", () => {
  const loaves = defineCollection({
    name: "test.loaves",
    schema: z.strictObject({ id: z.string(), tags: z.array(z.string()), size: z.int(), sold: z.boolean() }),
    indexes: {
      tags: { values: ({ tags }) => tags, order: ({ size }) => String(size) },
      unsold: { values: ({ sold }) => (sold ? [] : [""]) },
    },
  });
  const states = fc.option(
    fc.record({
      id: fc.constant("lof_01JD8Z5T9QK3M4N5P6R7S8T9V0"),
      tags: fc.uniqueArray(fc.constantFrom("rye", "oat", "spelt")),
      size: fc.constantFrom(1, 2),
      sold: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(states, states, (before, after) => {
      const entries = (of: typeof before): string[] =>
        of === null ? [] : indexEntries(loaves, of).map((entry) => entry.join(" "));
      const { gone, added } = indexChanges(loaves, before, after);
      const kept = entries(before).filter((entry) => !gone.some((one) => one.join(" ") === entry));
      expect([...kept, ...added.map((entry) => entry.join(" "))].sort()).toEqual(entries(after).sort());
      expect(kept.every((entry) => entries(after).includes(entry))).toBe(true);
      expect(added.some((entry) => entries(before).includes(entry.join(" ")))).toBe(false);
    }),
    seeded(),
  );
});
