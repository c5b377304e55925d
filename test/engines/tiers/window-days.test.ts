import { expect, it } from "vitest";

import { windowDays } from "../../../server/engines/tiers/rules/window-days.ts";

const anchors = { joinedOn: "2020-02-29", since: "2026-02-10", startDate: "2019-01-01" };

it.each([
  [{ type: "rolling", months: 12 }, "2026-06-01", "2025-06-02"],
  [{ type: "rolling", months: 1 }, "2026-03-31", "2026-03-01"],
  [{ type: "rolling", months: 12 }, "2024-02-29", "2023-03-01"],
  [{ type: "calendar" }, "2026-06-01", "2026-01-01"],
  [{ type: "anniversary" }, "2026-02-27", "2025-02-28"],
  [{ type: "anniversary" }, "2026-02-28", "2026-02-28"],
  [{ type: "anniversary" }, "2024-02-29", "2024-02-29"],
  [{ type: "anniversary" }, "2020-05-01", "2020-02-29"],
  [{ type: "since_tier" }, "2026-06-01", "2026-02-10"],
  [{ type: "lifetime" }, "2026-06-01", "2019-01-01"],
] as const)("%o on %s begins on %s", (window, day, from) =>
  expect(windowDays(window, day, anchors)).toEqual({ from, to: day }),
);
