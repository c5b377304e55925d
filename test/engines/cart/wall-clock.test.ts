import { expect, it } from "vitest";

import { localTime } from "../../../server/engines/cart/rules/wall-clock.ts";

it("tells weekday and wall clock of a zone", () => {
  const at = Date.parse("2025-06-08T23:30:00Z");
  expect(localTime(at, "Europe/London")).toEqual({ weekday: 1, time: "00:30" });
});
