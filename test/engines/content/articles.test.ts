import { afterAll, beforeAll, expect, it } from "vitest";

import { importArticles } from "../../../server/engines/content/jobs/import-articles.ts";
import { inspectArticles } from "../../../server/engines/content/jobs/inspect-articles.ts";
import { reviewArticles } from "../../../server/engines/content/jobs/review-articles.ts";
import { domainEvents, eventFilters } from "../../../server/core/events.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import { OutgoingError } from "../../../server/core/ports.ts";
import type { FetchedAnswer, Ports } from "../../../server/core/ports.ts";
import type { Blog } from "./blog.ts";
import { blogOf, createBlog } from "./blog.ts";

const page = (title: string, body = "<p>Rye bread keeps for a week. It is moist.</p>", head = "") =>
  `<!doctype html><html lang="en-GB"><head><title>${title}</title>${head}</head><body><main>${body}</main></body></html>`;

interface Site {
  status?: number;
  body?: string;
  location?: string;
  headers?: Record<string, string>;
}

/** What the other servers answer, by address; private ones are refused by the guard. */
const site = new Map<string, Site>();
const asked: string[] = [];
/** Requests that the budget of the customer has left. */
let left = Infinity;
/** A URL that fails in a way that no server causes. */
let faulty = "";
const fetch: Ports["fetch"] = ({ url }) => {
  if (left === 0) return Promise.reject(new OutgoingError("refused", "No budget.", { renewsAtMs: 0 }));
  left -= 1;
  asked.push(url);
  if (url === faulty) return Promise.reject(new Error("A fault of ours."));
  if (/127\.0\.0\.1|\[::1\]|10\.0\.0/.test(url)) {
    return Promise.reject(new OutgoingError("refused", `${url} is not a public address.`));
  }
  const found = site.get(url);
  if (found === undefined) return Promise.reject(new OutgoingError("unknown", "the request timed out"));
  const text = found.body ?? "";
  const answer: FetchedAnswer = {
    status: found.status ?? 200,
    headers: { "content-type": "text/html; charset=utf-8", ...found.headers },
    body: new Uint8Array(Buffer.from(text)),
    isCut: false,
    location: found.location ?? null,
    text: () => text,
  };
  return Promise.resolve(answer);
};

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog({ fetch });
});
afterAll(() => blog.harness.close());

const another = async (): Promise<Blog> => blogOf(blog.harness, await blog.harness.key());
const checked = async (shop: Blog, url: string, more: object = {}) => {
  const article = await shop.must("POST", "/articles", { url, ...more });
  const queued = await shop.must("POST", `/articles/${article.id}/checks`);
  expect((await shop.must("POST", `/articles/${article.id}/checks`)).id).toBe(queued.id);
  expect(await shop.run(inspectArticles)).toEqual({ done: 1 });
  return {
    article: await shop.must("GET", `/articles/${article.id}`),
    check: await shop.must("GET", `/articles/${article.id}/checks/${queued.id}`),
  };
};

it("tracks a page once, by its normalised address", async () => {
  const shop = await another();
  const made = await shop.must("POST", "/articles", { url: "https://Crumb.example/a?utm_source=x#y" });
  expect(made.url).toBe("https://crumb.example/a");
  const again = await shop.post("/articles", { url: "https://crumb.example/a" });
  expect([again.status, again.json.error.code]).toEqual([409, "already_tracked"]);
  expect((await shop.post("/articles", { url: "https://a:b@crumb.example/a" })).status).toBe(422);
  await shop.must("PATCH", `/articles/${made.id}`, { focus_keyphrase: "rye" });
  expect(await shop.must("GET", "/articles?keyphrase=Rye")).toHaveLength(1);
  expect(await shop.must("GET", "/articles?refresh=due")).toHaveLength(1);
  expect((await shop.get("/articles?refresh=due&status=active")).status).toBe(422);
  await shop.must("DELETE", `/articles/${made.id}`);
  expect(await shop.must("GET", "/articles")).toEqual([]);
});

