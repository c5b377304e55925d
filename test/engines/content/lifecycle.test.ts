import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { publishDue } from "../../../server/engines/content/jobs/publish-due.ts";
import { sweepDrafts } from "../../../server/engines/content/jobs/sweep.ts";
import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

const MINUTE = 60_000;
let blog: Blog;
beforeAll(async () => {
  blog = await createBlog();
});
afterAll(() => blog.harness.close());

/** A store of its own on the same service. */
const another = async (settings?: object): Promise<Blog> => {
  const own = blogOf(blog.harness, await blog.harness.key());
  if (settings !== undefined) await own.must("PATCH", "/settings", settings);
  return own;
};
const text = { title: "Sourdough at home", body: "Feed your starter daily.\n\nKeep it warm." };
const codeOf = (answer: { json: { error: { code?: string } } }) => answer.json.error.code;

describe("drafts", () => {
  it("are made, shown, listed by what an index serves, changed and deleted", async () => {
    const shop = await another();
    const draft = await shop.must("POST", "/drafts", {
      ...text,
      tags: ["bread"],
      author: { id: "ada", name: "Ada" },
      seo: { focus_keyphrase: "sourdough" },
      planned_for: "2026-07-01",
    });
    expect(draft).toMatchObject({
      slug: "sourdough-at-home",
      word_count: 7,
      reading_minutes: 1,
      revision: 1,
    });
    const other = await shop.must("POST", "/drafts", { title: "Other", locale: "de-DE" });
    const ids = async (query: string): Promise<string[]> =>
      (await shop.must("GET", `/drafts?${query}`)).map(({ id }: { id: string }) => id);
    const filters = [
      "tag=Bread",
      "author=ada",
      "keyphrase=Sourdough",
      "author=ada&status=draft",
      "q=HOME",
      "q=sourdough&status=draft",
      "planned_from=2026-06-30&planned_to=2026-07-01",
    ];
    for (const filter of filters) expect([filter, await ids(filter)]).toEqual([filter, [draft.id]]);
    expect(await ids("status=published")).toEqual([]);
    expect(await ids("planned_from=2026-07-02")).toEqual([]);
    expect(await ids("planned_to=2026-06-30")).toEqual([]);
    expect(await ids("locale=de-de&status=draft")).toEqual([other.id]);
    expect((await shop.get("/drafts?tag=a&author=b")).status).toBe(422);
    expect((await shop.get("/drafts?tag=a&locale=de")).status).toBe(422);
    expect((await shop.get("/drafts?tag=a&q=home")).status).toBe(422);
    expect((await shop.get("/drafts?q=two%20words")).status).toBe(422);
    expect((await shop.get("/drafts?planned_to=2026-07-01&tag=a")).status).toBe(422);
    expect((await shop.get(`/drafts?updated_since=${draft.updated_at}&tag=a`)).status).toBe(422);
    expect(new Set(await ids(`updated_since=${draft.updated_at}`))).toEqual(new Set([draft.id, other.id]));
    shop.harness.clock.advance(1_000);

    const changed = await shop.must("PATCH", `/drafts/${draft.id}`, { body: "Feed it.", message: "Shorter" });
    expect(changed).toMatchObject({ revision: 2, last_revision: 2, word_count: 2 });
    expect(await ids(`updated_since=${changed.updated_at}`)).toEqual([draft.id]);
    const same = await shop.must("PATCH", `/drafts/${draft.id}`, { body: "Feed it.", metadata: { a: "b" } });
    expect(same).toMatchObject({ revision: 2, metadata: { a: "b" } });
    expect(
      (await shop.call("PATCH", `/drafts/${draft.id}`, { title: "x" }, { "if-match": '"1"' })).status,
    ).toBe(412);

    await shop.must("DELETE", `/drafts/${draft.id}`);
    expect((await shop.get(`/drafts/${draft.id}/revisions`)).status).toBe(404);
    const again = await shop.must("POST", "/drafts", text);
    expect(again.slug).toBe("sourdough-at-home");
  });

  it("of many revisions go by the job", async () => {
    const shop = await another();
    const draft = await shop.must("POST", "/drafts", text);
    for (let at = 0; at < 25; at += 1)
      await shop.must("PATCH", `/drafts/${draft.id}`, { body: `Text ${at}` });
    await shop.must("DELETE", `/drafts/${draft.id}`);
    const left = async () =>
      (await shop.harness.store.page(shop.part, "content.revisions", { limit: 100 })).items.length;
    expect(await left()).toBeGreaterThan(0);
    await shop.run(sweepDrafts);
    expect(await left()).toBe(0);
    expect(await shop.run(sweepDrafts)).toEqual({ commits: 0 });
  });

  it("have one slug each in a locale", async () => {
    const shop = await another();
    const first = await shop.must("POST", "/drafts", text);
    const second = await shop.must("POST", "/drafts", text);
    const elsewhere = await shop.must("POST", "/drafts", { ...text, locale: "de-DE" });
    expect([first.slug, second.slug, elsewhere.slug]).toEqual([
      "sourdough-at-home",
      "sourdough-at-home-2",
      "sourdough-at-home",
    ]);
    const taken = await shop.post("/drafts", { ...text, slug: "sourdough-at-home" });
    expect([taken.status, codeOf(taken)]).toEqual([409, "slug_taken"]);
    expect(codeOf(await shop.patch(`/drafts/${second.id}`, { slug: first.slug }))).toBe("slug_taken");
    await shop.must("PATCH", `/drafts/${first.id}`, { slug: "starter" });
    expect((await shop.must("PATCH", `/drafts/${second.id}`, { slug: "sourdough-at-home" })).slug).toBe(
      "sourdough-at-home",
    );
    expect((await shop.must("POST", "/drafts", { title: "寿司" })).slug).toMatch(/^[0-9a-z]{10}$/);
  });

  it("go through review with as many approvals as the settings ask for", async () => {
    const shop = await another({ approvals_required: 2 });
    const { id } = await shop.must("POST", "/drafts", text);
    const act = (action: string, body?: object) => shop.post(`/drafts/${id}/${action}`, body);
    const gate = await act("publish");
    expect([gate.status, codeOf(gate)]).toEqual([422, "publish_gate"]);
    expect(gate.json.error.errors[0].pointer).toBe("#/approvals");
    const wrong = await act("approve");
    expect([wrong.status, codeOf(wrong)]).toEqual([409, "invalid_transition"]);
    expect(wrong.json.error.detail).toContain("submit, schedule, publish, archive");
    expect((await act("submit")).json.data.status).toBe("in_review");
    expect((await act("request-changes", { text: "Specify the temperature." })).json.data.status).toBe(
      "changes_requested",
    );
    const back = (await act("submit")).json.data;
    expect(back.change_requests[0].resolved_at).toBe(back.updated_at);
    expect((await act("approve", { reviewer: "Ada" })).json.data.status).toBe("in_review");
    expect((await act("approve", { reviewer: "Ada" })).json.data.approvals).toHaveLength(1);
    expect((await act("approve", { reviewer: "Grace" })).json.data.status).toBe("approved");
    // Another text is another matter.
    const edited = await shop.must("PATCH", `/drafts/${id}`, { body: "Other." });
    expect(edited.status).toBe("in_review");
    await act("approve", { reviewer: "Ada" });
    expect((await act("approve", { reviewer: "Grace" })).json.data.status).toBe("approved");
    expect((await act("schedule", { at: "2026-06-01T10:00:00.000Z" })).json.data.status).toBe("scheduled");
    expect(codeOf(await shop.patch(`/drafts/${id}`, { body: "Else." }))).toBe("not_editable");
    expect((await act("unschedule")).json.data.status).toBe("approved");
    expect((await act("publish")).json.data.status).toBe("published");
  });

  it("refuse a status in a patch, and deletion while they are in use", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    expect((await shop.patch(`/drafts/${id}`, { status: "published" })).status).toBe(422);
    await shop.must("POST", `/drafts/${id}/publish`);
    const refused = await shop.call("DELETE", `/drafts/${id}`);
    expect([refused.status, codeOf(refused)]).toEqual([409, "not_deletable"]);
    expect(codeOf(await shop.post(`/drafts/${id}/discard`))).toBe("nothing_staged");
  });
});

