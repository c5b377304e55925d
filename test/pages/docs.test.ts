import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { html } from "../../server/lib/html.ts";
import { docsPage } from "../../server/site/docs/frame.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { cpuMs } from "../support/longest-turn.ts";

const SEARCH_MS = 80;
/** Ten searches; they took 25 and more. */
const PAIRS_MS = 15;

it("writes a page that is the same for all once, also after it failed", async () => {
  let written = 0;
  const body = () => {
    written += 1;
    if (written === 1) throw new Error("not ready");
    return html`<h1>Once</h1>`;
  };
  const page = { title: "Once", path: "/docs/once", engines: [], body };
  await expect(docsPage(page)).rejects.toThrow("not ready");
  const first = await docsPage(page);
  expect(await docsPage(page)).toBe(first);
  expect(written).toBe(2);
  // For other engines it is another page.
  expect(await docsPage({ ...page, engines: [] })).not.toBe(first);
});

describe("the documentation", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  const get = async (path: string): Promise<string> => {
    const answer = await harness.call("GET", path, { headers: { accept: "text/html" } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text;
  };
  it("lists the sections of a guide, each of which exists", async () => {
    const page = await get("/docs/guides/testing");
    const ids = [...page.matchAll(/<li>\s*<a href="#([^"]+)">/g)].map(([, id]) => id);
    expect(ids).toEqual(["set-the-time", "advance-it", "read-the-mails"]);
    for (const id of ids) expect(page).toContain(`<h2 id="${id}">`);
  });

  it("leads from each page to the one before and the one after", async () => {
    const first = await get("/docs");
    expect(first).not.toContain('rel="prev"');
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? "";
    expect(/rel="prev" href="([^"]+)"/.exec(await get(next))?.[1]).toBe("/docs");
  });

  it("draws the states of a review and of an answer", async () => {
    const page = await get("/docs/engines/reviews");
    expect(page).toContain("States of a review");
    expect(page).toContain("States of an answer");
  });

  it("groups the routes of an engine by resource, and breaks paths between segments only", async () => {
    const page = await get("/docs/engines/delivery");
    expect(page).toMatch(/<th colspan="3" scope="rowgroup"[^>]*>\s*zones\s*<\/th>/);
    expect(page).toContain("/v1/<wbr />delivery/<wbr />zones");
  });

  it.each([
    ["webhook", "/docs/guides/webhooks"],
    ["throttling", "/docs/guides/rate-limits"],
    ["idempotency", "/docs/guides/safe-writes"],
    ["cors", "/docs/guides/browsers"],
  ])("finds the guide first for %s", async (words, path) => {
    const page = await get(`/docs/search?q=${words}`);
    const results = page.slice(page.indexOf("<h1>Search</h1>"));
    expect(/<a href="([^"]+)"/.exec(results.slice(results.indexOf('class="rows"')))?.[1]).toBe(path);
  });

  it("searches a hundred letters in a bounded time, for anybody may ask", async () => {
    const words = "s a c p r e t i o u d m f b l n w v h g ".repeat(3).slice(0, 100);
    await get("/docs/search?q=webhook");
    const search = () => get(`/docs/search?q=${encodeURIComponent(words)}`);
    // A quarter of a second, where each letter is looked up as the beginning of words.
    expect(await cpuMs(SEARCH_MS, search)).toBeLessThan(SEARCH_MS);
  });

  it("searches ten pairs of letters as often as an address may without two seconds of a minute", async () => {
    await get("/docs/search?q=webhook");
    const search = async () => {
      for (let n = 0; n < 10; n += 1) await get("/docs/search?q=co+re+st+in+de+pr+se+un+ma+ca");
    };
    expect(await cpuMs(PAIRS_MS, search)).toBeLessThan(PAIRS_MS);
  });

  it("shows a browser a page where there is none, and a program what it expects", async () => {
    for (const path of ["/docs/guides/nothing", "/nothing", "/docs/engines/nothing"]) {
      const page = await harness.call("GET", path, {
        headers: { accept: "text/html", "accept-language": "de" },
      });
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(page.text).toContain("Seite nicht gefunden");
      const program = await harness.call("GET", path);
      expect([program.status, program.headers.get("content-type")]).toEqual([
        404,
        "application/problem+json",
      ]);
    }
    expect(await get("/docs/guides")).toContain('href="/docs/guides/testing"');
  });
});
