import { expect, it } from "vitest";

import { checkParity } from "../../../server/engines/answeros/rules/check-parity.ts";

const missing = (jsonld: unknown, text: string) => checkParity(jsonld, text).missing.map(({ path }) => path);
const product = (name: string, price: string | number) => ({
  "@type": "Product",
  name,
  offers: { "@type": "Offer", price },
});

it.each([
  ["as written", product("Rye loaf", "4.50"), "Rye loaf, £4.50", []],
  ["in another case, with marks and spaces", product("Café  crème", 4.5), "CAFE CREME 4.50", []],
  ["with a comma as decimal sign", product("Rye", "4.5"), "Rye 4,50 €", []],
  ["with a thousands separator", product("Rye", "1250"), "Rye £1,250.00", []],
  ["with points between thousands", product("Rye", "1250.50"), "Rye 1.250,50 €", []],
  ["another price", product("Rye", "4.50"), "Rye £14.50", ["/offers/price"]],
  ["part of a word", product("Rye", "1"), "Ryes 1", ["/name"]],
  ["nothing", product("Rye", "1"), "", ["/name", "/offers/price"]],
])("%s", (_, jsonld, text, expected) => expect(missing(jsonld, text)).toEqual(expected));

it("looks at answers and ratings, through lists", () => {
  const faq = {
    "@type": "FAQPage",
    mainEntity: [
      { "@type": "Question", name: "Rye?", acceptedAnswer: { text: "<p>Yes, daily.</p>" } },
      { "@type": "Question", name: "Oats?", acceptedAnswer: { text: "No." } },
    ],
  };
  expect(missing(faq, "Rye? Yes, daily. Oats?")).toEqual(["/mainEntity/1/acceptedAnswer/text"]);
  const rated = {
    "@type": "Product",
    name: "Rye",
    aggregateRating: { "@type": "AggregateRating", ratingValue: "4.7" },
  };
  expect(missing(rated, "Rye 4.6 of 5")).toEqual(["/aggregateRating/ratingValue"]);
});

it("says that nothing was compared where there is no text", () => {
  expect(checkParity(product("Rye", 1), null)).toEqual({ checked: false, missing: [] });
});
