import { expect, it } from "vitest";

import { showLines, showMoney } from "../../../server/engines/cart/rules/show.ts";

it.each([
  [2100, "GBP", "£21.00"],
  [2100, "JPY", "JP¥2,100"],
  [5, "EUR", "€0.05"],
])("%i %s is %s", (amount, currency, text) => expect(showMoney(amount, currency)).toBe(text));

it("names three lines and counts the rest", () => {
  const line = (title: string, quantity = 1) => ({ title, quantity });
  expect(showLines([line("Bread", 2), line("Butter")])).toBe("2 × Bread; Butter");
  expect(showLines(["a", "b", "c", "d", "e"].map((title) => line(title)))).toBe("a; b; c and 2 more");
});
