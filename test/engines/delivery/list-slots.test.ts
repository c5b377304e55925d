import { describe, expect, it } from "vitest";

import {
  candidateOf,
  candidatesOf,
  mayBeOpen,
  slotIdOf,
  splitSlotId,
  toSlot,
  usageIdOf,
} from "../../../server/engines/delivery/rules/list-slots.ts";
import type { Plan } from "../../../server/engines/delivery/rules/compile-plan.ts";
import type { Place } from "../../../server/engines/delivery/rules/places.ts";
import type { Zone } from "../../../server/engines/delivery/schema/zone.ts";
import { blockedDate, ms, plan, slotWindow, Z1, Z2 } from "./fixture.ts";

const NOW = ms("2026-06-01T09:00:00Z");
const terms = { now: NOW, itemMinutes: 0, basketTotal: null };
const inZone = (zone: Zone): Place => ({ kind: "zone", zone });
const at1 = inZone(Z1);
const morning = slotWindow("win_am", { zone_ids: ["zon_1", "zon_2"], fee_delta: 100 });
const evening = slotWindow("win_pm", { start: "18:00", end: "20:00", days: ["mon"] });

const ids = (made: Plan, from: string, to: string, channel?: string): string[] =>
  [...candidatesOf(made, at1, { from, to, channel }, made.horizonAt(NOW))].map(({ slotId }) => slotId);

describe("candidatesOf", () => {
  it("lists the slots of a zone by start, over days and windows", () => {
    expect(ids(plan({ windows: [evening, morning] }), "2026-06-01", "2026-06-02")).toEqual([
      "win_am@2026-06-01",
      "win_pm@2026-06-01",
      "win_am@2026-06-02",
    ]);
  });

  it("computes a day only when it is reached, and once", () => {
    const made = plan({ windows: [morning] });
    const horizon = made.horizonAt(NOW);
    const first = () =>
      candidatesOf(made, at1, { from: horizon.today, to: horizon.last }, horizon).next().value;
    expect(first()?.slotId).toBe(`win_am@${horizon.today}`);
    expect(first()).toBe(first());
  });

  it("leaves out slots that have started, also where the clock was set back", () => {
    const made = plan({ windows: [morning, evening] });
    const horizon = made.horizonAt(NOW);
    const startedBy = (instant: string): string[] => {
      const span = { from: "2026-06-01", to: "2026-06-01", startedBy: ms(instant) };
      return [...candidatesOf(made, at1, span, horizon)].map(({ slotId }) => slotId);
    };
    const both = ["win_am@2026-06-01", "win_pm@2026-06-01"];
    expect(startedBy("2026-06-01T00:00:00Z")).toEqual(both);
    expect(startedBy("2026-06-01T16:59:59Z")).toEqual(["win_pm@2026-06-01"]);
    expect(startedBy("2026-06-01T17:00:00Z")).toEqual([]);
    expect(startedBy("2026-06-01T00:00:00Z")).toEqual(both);
  });

  it("leaves out slots without length and windows of other channels", () => {
    const gap = slotWindow("win_gap", { start: "01:00", end: "02:00" });
    expect(ids(plan({ windows: [gap] }), "2026-03-28", "2026-03-30")).toEqual([
      "win_gap@2026-03-28",
      "win_gap@2026-03-30",
    ]);
    const app = slotWindow("win_app", { channels: ["app"] });
    expect(ids(plan({ windows: [app] }), "2026-06-01", "2026-06-01", "web")).toEqual([]);
    expect(ids(plan({ windows: [app] }), "2026-06-01", "2026-06-01", "app")).toHaveLength(1);
    expect(ids(plan({ windows: [app] }), "2026-06-01", "2026-06-01")).toHaveLength(1);
  });
});

