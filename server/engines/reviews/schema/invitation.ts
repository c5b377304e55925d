import { z } from "zod";

import { Id, Instant, LanguageTag, resourceFields } from "../../../core/schema.ts";
import { Incentive, Target, WebUrl } from "./parts.ts";

/** A reviewable line of an order. */
export const OrderItem = z.strictObject({
  target: Target,
  name: z.string().trim().min(1).max(300),
  url: WebUrl.nullable().default(null),
  sku: z.string().max(100).nullable().default(null),
  gtin: z.string().max(14).nullable().default(null),
  brand: z.string().max(100).nullable().default(null),
  category: z.string().max(60).nullable().default(null),
});
export type OrderItem = z.output<typeof OrderItem>;

const Customer = z.strictObject({
  id: z.string().max(128).nullable(),
  email: z.string().max(254),
  name: z.string().max(100),
});

/** An order sent by the store, against which purchases are verified. */
export const Order = z.strictObject({
  id: Id,
  created_at: Instant,
  updated_at: Instant,
  order_id: z.string().max(128),
  customer: Customer,
  items: z.array(OrderItem).max(50),
  fulfilled_at: Instant.nullable(),
  refunded: z.boolean(),
});
export type Order = z.output<typeof Order>;

export const INVITATION_STATUSES = [
  "scheduled",
  "sent",
  "clicked",
  "submitted",
  "bounced",
  "unsubscribed",
  "suppressed",
  "cancelled",
  "expired",
] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export const Invitation = z.strictObject({
  ...resourceFields,
  order_id: z.string().max(128),
  customer: Customer,
  items: z.array(OrderItem).max(50),
  reviewed: z
    .array(z.int().nonnegative())
    .max(50)
    .meta({ description: "Indices of items that have been reviewed" }),
  locale: LanguageTag,
  fulfilled_at: Instant,
  send_at: Instant,
  sent_at: Instant.nullable(),
  status: z.enum(INVITATION_STATUSES),
  reason: z.string().max(40).nullable().meta({ description: "Why it was cancelled or suppressed" }),
  reminders: z.array(z.strictObject({ due_at: Instant, sent_at: Instant.nullable() })).max(1),
  expires_at: Instant.nullable().meta({
    description: "Time when its link expires: 60 days after the first mail",
  }),
  legal_basis: z.enum(["consent", "legitimate_interest"]),
  incentive: Incentive.optional().meta({ description: "What its mails offered" }),
  next_action_at: Instant.nullable(),
});
export type Invitation = z.output<typeof Invitation>;

/** When an address last received a mail; its id is a hash, the address itself is not stored. */
export const Mailbox = z.strictObject({ id: Id, mailed_at: Instant });
export type Mailbox = z.output<typeof Mailbox>;

export const Suppression = z.strictObject({
  ...resourceFields,
  source: z.enum(["unsubscribe", "merchant", "bounce"]),
});
export type Suppression = z.output<typeof Suppression>;
