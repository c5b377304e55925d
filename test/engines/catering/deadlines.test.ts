import { describe, expect, it } from "vitest";

import { DEFAULT_TERMS } from "../../../server/engines/catering/data/default-policy.ts";
import {
  bandAt,
  bandsFor,
  cancelShare,
  deadlineAt,
  increaseMultiplier,
  reduceShare,
} from "../../../server/engines/catering/rules/deadlines.ts";
import { ms, noHolidays } from "./make.ts";

const event = { date: "2025-06-11", start: "08:00", timezone: "Europe/London" };
const local = (epochMs: number): string =>
  new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone: "Europe/London",
  }).format(epochMs);
const bands = [
  { cutoff: { business_days_before: 2, at: "14:00" }, fee_bps: 5000, min_heads: 0, max_heads: 299 },
  { cutoff: { business_days_before: 3, at: "14:00" }, fee_bps: 5000, min_heads: 300, max_heads: null },
];

describe("deadlineAt", () => {
  it.each([
    ["A16 below 300 heads", 299, "2025-06-09 14:00"],
    ["A16 from 300 heads", 300, "2025-06-06 14:00"],
  ])("%s", (_, heads, expected) => {
    const [band] = bandsFor(bands, heads);
    expect(
      local(deadlineAt(band?.cutoff ?? { business_days_before: 0, at: "00:00" }, event, noHolidays)),
    ).toBe(expected);
  });

  it("steps over holidays, keeps local time through the change of clocks, and never passes the event", () => {
    const cutoff = { business_days_before: 1, at: "14:00" };
    expect(local(deadlineAt(cutoff, event, new Set(["2025-06-10"])))).toBe("2025-06-09 14:00");
    const spring = { ...event, date: "2025-03-31" };
    expect(local(deadlineAt(cutoff, spring, noHolidays))).toBe("2025-03-28 14:00");
    expect(local(deadlineAt({ business_days_before: 0, at: "23:00" }, event, noHolidays))).toBe(
      "2025-06-11 08:00",
    );
  });
});

describe("bandAt", () => {
  const at = (now: string) => ({ event, holidays: noHolidays, now: ms(now) });
  const policy = { ...DEFAULT_TERMS, cancel_bands: bands.slice(0, 1), late_cancel_bps: 10_000 };

  it("is on time strictly before the cutoff", () => {
    expect(cancelShare(policy, 100, at("2025-06-09T12:59:59.999Z"))).toEqual({
      bps: 5000,
      until: ms("2025-06-09T13:00:00Z"),
    });
    expect(cancelShare(policy, 100, at("2025-06-09T13:00:00Z"))).toEqual({ bps: 10_000, until: null });
  });

  it("takes the earliest cutoff that is ahead, however they are written", () => {
    const early = {
      cutoff: { business_days_before: 5, at: "14:00" },
      fee_bps: 0,
      min_heads: 0,
      max_heads: null,
    };
    for (const order of [
      [early, ...bands.slice(0, 1)],
      [...bands.slice(0, 1), early],
    ]) {
      expect(bandAt(order, at("2025-06-01T09:00:00Z")).band).toBe(early);
    }
  });

  it("costs nothing where there are no bands for the size", () => {
    expect(cancelShare(policy, 300, at("2025-06-11T00:00:00Z")).bps).toBe(0);
    expect(reduceShare({ ...policy, reduce_bands: [] }, 30, at("2025-06-11T00:00:00Z")).bps).toBe(0);
  });

  it("asks one and a half times the price, then twice", () => {
    expect(increaseMultiplier(policy, at("2025-06-10T10:59:59Z")).bps).toBe(15_000);
    expect(increaseMultiplier(policy, at("2025-06-10T11:00:00Z")).bps).toBe(20_000);
  });
});
