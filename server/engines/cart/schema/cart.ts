import { z } from "zod";

import {
  Currency,
  Id,
  Instant,
  LocalTime,
  Metadata,
  Minor,
  resourceFields,
  urlUpTo,
} from "../../../core/schema.ts";
import { Bps, CART_LIMITS, Ref, Text, UnitPrice } from "./parts.ts";

export const CartStatus = z.enum(["active", "abandoned", "converted", "lost", "suppressed"]);

/** UK rules: marketing mail needs consent, or the soft opt-in of a sale or its negotiation. */
export const Consent = z.strictObject({
  basis: z.enum(["consent", "soft_opt_in", "none"]),
  at: Instant.nullable().default(null),
  source: z.string().max(120).default(""),
});

const CartLine = z.strictObject({
  ref: Ref,
  title: Text,
  quantity: z.int().min(1).max(CART_LIMITS.units),
  unit_price: UnitPrice,
  in_stock: z.boolean().default(true),
});

export const SkipReason = z.enum([
  "converted",
  "ordered",
  "suppressed",
  "no_consent",
  "newer_cart",
  "cooldown",
  "empty",
  "out_of_stock",
  "late",
  "coupon_invalid",
  "holdout",
  "flow_paused",
  "erased",
]);
export type SkipReason = z.output<typeof SkipReason>;

/** `sent`: handed to the outbox, in the commit that says so; marketing mail is tried once there. */
export const RecoveryStep = z.strictObject({
  n: z.int().min(1),
  due_at: Instant,
  state: z.enum(["planned", "sent", "skipped"]),
  reason: SkipReason.nullable(),
  at: Instant.nullable().meta({ description: "When it was sent or skipped" }),
  template: z.string(),
  coupon_offer_id: Id.nullable(),
  coupon: z.string().nullable(),
});
export type RecoveryStep = z.output<typeof RecoveryStep>;

export const cartFields = {
  customer: z.strictObject({
    id: Ref.nullable().default(null),
    email: z.email().max(254).nullable().default(null),
    name: z.string().trim().max(120).default(""),
  }),
  consent: Consent,
  lines: z.array(CartLine).max(CART_LIMITS.cartLines),
  total: Minor,
  currency: Currency,
  checkout_url: urlUpTo(1000, { protocol: /^https$/ }).meta({ description: "Begins with https" }),
  metadata: Metadata,
};

export const Cart = z.strictObject({
  ...resourceFields,
  external_id: Ref,
  ...cartFields,
  sequence: z.int().min(0),
  last_activity_at: Instant,
  status: CartStatus,
  abandoned_at: Instant.nullable(),
  flow_id: Id.nullable(),
  steps: z.array(RecoveryStep).max(50),
  clicks: z.array(Instant).max(50),
  order: z
    .strictObject({
      ref: Ref,
      total: Minor,
      placed_at: Instant,
      cart_id: Id.optional().meta({ description: "The cart it came through, where that is another one" }),
    })
    .nullable(),
  attribution: z.enum(["recovered", "assisted"]).nullable(),
  next_action_at: Instant.nullable(),
});
export type Cart = z.output<typeof Cart>;

const FlowStep = z.strictObject({
  delay_minutes: z.int().min(10).max(43_200).meta({ description: "After the last activity" }),
  template: z.enum(["abandoned-cart-first", "abandoned-cart-second", "abandoned-cart-last"]),
  coupon_offer_id: Id.nullable().default(null).meta({
    description: "Each mail carries a code of its own for this offer",
  }),
});

export const flowFields = {
  title: Text,
  abandon_after_minutes: z.int().min(10).max(10_080),
  steps: z.array(FlowStep).min(1).max(CART_LIMITS.steps),
  quiet_hours: z.strictObject({ from: LocalTime, to: LocalTime }),
  cooldown_days: z.int().min(0).max(90),
  max_age_days: z.int().min(1).max(365),
  min_total: Minor.meta({
    description: "In the store's currency: a flow with one is for no cart in another currency",
  }),
  holdout_bps: Bps.meta({ description: "Share of carts that get no mail, to measure what mails do" }),
  active: z.boolean(),
  metadata: Metadata,
};
export const RecoveryFlow = z.strictObject({ ...resourceFields, ...flowFields });
export type RecoveryFlow = z.output<typeof RecoveryFlow>;

/** What is known of an address, by its hash: read at the moment of sending, written in the commit of a cart or an order. */
export const Mailbox = z.strictObject({
  id: Id,
  cart_id: Id.nullable(),
  last_activity_at: Instant.nullable(),
  last_order: z
    .strictObject({
      ref: z.string(),
      total: Minor,
      placed_at: Instant,
      // Absent in what earlier versions noted.
      cart_id: Id.optional(),
      currency: Currency.optional(),
    })
    .nullable(),
  mailed_cart_id: Id.nullable(),
  mailed_at: Instant.nullable(),
});
export type Mailbox = z.output<typeof Mailbox>;

/** An address that gets no marketing mail; the address itself is not kept. */
export const Suppression = z.strictObject({
  ...resourceFields,
  source: z.enum(["unsubscribe", "merchant", "erasure"]),
});
export type Suppression = z.output<typeof Suppression>;
