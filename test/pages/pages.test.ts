import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ERRORS } from "../../server/lib/errors.ts";
import { html } from "../../server/lib/html.ts";
import { ConfigSchema } from "../../server/config/schema.ts";
import { endpoints } from "../contract/world.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const get = (path: string): Promise<Answer> => harness.call("GET", path);
const browser = { accept: "text/html,application/xhtml+xml" };
const asForm = { ...browser, "content-type": "application/x-www-form-urlencoded" };
const send = (path: string, fields: Record<string, string> = {}): Promise<Answer> =>
  harness.call("POST", path, { headers: asForm, body: new URLSearchParams(fields).toString() });

const PAGES = [
  "/",
  "/signup",
  "/docs",
  "/docs/guides/webhooks",
  "/docs/engines/delivery",
  "/docs/events",
  "/docs/errors",
  "/docs/errors/conflict",
  "/docs/error-codes",
  "/_/inbox",
];

describe("pages", () => {
  it.each(PAGES)("200 without needing script, framing, keeping or telling: %s", async (path) => {
    const page = await get(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    // The documentation has two scripts, for copying code and for results while typing; nothing needs them.
    const scripts = [...page.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    const isDocs = path.startsWith("/docs") && !path.startsWith("/docs/errors");
    expect(scripts.length).toBe(isDocs ? 2 : 0);
    for (const tag of scripts)
      expect(tag).toMatch(/^<script type="module" src="\/docs\/assets\/(copy|search)\.js\?v=/);
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe(isDocs ? "'self'" : undefined);
    expect(page.text).not.toMatch(/javascript:| on[a-z]+=| style=/);
    expect(page.text).toMatch(/^<!doctype html>/);
  });

  it("names its own style in the policy", async () => {
    const page = await get("/");
    const style = /<style>([^<]*)<\/style>/.exec(page.text)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    expect(style.length).toBeGreaterThan(1000);
    expect(page.headers.get("content-security-policy")).toContain(`style-src 'sha256-${digest}'`);
  });

  it("leads only to pages that exist", async () => {
    for (const path of PAGES) {
      const links = Array.from(
        (await get(path)).text.matchAll(/(?:href|action|src)="(\/[^"]*)"/g),
        ([, to = ""]) => to,
      );
      expect(links.length).toBeGreaterThan(3);
      for (const link of new Set(links.map((to) => to.split("#", 1)[0] ?? "")))
        expect([link, (await get(link)).status]).toEqual([link, 200]);
    }
  });

  it("escapes every value", () => {
    const nasty = `<b>"quoted" & 'single'</b>`;
    expect(html`<p title="${nasty}">${nasty}</p>`.html).toBe(
      `<p title="&lt;b&gt;&quot;quoted&quot; &amp; &#39;single&#39;&lt;/b&gt;">&lt;b&gt;&quot;quoted&quot; &amp; &#39;single&#39;&lt;/b&gt;</p>`,
    );
    const items = [html`<b>${1}</b>`, html`<i>${null}${false}</i>`];
    expect(html`<p>${items}</p>`.html).toBe("<p><b>1</b><i></i></p>");
  });
});

describe("the reference", () => {
  it("200 with a policy that lets nothing in from outside", async () => {
    const page = await get("/docs/reference/delivery");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/(?:src|href|url)="?(?:https?:)?\/\//);
    expect(page.text).toContain('load-fonts="false"');
  });

  it("leads only to pages that exist, and exists only for parts of this API", async () => {
    for (const name of ["delivery", "signup", "account", "admin", "hooks"]) {
      const links = Array.from(
        (await get(`/docs/reference/${name}`)).text.matchAll(/href="(\/[^"]*)"/g),
        ([, to = ""]) => to,
      );
      expect(links.length).toBeGreaterThan(3);
      for (const link of links) expect([name, link, (await get(link)).status]).toEqual([name, link, 200]);
    }
    expect((await get("/docs/reference/nonsense")).status).toBe(404);
    expect((await get("/docs/reference/constructor")).status).toBe(404);
  });

  it("serves each file of the page, to be kept for good under its mark", async () => {
    const sources = Array.from(
      (await get("/docs/reference/delivery")).text.matchAll(/src="(\/[^"]+)"/g),
      ([, source = ""]) => source,
    );
    expect(sources.length).toBe(2);
    for (const source of sources) {
      const asset = await get(source);
      expect([asset.status, asset.headers.get("content-type")]).toEqual([
        200,
        "text/javascript; charset=utf-8",
      ]);
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const etag = asset.headers.get("etag") ?? "";
      const again = await harness.call("GET", source, { headers: { "if-none-match": etag } });
      expect([again.status, again.text]).toEqual([304, ""]);
      expect((await get(`${source}x`)).headers.get("cache-control")).toBe("no-cache");
    }
  });

  it("carries the licence of the renderer", async () => {
    for (const name of ["rapidoc.LICENSE.txt", "rapidoc-min.js.LICENSE.txt"]) {
      expect((await get(`/docs/assets/${name}`)).text).toMatch(/MIT|license/i);
    }
  });

  it.each([
    "nope.js",
    "..%2f..%2fpackage.json",
    "%2e%2e%2fapp.js",
    "constructor",
    "__proto__",
    "rapidoc-min.js%00",
  ])("404 for a file that is none of them: %s", async (name) =>
    expect((await get(`/docs/assets/${name}`)).status).toBe(404),
  );
});

