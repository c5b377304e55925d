import { describe, expect, it } from "vitest";

import { generateMarkup } from "../../../server/engines/answeros/rules/generate-markup.ts";
import { checkParity } from "../../../server/engines/answeros/rules/check-parity.ts";
import { validateMarkup } from "../../../server/engines/answeros/rules/validate-markup.ts";
import { MARKUP_TYPES } from "../../../server/engines/answeros/schema/markup.ts";
import { factsOf, URL_OF_PAGE } from "./fixture.ts";

const BODY = `<h1>Rye loaf</h1><p>It costs £4.20.</p><img src="https://crumb.example/rye.jpg" alt="">
<h2>Ingredients</h2><ul><li>Rye</li><li>Water</li></ul><h2>Method</h2><ol><li>Mix.</li><li>Bake.</li></ol>
<h2>Does it keep?</h2><p>Yes, for eight days.</p><p>12 Mill Lane, London SE1 4TW</p><a href="tel:+442079460123">Call</a>`;

async function source(body = BODY) {
  const facts = await factsOf(body, '<meta name="description" content="Dense rye.">');
  return {
    facts,
    url: URL_OF_PAGE,
    entity: null,
    questions: [],
    date_published: "2026-01-01",
    date_modified: null,
  };
}

describe("generated markup", () => {
  it.each(MARKUP_TYPES)("%s is valid and shown on the page", async (type) => {
    const jsonld = generateMarkup(type, await source());
    expect(validateMarkup(jsonld).errors).toEqual([]);
    expect(checkParity(jsonld, (await source()).facts.text.text).missing).toEqual([]);
  });

  it("says nothing that the page does not", async () => {
    const jsonld = generateMarkup("Product", await source("<h1>Rye loaf</h1><p>Ask us.</p>"));
    expect(jsonld).not.toHaveProperty("offers");
    expect(validateMarkup(jsonld).errors.map(({ path }) => path)).toEqual(["/offers"]);
  });

  it("takes price and currency", async () => {
    const { offers } = generateMarkup("Product", await source());
    expect(offers).toMatchObject({ price: "4.20", priceCurrency: "GBP" });
    const euro = generateMarkup("Product", await source("<h1>Rye</h1><p>1,250.50 or 12 EUR</p>"));
    expect(euro["offers"]).toMatchObject({ price: "12", priceCurrency: "EUR" });
  });

  it.each([
    ["12,50 €", "12.50 EUR"],
    ["€ 12,50", "12.50 EUR"],
    ["12,50 EUR", "12.50 EUR"],
    ["€1.250,00", "1250.00 EUR"],
    ["4.500 EUR", "4500 EUR"],
    ["1.250.000,5 €", "1250000.5 EUR"],
    ["£1,250.00", "1250.00 GBP"],
    ["$3", "3 USD"],
    ["US$ 3", "3 USD"],
    ["R$ 12,50", undefined],
    ["1 250,00 €", undefined],
    ["£1.2345", undefined],
  ])("reads %s as %s, or as no price", async (text, expected) => {
    const { offers } = generateMarkup("Product", await source(`<h1>Rye</h1><p>For ${text} each.</p>`));
    const { price, priceCurrency } = Object(offers);
    expect(offers === undefined ? undefined : `${price} ${priceCurrency}`).toBe(expected);
  });

  it("looks for a price in one pass, however long the numbers are", async () => {
    for (const text of ["1".repeat(150_000), "111,".repeat(40_000), "$1,".repeat(50_000)]) {
      const { offers } = generateMarkup("Product", await source(`<p>${text}</p>`));
      expect(Object(offers).price ?? "1").toBe("1");
    }
  });

  it("takes ingredients and steps", async () => {
    const jsonld = generateMarkup("Recipe", await source());
    expect(jsonld["recipeIngredient"]).toEqual(["Rye", "Water"]);
    expect(jsonld["recipeInstructions"]).toHaveLength(2);
  });

  it("prefers approved answers to what stands on the page", async () => {
    const questions = [{ text: "Is it vegan?", answer: "Yes." }];
    const approved = generateMarkup("FAQPage", { ...(await source()), questions });
    expect(JSON.stringify(approved)).toContain("vegan");
    expect(JSON.stringify(generateMarkup("FAQPage", await source()))).toContain("for eight days");
  });

  it("walks down the address", async () => {
    const jsonld = generateMarkup("BreadcrumbList", {
      ...(await source()),
      url: "https://a.example/bread/dark-rye/",
    });
    expect(jsonld["itemListElement"]).toMatchObject([
      { position: 1, name: "bread", item: "https://a.example/bread" },
      { position: 2, name: "dark rye", item: "https://a.example/bread/dark-rye" },
    ]);
  });
});