it("fetches, judges and audits a page", async () => {
  const shop = await another();
  const url = "https://crumb.example/blog/rye-bread";
  site.set(url, {
    body: page(
      "Rye bread",
      '<h1>Rye</h1><p>Rye bread keeps. <a href="/shop">Our shop</a></p>',
      `<link rel="canonical" href="${url}">`,
    ),
  });
  site.set("https://crumb.example/robots.txt", {
    body: "User-agent: *\nAllow: /",
    headers: { "content-type": "text/plain" },
  });
  const { article, check } = await checked(shop, url, { focus_keyphrase: "rye bread" });
  expect(check).toMatchObject({
    status: "done",
    outcome: "active",
    error: null,
    hops: [{ url, status: 200 }],
  });
  expect(check.result.checks).toHaveLength(28);
  expect(check.result.audits.find(({ id }: { id: string }) => id === "meta-description").passed).toBe(false);
  expect(article).toMatchObject({
    status: "active",
    title: "Rye bread",
    links: { internal_out: 1, broken: 0 },
  });
  expect(article.last_check).toMatchObject({ http_status: 200, indexable: true, canonical: url });
  expect(article.score_history).toHaveLength(1);
  // A text that changed is said to have changed, and has its time again.
  blog.harness.clock.advance(3_600_000);
  site.set(url, { body: page("Rye bread", "<p>Other words.</p>", '<meta name="robots" content="noindex">') });
  await shop.must("POST", `/articles/${article.id}/checks`);
  await shop.run(inspectArticles);
  const [newest] = await shop.must("GET", `/articles/${article.id}/checks`);
  expect(newest.result.changed).toBe(true);
  const later = await shop.must("GET", `/articles/${article.id}`);
  expect(later.last_check.indexable).toBe(false);
  expect(later.refresh_due_at > article.refresh_due_at).toBe(true);
});

it("says of no text that it changed where the check before could not read it", async () => {
  const shop = await another();
  const url = "https://crumb.example/first-seen";
  const { article, check } = await checked(shop, url);
  expect([check.status, article.last_check.hash]).toEqual(["failed", null]);
  site.set(url, { body: page("First seen") });
  blog.harness.clock.advance(3_600_000);
  await shop.must("POST", `/articles/${article.id}/checks`);
  await shop.run(inspectArticles);
  const [newest] = await shop.must("GET", `/articles/${article.id}/checks`);
  expect([newest.status, newest.result.changed]).toEqual(["done", false]);
  expect((await shop.must("GET", `/articles/${article.id}`)).refresh_due_at).toBe(article.refresh_due_at);
});

it("leaves a page queued where the budget of outgoing requests is used up, also before its robots.txt", async () => {
  const shop = await another();
  const url = "https://crumb.example/patience";
  site.set(url, { body: page("Patience") });
  const { article } = await checked(shop, url);
  const queued = await shop.must("POST", `/articles/${article.id}/checks`);
  for (const requests of [0, 1]) {
    left = requests;
    expect(await shop.run(inspectArticles)).toEqual({ done: 0 });
  }
  left = Infinity;
  expect(await shop.must("GET", `/articles/${article.id}`)).toEqual(article);
  expect(await shop.run(inspectArticles)).toEqual({ done: 1 });
  const check = await shop.must("GET", `/articles/${article.id}/checks/${queued.id}`);
  expect(check).toMatchObject({ status: "done", outcome: "active" });
});

it("checks and imports the others where one always fails", async () => {
  const shop = await another();
  faulty = "https://crumb.example/faulty";
  site.set("https://crumb.example/fine", { body: page("Fine") });
  site.set("https://crumb.example/fine.xml", {
    body: "<urlset><url><loc>https://crumb.example/far</loc></url></urlset>",
  });
  const queue = async (url: string) => {
    const article = await shop.must("POST", "/articles", { url });
    await shop.must("POST", `/articles/${article.id}/checks`);
  };
  await queue(faulty);
  await queue("https://crumb.example/fine");
  expect(await shop.run(inspectArticles)).toEqual({ done: 1 });
  const imports = [faulty, "https://crumb.example/fine.xml"];
  for (const sitemap_url of imports) await shop.must("POST", "/articles/imports", { sitemap_url });
  await shop.run(importArticles);
  const states = await shop.must("GET", "/articles/imports");
  expect(states.map(({ status }: { status: string }) => status).toSorted()).toEqual(["done", "queued"]);
  faulty = "";
});

it("leaves an import queued where the budget of outgoing requests is used up, also before the second sitemap", async () => {
  const shop = await another();
  const index = "<sitemapindex><sitemap><loc>https://crumb.example/wait1.xml</loc></sitemap></sitemapindex>";
  site.set("https://crumb.example/wait.xml", { body: index });
  site.set("https://crumb.example/wait1.xml", {
    body: "<urlset><url><loc>https://crumb.example/waited</loc></url></urlset>",
  });
  const { id } = await shop.must("POST", "/articles/imports", {
    sitemap_url: "https://crumb.example/wait.xml",
  });
  for (const requests of [0, 1]) {
    left = requests;
    expect(await shop.run(importArticles)).toEqual({ steps: 0 });
  }
  left = Infinity;
  expect(await shop.must("GET", `/articles/imports/${id}`)).toMatchObject({ status: "queued", error: null });
  await shop.run(importArticles);
  const done = await shop.must("GET", `/articles/imports/${id}`);
  expect(done).toMatchObject({ status: "done", counts: { rows: 1, created: 1 } });
});

