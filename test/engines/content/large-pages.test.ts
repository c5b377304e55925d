import { afterAll, beforeAll, expect, it } from "vitest";

import { importArticles } from "../../../server/engines/content/jobs/import-articles.ts";
import { inspectArticles } from "../../../server/engines/content/jobs/inspect-articles.ts";
import type { Ports } from "../../../server/core/ports.ts";
import { createBlog } from "./blog.ts";
import type { Blog } from "./blog.ts";

// Pages and sitemaps of other servers, which can say what no document of ours holds.

const LONG = `https://crumb.example/${"a".repeat(300_000)}`;
const site = new Map<string, { readonly type: string; readonly body: string }>();
const asked: string[] = [];
const fetch: Ports["fetch"] = ({ url }) => {
  asked.push(url);
  const { body = "", type = "text/plain" } = site.get(url) ?? {};
  return Promise.resolve({
    status: site.has(url) ? 200 : 404,
    headers: { "content-type": type },
    body: new Uint8Array(Buffer.from(body)),
    isCut: false,
    location: null,
    text: () => body,
  });
};

let blog: Blog;
beforeAll(async () => {
  blog = await createBlog({ fetch });
});
afterAll(() => blog.harness.close());

const page = (head: string) => ({
  type: "text/html",
  body: `<!doctype html><html lang="en-GB"><head><title>Rye</title>${head}</head><body><p>Rye bread keeps for a week.</p></body></html>`,
});

it.each([
  ["a canonical URL", `<link rel="canonical" href="${LONG}">`],
  ["a language", `<link rel="alternate" hreflang="${LONG}" href="/">`],
])("a page with %s of 300 KB is checked once, and those after it as well", async (what, head) => {
  const checks: string[] = [];
  for (const [name, more] of [
    ["first", head],
    ["second", ""],
  ] as const) {
    const url = `https://crumb.example/${what.length}/${name}`;
    site.set(url, page(more));
    const { id } = await blog.must("POST", "/articles", { url });
    checks.push(`/articles/${id}/checks/${(await blog.must("POST", `/articles/${id}/checks`)).id}`);
    blog.harness.clock.advance(1_000);
  }
  expect(await blog.run(inspectArticles)).toEqual({ done: 2 });
  const [first, second] = [await blog.must("GET", checks[0] ?? ""), await blog.must("GET", checks[1] ?? "")];
  expect([first.status, first.error.code, second.status]).toEqual(["failed", "page_too_large", "done"]);
});

it("a sitemap that leads to an address of 300 KB ends its import, and the next one is read", async () => {
  const indexUrl = "https://crumb.example/sitemap-index.xml";
  const type = "application/xml";
  site.set(indexUrl, {
    type,
    body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${LONG}</loc></sitemap></sitemapindex>`,
  });
  const plainUrl = "https://crumb.example/sitemap.xml";
  site.set(plainUrl, {
    type,
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://crumb.example/a</loc></url></urlset>`,
  });
  const first = await blog.must("POST", "/articles/imports", { sitemap_url: indexUrl });
  blog.harness.clock.advance(1_000);
  const second = await blog.must("POST", "/articles/imports", { sitemap_url: plainUrl });
  await blog.run(importArticles);
  const read = async (id: string) => (await blog.must("GET", `/articles/imports/${id}`)).status;
  expect([await read(first.id), await read(second.id)]).toEqual(["failed", "done"]);
});
