import { describe, expect, it } from "vitest";

import { judgeDay } from "../../../server/engines/delivery/rules/judge-day.ts";
import type { Day } from "../../../server/engines/delivery/rules/judge-day.ts";
import type { ReasonCode, Slot } from "../../../server/engines/delivery/schema/slot.ts";

const slot = (code: ReasonCode | null): Slot => ({
  id: "win_1@2026-07-04",
  slot_window_id: "win_1",
  zone_id: "zon_1",
  location_id: null,
  starts_at: "2026-07-04T08:00:00.000Z",
  ends_at: "2026-07-04T11:00:00.000Z",
  local: { date: "2026-07-04", start: "09:00", end: "12:00" },
  capacity: 1,
  booked: 0,
  held: 0,
  remaining: 1,
  cut_off_at: null,
  fee: null,
  fee_delta: 0,
  channels: [],
  status: code === null ? "open" : "closed",
  reason: code === null ? null : { code, detail: "Because." },
});
const judge = (day: Partial<Day>, ...codes: (ReasonCode | null)[]): string | null =>
  judgeDay({ inHorizon: true, block: null, hasWindows: true, slots: codes.map(slot), ...day })?.code ?? null;

describe("judgeDay", () => {
  it.each<[string, Partial<Day>, (ReasonCode | null)[], string | null]>([
    ["one slot is open", {}, ["slot_full", null], null],
    ["the best is full", {}, ["slot_closed", "slot_full", "cutoff_passed"], "slot_full"],
    ["the best is cut off", {}, ["date_blocked", "cutoff_passed", "slot_closed"], "cutoff_passed"],
    ["the best is closed", {}, ["date_blocked", "slot_closed"], "slot_closed"],
    ["all are blocked", {}, ["date_blocked", "date_blocked"], "date_blocked"],
    ["no window runs on it", {}, [], "no_slots"],
    ["the day is blocked", { block: "Boxing Day" }, [null], "date_blocked"],
    ["it is too far off", { inHorizon: false }, [null], "outside_horizon"],
    ["the zone delivers without slots", { hasWindows: false }, [], null],
    ["a blocked day without slots", { hasWindows: false, block: "" }, [], "date_blocked"],
  ])("%s", (_, day, codes, expected) => expect(judge(day, ...codes)).toBe(expected));
});
