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
  expect((await blog.must("GET", `/drafts/${id}`)).ai).toMatchObject({ share: 1, overrides: [] });
  await blog.must("POST", `/drafts/${id}/publish`);
  expect(await ask((tx) => reviseDraft(tx, { draft_id: id, body: "Third.", ...about }))).toEqual({
    revision: 3,
    is_staged: true,
  });
  expect(await ask((tx) => textOf(tx, { kind: "post", id }))).toMatchObject({ body: "Second.", revision: 2 });
  expect(await ask((tx) => textOf(tx, { kind: "draft", id }))).toMatchObject({ body: "Third.", revision: 3 });
  expect(await ask((tx) => reviseDraft(tx, { draft_id: "drf_none", body: "", ...about }))).toBeNull();
});

it("notes what of a body an AI wrote and who let its claims pass, and leaves what is scheduled alone", async () => {
  const { runTx, ports } = blog.harness.services;
  const { id } = await blog.must("POST", "/drafts", { title: "Rye", body: "Mine.\n\nOurs." });
  const revise = (body: string, source: "ai" | "human", override?: object) =>
    runTx(blog.part, (tx) =>
      ports.engines.reviseDraft(tx, {
        draft_id: id,
        body,
        source,
        message: "",
        by: "key_1",
        now_at: "2026-06-01T09:00:00.000Z",
        ...override,
      }),
    );
  await revise("Mine.\n\nOurs. Two more words?\n\nFour words of hers.", "human");
  expect((await blog.must("GET", `/drafts/${id}`)).ai.share).toBe(0);
  await revise("Mine.\n\nWhat it says.", "ai", { override: { id: "rwr_1", reason: "It is so.", claims: 2 } });
  expect((await blog.must("GET", `/drafts/${id}`)).ai).toMatchObject({
    share: 0.75,
    overrides: [{ generation_id: "rwr_1", by: "key_1", reason: "It is so.", claims: 2 }],
  });
  await blog.must("POST", `/drafts/${id}/schedule`, { at: "2099-01-01T09:00:00.000Z" });
  await expect(revise("Unseen.", "ai")).rejects.toMatchObject({ options: { code: "not_editable" } });
});
