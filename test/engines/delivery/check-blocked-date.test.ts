import { describe, expect, it } from "vitest";

import { checkBlockedDate } from "../../../server/engines/delivery/rules/check-blocked-date.ts";
import type { BlockedDate } from "../../../server/engines/delivery/schema/blocked-date.ts";
import { blockedDate } from "./fixture.ts";

const check = (more: Partial<BlockedDate>): string | null =>
  checkBlockedDate(blockedDate(more))?.field ?? null;

describe("checkBlockedDate", () => {
  it.each<[string, Partial<BlockedDate>]>([
    ["a date", { date: "2026-07-04" }],
    ["a range", { from: "2026-07-04", to: "2026-07-05" }],
    ["a range of one day", { from: "2026-07-04", to: "2026-07-04" }],
    ["a recurrence", { from: "2026-07-04", rrule: "FREQ=WEEKLY;BYDAY=SA" }],
    ["a recurrence with a last day", { from: "2026-07-04", to: "2026-12-31", rrule: "FREQ=DAILY" }],
    ["a calendar", { calendar_id: "gb-eng" }],
    ["a zone", { date: "2026-07-04", scope: "zones", zone_ids: ["zon_1"] }],
    ["a location", { date: "2026-07-04", scope: "locations", location_ids: ["loc_1"] }],
    ["a part of a day over midnight", { date: "2026-07-04", ranges: [{ start: "22:00", end: "02:00" }] }],
  ])("allows %s", (_, entry) => expect(check(entry)).toBeNull());

  it.each<[string, Partial<BlockedDate>, string]>([
    ["nothing", {}, "date"],
    ["a date and a range", { date: "2026-07-04", from: "2026-07-04", to: "2026-07-05" }, "date"],
    ["a date and a calendar", { date: "2026-07-04", calendar_id: "gb-eng" }, "date"],
    ["a range without an end", { from: "2026-07-04" }, "to"],
    ["a range without a start", { to: "2026-07-04" }, "from"],
    ["a range backwards", { from: "2026-07-05", to: "2026-07-04" }, "to"],
    ["a recurrence without a first day", { rrule: "FREQ=DAILY" }, "from"],
    ["a broken recurrence", { from: "2026-07-04", rrule: "FREQ=SOMETIMES" }, "rrule"],
    ["zones without ids", { date: "2026-07-04", scope: "zones" }, "zone_ids"],
    ["windows without ids", { date: "2026-07-04", scope: "slot_windows" }, "slot_window_ids"],
    ["ids that the scope ignores", { date: "2026-07-04", zone_ids: ["zon_1"] }, "zone_ids"],
    ["locations without ids", { date: "2026-07-04", scope: "locations" }, "location_ids"],
    ["locations that the scope ignores", { date: "2026-07-04", location_ids: ["loc_1"] }, "location_ids"],
    ["an empty range", { date: "2026-07-04", ranges: [{ start: "09:00", end: "09:00" }] }, "ranges"],
  ])("refuses %s", (_, entry, field) => expect(check(entry)).toBe(field));
});
