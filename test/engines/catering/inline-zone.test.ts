import { describe, expect, it } from "vitest";

import { inlineEpochMs, offsetMinutes } from "../../../server/engines/catering/rules/inline-zone.ts";

const parts = [
  { dtstart: "1601-10-28T03:00", rrule: "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10", offset_to: 60 },
  { dtstart: "1601-03-25T02:00", rrule: "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", offset_to: 120 },
];
const utc = (local: string): string => new Date(inlineEpochMs(parts, local)).toISOString().slice(0, 16);

describe("inlineEpochMs", () => {
  it.each([
    ["2026-07-01T12:00", "2026-07-01T10:00"],
    ["2026-12-01T12:00", "2026-12-01T11:00"],
    ["2026-03-29T01:59", "2026-03-29T00:59"],
    ["2026-03-29T03:00", "2026-03-29T01:00"],
  ])("%s is %s in UTC", (local, expected) => expect(utc(local)).toBe(expected));

  it("takes a fixed offset, and UTC where nothing is said", () => {
    const fixed = [{ dtstart: "1970-01-01T00:00", rrule: null, offset_to: -300 }];
    expect(new Date(inlineEpochMs(fixed, "2026-06-01T09:00")).toISOString()).toBe("2026-06-01T14:00:00.000Z");
    expect(new Date(inlineEpochMs([], "2026-06-01T09:00")).toISOString()).toBe("2026-06-01T09:00:00.000Z");
  });

  it("walks no rule that it was not made for", () => {
    const endless = [{ dtstart: "1970-01-01T00:00", rrule: "FREQ=SECONDLY", offset_to: 60 }];
    expect(new Date(inlineEpochMs(endless, "2026-06-01T09:00")).toISOString()).toBe(
      "2026-06-01T08:00:00.000Z",
    );
  });

  it("reads offsets", () =>
    expect(["+0130", "-05:00", "+00", "x"].map(offsetMinutes)).toEqual([90, -300, null, null]));
});
