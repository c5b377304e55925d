import { createHash } from "node:crypto";
import { expect, it } from "vitest";

import { html } from "../../server/lib/html.ts";
import type { Page } from "../../server/core/page.ts";
import { renderPage } from "../../server/core/page.ts";
import { COLORS, PAGE_STYLE, accentStyle } from "../../server/core/page-style.ts";
import { contrast } from "../../server/lib/contrast.ts";

function shown(page: Page) {
  const reply = renderPage(page);
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
  expect(style).toBe(PAGE_STYLE);
  const hash = createHash("sha256").update(PAGE_STYLE).digest("base64");
  expect(page.csp?.split("; ")).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(page.headers?.["Referrer-Policy"]).toBe("no-referrer");
  expect(shown({ title: "A", body: html``, policy: "form-action 'none'" }).csp).toContain(
    "; form-action 'none'; ",
  );
});

it("shows a store by its logo, name and color, and loads its logo and nothing else from there", () => {
  const shop = {
    name: "Bakery & Co",
    logo_url: "https://cdn.bakery.example/logo.png",
    color: "#ffd000",
    website: "https://bakery.example",
  };
  const { csp, text } = shown({ title: "A", body: html`<main></main>`, shop });
  expect(text).toContain('<img src="https://cdn.bakery.example/logo.png" alt=""');
  expect(text).toContain("<span>Bakery &amp; Co</span>");
  const hash = createHash("sha256").update(accentStyle(shop.color)).digest("base64");
  expect(text).toContain(`<style>${accentStyle(shop.color)}</style>`);
  expect(csp).toContain(`'sha256-${hash}'`);
  expect(csp).toContain("; img-src data: https://cdn.bakery.example; ");
});

it("keeps all texts legible on all grounds, in both schemes", () => {
  for (const colors of [COLORS.light, COLORS.dark])
    for (const ground of [colors.ground, colors.raised])
      for (const name of ["ink", "soft", "accent", "good", "bad", "amber", "violet"] as const)
        expect([name, ground, contrast(colors[name], ground) >= 4.5]).toEqual([name, ground, true]);
});
