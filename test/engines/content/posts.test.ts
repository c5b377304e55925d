import { load } from "cheerio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeFeed } from "../../../server/engines/content/formats/feeds.ts";
import { samplePost as POST } from "./samples.ts";
import type { Blog } from "./blog.ts";
import { createBlog } from "./blog.ts";

/** Members of the schema of JSON Feed 1.1 that are not deprecated. */
const JSON_FEED =
  "version title home_page_url feed_url description user_comment next_url icon favicon authors language expired hubs items".split(
    " ",
  );
const JSON_ITEM =
  "id url external_url title content_html content_text summary image banner_image date_published date_modified authors tags language attachments".split(
    " ",
  );
const BAD = 'Bread & <b>butter</b> \u0007<script>alert(1)</script>\n\n<a href="javascript:alert(1)">x</a>';
let blog: Blog;
let pub: string;
const ids: string[] = [];

beforeAll(async () => {
  blog = await createBlog();
  await blog.must("PATCH", "/settings", {
    site_url: "https://crumb.example",
    title: "Crumb & Co",
    description: "Bread",
  });
  for (const [at, title] of ["First <loaf> & more", "Second", "Hidden"].entries()) {
    blog.harness.clock.advance(60_000);
    const draft = await blog.must("POST", "/drafts", {
      title,
      body: BAD,
      tags: ["bread", "R&B"],
      author: { id: "ada@crumb.example", name: "Ada <Baker>" },
      seo: title === "Hidden" ? { robots: { noindex: true } } : {},
      metadata: { secret: "internal" },
    });
    await blog.must("POST", `/drafts/${draft.id}/publish`);
    ids[at] = draft.id;
  }
  await blog.must("POST", "/drafts", { title: "Never published", body: "x" });
  const { customerId, storeId } = blog.key;
  const key = await blog.harness.key({
    customer_id: customerId,
    store_id: storeId,
    kind: "publishable",
    scopes: ["content:public"],
  });
  pub = key.plaintext;
});
afterAll(() => blog.harness.close());

const read = (path: string, headers: Record<string, string> = {}) =>
  blog.harness.call("GET", `/v1/content${path}`, { key: pub, headers });

it("shows a publishable key what is published, sanitised and without what is nobody's business", async () => {
  const list = await read("/posts");
  expect(list.json.data.map(({ title }: { title: string }) => title)).toEqual([
    "Hidden",
    "Second",
    "First <loaf> & more",
  ]);
  expect(list.text).not.toContain("ada@crumb.example");
  expect(list.text).not.toContain("internal");
  const post = await read("/posts/second");
  expect(post.json.data.html).toContain("<b>butter</b>");
  expect(post.json.data.html).not.toMatch(/script/);
  expect(post.json.data.url).toBe("https://crumb.example/blog/second");
  expect((await read("/posts/never-published")).status).toBe(404);
  expect((await read("/drafts")).status).toBe(403);
  expect((await read("/posts?tag=bread")).json.data).toHaveLength(3);
  expect((await read("/posts?tag=rye")).json.data).toHaveLength(0);
  expect((await read("/posts?tag=bread&kind=post")).status).toBe(422);
});

