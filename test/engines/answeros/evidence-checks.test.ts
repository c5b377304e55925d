import { describe, expect, it } from "vitest";

import { evidenceChecks, figuresIn } from "../../../server/engines/answeros/rules/evidence-checks.ts";
import type { PageType } from "../../../server/engines/answeros/schema.ts";
import { inputOf, words } from "./fixture.ts";

async function check(id: string, body: string, type: PageType = "other") {
  const found = evidenceChecks(await inputOf(body, { page_type: type })).find((one) => one.id === id);
  return found?.status === "na" ? null : found?.points;
}

describe("C1: figures", () => {
  it.each([
    ["£4.50, 4.50 € and GBP 12", 3],
    ["40 % and 12.5%", 2],
    ["800 g, 24 hours, 250 °C, 12-inch", 4],
    ["in 2014, room 12, 3 of them", 0],
    ["1,250 kcal", 1],
  ])("%s: %i", (text, expected) => expect(figuresIn(text)).toHaveLength(expected));

  it("are found in one pass, however long the numbers are", () => {
    expect(figuresIn("1".repeat(200_000))).toEqual([]);
    expect(figuresIn(`${"1,".repeat(100_000)}1 £`)).toHaveLength(1);
  });

  it.each([
    [5, 1000, 8],
    [4, 1000, 4],
    [2, 1000, 4],
    [1, 1000, 0],
  ])("%i in %i words gives %i", async (count, all, expected) => {
    // Each figure is two words.
    const body = `<p>${"24 hours ".repeat(count)}${words(all - 2 * count)}.</p>`;
    expect(await check("C1", body)).toBe(expected);
  });

  it("gives nothing for no words", async () => expect(await check("C1", "")).toBe(0));
});

describe("C2: a quotation with its author", () => {
  it.each([
    ["said by somebody", "<p>“The crust sings when it cools,” says Maya Okafor.</p>", 5],
    ["according to somebody", '<p>According to Tom, "four days is what it keeps".</p>', 5],
    ["in a block with its author", "<blockquote>It is the best bread. — The Hackney Post</blockquote>", 5],
    ["of fewer than four words", "<p>“Very good bread,” says Maya.</p>", 0],
    ["of nobody", "<p>“The crust sings when it cools.”</p>", 0],
    ["in a block of nobody", "<blockquote>It is the best bread.</blockquote>", 0],
  ])("%s", async (_, body, expected) => expect(await check("C2", body)).toBe(expected));

  it("takes no longer for a text of nothing but opening marks", async () => {
    const body = `<p>${"“a ".repeat(20_000)}</p>`;
    expect(await check("C2", body)).toBe(0);
  });
});

describe("C3: sources", () => {
  const link = (host: string) => `<a href="https://${host}/x">x</a> `;
  it.each([
    ["two in a thousand words", `<p>${link("a.example")}${link("b.example")}${words(998)}</p>`, 6],
    ["one in a thousand words", `<p>${link("a.example")}${words(999)}</p>`, 3],
    ["one in more", `<p>${link("a.example")}${words(1000)}</p>`, 0],
    ["one twice", `<p>${link("a.example")}${link("www.a.example")}${words(998)}</p>`, 3],
    ["the shop itself", `<p>${link("crumb.example")}${link("www.crumb.example")}${words(98)}</p>`, 0],
  ])("%s", async (_, body, expected) => expect(await check("C3", body)).toBe(expected));
});

describe("C4: a price", () => {
  it.each([
    ["product", "<p>It costs £4.80.</p>", 6],
    ["menu", "<p>4.80 EUR</p>", 6],
    ["catering", "<p>Ask us for a price.</p>", 0],
    ["article", "<p>It costs £4.80.</p>", null],
  ] as const)("on a page of type %s", async (type, body, expected) => {
    expect(await check("C4", body, type)).toBe(expected);
  });
});
