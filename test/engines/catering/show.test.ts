import { expect, it } from "vitest";

import { showMoney } from "../../../server/lib/show.ts";
import { showDate, showHeads, showInstant, showRate } from "../../../server/engines/catering/rules/show.ts";

it("writes money, days and instants as people do", () => {
  expect(showMoney(123_456, "GBP")).toBe("£1,234.56");
  expect(showMoney(1234, "JPY")).toBe("JP¥1,234");
  expect(showMoney(-500, "EUR")).toBe("-€5.00");
  expect(showDate("2026-06-19")).toBe("Friday, 19 June 2026");
  expect(showInstant("2026-06-12T16:00:00.000Z", "Europe/London")).toBe("12 June 2026 at 17:00");
  expect([showRate(1750), showRate(5000)]).toEqual(["17.5%", "50%"]);
  expect([showHeads(1), showHeads(20)]).toEqual(["1 guest", "20 guests"]);
});
