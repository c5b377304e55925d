import { describe, expect, it } from "vitest";

import { findBlock } from "../../../server/engines/delivery/rules/blocked-dates.ts";
import { blockedDate, ms, plan, settings, slotWindow } from "./fixture.ts";

describe("compilePlan", () => {
  it("files windows by zone, in order of their start", () => {
    const made = plan({
      windows: [
        slotWindow("win_b", { start: "18:00", end: "20:00", zone_ids: ["zon_1", "zon_2"] }),
        slotWindow("win_a", { start: "09:00" }),
        slotWindow("win_c", { start: "09:00", zone_ids: ["zon_1"] }),
      ],
    });
    expect(made.windowsOf("zon_1").map(({ id }) => id)).toEqual(["win_a", "win_c", "win_b"]);
    expect(made.windowsOf("zon_2").map(({ id }) => id)).toEqual(["win_b"]);
    expect(made.windowsOf("zon_3")).toEqual([]);
  });

  it("counts the horizon from the store's own day, today included", () => {
    const made = plan({ settings: settings({ horizon_days: 3, time_zone: "Europe/London" }) });
    expect(made.horizonAt(ms("2026-06-30T23:30:00Z"))).toMatchObject({
      today: "2026-07-01",
      last: "2026-07-03",
    });
    expect(made.horizonAt(ms("2026-07-01T23:30:00Z"))).toMatchObject({
      today: "2026-07-02",
      last: "2026-07-04",
    });
  });

  it("works the blocked days out anew when the day changes", () => {
    const made = plan({
      settings: settings({ horizon_days: 1 }),
      blockedDates: [blockedDate({ from: "2026-01-01", rrule: "FREQ=DAILY" })],
    });
    const day = { placeId: null, windowId: null, time: null };
    const isBlocked = (at: string, date: string): boolean =>
      findBlock(made.horizonAt(ms(at)).blocks, { ...day, date }) !== null;
    expect(isBlocked("2026-07-01T12:00:00Z", "2026-07-01")).toBe(true);
    expect(isBlocked("2026-08-01T12:00:00Z", "2026-08-01")).toBe(true);
    expect(isBlocked("2026-08-01T12:00:00Z", "2026-07-01")).toBe(false);
  });
});
