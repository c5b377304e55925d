import { expect, it } from "vitest";

import { showDate, showLines, showMoney } from "../../server/lib/show.ts";

it("writes money by the digits of its currency", () =>
  expect([
    showMoney(2100, "GBP"),
    showMoney(2100, "JPY"),
    showMoney(-5, "EUR"),
    showMoney(1234, "KWD"),
  ]).toEqual(["£21.00", "JP¥2,100", "-€0.05", "KWD\u00a01.234"]));

it("writes dates, with their weekday when it is asked for", () => {
  expect(showDate("2026-06-30")).toBe("30 June 2026");
  // Whether a comma follows the weekday is for the version of ICU to say.
  expect(showDate("2026-06-30", "full")).toMatch(/^Tuesday,? 30 June 2026$/);
});

it("names three lines and counts the rest", () => {
  const lines = ["A", "B", "C", "D", "E"].map((title, at) => ({ title, quantity: at === 0 ? 2 : 1 }));
  expect(showLines(lines)).toBe("2 × A; B; C and 2 more");
  expect(showLines(lines.slice(1, 4))).toBe("B; C; D");
});