describe("schedule", () => {
  it("publishes when it is due, at the instant that was asked for, and says how late", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    const now = shop.harness.clock.now();
    const at = new Date(now + 10 * MINUTE).toISOString();
    expect((await shop.post(`/drafts/${id}/schedule`, { at: new Date(now).toISOString() })).status).toBe(422);
    await shop.must("POST", `/drafts/${id}/schedule`, { at });
    expect(await shop.run(publishDue)).toEqual({ published: 0, failed: 0 });
    shop.harness.clock.advance(12 * MINUTE);
    expect(await shop.run(publishDue)).toEqual({ published: 1, failed: 0 });
    const draft = await shop.must("GET", `/drafts/${id}`);
    expect(draft).toMatchObject({
      status: "published",
      published_at: at,
      late_seconds: 120,
      scheduled_at: null,
    });
    expect(await shop.run(publishDue)).toEqual({ published: 0, failed: 0 });
    expect((await shop.must("GET", "/posts"))[0].published_at).toBe(at);
  });

  it("holds an edit of a scheduled draft to the gate", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    const at = new Date(shop.harness.clock.now() + MINUTE).toISOString();
    await shop.must("POST", `/drafts/${id}/schedule`, { at });
    const refused = await shop.patch(`/drafts/${id}`, { body: " " });
    expect([refused.status, codeOf(refused)]).toEqual([422, "publish_gate"]);
    expect((await shop.must("PATCH", `/drafts/${id}`, { body: "More." })).status).toBe("scheduled");
  });
});