it("serves RSS that a parser reads back", async () => {
  const answer = await read("/feeds/rss");
  expect(answer.headers.get("content-type")).toMatch(/^application\/rss\+xml/);
  const $ = load(answer.text, { xml: true });
  expect($("rss").attr("version")).toBe("2.0");
  expect($("channel > title").text()).toBe("Crumb & Co");
  const items = $("item").toArray();
  expect(items).toHaveLength(3);
  expect($(items[2]).find("title").text()).toBe("First <loaf> & more");
  expect($(items[2]).find("guid").text()).toBe(`urn:content:${ids[0]}`);
  expect($(items[2]).find("link").text()).toBe("https://crumb.example/blog/first-loaf-and-more");
  expect($(items[2]).find("content\\:encoded").text()).toContain("<b>butter</b>");
  expect(Number.isNaN(Date.parse($(items[0]).find("pubDate").text()))).toBe(false);
  // oxlint-disable-next-line no-control-regex
  expect(answer.text).not.toMatch(/[\u0000-\u0008]/);
  const again = await read("/feeds/rss", { "if-none-match": answer.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
});

it("serves Atom and JSON Feed with the same posts", async () => {
  const $ = load((await read("/feeds/atom")).text, { xml: true });
  expect($("feed").attr("xmlns")).toBe("http://www.w3.org/2005/Atom");
  expect($("feed > updated").text()).toMatch(/^\d{4}-\d\d-\d\dT/);
  // Titles and summaries are of the type html: what an author wrote is shown by them, not run.
  const shown = $("entry > title, entry > summary")
    .toArray()
    .map((node) => $(node).text());
  expect(shown.filter((text) => text.includes("<"))).toEqual([]);
  expect(shown.some((text) => text.includes("First &lt;loaf&gt; &amp; more"))).toBe(true);
  expect($("entry > id").first().text()).toBe(`urn:content:${ids[2]}`);
  expect($("entry").first().find("author > name").text()).toBe("Ada <Baker>");
  const feed = JSON.parse((await read("/feeds/json")).text);
  expect(feed.version).toMatch(/^https:\/\/jsonfeed\.org\/version\/1/);
  expect(feed.items.map(({ id }: { id: string }) => id)).toEqual(
    ids.toReversed().map((id) => `urn:content:${id}`),
  );
});

it("lists in the sitemap what may be indexed", async () => {
  const answer = await read("/sitemap");
  const $ = load(answer.text, { xml: true });
  expect($("urlset").attr("xmlns")).toBe("http://www.sitemaps.org/schemas/sitemap/0.9");
  expect(
    $("loc")
      .toArray()
      .map((node) => $(node).text()),
  ).toEqual(["https://crumb.example/blog/second", "https://crumb.example/blog/first-loaf-and-more"]);
});

describe("without a key", () => {
  const open = (name: string, headers: Record<string, string> = {}) =>
    blog.harness.call("GET", `/api/public/stores/${blog.key.storeId.toLowerCase()}/content/${name}`, {
      headers,
    });

  it.each(["rss", "atom", "json"])(
    "serves %s with headers for caches; its own address is this one",
    async (format) => {
      const answer = await open(format);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
      const self = `/api/public/stores/${blog.key.storeId.toLowerCase()}/content/${format}`;
      expect(answer.text).toContain(self);
      expect((await read(`/feeds/${format}`)).text).toBe(answer.text);
      const etag = answer.headers.get("etag") ?? "";
      const changed = answer.headers.get("last-modified") ?? "";
      expect((await open(format, { "if-none-match": etag })).status).toBe(304);
      expect((await open(format, { "if-modified-since": changed })).status).toBe(304);
      expect((await open(format, { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).status).toBe(200);
      expect((await open(format, { "if-modified-since": changed, "if-none-match": '"x"' })).status).toBe(200);
    },
  );

  it("serves the sitemap, and nothing of a store without posts", async () => {
    expect((await open("sitemap.xml")).headers.get("content-type")).toMatch(/^application\/xml/);
    const other = await blog.harness.key();
    for (const store of [other.storeId.toLowerCase(), "sto_01jd8z5t9qk3m4n5p6r7s8t9v0"]) {
      expect((await blog.harness.call("GET", `/api/public/stores/${store}/content/rss`)).status).toBe(404);
    }
    expect((await blog.harness.call("GET", "/api/public/stores/platform/content/rss")).status).toBe(422);
  });

  it("names authors by dc:creator and images by their media types", async () => {
    const $ = load((await open("rss")).text, { xml: true });
    expect($("item").first().find("dc\\:creator").text()).toBe("Ada <Baker>");
    expect($("item > author").length).toBe(0);
    const entry = {
      post: {
        ...POST,
        cover: { url: "https://crumb.example/a.jpg?w=1", alt: "", width: null, height: null },
      },
      html: "",
    };
    const settings = { ...(await blog.must("GET", "/settings")), site_url: "https://crumb.example" };
    const about = { settings, feedUrl: "https://x.example/feed", updatedAt: 0 };
    const rss = load(await writeFeed("rss", about, [entry]), { xml: true });
    expect(rss("enclosure").attr()).toEqual({
      url: "https://crumb.example/a.jpg?w=1",
      type: "image/jpeg",
      length: "0",
    });
    const atom = load(await writeFeed("atom", about, [entry]), { xml: true });
    expect(atom("link[rel=enclosure]").attr("type")).toBe("image/jpeg");
    const odd = {
      ...entry,
      post: { ...POST, cover: { url: "https://crumb.example/a?id=7", alt: "", width: null, height: null } },
    };
    expect(load(await writeFeed("rss", about, [odd]), { xml: true })("enclosure")).toHaveLength(0);
  });

  it("has no text that ends its CDATA section", async () => {
    const text = "a ]]> b ]]></title><item><title>c";
    const entry = { post: { ...POST, title: text, excerpt: text }, html: "<p>d ]]> e ]]></p><item>f</item>" };
    const settings = { ...(await blog.must("GET", "/settings")), site_url: "https://crumb.example" };
    const about = { settings, feedUrl: "https://x.example/feed", updatedAt: 0 };
    const rss = load(await writeFeed("rss", about, [entry]), { xml: true });
    expect(rss("item")).toHaveLength(1);
    expect(rss("item > title").text()).toBe("a ]]&gt; b ]]&gt;</title><item><title>c");
    expect(rss("item > content\\:encoded").text()).toBe("<p>d ]]&gt; e ]]&gt;</p><item>f</item>");
    const atom = load(await writeFeed("atom", about, [entry]), { xml: true });
    expect(atom("entry > content").text()).toBe("<p>d ]]&gt; e ]]&gt;</p><item>f</item>");
    expect(JSON.parse(await writeFeed("json", about, [entry])).items[0].title).toBe(text);
  });

  it("links a post without a page to nothing where no site is known, never to the feed", async () => {
    const feedUrl = "https://x.example/feed";
    const entry = { post: { ...POST, url: null }, html: "<p>Rye.</p>" };
    const settings = await blog.must("GET", "/settings");
    const write = (format: "rss" | "atom" | "json", site_url: string | null) =>
      writeFeed(format, { settings: { ...settings, site_url }, feedUrl, updatedAt: 0 }, [entry]);
    expect(load(await write("rss", null), { xml: true })("item > link")).toHaveLength(0);
    const $ = load(await write("atom", null), { xml: true });
    expect($("entry > link")).toHaveLength(0);
    // An entry without a link must have its content (RFC 4287 §4.1.1).
    expect($("entry > content").text()).toBe("<p>Rye.</p>");
    const feed = JSON.parse(await write("json", null));
    expect(feed.items[0]).not.toHaveProperty("url");
    expect(feed).not.toHaveProperty("home_page_url");
    const site = "https://crumb.example/";
    expect(load(await write("rss", site), { xml: true })("item > link").text()).toBe(site);
    expect(load(await write("atom", site), { xml: true })("entry > link").attr("href")).toBe(site);
    expect(JSON.parse(await write("json", site)).items[0].url).toBe(site);
  });

  it("follows the site of the store when it moves, and redirects from where posts were", async () => {
    const moved = (url: string) => open(`moved?url=${encodeURIComponent(url)}`);
    const wayOf = async (url: string) => {
      const answer = await moved(url);
      return [answer.status, answer.headers.get("location")];
    };
    await blog.must("PATCH", "/settings", { site_url: "https://new.example" });
    await blog.must("PATCH", "/settings", { post_path: "/news/{slug}/" });
    expect((await read("/posts/second")).json.data.url).toBe("https://new.example/news/second/");
    expect((await open("rss")).text).toContain("https://new.example/news/second/");
    expect((await open("sitemap.xml")).text).not.toContain("crumb.example");
    const now = [301, "https://new.example/news/second/"];
    expect(await wayOf("https://crumb.example/blog/second")).toEqual(now);
    expect(await wayOf("https://new.example/blog/second?utm_source=x")).toEqual(now);
    await blog.must("PATCH", `/drafts/${ids[1]}`, { slug: "the-second" });
    expect(await wayOf("https://crumb.example/blog/second")).toEqual([
      301,
      "https://new.example/news/the-second/",
    ]);
    expect(await wayOf("https://new.example/news/second/")).toEqual([
      301,
      "https://new.example/news/the-second/",
    ]);
    for (const url of [
      "https://new.example/news/the-second/",
      "https://crumb.example/blog/never-published",
      "https://evil.example/blog/second",
      "https://crumb.example/news/second/",
    ])
      expect([url, await wayOf(url)]).toEqual([url, [404, null]]);
    const sites = await blog.must("GET", "/sites");
    expect(
      sites
        .map(({ current, post_path, site_url }: Record<string, unknown>) => [site_url, post_path, current])
        .sort(),
    ).toEqual([
      ["https://crumb.example", "/blog/{slug}", false],
      ["https://new.example", "/blog/{slug}", false],
      ["https://new.example", "/news/{slug}/", true],
    ]);
    await blog.must("PATCH", "/settings", { site_url: "https://crumb.example", post_path: "/blog/{slug}" });
    expect(await wayOf("https://new.example/news/second/")).toEqual([
      301,
      "https://crumb.example/blog/the-second",
    ]);
  });

  it("links feeds to the store's own address where it serves them itself", async () => {
    await blog.must("PATCH", "/settings", { feeds_url: "https://crumb.example/feeds/" });
    for (const format of ["rss", "atom", "json"]) {
      const { text } = await open(format);
      expect(text).toContain(`"https://crumb.example/feeds/${format}"`);
      expect(text).not.toContain("/api/public/");
    }
    await blog.must("PATCH", "/settings", { feeds_url: null });
  });

  it("keeps the rules of the W3C feed validator for Atom, and of the schema of JSON Feed 1.1", async () => {
    const anonymous = { post: { ...POST, author: null, excerpt: "" }, html: "" };
    const settings = {
      ...(await blog.must("GET", "/settings")),
      site_url: "https://crumb.example",
      description: "",
    };
    const about = { settings, feedUrl: "https://x.example/feed", updatedAt: 0 };
    const $ = load(await writeFeed("atom", about, [anonymous]), { xml: true });
    // An entry without author is valid where the feed has one; ids are in canonical form; texts have a language.
    expect($("feed > author > name").text()).toBe("Crumb & Co");
    expect($("feed > id").text()).toBe("https://crumb.example/");
    expect($("feed").attr("xml:lang")).toBe("en-GB");
    for (const text of [(await open("json")).text, await writeFeed("json", about, [anonymous])]) {
      const feed = JSON.parse(text);
      expect(feed).toMatchObject({ version: "https://jsonfeed.org/version/1.1", language: "en-GB" });
      expect(Object.keys(feed).filter((key) => !JSON_FEED.includes(key))).toEqual([]);
      for (const item of feed.items) {
        expect(Object.keys(item).filter((key) => !JSON_ITEM.includes(key))).toEqual([]);
        expect([typeof item.id, typeof item.content_html, typeof item.url]).toEqual([
          "string",
          "string",
          "string",
        ]);
        expect(item.date_published).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
        for (const author of item.authors ?? []) expect(author.name).toBeTypeOf("string");
      }
    }
  });
});

it("tells a feed of nothing as well", async () => {
  const other = await blog.harness.key();
  const answer = await blog.harness.call("GET", "/v1/content/feeds/atom", { key: other });
  expect(load(answer.text, { xml: true })("entry")).toHaveLength(0);
});

it("is new to caches that know a date alone when a post leaves it", async () => {
  const { id } = await blog.must("POST", "/drafts", { title: "Taken down", body: "x" });
  await blog.must("POST", `/drafts/${id}/publish`);
  blog.harness.clock.advance(60_000);
  const last = await blog.must("POST", "/drafts", { title: "The last one", body: "x" });
  await blog.must("POST", `/drafts/${last.id}/publish`);
  for (const take of [
    () => blog.must("POST", `/drafts/${id}/unpublish`),
    () => blog.must("POST", `/drafts/${last.id}/unpublish`),
  ]) {
    blog.harness.clock.advance(60_000);
    const paths = ["/feeds/rss", "/sitemap"];
    const since = await Promise.all(
      paths.map(async (path) => (await read(path)).headers.get("last-modified") ?? ""),
    );
    await take();
    for (const [index, path] of paths.entries())
      expect((await read(path, { "if-modified-since": since[index] ?? "" })).status).toBe(200);
  }
});

it("redirects an earlier URL, and no other way of writing the current one", async () => {
  await blog.must("PATCH", "/settings", { post_path: "/essays/{slug}" });
  const moved = (url: string) =>
    blog.harness.call(
      "GET",
      `/api/public/stores/${blog.key.storeId.toLowerCase()}/content/moved?url=${encodeURIComponent(url)}`,
    );
  const old = await moved("https://crumb.example/blog/hidden/?from=mail");
  expect([old.status, old.headers.get("location")]).toEqual([301, "https://crumb.example/essays/hidden"]);
  for (const end of ["", "/", "?from=mail", "/#end"])
    expect((await moved(`https://crumb.example/essays/hidden${end}`)).status).toBe(404);
});
