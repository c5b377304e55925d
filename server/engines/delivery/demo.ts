import { toInstant } from "../../lib/instant.ts";
import { createNewId } from "../../core/ids.ts";
import { addDays, localDateAt } from "../../lib/local-time.ts";
import { compilePlan } from "./rules/compile-plan.ts";
import type { DeliveryConfig } from "./rules/compile-plan.ts";
import { emptyUsage, withConfirmed, withHold } from "./rules/hold-usage.ts";
import { candidatesOf, mayBeOpen } from "./rules/list-slots.ts";
import type { Candidate } from "./rules/list-slots.ts";
import { shippedCalendars } from "./repository.ts";
import type { BlockedDate } from "./schema/blocked-date.ts";
import type { Hold } from "./schema/hold.ts";
import type { Location } from "./schema/location.ts";
import type { Settings } from "./schema/settings.ts";
import type { SlotUsage, SlotWindow } from "./schema/slot.ts";
import type { Zone } from "./schema/zone.ts";
import { BLOCKED_EVERYWHERE } from "./rules/expand-blocks.ts";
import { newResource } from "../../lib/new-resource.ts";

const TIME_ZONE = "Europe/London";

/** Ids of the demo documents: the same in every run, so that examples and documentation can refer to them. */
export const DEMO_IDS = makeIds();

function makeIds() {
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  // Ids with the same timestamp count upwards from the first one; this makes the first one the same each time.
  const newId = createNewId(clock, { next: () => 0.5, bytes: (count) => new Uint8Array(count) });
  return {
    central: newId("zon"),
    inner: newId("zon"),
    outer: newId("zon"),
    channel: newId("zon"),
    morning: newId("win"),
    midday: newId("win"),
    evening: newId("win"),
    brunch: newId("win"),
    oven: newId("blk"),
    marathon: newId("blk"),
    summer: newId("blk"),
    holidayMorning: newId("blk"),
    tiers: Array.from({ length: 8 }, () => newId("fee")),
    holds: Array.from({ length: 6 }, () => newId("hld")),
    shop: newId("loc"),
    collection: newId("win"),
  };
}

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoDelivery(now: number) {
  const nowAt = toInstant(now);
  const today = localDateAt(now, TIME_ZONE);
  const settings: Settings = {
    id: "settings",
    country: "GB",
    time_zone: TIME_ZONE,
    currency: "GBP",
    horizon_days: 14,
    hold_ttl_seconds: 900,
    calendar_ids: ["gb-eng"],
    default_lead_minutes: 90,
    autocorrect_postcodes: false,
    updated_at: nowAt,
  };
  const config = {
    settings,
    zones: demoZones(nowAt),
    locations: demoLocations(nowAt),
    windows: demoWindows(nowAt),
    blockedDates: demoBlockedDates(nowAt, today),
    calendars: new Map(shippedCalendars.map(({ id, events }) => [id, events])),
  };
  const { holds, slotUsages } = demoBookings(config, now);
  const { zones, locations, windows: slotWindows, blockedDates } = config;
  const revisions = [{ id: "demo" as const, revision: `rev_demo_${now}` }];
  return { settings, zones, locations, slotWindows, blockedDates, holds, slotUsages, revisions };
}

