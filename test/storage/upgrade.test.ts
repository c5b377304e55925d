import { expect, it } from "vitest";
import { z } from "zod";

import { declaredIndexes, defineCollection } from "../../server/core/collection.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { upgradeStore } from "../../server/storage/upgrade.ts";
import { findMiscount } from "./miscount.ts";
import { createTestClock } from "../harness.ts";

const name = "test.upgraded";
defineCollection({
  name,
  unlisted: true,
  schema: z.strictObject({ id: z.string(), state: z.enum(["open", "done"]) }),
  schemaVersion: 2,
  upgrade: ({ id, is_done }) => ({ id, state: is_done === true ? "done" : "open" }),
  indexes: { state: { values: ({ state }) => [state], order: ({ id }) => id } },
});
const liftingOf = (coll: string) => declaredIndexes.get(coll) ?? null;

it("rewrites what an older version wrote, files it in the indexes of this one, and leaves the rest alone", async () => {
  const store = createMemoryDriver({ clock: createTestClock() });
  const own = JSON.stringify({ schema_version: 2, id: "c", state: "open" });
  await store.commit("p", [
    { put: `p:${name}:a`, value: JSON.stringify({ schema_version: 1, id: "a", is_done: true }) },
    { put: `p:${name}:b`, value: JSON.stringify({ schema_version: 1, id: "b", is_done: false }) },
    { put: `p:${name}:c`, value: own },
    { put: "p:unknown.things:x", value: "{}" },
  ]);
  const before = await store.get(`p:${name}:c`);
  expect(await upgradeStore(store, liftingOf, { dryRun: true })).toEqual({ documents: 3, lifted: 2 });
  expect((await store.get(`p:${name}:b`))?.value).toContain('"schema_version":1');
  expect(await upgradeStore(store, liftingOf)).toEqual({ documents: 3, lifted: 2 });
  expect((await store.get(`p:${name}:a`))?.value).toBe('{"schema_version":2,"id":"a","state":"done"}');
  expect(await store.get(`p:${name}:c`)).toEqual(before);
  const listed = await store.page("p", `ix.${name}.state`, { prefix: "done@", limit: 10, of: name });
  expect(listed.items.map(({ key }) => key)).toEqual([`p:${name}:a`]);
  expect(await upgradeStore(store, liftingOf)).toEqual({ documents: 3, lifted: 0 });
  expect(await findMiscount(store)).toBeNull();
});

it("refuses a document of a newer version, and names it", async () => {
  const store = createMemoryDriver({ clock: createTestClock() });
  const newer = JSON.stringify({ schema_version: 3, id: "a", state: "later" });
  await store.commit("p", [{ put: `p:${name}:a`, value: newer }]);
  for (const dryRun of [true, false])
    await expect(upgradeStore(store, liftingOf, { dryRun })).rejects.toThrow(
      `p:${name}:a was written by a newer version of the platform`,
    );
  expect((await store.get(`p:${name}:a`))?.value).toBe(newer);
});

it("leaves a document to whoever changed it meanwhile", async () => {
  const store = createMemoryDriver({ clock: createTestClock() });
  await store.commit("p", [{ put: `p:${name}:a`, value: JSON.stringify({ schema_version: 1, id: "a" }) }]);
  const newer = JSON.stringify({ schema_version: 2, id: "a", state: "done" });
  const raced = {
    ...store,
    commit: async (...args: Parameters<typeof store.commit>) => {
      await store.commit("p", [{ put: `p:${name}:a`, value: newer }]);
      return store.commit(...args);
    },
  };
  expect(await upgradeStore(raced, liftingOf)).toEqual({ documents: 1, lifted: 0 });
  expect((await store.get(`p:${name}:a`))?.value).toBe(newer);
});
