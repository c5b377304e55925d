import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { slimHtml } from "../../../server/engines/answeros/rules/page-html.ts";
import { ANSWEROS_LIMITS } from "../../../server/engines/answeros/schema.ts";

describe("what is kept of a page", () => {
  it.each([
    ["scripts go", "<p>a</p><script>alert(1)</script><p>b</p>", "<p>a</p><p>b</p>"],
    [
      "JSON-LD stays",
      '<script type="application/ld+json">{}</script>',
      '<script type="application/ld+json">{}</script>',
    ],
    ["styles and drawings go", "<style>p{}</style><SVG><path/></SVG >x", "x"],
    ["comments go", "a<!-- <p>no</p> -->b", "ab"],
    ["attributes of looks go", '<p class="x" style="y" id="z">a</p>', '<p id="z">a</p>'],
    [
      "other elements that begin alike stay",
      "<scripture>a</scripture><styled>b</styled>",
      "<scripture>a</scripture><styled>b</styled>",
    ],
    ["a script without an end goes on to the end", "a<script>b<p>c</p>", "a"],
    ["a comment without an end, too", "a<!-- b", "a"],
    ["a bare < is text", "1 < 2 <", "1 < 2 <"],
  ])("%s", (_, html, expected) => expect(slimHtml(html)).toBe(expected));

  it("is nothing where it is too large all the same", () => {
    expect(slimHtml("x".repeat(ANSWEROS_LIMITS.htmlChars))).not.toBeNull();
    expect(slimHtml("x".repeat(ANSWEROS_LIMITS.htmlChars + 1))).toBeNull();
    expect(slimHtml(`<script>${"x".repeat(ANSWEROS_LIMITS.htmlChars)}</script>`)).toBe("");
  });

  it("is read in one pass, however hostile", () => {
    expect(slimHtml("<script>".repeat(50_000))).toBe("");
    expect(slimHtml("<!--".repeat(100_000))).toBe("");
  });

  it("searches no tag without an end to the end of the page, again and again", () => {
    expect(slimHtml(`${"<script ".repeat(250_000)}application/ld+json`)).toBe("");
    expect(slimHtml("<script application/ld+json ".repeat(70_000))).toBe(null);
  });

  it("never grows, and never holds a whole script", () => {
    const part = fc.constantFrom(
      "<p>",
      "</p>",
      "a",
      " ",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "<",
      ">",
      ' class="x"',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const once = slimHtml(parts.join("")) ?? "";
        expect(once).not.toMatch(/<script>.*<\/script>/);
        expect(once.length).toBeLessThanOrEqual(parts.join("").length);
      }),
    );
  });
});