function demoZones(nowAt: string): Zone[] {
  const zone = (
    id: string,
    priority: number,
    rest: Pick<Zone, "name" | "patterns" | "minimum_order"> & Partial<Zone>,
  ): Zone => ({
    ...newResource(id, nowAt),
    country: "GB",
    excludes: [],
    area: null,
    priority,
    active: true,
    free_from: null,
    lead_minutes: null,
    fee_tiers: [],
    slot_window_ids: [],
    ...rest,
  });
  const tiers = (first: number, ...steps: readonly (readonly [number, number])[]): Zone["fee_tiers"] =>
    steps.map(([from, fee], at) => ({ id: DEMO_IDS.tiers[first + at] ?? "", from, fee }));
  return [
    zone(DEMO_IDS.central, 10, {
      name: "Westminster and Covent Garden",
      patterns: ["SW1", "WC2"],
      excludes: ["SW1X"],
      minimum_order: 1500,
      fee_tiers: tiers(0, [0, 499], [3000, 299], [5000, 0]),
      slot_window_ids: [DEMO_IDS.morning, DEMO_IDS.midday, DEMO_IDS.evening],
    }),
    zone(DEMO_IDS.inner, 5, {
      name: "Inner south London",
      patterns: ["SW1-SW9", "SE1", "SE16"],
      minimum_order: 2000,
      fee_tiers: tiers(3, [0, 699], [4000, 399], [8000, 0]),
      slot_window_ids: [DEMO_IDS.morning, DEMO_IDS.evening, DEMO_IDS.brunch],
    }),
    zone(DEMO_IDS.outer, 1, {
      name: "Outer south London",
      patterns: ["SW", "SE"],
      excludes: ["SE28"],
      minimum_order: 2500,
      fee_tiers: tiers(6, [0, 899]),
      lead_minutes: 240,
      slot_window_ids: [DEMO_IDS.brunch],
    }),
    zone(DEMO_IDS.channel, 1, {
      name: "Jersey by post",
      patterns: ["JE"],
      minimum_order: 3000,
      free_from: 10_000,
      fee_tiers: tiers(7, [0, 1295]),
    }),
  ];
}

const demoLocations = (nowAt: string): Location[] => [
  {
    ...newResource(DEMO_IDS.shop, nowAt),
    name: "Bakery on Strutton Ground",
    address: "12 Strutton Ground, London SW1P 2HP",
    channels: ["pickup"],
    hours: [
      { days: WEEKDAYS, start: "07:00", end: "17:00" },
      { days: ["sat"], start: "08:00", end: "13:00" },
    ],
    lead_minutes: null,
  },
];

const WEEKDAYS: SlotWindow["days"] = ["mon", "tue", "wed", "thu", "fri"];

function demoWindows(nowAt: string): SlotWindow[] {
  const window = (
    id: string,
    rest: Pick<SlotWindow, "name" | "zone_ids" | "days" | "start" | "end" | "capacity" | "cut_off"> &
      Partial<SlotWindow>,
  ): SlotWindow => ({
    ...newResource(id, nowAt),
    location_ids: [],
    fee_delta: 0,
    lead_minutes: null,
    valid_from: null,
    valid_until: null,
    channels: [],
    ...rest,
  });
  return [
    window(DEMO_IDS.morning, {
      name: "Breakfast round",
      zone_ids: [DEMO_IDS.central, DEMO_IDS.inner],
      days: [...WEEKDAYS, "sat"],
      start: "07:00",
      end: "10:00",
      capacity: 12,
      cut_off: { days_before: 1, time: "18:00" },
    }),
    window(DEMO_IDS.midday, {
      name: "Lunch round",
      zone_ids: [DEMO_IDS.central],
      days: WEEKDAYS,
      start: "11:30",
      end: "13:30",
      capacity: 20,
      cut_off: { minutes_before: 120 },
      fee_delta: 100,
    }),
    window(DEMO_IDS.evening, {
      name: "Evening round",
      zone_ids: [DEMO_IDS.central, DEMO_IDS.inner],
      days: ["tue", "thu", "fri"],
      start: "17:00",
      end: "20:00",
      capacity: 8,
      cut_off: { minutes_before: 180 },
      fee_delta: 150,
      channels: ["web", "app"],
    }),
    window(DEMO_IDS.brunch, {
      name: "Weekend brunch",
      zone_ids: [DEMO_IDS.inner, DEMO_IDS.outer],
      days: ["sat", "sun"],
      start: "09:00",
      end: "12:00",
      capacity: 10,
      cut_off: { days_before: 1, time: "16:00" },
    }),
    window(DEMO_IDS.collection, {
      name: "Collection in the morning",
      zone_ids: [],
      location_ids: [DEMO_IDS.shop],
      days: [...WEEKDAYS, "sat"],
      start: "08:00",
      end: "11:00",
      capacity: 30,
      cut_off: { minutes_before: 60 },
      channels: ["pickup"],
    }),
  ];
}