describe("candidateOf", () => {
  const oneZone = blockedDate({
    date: "2026-06-03",
    scope: "zones",
    zone_ids: ["zon_1"],
    reason: "road works",
  });
  const made = plan({ windows: [morning], blockedDates: [oneZone] });
  const at = (date: string, zone: typeof Z1 | null) => {
    const place = zone === null ? null : inZone(zone);
    return candidateOf(made, { window: morning, place, date }, made.horizonAt(NOW));
  };

  it("is blocked for its own zone only; without a zone, when every zone is", () => {
    expect(at("2026-06-03", Z1)?.facts.block).toBe("road works");
    expect(at("2026-06-03", Z2)?.facts.block).toBeNull();
    expect(at("2026-06-03", null)?.facts.block).toBeNull();
    const both = plan({ windows: [morning], blockedDates: [{ ...oneZone, zone_ids: ["zon_1", "zon_2"] }] });
    const candidate = candidateOf(
      both,
      { window: morning, place: null, date: "2026-06-03" },
      both.horizonAt(NOW),
    );
    expect(candidate?.facts.block).toBe("road works");
  });

  it("takes the lead of the window, then the zone, then the settings", () => {
    const lead = (windowLead: number | null, zoneLead: number | null): number | undefined =>
      candidateOf(
        made,
        {
          window: { ...morning, lead_minutes: windowLead },
          place: inZone({ ...Z1, lead_minutes: zoneLead }),
          date: "2026-06-02",
        },
        made.horizonAt(NOW),
      )?.facts.leadMinutes;
    expect([lead(30, 60), lead(null, 60), lead(null, null), lead(0, 60)]).toEqual([30, 60, 0, 0]);
  });

  it("is inside the horizon from today to its last day", () => {
    expect(at("2026-05-31", Z1)?.facts.inHorizon).toBe(false);
    expect(at("2026-06-01", Z1)?.facts.inHorizon).toBe(true);
    expect(at("2026-06-14", Z1)?.facts.inHorizon).toBe(true);
    expect(at("2026-06-15", Z1)?.facts.inHorizon).toBe(false);
  });
});

describe("toSlot", () => {
  const made = plan({ windows: [morning] });
  const candidate = candidateOf(
    made,
    { window: morning, place: at1, date: "2026-06-02" },
    made.horizonAt(NOW),
  );

  it("serves the slot with fee, capacity and state", () => {
    if (candidate === null) throw new Error("The window has a slot on this day.");
    const usage = {
      id: candidate.usageId,
      date: "2026-06-02",
      held: [],
      confirmed: [{ zone_id: null, quantity: 4 }],
    };
    expect(toSlot({ ...candidate, place: at1 }, usage, { ...terms, basketTotal: 3000 })).toEqual({
      id: "win_am@2026-06-02",
      slot_window_id: "win_am",
      zone_id: "zon_1",
      location_id: null,
      starts_at: "2026-06-02T08:00:00.000Z",
      ends_at: "2026-06-02T11:00:00.000Z",
      local: { date: "2026-06-02", start: "09:00", end: "12:00" },
      capacity: 10,
      booked: 4,
      held: 0,
      remaining: 6,
      cut_off_at: null,
      fee: 399,
      fee_delta: 100,
      channels: [],
      status: "open",
      reason: null,
    });
    expect(toSlot({ ...candidate, place: at1 }, null, terms)).toMatchObject({ fee: null, remaining: 10 });
    expect(mayBeOpen(candidate, NOW)).toBe(true);
    expect(mayBeOpen(candidate, ms("2026-06-02T08:00:00Z"))).toBe(false);
  });
});

it("slot ids name window and date, usage ids put the date first", () => {
  expect(slotIdOf("win_am", "2026-06-02")).toBe("win_am@2026-06-02");
  expect(usageIdOf("win_am", "2026-06-02")).toBe("2026-06-02@win_am");
  expect(splitSlotId("win_am@2026-06-02")).toEqual({ windowId: "win_am", date: "2026-06-02" });
});
