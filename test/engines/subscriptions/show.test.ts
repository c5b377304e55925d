import { expect, it } from "vitest";

import { showInterval, showMethod } from "../../../server/engines/subscriptions/rules/calendar.ts";
import { wordsIn } from "../../../server/core/words.ts";
import { contractOf } from "./fixture.ts";

const words = wordsIn("en-GB");

it("writes intervals", () => {
  expect(showInterval(words, contractOf().billing)).toBe("every month");
  expect(showInterval(words, contractOf({ interval: { unit: "week", count: 2 } }).billing)).toBe(
    "every 2 weeks",
  );
});

it.each([
  ["visa", "4242", "visa ending in 4242"],
  [null, "4242", "card ending in 4242"],
  ["SEPA", null, "SEPA of 1 June 2026"],
  [null, null, "payment method of 1 June 2026"],
])("writes the payment method %s %s as %s", (brand, last4, shown) =>
  expect(showMethod(words, { brand, last4, created_at: "2026-06-01T09:00:00.000Z" })).toBe(shown),
);