function demoBlockedDates(nowAt: string, today: string): BlockedDate[] {
  const block = (id: string, rest: Partial<BlockedDate>): BlockedDate => ({
    ...newResource(id, nowAt),
    ...BLOCKED_EVERYWHERE,
    ...rest,
  });
  const year = today.slice(0, 4);
  const holidays = shippedCalendars.find(({ id }) => id === "gb-eng")?.events ?? [];
  const nextHoliday = holidays.find(({ date }) => date > today)?.date ?? addDays(today, 30);
  return [
    block(DEMO_IDS.oven, {
      reason: "Oven maintenance",
      from: `${year}-01-01`,
      rrule: "FREQ=MONTHLY;BYDAY=1MO",
    }),
    block(DEMO_IDS.marathon, {
      reason: "London Marathon",
      scope: "zones",
      zone_ids: [DEMO_IDS.central, DEMO_IDS.inner],
      from: `${year}-01-01`,
      rrule: "FREQ=YEARLY;BYMONTH=4;BYDAY=-1SU",
      ranges: [{ start: "07:00", end: "18:00" }],
    }),
    block(DEMO_IDS.summer, { reason: "Summer break", from: `${year}-08-10`, to: `${year}-08-16` }),
    block(DEMO_IDS.holidayMorning, {
      reason: "Open on the bank holiday morning",
      action: "open",
      date: nextHoliday,
      ranges: [{ start: "07:00", end: "13:00" }],
    }),
  ];
}

/** Some confirmed and pending holds in the first open slots. */
function demoBookings(config: DeliveryConfig, now: number) {
  const plan = compilePlan(config);
  const horizon = plan.horizonAt(now);
  const usages = new Map<string, SlotUsage>();
  const made: Hold[] = [];
  for (const [zoneId, quantities] of [
    [DEMO_IDS.central, [1, 1, 2]],
    [DEMO_IDS.inner, [1, 3]],
    [DEMO_IDS.outer, [2]],
  ] as const) {
    const zone = plan.zonesById.get(zoneId);
    if (zone === undefined) continue;
    const open = [
      ...candidatesOf(plan, { kind: "zone", zone }, { from: horizon.today, to: horizon.last }, horizon),
    ].filter((candidate) => mayBeOpen(candidate, now));
    for (const [at, quantity] of quantities.entries()) {
      const slot = open[at];
      if (slot === undefined) continue;
      const isConfirmed = at + 1 < quantities.length;
      const hold = demoHold(slot, { now, quantity, isConfirmed, number: made.length + 1 });
      const entry = { zone_id: zoneId, quantity, expires_at_ms: Date.parse(hold.expires_at) };
      const usage = usages.get(slot.usageId) ?? emptyUsage(slot.usageId, slot.date);
      const take = isConfirmed ? withConfirmed : withHold;
      usages.set(slot.usageId, take(usage, entry, now));
      made.push(hold);
    }
  }
  return { holds: made, slotUsages: [...usages.values()] };
}

function demoHold(
  slot: Candidate,
  {
    now,
    quantity,
    isConfirmed,
    number,
  }: { now: number; quantity: number; isConfirmed: boolean; number: number },
): Hold {
  const nowAt = toInstant(now);
  return {
    ...newResource(DEMO_IDS.holds[number - 1] ?? "", nowAt),
    slot_id: slot.slotId,
    slot_window_id: slot.window.id,
    zone_id: slot.place?.kind === "zone" ? slot.place.zone.id : null,
    location_id: null,
    channel: "delivery",
    date: slot.date,
    starts_at: toInstant(slot.facts.times.startsAt),
    ends_at: toInstant(slot.facts.times.endsAt),
    quantity,
    reference: `order ${1040 + number}`,
    state: isConfirmed ? "confirmed" : "held",
    expires_at: toInstant(now + 900_000),
    confirmed_at: isConfirmed ? nowAt : null,
    released_at: null,
  };
}
