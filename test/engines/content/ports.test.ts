import { afterAll, beforeAll, expect, it } from "vitest";

import type { Blog } from "./blog.ts";
import { createBlog } from "./blog.ts";

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog();
});
afterAll(() => blog.harness.close());

it("tells other engines a text as it is written and as it is published, and takes a body from them", async () => {
  const { runTx, ports } = blog.harness.services;
  const { textOf, reviseDraft } = ports.engines;
  const ask = <R>(work: (tx: Parameters<typeof textOf>[0]) => Promise<R>): Promise<R> =>
    runTx(blog.part, work);
  const { id } = await blog.must("POST", "/drafts", { title: "Rye", body: "First." });
  const about = {
    message: "Rewrites",
    source: "ai" as const,
    by: "answeros",
    now_at: "2026-06-01T09:00:00.000Z",
  };
  expect(await ask((tx) => textOf(tx, { kind: "post", id }))).toBeNull();
  expect(await ask((tx) => textOf(tx, { kind: "draft", id: "drf_none" }))).toBeNull();
  expect(await ask((tx) => reviseDraft(tx, { draft_id: id, body: "Second.", ...about }))).toEqual({
    revision: 2,
    is_staged: false,
  });
  await blog.must("POST", `/drafts/${id}/publish`);
  expect(await ask((tx) => reviseDraft(tx, { draft_id: id, body: "Third.", ...about }))).toEqual({
    revision: 3,
    is_staged: true,
  });
  expect(await ask((tx) => textOf(tx, { kind: "post", id }))).toMatchObject({ body: "Second.", revision: 2 });
  expect(await ask((tx) => textOf(tx, { kind: "draft", id }))).toMatchObject({ body: "Third.", revision: 3 });
  expect(await ask((tx) => reviseDraft(tx, { draft_id: "drf_none", body: "", ...about }))).toBeNull();
});
