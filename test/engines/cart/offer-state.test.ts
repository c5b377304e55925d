import { expect, it } from "vitest";

import { bundleStates, cartStates, offerStates } from "../../../server/engines/cart/rules/offer-state.ts";

it("changes the terms of an offer only while it is not active, and archives none that is", () => {
  expect(offerStates.allows("change_terms", "active")).toBe(false);
  expect(offerStates.allows("change", "active")).toBe(true);
  expect(offerStates.allows("archive", "active")).toBe(false);
  expect(bundleStates.allows("archive", "active")).toBe(true);
  expect(cartStates.allows("change", "converted")).toBe(false);
  expect(cartStates.allows("convert", "lost")).toBe(true);
});
