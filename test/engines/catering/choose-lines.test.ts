import { expect, it } from "vitest";

import { asSent, chooseLines, isEnough } from "../../../server/engines/catering/rules/choose-lines.ts";
import { contentOf } from "../../../server/engines/catering/rules/draft-quote.ts";
import { quoteHash } from "../../../server/engines/catering/rules/quote-hash.ts";
import { priceEvent } from "../../../server/engines/catering/rules/price-event.ts";
import { line as lineOf, quote as quoteOf } from "./make.ts";

const lines = [
  lineOf({ id: "food", unit_price: 1000 }),
  lineOf({ id: "wine", unit_price: 500, optional: true, selected: false }),
  lineOf({ id: "cake", unit_price: 200, optional: true, selected: true }),
];
const quote = quoteOf({
  lines,
  totals: priceEvent({ lines, heads: quoteOf().headcount.estimate, tax_included: true }),
});
const content = contentOf(quote);
const version = { quote_id: quote.id, v: 1, content, hash: quoteHash(quote.id, 1, content) };

it("is the version itself where nothing else is chosen than what was sent", () => {
  expect(chooseLines(version, ["cake"])).toEqual(asSent(version));
  expect(chooseLines(version, ["cake", "food", "nothing"])).toEqual(asSent(version));
});

it("prices what is chosen, whatever the order, and has a hash of its own", () => {
  const both = chooseLines(version, ["wine", "cake"]);
  expect(both).toEqual(chooseLines(version, ["cake", "wine"]));
  expect(both.chosen).toEqual(["wine", "cake"]);
  expect(both.hash).not.toBe(version.hash);
  expect(both.hash).toBe(quoteHash(quote.id, 1, both.content));
  const none = chooseLines(version, []);
  expect(none.content.totals.total).toBeLessThan(content.totals.total);
  expect(none.content.lines.find(({ id }) => id === "food")).toEqual(content.lines[0]);
});

it("knows the least that the policy asks for", () => {
  const least = {
    ...version,
    content: { ...content, policy: { ...content.policy, min_spend: content.totals.subtotal } },
  };
  expect([isEnough(asSent(least)), isEnough(chooseLines(least, []))]).toEqual([true, false]);
});
