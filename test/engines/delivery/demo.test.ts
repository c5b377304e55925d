import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { demoDelivery } from "../../../server/engines/delivery/demo.ts";
import { checkBlockedDate } from "../../../server/engines/delivery/rules/check-blocked-date.ts";
import { compilePlan } from "../../../server/engines/delivery/rules/compile-plan.ts";
import { checkFeeTiers } from "../../../server/engines/delivery/rules/fee-tiers.ts";
import { remainingOf } from "../../../server/engines/delivery/rules/hold-usage.ts";
import { candidatesOf, mayBeOpen } from "../../../server/engines/delivery/rules/list-slots.ts";
import { shippedCalendars } from "../../../server/engines/delivery/repository.ts";
import { BlockedDate } from "../../../server/engines/delivery/schema/blocked-date.ts";
import { Hold } from "../../../server/engines/delivery/schema/hold.ts";
import { Settings } from "../../../server/engines/delivery/schema/settings.ts";
import { SlotUsage, SlotWindow } from "../../../server/engines/delivery/schema/slot.ts";
import { Zone } from "../../../server/engines/delivery/schema/zone.ts";
import { lintZones, ms } from "./fixture.ts";

const INSTANTS = [
  "2026-06-01T09:00:00Z",
  "2026-12-24T23:30:00Z",
  "2027-03-28T00:30:00Z",
  "2028-10-29T12:00:00Z",
];

describe.each(INSTANTS)("demoDelivery at %s", (instant) => {
  const now = ms(instant);
  const demo = demoDelivery(now);

  it("is the same each time", () => expect(demoDelivery(now)).toEqual(demo));

  it("fits the schemas", () => {
    const check = (schema: z.ZodType, documents: readonly unknown[]): void => {
      for (const document of documents) expect(schema.parse(document)).toEqual(document);
    };
    check(Settings, [demo.settings]);
    check(Zone, demo.zones);
    check(SlotWindow, demo.slotWindows);
    check(BlockedDate, demo.blockedDates);
    check(Hold, demo.holds);
    check(SlotUsage, demo.slotUsages);
  });

  it("fits the rules that a customer's own would have to", () => {
    expect(lintZones(demo.zones)).toEqual([]);
    for (const zone of demo.zones) expect(checkFeeTiers(zone.fee_tiers, zone.free_from)).toBeNull();
    for (const entry of demo.blockedDates) expect(checkBlockedDate(entry)).toBeNull();
  });

  it("names what is there, from both sides", () => {
    for (const zone of demo.zones) {
      const windows = demo.slotWindows.filter(({ zone_ids }) => zone_ids.includes(zone.id));
      expect([...zone.slot_window_ids].sort()).toEqual(windows.map(({ id }) => id).sort());
    }
    const ids = [
      ...demo.zones,
      ...demo.locations,
      ...demo.slotWindows,
      ...demo.blockedDates,
      ...demo.holds,
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toEqual([]);
  });

  it("has slots to sell, and orders that fit them", () => {
    const plan = compilePlan({
      ...demo,
      windows: demo.slotWindows,
      calendars: new Map(shippedCalendars.map(({ id, events }) => [id, events])),
    });
    const horizon = plan.horizonAt(now);
    for (const zone of plan.zones.filter(({ slot_window_ids }) => slot_window_ids.length > 0)) {
      const open = [
        ...candidatesOf(plan, { kind: "zone", zone }, { from: horizon.today, to: horizon.last }, horizon),
      ].filter((slot) => mayBeOpen(slot, now));
      expect(open.length, zone.name).toBeGreaterThan(1);
    }
    expect(demo.holds.length).toBe(6);
    const taken = demo.slotUsages.reduce((sum, usage) => sum + 2_000 - remainingOf(usage, 2_000, now), 0);
    expect(taken).toBe(demo.holds.reduce((sum, { quantity }) => sum + quantity, 0));
  });
});