describe("published drafts", () => {
  it("are edited beside the live text, and a new slug leaves a 301 record", async () => {
    const shop = await another({ site_url: "https://crumb.example" });
    const { id } = await shop.must("POST", "/drafts", text);
    const live = await shop.must("POST", `/drafts/${id}/publish`);
    expect(live.published_url).toBe("https://crumb.example/blog/sourdough-at-home");
    const staged = await shop.must("PATCH", `/drafts/${id}`, {
      title: "Sourdough",
      slug: "sourdough",
      stage: true,
    });
    expect(staged).toMatchObject({ title: "Sourdough at home", revision: 1, pending_revision: 2 });
    expect((await shop.must("GET", "/posts/sourdough-at-home")).title).toBe("Sourdough at home");
    expect((await shop.get("/posts/sourdough")).status).toBe(404);
    const direct = await shop.patch(`/drafts/${id}`, { title: "Bread" });
    expect(codeOf(direct)).toBe("pending_revision");
    const next = await shop.must("POST", `/drafts/${id}/publish`);
    expect(next).toMatchObject({
      title: "Sourdough",
      revision: 2,
      pending_revision: null,
      published_at: live.published_at,
    });
    const moved = await shop.must("GET", "/posts/sourdough-at-home");
    expect(moved).toMatchObject({ slug: "sourdough", moved_from: "sourdough-at-home" });
    await shop.must("PATCH", `/drafts/${id}`, { slug: "bread" });
    const redirects = await shop.must("GET", "/redirects");
    expect(redirects.map(({ slug, to }: { slug: string; to: string }) => `${slug}>${to}`).sort()).toEqual([
      "sourdough-at-home>bread",
      "sourdough>bread",
    ]);
    // Nobody else gets a slug that leads somewhere; the post itself may come back.
    expect(codeOf(await shop.post("/drafts", { ...text, slug: "sourdough" }))).toBe("slug_taken");
    await shop.must("PATCH", `/drafts/${id}`, { slug: "sourdough" });
    expect((await shop.must("GET", "/posts/bread")).moved_from).toBe("bread");
  });

  it("are found where they have been, when they move while they are down or come back", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", { ...text, slug: "one" });
    await shop.must("POST", `/drafts/${id}/publish`);
    await shop.must("PATCH", `/drafts/${id}`, { slug: "two" });
    await shop.must("POST", `/drafts/${id}/unpublish`);
    await shop.must("PATCH", `/drafts/${id}`, { slug: "three" });
    expect((await shop.get("/posts/one")).status).toBe(404);
    await shop.must("POST", `/drafts/${id}/publish`);
    for (const slug of ["one", "two"]) expect((await shop.must("GET", `/posts/${slug}`)).slug).toBe("three");
    // Staging a slug that it has left changes nothing yet, and discarding it nothing at all.
    await shop.must("PATCH", `/drafts/${id}`, { slug: "one", stage: true });
    expect((await shop.must("GET", "/posts/one")).moved_from).toBe("one");
    await shop.must("POST", `/drafts/${id}/discard`);
    expect((await shop.must("GET", "/posts/one")).moved_from).toBe("one");
    await shop.must("PATCH", `/drafts/${id}`, { slug: "one", stage: true });
    await shop.must("POST", `/drafts/${id}/publish`);
    expect((await shop.must("GET", "/posts/one")).moved_from).toBeNull();
    expect((await shop.must("GET", "/posts/three")).slug).toBe("one");
  });

  it("show at once what is no part of their text: that AI took part, and their kind", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    await shop.must("POST", `/drafts/${id}/publish`);
    await shop.must("PATCH", `/drafts/${id}`, { ai_disclosed: true, kind: "page" });
    const post = await shop.must("GET", "/posts/sourdough-at-home");
    expect(post).toMatchObject({ ai_disclosed: true, kind: "page", title: text.title });
    expect(await shop.must("GET", "/posts?kind=post")).toEqual([]);
    await shop.must("PATCH", `/drafts/${id}`, { title: "Sourdough", ai_disclosed: false, stage: true });
    expect((await shop.must("GET", "/posts/sourdough-at-home")).ai_disclosed).toBe(true);
    await shop.must("POST", `/drafts/${id}/publish`);
    expect((await shop.must("GET", "/posts/sourdough-at-home")).ai_disclosed).toBe(false);
  });

  it("list no redirect from a slug to itself where only the language changed", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", { ...text, locale: "en" });
    await shop.must("POST", `/drafts/${id}/publish`);
    await shop.must("PATCH", `/drafts/${id}`, { locale: "en-GB" });
    expect(await shop.must("GET", "/redirects")).toEqual([]);
    await shop.must("PATCH", `/drafts/${id}`, { slug: "bread" });
    const redirects = await shop.must("GET", "/redirects");
    const moves = redirects.map(({ slug, to }: { slug: string; to: string }) => `${slug}>${to}`);
    expect(moves).toEqual(["sourdough-at-home>bread", "sourdough-at-home>bread"]);
  });

  it("need content:manage for a live edit", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    await shop.must("POST", `/drafts/${id}/publish`);
    const scopes = ["content:read", "content:write"];
    const { customerId, storeId } = shop.key;
    const key = await shop.harness.key({ customer_id: customerId, store_id: storeId, scopes });
    const writer = blogOf(shop.harness, key);
    expect((await writer.patch(`/drafts/${id}`, { title: "x" })).status).toBe(403);
    expect((await writer.patch(`/drafts/${id}`, { ai_disclosed: true })).status).toBe(403);
    expect((await writer.patch(`/drafts/${id}`, { planned_for: "2026-07-01" })).status).toBe(200);
    expect((await writer.post(`/drafts/${id}/unpublish`)).status).toBe(403);
    expect((await writer.must("PATCH", `/drafts/${id}`, { title: "x", stage: true })).pending_revision).toBe(
      2,
    );
    expect((await shop.must("POST", `/drafts/${id}/discard`)).pending_revision).toBeNull();
    // The number is not given out twice.
    expect((await writer.must("PATCH", `/drafts/${id}`, { title: "y", stage: true })).pending_revision).toBe(
      3,
    );
    const down = await shop.must("POST", `/drafts/${id}/unpublish`);
    expect(down).toMatchObject({
      status: "draft",
      title: "y",
      revision: 3,
      pending_revision: null,
      published_at: null,
    });
    expect(await shop.must("GET", "/posts")).toEqual([]);
  });
});

describe("revisions", () => {
  it("are kept, compared and restored", async () => {
    const shop = await another();
    const { id } = await shop.must("POST", "/drafts", text);
    await shop.must("PATCH", `/drafts/${id}`, {
      body: "Feed your starter weekly.\n\nKeep it warm.",
      title: "Sourdough",
    });
    const list = await shop.must("GET", `/drafts/${id}/revisions`);
    expect(list.map(({ number }: { number: number }) => number)).toEqual([2, 1]);
    const diff = await shop.must("GET", `/drafts/${id}/revisions/2/diff`);
    expect(diff).toMatchObject({ from: 1, to: 2, unit: "words", inserted: 1, deleted: 1 });
    expect(diff.members.map(({ name }: { name: string }) => name)).toEqual(["title"]);
    const restored = await shop.must("POST", `/drafts/${id}/revisions/1/restore`);
    expect(restored).toMatchObject({ title: text.title, revision: 3 });
    const [third, , first] = await shop.must("GET", `/drafts/${id}/revisions`);
    expect(third.hash).toBe(first.hash);
    expect((await shop.get(`/drafts/${id}/revisions/9`)).status).toBe(404);
  });
});