describe("error pages", () => {
  it("lists every code that a route declares, with its cause", async () => {
    const { text } = await get("/docs/error-codes");
    const declared = endpoints
      .filter(({ route }) => !route.hidden)
      .flatMap(({ route }) => route.errors)
      .filter(({ code }) => code !== undefined);
    expect(declared.length).toBeGreaterThan(250);
    for (const { code, when } of declared) {
      expect(text).toContain(`<h3 id="${code}">`);
      expect(text).toContain(html`${when}`.html);
    }
    for (const code of ["contention", "request_in_progress"]) expect(text).toContain(`<h3 id="${code}">`);
  });

  it.each(Object.entries(ERRORS))("says what %s means and what to do", async (type, { status, title }) => {
    const page = await get(`/docs/errors/${type}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`${status} ${title}`);
    expect((await get("/docs/errors")).text).toContain(`/docs/errors/${type}"`);
  });

  it("is where the Link of an error leads", async () => {
    const error = await get("/v1/reviews");
    const link = /^<http:\/\/platform\.test([^>]+)>; rel="describedby"/.exec(
      error.headers.get("link") ?? "",
    )?.[1];
    expect(link).toBe("/docs/errors/unauthorized");
  });

  it.each(["nope", "constructor", "__proto__", "toString"])("404 for a type that is none: %s", async (type) =>
    expect((await get(`/docs/errors/${type}`)).status).toBe(404),
  );
});

describe("signup by form", () => {
  it("leads from the form over the inbox to a key that works, without script", async () => {
    const sent = await send("/signup", { email: " Ada@Bakery.example ", storeIdentifier: "demo <b>bakery" });
    expect([sent.status, sent.text.includes("Mail sent")]).toEqual([200, true]);
    const list = await get("/_/inbox");
    const mailPath = /href="(\/_\/inbox\/mail_[0-9A-Z]{26})"/.exec(list.text)?.[1] ?? "";
    const mail = await get(mailPath);
    // Nothing that was typed into the form is in the mail: it could be anybody's address.
    expect(mail.text).not.toContain("bakery&lt;");
    expect(mail.text).not.toContain("demo &lt;b");
    const link = /class="button" href="http:\/\/platform\.test([^"]+)"/.exec(mail.text)?.[1] ?? "";
    const confirm = await harness.call("GET", link, { headers: browser });
    expect(confirm.text).toContain('<form method="post"');
    const action = /action="([^"]+)"/.exec(confirm.text)?.[1] ?? "";
    const target = new URL(action.replaceAll("&amp;", "&"), `http://platform.test${link}`);
    const done = await harness.call("POST", target.pathname + target.search, { headers: asForm, body: "" });
    const key = /class="key"[^>]*>\s*(plat_live_[0-9A-Za-z]{36})\s*</.exec(done.text)?.[1] ?? "";
    expect(done.headers.get("cache-control")).toBe("no-store");
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
    const again = await harness.call("POST", target.pathname + target.search, { headers: asForm, body: "" });
    expect([again.status, again.text.includes("plat_live_")]).toEqual([410, false]);
  });

  it.each([
    [{}, ["email-wrong", "storeIdentifier-wrong"]],
    [{ email: "nobody", storeIdentifier: "shop" }, ["email-wrong"]],
    [{ email: "a@b.example", storeIdentifier: " " }, ["storeIdentifier-wrong"]],
    [{ email: "a@b.example", storeIdentifier: "x".repeat(256) }, ["storeIdentifier-wrong"]],
    [{ email: "a@b.example\r\nBcc: c@d.example", storeIdentifier: "shop" }, ["email-wrong"]],
  ])("422 with the form again, what was typed kept: %j", async (fields, marks) => {
    const answer = await send("/signup", fields);
    expect(answer.status).toBe(422);
    for (const mark of marks) expect(answer.text).toContain(`id="${mark}"`);
    expect(answer.text.match(/aria-invalid/g)?.length).toBeGreaterThanOrEqual(marks.length);
    expect((await get("/_/inbox")).text).toContain("No mail yet");
  });

  it("keeps what was typed as text, whatever it looks like", async () => {
    const answer = await send("/signup", {
      email: `"><script>alert(1)</script>`,
      storeIdentifier: "'\"<img>",
    });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toMatch(/<script|<img/);
  });
});

