import { expect, it } from "vitest";

import {
  showDate,
  showInterval,
  showLines,
  showMoney,
  showPeriod,
} from "../../../server/engines/subscriptions/rules/show.ts";
import { contractOf } from "./fixture.ts";

it("writes money by the digits of its currency", () =>
  expect([
    showMoney(2100, "GBP"),
    showMoney(2100, "JPY"),
    showMoney(-5, "EUR"),
    showMoney(1234, "KWD"),
  ]).toEqual(["£21.00", "JP¥2,100", "-€0.05", "KWD\u00a01.234"]));

it("writes dates, periods and intervals", () => {
  expect(showDate("2026-06-30")).toBe("30 June 2026");
  expect(showPeriod({ period: { start: "2026-06-30", end: "2026-07-31" } })).toBe(
    "30 June 2026 to 31 July 2026",
  );
  expect(showInterval(contractOf().billing)).toBe("every month");
  expect(showInterval(contractOf({ interval: { unit: "week", count: 2 } }).billing)).toBe("every 2 weeks");
});

it("names three lines and counts the rest", () => {
  const lines = ["A", "B", "C", "D", "E"].map((title, at) => ({ title, quantity: at === 0 ? 2 : 1 }));
  expect(showLines(lines)).toBe("2 × A; B; C and 2 more");
});
