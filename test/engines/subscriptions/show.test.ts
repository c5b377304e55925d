import { expect, it } from "vitest";

import { showInterval, showPeriod } from "../../../server/engines/subscriptions/rules/show.ts";
import { contractOf } from "./fixture.ts";

it("writes periods and intervals", () => {
  expect(showPeriod({ period: { start: "2026-06-30", end: "2026-07-31" } })).toBe(
    "30 June 2026 to 31 July 2026",
  );
  expect(showInterval(contractOf().billing)).toBe("every month");
  expect(showInterval(contractOf({ interval: { unit: "week", count: 2 } }).billing)).toBe("every 2 weeks");
});
