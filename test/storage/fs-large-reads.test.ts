import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { afterAll, beforeAll, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

const DOCS = 240;
const PAGE = 20;
const text = JSON.stringify({ text: "x".repeat(240_000) });
const idOf = (n: number): string => `doc_${String(n).padStart(4, "0")}`;

let base = "";
let store: FsDriver;
beforeAll(async () => {
  base = mkdtempSync(`${tmpdir()}/platform-large-reads-`);
  // More than the cache holds: every page is read from the log.
  store = await openFsDriver({ base, clock: systemClock, cacheBytes: 1_000_000 });
  for (let n = 0; n < DOCS; n += 4) {
    const ops = many(4, (at) => ({ put: `st_a:docs:${idOf(n + at)}` as const, value: text }));
    await store.commit("st_a", ops);
  }
}, 60_000);
afterAll(async () => {
  await store.close();
  rmSync(base, { recursive: true });
});

/** Pages that follow each other. */
const readPages = (): Promise<unknown[]> =>
  Promise.all(
    many(DOCS / PAGE, (at) =>
      store.page("st_a", "docs", { limit: PAGE, ...(at === 0 ? {} : { after: idOf(at * PAGE - 1) }) }),
    ),
  );

it("many pages of large documents at once leave the event loop to others", async () => {
  const longest = await longestOf(
    () => undefined,
    async () => {
      const pages = await readPages();
      expect(pages).toHaveLength(DOCS / PAGE);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);

it("they are as they were written, and a small document is read meanwhile", async () => {
  await store.commit("st_b", [{ put: "st_b:docs:one", value: '{"a":1}' }]);
  let isRead = false;
  const pages = readPages().then((all) => {
    expect(isRead).toBe(true);
    return all as { items: { key: string; value: string }[] }[];
  });
  const one = await store.get("st_b:docs:one");
  isRead = true;
  expect(one?.value).toBe('{"a":1}');
  const all = (await pages).flatMap(({ items }) => items);
  expect(all.map(({ key }) => key)).toEqual(many(DOCS, (n) => `st_a:docs:${idOf(n)}`));
  expect(all.every(({ value }) => value === text)).toBe(true);
}, 60_000);
