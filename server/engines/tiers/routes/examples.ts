import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
/** Documents used in the examples of the routes. */
const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };

export const IDS = {
  programme: "tpg_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  customer: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  other: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  recalculation: "trc_01JD8Z5T9QK3M4N5P6R7S8T9V0",
} as const;

const year = { type: "rolling" as const, months: 12 };

const spend = (value: number) => ({
  all: [{ metric: "spend" as const, key: null, op: "gte" as const, value, window: year }],
});

export const exampleLevels = [
  { id: "lvl_friend", name: "Friend", rank: 0, entry: { all: [] } },
  {
    id: "lvl_gold",
    name: "Gold",
    rank: 1,
    entry: spend(50_000),
    benefits: [{ kind: "free_delivery" as const, title: "Free delivery" }],
  },
];

const full = { retain: null, benefits: [], badge: "", colour: null };

export const exampleProgramme = {
  id: IDS.programme,
  ...times,
  name: "Bakery Club",
  timezone: "Europe/London",
  currency: "GBP",
  spend_basis: "net_goods" as const,
  order_counts_when: "paid" as const,
  return_window_days: 14,
  refund_dating: "original_order" as const,
  start_date: "2000-01-01",
  term: { type: "rolling" as const, months: 12, round_to: "none" as const },
  downgrade: "one_down" as const,
  evidence: "window" as const,
  grace_days: 14,
  protection_days: 0,
  on_refund: "immediate" as const,
  refund_reversal_days: 30,
  notice_days: [30, 7],
  guard: { down_bps: 500, down_count: 50 },
  min_members: 25,
  mail: { send: true, shop_name: DEMO_SHOP_NAME, shop_url: "https://bakery.example" },
  levels: exampleLevels.map((level) => ({
    ...full,
    ...level,
    benefits: (level.benefits ?? []).map((benefit) => ({ ref: "", value: 0, ...benefit })),
  })),
  status: "active" as const,
  published_version: 1,
  published_at: "2026-06-01T09:00:00.000Z",
  version: 3,
};

const exampleFinding = {
  metric: "spend" as const,
  key: null,
  window: year,
  from: "2025-06-02",
  to: "2026-06-01",
  have: 61_250,
  need: 50_000,
  gap: 0,
  met: true,
};

export const exampleCustomer = {
  id: IDS.customer,
  ...times,
  customer_id: "ada",
  email_hash: null,
  tier: {
    level_id: "lvl_gold",
    name: "Gold",
    rank: 1,
    since: "2026-02-01",
    expires_on: "2027-02-01",
    state: "held" as const,
  },
  benefits: [{ kind: "free_delivery" as const, ref: "", value: 0, title: "Free delivery" }],
  totals: { orders: 14, spend: 61_250, refunds: 0, aov: 4375 },
  currency: "GBP",
  windows: [
    {
      metric: "spend" as const,
      key: null,
      window: year,
      from: "2025-06-02",
      to: "2026-06-01",
      value: 61_250,
    },
  ],
  recency_days: 4,
  first_order_at: "2025-03-02T10:15:00.000Z",
  last_order_at: "2026-05-28T16:40:00.000Z",
  rfm: { r: 5, f: 5, m: 4, segment: "champions" as const },
  next_level: null,
  retain: { by: "2027-02-01", missing: [] },
  overrides: [],
  programme_id: IDS.programme,
  programme_version: 1,
  as_of: "2026-06-01T09:00:00.000Z",
  version: 12,
};

export const exampleOrder = {
  type: "order" as const,
  external_id: "shop-4711",
  order_ref: "4711",
  occurred_at: "2026-05-28T16:40:00.000Z",
  currency: "GBP",
  amount: 4375,
};

export const exampleMove = {
  kind: "upgraded" as const,
  from: "lvl_friend",
  to: "lvl_gold",
  on: "2026-02-01",
  cause: "activity" as const,
  evidence: [exampleFinding],
};

export const exampleRecalculation = {
  id: IDS.recalculation,
  ...times,
  status: "ready" as const,
  mode: "dry_run" as const,
  as_of: "2026-06-01",
  scope: { level_id: null },
  placement: "hold" as const,
  programme_id: IDS.programme,
  programme_version: 1,
  draft: false,
  levels: [
    { level_id: "lvl_friend", before: 20, after: 19 },
    { level_id: "lvl_gold", before: 20, after: 21 },
  ],
  discounts: { currency: "GBP", before: 0, after: 0 },
  progress: { done: 40, total: 40, cursor: IDS.customer },
  counts: { up: 1, down: 0, same: 39, errors: 0, written: 0, skipped: 0 },
  moves_sample: [
    { customer_id: IDS.customer, from: "lvl_friend", to: "lvl_gold", kind: "upgraded" as const },
  ],
  guard: { exceeded: false, down: 0, members: 40 },
  rfm: null,
  applied_at: null,
  rollback_until: null,
  version: 20,
};
