import type { Settings } from "../../../server/engines/delivery/schema/settings.ts";
import type { SlotWindow } from "../../../server/engines/delivery/schema/slot.ts";
import type { Zone } from "../../../server/engines/delivery/schema/zone.ts";
import type { DeliveryConfig, Plan } from "../../../server/engines/delivery/rules/compile-plan.ts";
import { compilePlan } from "../../../server/engines/delivery/rules/compile-plan.ts";
import { lintZonesSteps } from "../../../server/engines/delivery/rules/lint-zones.ts";
import type { PatternConflict } from "../../../server/engines/delivery/rules/lint-zones.ts";
import type { BlockedDate } from "../../../server/engines/delivery/schema/blocked-date.ts";
import type { Postcode } from "../../../server/engines/delivery/rules/parse-gb-postcode.ts";
import { parsePostcode } from "../../../server/engines/delivery/rules/parse-postcode.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";

const AT = "2026-01-01T00:00:00.000Z";
const times = { created_at: AT, updated_at: AT };

export const ms = (instant: string): number => Date.parse(instant);
export const iso = (epochMs: number | undefined | null): string | null =>
  typeof epochMs === "number" ? new Date(epochMs).toISOString().replace(".000Z", "Z") : null;

export const settings = (more: Partial<Settings> = {}): Settings => ({
  id: "settings",
  country: "GB",
  time_zone: "Europe/London",
  currency: "GBP",
  horizon_days: 14,
  hold_ttl_seconds: 900,
  calendar_ids: [],
  default_lead_minutes: 0,
  autocorrect_postcodes: false,
  updated_at: null,
  ...more,
});

export const zone = (id: string, more: Partial<Zone> = {}): Zone => ({
  id,
  ...times,
  name: id,
  country: "GB",
  patterns: [],
  excludes: [],
  area: null,
  priority: 0,
  active: true,
  minimum_order: 0,
  free_from: null,
  lead_minutes: null,
  fee_tiers: [{ id: `fee_${id}`, from: 0, fee: 0 }],
  slot_window_ids: [],
  ...more,
});

const tiers = (...steps: readonly (readonly [number, number])[]): Zone["fee_tiers"] =>
  steps.map(([from, fee], at) => ({ id: `fee_${at}`, from, fee }));

/** Fixture F of the engine's notes: GBP, Europe/London. */
export const Z1 = zone("zon_1", {
  patterns: ["SW1", "WC2"],
  excludes: ["SW1X"],
  priority: 10,
  fee_tiers: tiers([0, 499], [3000, 299], [5000, 0]),
  minimum_order: 1500,
});
export const Z2 = zone("zon_2", {
  patterns: ["SW1-SW9", "SE1"],
  priority: 5,
  fee_tiers: tiers([0, 699], [4000, 399], [8000, 0]),
  minimum_order: 2000,
});
export const Z3 = zone("zon_3", {
  patterns: ["SW", "SE"],
  excludes: ["SE28"],
  priority: 1,
  fee_tiers: tiers([0, 899]),
  minimum_order: 2500,
});
export const fixtureZones = [Z1, Z2, Z3];

export const slotWindow = (id: string, more: Partial<SlotWindow> = {}): SlotWindow => ({
  id,
  ...times,
  name: id,
  zone_ids: ["zon_1"],
  location_ids: [],
  days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  start: "09:00",
  end: "12:00",
  capacity: 10,
  fee_delta: 0,
  cut_off: null,
  lead_minutes: null,
  valid_from: null,
  valid_until: null,
  channels: [],
  ...more,
});

export const blockedDate = (more: Partial<BlockedDate> = {}): BlockedDate => ({
  id: "blk_1",
  ...times,
  scope: "all",
  zone_ids: [],
  location_ids: [],
  slot_window_ids: [],
  date: null,
  from: null,
  to: null,
  rrule: null,
  calendar_id: null,
  ranges: [],
  reason: "closed",
  action: "block",
  ...more,
});

export const plan = (more: Partial<DeliveryConfig> = {}): Plan =>
  compilePlan({
    settings: settings(),
    zones: fixtureZones,
    locations: [],
    windows: [],
    blockedDates: [],
    calendars: new Map(),
    ...more,
  });

/** Conflicts between the patterns of zones. */
export const lintZones = (zones: readonly Zone[]): PatternConflict[] => runAtOnce(lintZonesSteps(zones));

/** A postcode that the test knows to be valid. */
export function postcode(text: string, country = "GB"): Postcode {
  const parsed = parsePostcode(text, country);
  if (!parsed.ok) throw new Error(`${text} is not a postcode of ${country}.`);
  return parsed.value;
}
