import * as fc from "fast-check";
import { expect, it } from "vitest";

import { fits } from "../../../server/engines/cart/rules/lots.ts";
import { createNarrowing } from "../../../server/engines/cart/rules/narrow-offer.ts";
import { Conditions } from "../../../server/engines/cart/schema/offer.ts";
import { lineOf, offerOf, refs } from "./make.ts";

const names = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 });
const filters = fc.record({ refs: names, categories: names, tags: names });
const lines = fc.array(
  fc.record({ ref: fc.constantFrom("a", "b"), category: fc.constantFrom("a", "c", null), tags: names }),
  { minLength: 1, maxLength: 4 },
);

it("fits the same lines of the cart as before", () => {
  fc.assert(
    fc.property(filters, lines, (filter, own) => {
      const cart = own.map((one, at) => lineOf(`line-${at}`, 100, one));
      const offer = offerOf("ofr_1", { class: "product", filter, value: { kind: "free" } });
      const { effect } = createNarrowing(cart)(offer);
      if (effect.class !== "product") throw new Error("Another effect.");
      for (const one of cart) expect(fits(effect.filter, one)).toBe(fits(filter, one));
    }),
  );
});

it("leaves what the offer does besides as it is", () => {
  const effect = { class: "product", filter: refs("bread"), value: { kind: "free" } } as const;
  const conditions = {
    match: "any",
    rules: [{ kind: "quantity", filter: refs("bread", "butter"), min: 2 }],
  } as const;
  const offer = offerOf("ofr_1", effect, { conditions: Conditions.parse(conditions), budget_left: 5 });
  expect(createNarrowing([lineOf("bread", 100), lineOf("butter", 100)])(offer)).toEqual(offer);
});