describe("a link that leads nowhere", () => {
  it.each(["GET", "POST"])("404 link_unknown for %s by a program, a page for a browser", async (method) => {
    const path = "/api/platform/verify?token=Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu";
    const answer = await harness.call(method, path);
    expect([answer.status, answer.json.error.code]).toEqual([404, "link_unknown"]);
    const shown = await harness.call(method, path, { headers: browser });
    expect([shown.status, shown.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(shown.text).toContain('href="/signup"');
  });
});

describe("the inbox of development", () => {
  it("shows a mail in a frame that can do nothing", async () => {
    await send("/signup", { email: "ada@bakery.example", storeIdentifier: "bakery" });
    const path = /href="(\/_\/inbox\/mail_[0-9A-Z]{26})"/.exec((await get("/_/inbox")).text)?.[1] ?? "";
    const page = await get(path);
    expect(page.text).toContain(`src="${path}/html"`);
    expect(page.text).toMatch(/sandbox="allow-popups allow-popups-to-escape-sandbox"/);
    expect(page.text).not.toMatch(/sandbox="[^"]*allow-(scripts|same-origin)/);
    const frame = await get(`${path}/html`);
    expect(frame.status).toBe(200);
    const policy = frame.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox .*default-src 'none'/);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toContain("script-src");
  });

  it.each(["mail_01JD8Z5T9QK3M4N5P6R7S8T9V0", "x", "mail_..", "..%2f"])(
    "404 for a mail that is not there: %s",
    async (id) => {
      expect((await get(`/_/inbox/${id}`)).status).toBe(404);
      expect((await get(`/_/inbox/${id}/html`)).status).toBe(404);
    },
  );

  it("404 under a name that is not this machine's, so that no page elsewhere can read it", async () => {
    const status = async (host: string): Promise<number> =>
      (await harness.call("GET", "/_/inbox", { headers: { host } })).status;
    for (const host of ["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "platform.test"]) {
      expect(await status(host), host).toBe(200);
    }
    for (const host of ["evil.example", "localhost.evil.example:3000", "127.0.0.1.evil.example"]) {
      expect(await status(host), host).toBe(404);
    }
  });

  it("404 when mail is really sent", async () => {
    const { mail } = ConfigSchema.parse({ mail: { transport: "console" } });
    const other = await createHarness({ config: { mail } });
    for (const path of ["/_/inbox", "/_/inbox/mail_01JD8Z5T9QK3M4N5P6R7S8T9V0"]) {
      expect((await other.call("GET", path)).status).toBe(404);
    }
    expect((await other.call("GET", "/")).text).not.toContain("/_/inbox");
    await other.close();
  });
});
