import { DEMO_IDS } from "../demo.ts";

/** Documents used in the examples of the routes: those of the demo shop. */
const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };
const [tier1 = "", tier2 = "", tier3 = ""] = DEMO_IDS.tiers;
const [hold1 = ""] = DEMO_IDS.holds;

export const exampleZone = {
  id: DEMO_IDS.central,
  ...times,
  name: "Westminster and Covent Garden",
  country: "GB",
  patterns: ["SW1", "WC2"],
  excludes: ["SW1X"],
  area: null,
  priority: 10,
  active: true,
  minimum_order: 1500,
  free_from: null,
  lead_minutes: null,
  fee_tiers: [
    { id: tier1, from: 0, fee: 499 },
    { id: tier2, from: 3000, fee: 299 },
    { id: tier3, from: 5000, fee: 0 },
  ],
  slot_window_ids: [DEMO_IDS.morning, DEMO_IDS.midday, DEMO_IDS.evening],
  version: 12,
};

export const exampleTier = { id: tier2, from: 3000, fee: 299, zone_id: DEMO_IDS.central };

export const exampleWindow = {
  id: DEMO_IDS.midday,
  ...times,
  name: "Lunch round",
  zone_ids: [DEMO_IDS.central],
  location_ids: [],
  days: ["mon" as const, "tue" as const, "wed" as const, "thu" as const, "fri" as const],
  start: "11:30",
  end: "13:30",
  capacity: 20,
  fee_delta: 100,
  cut_off: { minutes_before: 120 },
  lead_minutes: null,
  valid_from: null,
  valid_until: null,
  channels: [],
  version: 13,
};

export const exampleLocation = {
  id: DEMO_IDS.shop,
  ...times,
  name: "Bakery on Strutton Ground",
  address: "12 Strutton Ground, London SW1P 2HP",
  channels: ["pickup" as const],
  hours: [{ days: ["mon" as const, "tue" as const], start: "07:00", end: "17:00" }],
  lead_minutes: null,
  version: 13,
};

export const exampleBlockedDate = {
  id: DEMO_IDS.summer,
  ...times,
  scope: "all" as const,
  zone_ids: [],
  location_ids: [],
  slot_window_ids: [],
  date: null,
  from: "2026-08-10",
  to: "2026-08-16",
  rrule: null,
  calendar_id: null,
  ranges: [],
  reason: "Summer break",
  action: "block" as const,
  version: 14,
};

export const exampleSlot = {
  id: `${DEMO_IDS.midday}@2026-06-03`,
  slot_window_id: DEMO_IDS.midday,
  zone_id: DEMO_IDS.central,
  location_id: null,
  starts_at: "2026-06-03T10:30:00.000Z",
  ends_at: "2026-06-03T12:30:00.000Z",
  local: { date: "2026-06-03", start: "11:30", end: "13:30" },
  capacity: 20,
  booked: 0,
  held: 0,
  remaining: 20,
  cut_off_at: "2026-06-03T08:30:00.000Z",
  fee: 599,
  fee_delta: 100,
  channels: [],
  status: "open" as const,
  reason: null,
};

export const exampleHold = {
  id: hold1,
  ...times,
  slot_id: `${DEMO_IDS.midday}@2026-06-03`,
  slot_window_id: DEMO_IDS.midday,
  zone_id: DEMO_IDS.central,
  location_id: null,
  channel: "delivery",
  date: "2026-06-03",
  starts_at: "2026-06-03T10:30:00.000Z",
  ends_at: "2026-06-03T12:30:00.000Z",
  quantity: 1,
  reference: "order 1041",
  state: "held" as const,
  expires_at: "2026-06-01T09:15:00.000Z",
  confirmed_at: null,
  released_at: null,
  version: 15,
};

export const exampleBooking = {
  ...exampleHold,
  state: "confirmed" as const,
  confirmed_at: "2026-06-01T09:04:12.000Z",
  version: 16,
};

export const exampleCalendar = {
  id: "gb-eng",
  created_at: "2026-02-25T15:52:41.000Z",
  updated_at: "2026-02-25T15:52:41.000Z",
  name: "England and Wales",
  source: "https://www.gov.uk/bank-holidays (Open Government Licence v3.0)",
  events: [
    { date: "2026-12-25", title: "Christmas Day", substitute: false },
    { date: "2026-12-28", title: "Boxing Day", substitute: true },
  ],
  version: 0,
};
