import { afterAll, beforeAll, expect, it } from "vitest";

import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog();
});
afterAll(() => blog.harness.close());

const draftOf = (title: string, phrase: string) => ({
  title,
  body: `${title} is baked every morning. See [the shop](/shop) and [a gap](/blog/nowhere).`,
  seo: { focus_keyphrase: phrase },
});

it("scores a revision once, with its checks, and not the next one", async () => {
  const shop = blogOf(blog.harness, await blog.harness.key());
  await shop.must("PATCH", "/settings", { site_url: "https://crumb.example" });
  const { id } = await shop.must("POST", "/drafts", draftOf("Rye bread", "rye bread"));
  const score = await shop.must("POST", `/drafts/${id}/scores`);
  expect(score.checks).toHaveLength(28);
  expect(score).toMatchObject({ revision: 1, score_version: 2, text_model: 1 });
  expect(score.checks.find((check: { id: string }) => check.id === "l3")).toMatchObject({
    status: "bad",
    value: 1,
    weight: 3,
  });
  // What happens around a text does not change what it scored.
  await shop.must("POST", "/drafts", draftOf("Bread of rye", "breads of rye"));
  expect(await shop.must("POST", `/drafts/${id}/scores`)).toEqual(score);
  expect((await shop.must("GET", `/drafts/${id}`)).scores).toMatchObject({
    id: score.id,
    seo: score.seo,
    revision: 1,
  });
  // What answeros makes of it: it says what it is (B4), briefly (B5), as of now (D1): 18 of the 59 points of a text.
  expect(score.aeo).toBe(31);
  expect((await shop.must("GET", `/drafts/${id}`)).scores.aeo).toBe(31);
  const edited = await shop.must("PATCH", `/drafts/${id}`, { body: "Shorter." });
  expect(edited.scores).toBeNull();
  const second = await shop.must("POST", `/drafts/${id}/scores`);
  expect(second.id).not.toBe(score.id);
  expect(second.checks.find((check: { id: string }) => check.id === "k8")).toMatchObject({
    status: "ok",
    value: 1,
  });
  expect((await shop.must("GET", `/drafts/${id}/scores`)).map((one: { id: string }) => one.id)).toContain(
    score.id,
  );
});

it("lists drafts by their scores, the lowest first", async () => {
  const shop = blogOf(blog.harness, await blog.harness.key());
  const scored = async (title: string, phrase: string): Promise<{ id: string; seo: number }> => {
    // A text of a category may be short.
    const { id } = await shop.must("POST", "/drafts", { ...draftOf(title, phrase), kind: "category_copy" });
    return { id, seo: (await shop.must("POST", `/drafts/${id}/scores`)).seo };
  };
  const good = await scored("Rye bread", "rye bread");
  const bad = await scored("Oat cake", "wedding cake");
  await shop.must("POST", "/drafts", { title: "Nobody has looked at it" });
  expect(bad.seo).toBeLessThan(good.seo);
  const ids = async (query: string): Promise<string[]> =>
    (await shop.must("GET", `/drafts?${query}`)).map(({ id }: { id: string }) => id);
  expect(await ids("sort=score")).toEqual([bad.id, good.id]);
  expect(await ids(`min_score=${good.seo}`)).toEqual([good.id]);
  expect(await ids(`sort=score&min_score=${good.seo + 1}`)).toEqual([]);
  for (const query of ["sort=score&tag=a", "min_score=3&status=draft", "min_score=3&sort=created_at"]) {
    expect([query, (await shop.get(`/drafts?${query}`)).status]).toEqual([query, 422]);
  }
});

it("keeps below the gate's score from the site", async () => {
  const shop = blogOf(blog.harness, await blog.harness.key());
  await shop.must("PATCH", "/settings", {
    gate: { min_seo: 99, min_readability: null, required_checks: ["k1"] },
  });
  const { id } = await shop.must("POST", "/drafts", draftOf("Rye bread", "oat cake"));
  const refused = await shop.post(`/drafts/${id}/publish`);
  expect(refused.json.error.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "#/scores/seo",
    "#/scores/checks/k1",
  ]);
  await shop.must("PATCH", "/settings", { gate: { min_seo: 1, min_readability: null, required_checks: [] } });
  const live = await shop.must("POST", `/drafts/${id}/publish`);
  expect(live.scores.revision).toBe(1);
});

it("judges a text without storing it, the same each time", async () => {
  const body = {
    title: "Sourdough bread delivery in London | Crumb",
    body: "Our sourdough is baked every morning. We use only flour, water and salt. Order before noon for same day delivery.",
  };
  const first = await blog.must("POST", "/analyses", body);
  expect(await blog.must("POST", "/analyses", body)).toEqual(first);
  expect(first.counts).toMatchObject({ words: 20, sentences: 3 });
  // A3
  expect(first.formulas.flesch_reading_ease).toBeCloseTo(73.17, 2);
  expect(first.checks.find((check: { id: string }) => check.id === "m1")).toMatchObject({
    status: "good",
    value: 400.4,
  });
  expect(first.checks.find((check: { id: string }) => check.id === "l3").status).toBe("na");
  const rewritten = { ...body, body: `Sourdough bread delivery in London costs £4. ${body.body}` };
  expect((await blog.must("POST", "/analyses", rewritten)).aeo).toBeGreaterThan(first.aeo);
  const hidden = { ...rewritten, seo: { robots: { noindex: true } } };
  expect((await blog.must("POST", "/analyses", hidden)).aeo).toBe(20);
  expect(first.input_hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await blog.post("/analyses", { ...body, body: "x".repeat(150_001) })).status).toBe(422);
});
