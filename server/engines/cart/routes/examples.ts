import type { z } from "zod";

import type { Bundle, EngineEvent } from "../schema.ts";
import type { Offer, Redemption } from "../schema/offer.ts";

const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };

export const bundleBody = {
  title: "Breakfast for two",
  type: "fixed",
  components: [
    { ref: "croissant", qty: 2 },
    { ref: "coffee", qty: 2 },
  ],
  groups: [],
  pricing: { kind: "fixed_price", value: 950 },
  tiers: [],
  auto_apply: true,
  subscribable: false,
  starts_at: null,
  ends_at: null,
  channels: [],
  metadata: {},
} as const;

export const exampleBundle = {
  id: "bdl_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  ...bundleBody,
  components: [...bundleBody.components],
  groups: [],
  tiers: [],
  channels: [],
  stock: null,
  status: "active",
  version: 1,
} satisfies z.input<typeof Bundle> & { version: number };

const filter = { refs: ["croissant"], categories: [], tags: [] };

export const offerBody = {
  title: "Three croissants for two",
  trigger: "automatic",
  conditions: { match: "all", rules: [{ kind: "channel", any_of: ["web"] }] },
  effect: {
    class: "bogo",
    buy: { filter, qty: 2, spend: null },
    get: { filter, qty: 1 },
    value: { kind: "free", value: 0 },
    grouping: "cheapest_overall",
    distribution: "reward_only",
    add_reward_suggestion: true,
    exclusive_units: false,
  },
  combines_with: ["order", "shipping"],
} satisfies Partial<z.input<typeof Offer>>;

export const exampleOffer = {
  id: "ofr_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  ...times,
  ...offerBody,
  class: "bogo",
  codes: [],
  priority: 0,
  exclusive: false,
  max_applications_per_cart: null,
  max_uses: 500,
  max_uses_per_customer: null,
  budget: null,
  min_spend_after_discounts: 0,
  starts_at: null,
  ends_at: null,
  metadata: {},
  status: "active",
  revision: 1,
  version: 2,
} satisfies z.input<typeof Offer> & { version: number };

export const exampleRedemption = {
  id: "red_01JD8Z5T9QK3M4N5P6R7S8T9V2",
  ...times,
  offer_id: exampleOffer.id,
  order_ref: "order-1042",
  customer_id: "ada",
  code: null,
  amount: 250,
  pricing_hash: "5e1f6d",
  shard: 3,
  version: 5,
} satisfies z.input<typeof Redemption> & { version: number };

export const exampleEvent = {
  id: "evt_01JD8Z5T9QK3M4N5P6R7S8T9V3",
  created_at: "2026-06-01T09:00:00.000Z",
  type: "offer.exhausted",
  subject_id: exampleOffer.id,
  data: { max_uses: 500 },
  version: 9,
} satisfies z.input<typeof EngineEvent> & { version: number };
