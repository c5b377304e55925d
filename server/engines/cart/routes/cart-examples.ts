import type { z } from "zod";

import { DEFAULT_TERMS } from "../rules/plan-recovery.ts";
import type { Cart, RecoveryFlow, Suppression } from "../schema/cart.ts";

const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };

export const cartBody = {
  sequence: 3,
  last_activity_at: "2026-06-01T08:55:00.000Z",
  customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
  consent: { basis: "soft_opt_in", at: "2026-05-01T10:00:00.000Z", source: "checkout" },
  lines: [{ ref: "sourdough", title: "Sourdough loaf", quantity: 2, unit_price: 420, in_stock: true }],
  total: 840,
  currency: "GBP",
  checkout_url: "https://shop.example/checkout/42",
} as const;

export const exampleCart = {
  id: "crt_01JD8Z5T9QK3M4N5P6R7S8T9V4",
  ...times,
  external_id: "cart-42",
  ...cartBody,
  lines: [...cartBody.lines],
  metadata: {},
  status: "active",
  abandoned_at: null,
  flow_id: null,
  steps: [],
  clicks: [],
  order: null,
  attribution: null,
  next_action_at: "2026-06-01T09:55:00.000Z",
  version: 4,
} satisfies z.input<typeof Cart> & { version: number };

export const exampleFlow = {
  id: "rfl_01JD8Z5T9QK3M4N5P6R7S8T9V5",
  ...times,
  title: "Come back",
  ...DEFAULT_TERMS,
  steps: [...DEFAULT_TERMS.steps],
  active: true,
  metadata: {},
  version: 6,
} satisfies z.input<typeof RecoveryFlow> & { version: number };

export const exampleSuppression = {
  id: "sup_01JD8Z5T9QK3M4N5P6R7S8T9V6",
  ...times,
  source: "merchant",
  version: 7,
} satisfies z.input<typeof Suppression> & { version: number };
