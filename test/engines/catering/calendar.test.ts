import { describe, expect, it } from "vitest";

import {
  businessDaysBefore,
  isBusinessDay,
  nextBusinessDay,
} from "../../../server/engines/catering/rules/calendar.ts";
import { noHolidays } from "./make.ts";

describe("business days", () => {
  const easter = new Set(["2026-04-03", "2026-04-06"]);

  it("steps over weekends and holidays, in both directions", () => {
    expect(businessDaysBefore("2026-04-07", 1, easter)).toBe("2026-04-02");
    expect(businessDaysBefore("2026-04-07", 0, easter)).toBe("2026-04-07");
    expect(nextBusinessDay("2026-04-03", 1, easter)).toBe("2026-04-07");
    expect(nextBusinessDay("2026-04-06", -1, easter)).toBe("2026-04-02");
    expect(isBusinessDay("2026-04-03", noHolidays)).toBe(true);
    expect(isBusinessDay("2026-04-04", noHolidays)).toBe(false);
  });
});