it("follows three redirects, each asked by itself, and says where a page is blocked, gone or silent", async () => {
  const shop = await another();
  const hop = (at: number) => `https://crumb.example/hop${at}`;
  for (let at = 0; at < 4; at += 1) site.set(hop(at), { status: 301, location: hop(at + 1) });
  site.set(hop(4), { body: page("There") });
  expect((await checked(shop, hop(1))).check).toMatchObject({ outcome: "redirected", status: "done" });
  const far = await checked(shop, hop(0));
  expect(far.check).toMatchObject({
    outcome: "error",
    status: "failed",
    error: { code: "too_many_redirects" },
  });
  site.set("https://crumb.example/in", { status: 302, location: "http://127.0.0.1:9200/" });
  expect((await checked(shop, "https://crumb.example/in")).check).toMatchObject({
    outcome: "blocked",
    error: { code: "refused" },
  });
  expect(asked.at(-1)).toBe("http://127.0.0.1:9200/");
  site.set("https://crumb.example/gone", { status: 410 });
  const gone = await checked(shop, "https://crumb.example/gone");
  expect(gone.article).toMatchObject({ status: "gone", last_check: { http_status: 410 } });
  expect((await checked(shop, "https://crumb.example/silent")).check.error.code).toBe("no_answer");
  site.set("https://crumb.example/file", { headers: { "content-type": "application/pdf" } });
  expect((await checked(shop, "https://crumb.example/file")).check.error.code).toBe("not_html");
  expect(await shop.must("GET", "/articles?status=gone")).toHaveLength(1);
});

it("imports CSV and sitemaps by a job, and refuses what is no address", async () => {
  const shop = await another();
  const rows = Array.from({ length: 25 }, (_, at) => `https://crumb.example/p${at},"phrase, ${at}"`);
  const csv = `URL,Keyword\n${rows.join("\n")}\nnot an address,\nhttps://crumb.example/p0,`;
  const queued = await shop.post("/articles/imports", { csv, check: true });
  expect(queued.status).toBe(202);
  await shop.run(importArticles);
  const done = await shop.must("GET", `/articles/imports/${queued.json.data.id}`);
  expect(done).toMatchObject({ status: "done", counts: { rows: 27, created: 25, known: 1, refused: 1 } });
  expect(done.errors[0].row).toBe(26);
  expect(await shop.must("GET", "/articles?keyphrase=phrase,%207")).toHaveLength(1);
  site.set("https://crumb.example/map.xml", {
    body: "<sitemapindex><sitemap><loc>https://crumb.example/m1.xml</loc></sitemap></sitemapindex>",
  });
  site.set("https://crumb.example/m1.xml", {
    body: "<urlset><url><loc>https://crumb.example/p0</loc></url><url><loc>https://crumb.example/new?a=1&amp;b=2</loc></url></urlset>",
  });
  const second = await shop.must("POST", "/articles/imports", {
    sitemap_url: "https://crumb.example/map.xml",
  });
  await shop.run(importArticles);
  expect(await shop.must("GET", `/articles/imports/${second.id}`)).toMatchObject({
    status: "done",
    counts: { rows: 2, created: 1, known: 1 },
  });
  const third = await shop.must("POST", "/articles/imports", { sitemap_url: "http://10.0.0.1/map.xml" });
  await shop.run(importArticles);
  const refused = await shop.must("GET", `/articles/imports/${third.id}`);
  expect(refused.status).toBe("failed");
  expect(refused.error).toContain("not a public address");
  expect(await shop.must("GET", "/articles/imports")).toHaveLength(3);
  expect((await shop.post("/articles/imports", { csv: "a,b\n1,2" })).status).toBe(422);
  expect((await shop.post("/articles/imports", {})).status).toBe(422);
});

it("takes the first URLs of a sitemap of more than a hundred thousand", async () => {
  const shop = await another();
  const listOf = (tag: string, count: number): string =>
    Array.from({ length: count }, (_, at) => `<${tag}><loc>a${at.toString(36)}</loc></${tag}>`).join("");
  site.set("https://crumb.example/long.xml", { body: `<urlset>${listOf("url", 130_000)}</urlset>` });
  const { id } = await shop.must("POST", "/articles/imports", {
    sitemap_url: "https://crumb.example/long.xml",
  });
  await shop.run(importArticles);
  const done = await shop.must("GET", `/articles/imports/${id}`);
  expect(done).toMatchObject({ status: "done", counts: { rows: 2_000, refused: 2_000 } });
  expect(done.errors[0].detail).toBe(
    "128000 further URLs exceed the limit of an import. Import them separately.",
  );
  const index = `<sitemapindex>${listOf("sitemap", 130_000)}</sitemapindex>`;
  site.set("https://crumb.example/long.xml", { body: index });
  const next = await shop.must("POST", "/articles/imports", {
    sitemap_url: "https://crumb.example/long.xml",
  });
  await shop.run(importArticles);
  expect((await shop.must("GET", `/articles/imports/${next.id}`)).status).toBe("failed");
}, 60_000);

