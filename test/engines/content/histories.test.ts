import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";

import { publishDue } from "../../../server/engines/content/jobs/publish-due.ts";
import { revisionId } from "../../../server/engines/content/repository.ts";
import { seeded } from "../../seeded.ts";
import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog();
});
afterAll(() => blog.harness.close());

const STEPS = [
  "submit",
  "approve",
  "request-changes",
  "schedule",
  "unschedule",
  "publish",
  "unpublish",
  "archive",
  "restore",
  "discard",
  "edit",
  "stage",
  "slug",
  "tick",
] as const;

/** What leads to moved posts, tried more often. */
const MORE = ["publish", "publish", "unpublish", "slug", "slug", "slug"] as const;

/** One step on a draft; whatever the answer, it must not be a fault of the server. */
async function take(shop: Blog, id: string, step: (typeof STEPS)[number], at: number): Promise<void> {
  if (step === "tick") {
    shop.harness.clock.advance(90_000);
    expect((await shop.run(publishDue))["failed"]).toBe(0);
    return;
  }
  const edits = {
    edit: { body: `Text ${at}` },
    stage: { body: `Text ${at}`, stage: true },
    slug: { slug: `slug-${at % 4}`, stage: at % 2 === 0 },
  };
  const bodies: Record<string, object> = {
    approve: { reviewer: `r${at % 3}` },
    "request-changes": { text: "More." },
    schedule: { at: new Date(shop.harness.clock.now() + 60_000).toISOString() },
  };
  const answer =
    step in edits
      ? await shop.patch(`/drafts/${id}`, edits[step as keyof typeof edits])
      : await shop.post(`/drafts/${id}/${step}`, bodies[step]);
  expect([200, 409, 422]).toContain(answer.status);
}

async function holds(shop: Blog, id: string): Promise<void> {
  const draft = await shop.must("GET", `/drafts/${id}`);
  const posts = await shop.must("GET", "/posts");
  const isLive = draft.status === "published";
  expect(posts.map((post: { id: string }) => post.id)).toEqual(isLive ? [id] : []);
  expect(draft.published_at !== null).toBe(isLive);
  expect(draft.scheduled_at !== null).toBe(draft.status === "scheduled");
  if (draft.pending_revision !== null) expect(isLive).toBe(true);
  expect(Math.max(draft.revision, draft.pending_revision ?? 0)).toBeLessThanOrEqual(draft.last_revision);
  for (const number of [draft.revision, draft.pending_revision ?? draft.revision]) {
    const { store } = shop.harness;
    expect(await store.get(`${shop.part}:content.revisions:${revisionId(id, number)}`)).not.toBeNull();
  }
  if (isLive) {
    const [post] = posts;
    expect([post.slug, post.title]).toEqual([draft.slug, draft.title]);
    expect((await shop.must("GET", `/posts/${draft.slug}`)).moved_from).toBeNull();
    // Wherever the post has been while it was live, it is still found.
    for (const { slug, to } of await shop.must("GET", "/redirects")) {
      expect(to).toBe(draft.slug);
      expect((await shop.must("GET", `/posts/${slug}`)).moved_from).toBe(slug);
    }
  }
  // The slug of the draft is its own: nobody else gets it.
  expect((await shop.post("/drafts", { title: "x", slug: draft.slug })).status).toBe(409);
}

it("keeps to its invariants through whatever history", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...STEPS, ...MORE), { minLength: 8, maxLength: 16 }),
      fc.integer({ min: 0, max: 2 }),
      async (steps, required) => {
        const shop = blogOf(blog.harness, await blog.harness.key());
        if (required > 0) await shop.must("PATCH", "/settings", { approvals_required: required });
        const { id } = await shop.must("POST", "/drafts", { title: "Bread", body: "Text" });
        for (const [at, step] of steps.entries()) await take(shop, id, step, at);
        await holds(shop, id);
      },
    ),
    seeded(30),
  );
}, 120_000);
