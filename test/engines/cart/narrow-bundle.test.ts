import * as fc from "fast-check";
import { expect, it } from "vitest";

import { toLots } from "../../../server/engines/cart/rules/lots.ts";
import { matchBundles } from "../../../server/engines/cart/rules/match-bundles.ts";
import { createBundleNarrowing } from "../../../server/engines/cart/rules/narrow-bundle.ts";
import { bundleOf, lineOf } from "./make.ts";

const ref = fc.constantFrom("a", "b", "c", "d");
const bundles = fc.array(
  fc.record({
    type: fc.constantFrom("fixed" as const, "mix_match" as const, "tiered" as const),
    components: fc.array(fc.record({ ref, qty: fc.integer({ min: 1, max: 2 }) }), { maxLength: 3 }),
    groups: fc.array(
      fc.record({
        refs: fc.array(ref, { minLength: 1, maxLength: 3 }),
        name: fc.constant("Any"),
        pick_min: fc.integer({ min: 0, max: 1 }),
        pick_max: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 2 },
    ),
  }),
  { maxLength: 4 },
);
const carts = fc.array(
  fc.record({ ref: fc.constantFrom("a", "b", "e"), quantity: fc.integer({ min: 1, max: 4 }) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

it("matches the same bundles as before", () => {
  fc.assert(
    fc.property(bundles, carts, (terms, cart) => {
      const lines = cart.map((one, at) => lineOf(`line-${at}`, 300 + at, one));
      const all = terms.map((one, at) => bundleOf(`bdl_${at}`, one));
      const narrow = createBundleNarrowing(lines);
      const narrowed = all.flatMap((bundle) => narrow(bundle) ?? []);
      expect(matchBundles(toLots(lines), narrowed)).toEqual(matchBundles(toLots(lines), all));
    }),
  );
});