it("finds decay in figures, says so once, and rivals for a keyphrase", async () => {
  const shop = await another();
  await shop.harness.services.runTx(shop.part, async (tx) =>
    tx.create(eventFilters, { id: "wanted", types: ["content.*"] }),
  );
  const article = await shop.must("POST", "/articles", {
    url: "https://crumb.example/old",
    focus_keyphrase: "rye bread",
  });
  const days = Array.from({ length: 70 }, (_, at) => ({
    date: addDays("2026-03-01", at),
    clicks: at < 35 ? 10 : 2,
    impressions: 100,
    position: 4,
  }));
  const first = await shop.must("POST", `/articles/${article.id}/metrics`, { days });
  expect(first.decay).toMatchObject({ pct: -80, best_weekly_clicks: 70 });
  expect(first.metrics).toMatchObject({ until: "2026-05-09", clicks: 56, impressions: 2_800, position: 4 });
  await shop.must("POST", `/articles/${article.id}/metrics`, { days: days.slice(-1) });
  const told = await shop.harness.services.runTx(shop.part, (tx) =>
    tx.peekAll(domainEvents, { index: "time" }),
  );
  expect(told.filter(({ value }) => value.type === "content.article.decayed")).toHaveLength(1);
  expect(await shop.must("GET", "/articles?decayed=true")).toHaveLength(1);
  expect((await shop.must("GET", `/articles/${article.id}/metrics`)).days).toHaveLength(70);
  expect(
    (
      await shop.post(`/articles/${article.id}/metrics`, {
        days: [{ date: "2027-01-01", clicks: 1, impressions: 1 }],
      })
    ).status,
  ).toBe(422);

  await shop.must("POST", "/articles", {
    url: "https://crumb.example/newer",
    focus_keyphrase: "breads of rye",
  });
  const draft = await shop.must("POST", "/drafts", {
    title: "Rye",
    body: "x",
    seo: { focus_keyphrase: "rye bread" },
  });
  const pairs = await shop.must("GET", "/cannibalisation");
  expect(pairs).toHaveLength(1);
  expect(pairs[0].members).toHaveLength(2);
  await shop.must("POST", `/drafts/${draft.id}/publish`);
  expect((await shop.must("GET", "/cannibalisation"))[0].members).toHaveLength(3);
  expect(await shop.run(reviewArticles)).toEqual({ articles: 2, changed: 2 });
  expect((await shop.must("GET", `/articles/${article.id}`)).cannibalises).toContain(draft.id);
  expect(await shop.run(reviewArticles)).toEqual({ articles: 2, changed: 0 });
});

it("shows plans, schedules and posts as three things, by local day", async () => {
  const shop = await another();
  await shop.must("PATCH", "/settings", { time_zone: "Asia/Tokyo" });
  const { id } = await shop.must("POST", "/drafts", { title: "Rye", body: "x", planned_for: "2026-06-20" });
  await shop.must("POST", `/drafts/${id}/schedule`, { at: "2026-06-20T15:30:00.000Z" });
  const other = await shop.must("POST", "/drafts", { title: "Oat", body: "x" });
  await shop.must("POST", `/drafts/${other.id}/publish`);
  const entries = await shop.must("GET", "/calendar?from=2026-06-01&to=2026-06-30");
  expect(entries.map(({ date, kind }: { date: string; kind: string }) => `${date} ${kind}`)).toEqual([
    "2026-06-01 published",
    "2026-06-20 planned",
    "2026-06-21 scheduled",
  ]);
  expect((await shop.get("/calendar?from=2026-06-02&to=2026-06-01")).status).toBe(422);
  expect((await shop.get("/calendar?from=2026-01-01&to=2026-06-01")).status).toBe(422);
  const page1 = await shop.get("/calendar?from=2026-06-01&to=2026-06-30&limit=1");
  const cursor = page1.json.meta.pagination.next_cursor;
  expect(
    (await shop.must("GET", `/calendar?from=2026-06-01&to=2026-06-30&limit=1&cursor=${cursor}`))[0].kind,
  ).toBe("planned");
});
