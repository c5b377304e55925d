import { afterAll, beforeAll, expect, it } from "vitest";

import { drafts } from "../../../server/engines/content/repository.ts";
import { longestOf, readAnswer, TURN_MS } from "../../support/longest-turn.ts";
import { createBlog } from "./blog.ts";
import type { Blog } from "./blog.ts";

// Lists that look into many drafts with texts as long as a store may have them.

const COUNT = 60;
const TEXT = '"Rye", she said, and\n'.repeat(7_000);

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog();
  const { id } = await blog.must("POST", "/drafts", { kind: "post", title: "Rye bread", body: "Rye." });
  const { newId, runTx } = blog.harness.services;
  for (let n = 0; n < COUNT; n += 1) {
    await runTx(blog.part, async (tx) => {
      const { value } = await tx.require(drafts, id);
      const planned_for = `2026-06-${n < COUNT - 10 ? "10" : "20"}`;
      tx.create(drafts, { ...value, id: newId("drf"), planned_for, body: TEXT });
    });
  }
});
afterAll(() => blog.harness.close());

/** The answer is not parsed. */
const longestGet = (path: string): Promise<number> =>
  longestOf(
    () => {
      blog.harness.clock.advance(60_000);
      const headers = { authorization: `Bearer ${blog.key.plaintext}` };
      return new Request(`http://platform.test/v1/content${path}`, { headers });
    },
    async (request) => {
      const answer = await blog.harness.app.fetch(request);
      await readAnswer(answer);
      expect(answer.status).toBe(200);
    },
  );

it("shows the calendar of many long drafts", async () => {
  const path = "/calendar?from=2026-06-01&to=2026-06-15";
  const shown = await blog.call("GET", `${path}&limit=100`);
  expect(shown.json.data).toHaveLength(COUNT - 10);
  expect(await longestGet(path)).toBeLessThan(TURN_MS);
}, 60_000);

it("lists many long drafts up to a planned day", async () => {
  const path = "/drafts?planned_from=2026-06-01&planned_to=2026-06-30&limit=25";
  expect(await longestGet(path)).toBeLessThan(TURN_MS);
  const last = await blog.call("GET", "/drafts?planned_from=2026-06-15&planned_to=2026-06-19&limit=15");
  expect([last.json.data, last.json.meta.pagination.has_more]).toEqual([[], false]);
  // A page that ends at the day is put together.
  const cut = "/drafts?planned_from=2026-06-01&planned_to=2026-06-15&limit=55";
  expect(await longestGet(cut)).toBeLessThan(TURN_MS);
}, 60_000);
