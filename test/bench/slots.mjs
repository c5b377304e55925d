const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const DAY_MS = 86_400_000;
const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const zoneIds = Array.from({ length: 50 }, (_, index) => `zon_${index}`);
const windowIds = Array.from({ length: 200 }, (_, index) => `win_${index}`);

/** Two months of slots of a zone with two hundred windows, in a store with a thousand blocked dates: what one request computes. */
export async function benchSlots({ rounds }) {
  const from = (path) => import(`../../dist/bench/server/${path}.js`);
  const { compilePlan } = await from("engines/delivery/rules/compile-plan");
  const { candidatesOf, mayBeOpen } = await from("engines/delivery/rules/list-slots");
  const count = (plan, zoneId, now) => {
    const horizon = plan.horizonAt(now);
    const place = { kind: "zone", zone: plan.zonesById.get(zoneId) };
    let open = 0;
    for (const candidate of candidatesOf(plan, place, { from: horizon.today, to: horizon.last }, horizon)) {
      if (mayBeOpen(candidate, now)) open += 1;
    }
    return open;
  };
  const timed = (run) => {
    const started = process.hrtime.bigint();
    run();
    return Number(process.hrtime.bigint() - started) / 1e6;
  };
  const first = [];
  const zone = [];
  const later = [];
  for (let round = 0; round < rounds; round += 1) {
    const plan = compilePlan(config());
    const now = NOW + round * DAY_MS;
    first.push(timed(() => count(plan, "zon_0", now)));
    zone.push(timed(() => count(plan, "zon_1", now)));
    later.push(timed(() => count(plan, "zon_0", now)));
  }
  return [
    {
      title: "Slots: two months of 200 windows beside 1,000 blocked dates",
      unit: "ms",
      rows: [
        { name: "first call of a day and zone", values: first },
        { name: "first call of another zone", values: zone },
        { name: "later call", values: later },
      ],
      notes: ["12,000 slots. The goal is at most 50 ms, the first call included."],
    },
  ];
}

function config() {
  const settings = {
    id: "settings",
    country: "GB",
    time_zone: "Europe/London",
    currency: "GBP",
    horizon_days: 60,
    hold_ttl_seconds: 900,
    calendar_ids: [],
    default_lead_minutes: 0,
    autocorrect_postcodes: false,
    updated_at: null,
  };
  return {
    settings,
    zones: zones(),
    locations: [],
    windows: windows(),
    blockedDates: blocks(),
    calendars: new Map(),
  };
}

const zones = () =>
  zoneIds.map((id) => ({
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
    fee_tiers: [{ id: "fee_1", from: 0, fee: 0 }],
    slot_window_ids: windowIds,
  }));

const windows = () =>
  windowIds.map((id, index) => ({
    id,
    ...times,
    name: "",
    zone_ids: zoneIds,
    location_ids: [],
    days,
    start: `${String(6 + (index % 12)).padStart(2, "0")}:00`,
    end: `${String(7 + (index % 12)).padStart(2, "0")}:30`,
    capacity: 10,
    fee_delta: 0,
    cut_off: { days_before: 1, time: "18:00" },
    lead_minutes: null,
    valid_from: null,
    valid_until: null,
    channels: [],
  }));

/** As many of each kind as a store can have: recurrences, parts of a day, and ranges for half of the windows. */
const blocks = () =>
  Array.from({ length: 1_000 }, (_, index) => ({
    id: `blk_${index}`,
    ...times,
    scope: "slot_windows",
    zone_ids: [],
    location_ids: [],
    slot_window_ids: windowIds.filter((_id, at) => at % 2 === index % 2),
    date: null,
    from: "2026-01-01",
    to: "2026-12-31",
    rrule: index < 50 ? "FREQ=WEEKLY;BYDAY=MO" : null,
    calendar_id: null,
    ranges: index >= 50 && index < 150 ? [{ start: "08:00", end: "09:00" }] : [],
    reason: "closed",
    action: "block",
  }));
