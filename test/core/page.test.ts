import { createHash } from "node:crypto";
import { expect, it } from "vitest";

import { html } from "../../server/lib/html.ts";
import type { Page } from "../../server/core/page.ts";
import { createPage } from "../../server/core/page.ts";

const STYLE = "td > b{color:red}";

function shown(page: Page, policy?: string) {
  const reply = createPage(STYLE, policy)(page);
  if (reply.kind !== "raw" || typeof reply.body !== "string") throw new Error("No page.");
  return { ...reply, text: reply.body, csp: reply.headers?.["Content-Security-Policy"] };
}

it("escapes the title and the language, and leaves the body as it is", () => {
  const { text, status, contentType } = shown({
    title: "<Bread> & butter",
    lang: 'de" onload="',
    body: html`<main>${"<b>"}</main>`,
  });
  expect([status, contentType]).toEqual([200, "text/html; charset=utf-8"]);
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).toContain("<title>&lt;Bread&gt; &amp; butter</title>");
  expect(text).toContain('<html lang="de&quot; onload=&quot;">');
  expect(text).toContain("<main>&lt;b&gt;</main>");
});

it("is in English and 200 when nothing else is said", () => {
  const { text } = shown({ title: "A", body: html`` });
  expect(text).toContain('<html lang="en">');
  expect(shown({ title: "A", body: html``, status: 410 }).status).toBe(410);
});

it("allows its own style to the letter, no script, and what its kind of page needs", () => {
  const page = shown({ title: "A", body: html`` });
  const style = /<style>(.*)<\/style>/s.exec(page.text)?.[1];
  expect(style).toBe(STYLE);
  const hash = createHash("sha256").update(STYLE).digest("base64");
  expect(page.csp?.split("; ")).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(page.headers?.["Referrer-Policy"]).toBe("no-referrer");
  expect(shown({ title: "A", body: html`` }, "form-action 'none'").csp).toContain("; form-action 'none'; ");
});
