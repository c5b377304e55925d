import { z } from "zod";

import { EventData, Currency, Id, Instant, Metadata, resourceFields, TimeZone } from "../../core/schema.ts";
import { CART_LIMITS, Channel, Ref, Refs, Text, UnitPrice } from "./schema/parts.ts";

export const BundleStatus = z.enum(["draft", "active", "scheduled", "paused", "archived"]);

const Component = z.strictObject({
  ref: Ref,
  qty: z.int().min(1).max(1000),
  stock: z
    .int()
    .min(0)
    .nullable()
    .optional()
    .meta({ description: "Units there are; null or missing: unknown" }),
});

const Group = z
  .strictObject({
    name: Text,
    refs: Refs.min(1),
    pick_min: z.int().min(1).max(100),
    pick_max: z.int().min(1).max(100),
  })
  .refine(({ pick_min: min, pick_max: max }) => min <= max, {
    path: ["pick_max"],
    error: "Is less than pick_min.",
  });

const Tier = z.strictObject({
  qty: z.int().min(1).max(10_000),
  kind: z.enum(["percent_off", "amount_off", "fixed_price"]),
  value: UnitPrice,
});

export const bundleFields = {
  title: z.string().trim().min(1).max(150),
  type: z.enum(["fixed", "mix_match", "tiered"]),
  components: z.array(Component).max(CART_LIMITS.components),
  groups: z.array(Group).max(CART_LIMITS.groups),
  pricing: z.strictObject({
    kind: z.enum(["fixed_price", "percent_off", "amount_off", "sum"]),
    value: UnitPrice,
  }),
  tiers: z.array(Tier).max(CART_LIMITS.tiers).meta({
    description: "Of a tiered bundle: from so many units on, each unit is reduced so",
  }),
  auto_apply: z.boolean(),
  subscribable: z.boolean(),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  channels: z.array(Channel).max(20).meta({ description: "Empty: everywhere" }),
  metadata: Metadata,
};

export const Bundle = z.strictObject({
  ...resourceFields,
  ...bundleFields,
  groups: bundleFields.groups.default([]),
  tiers: bundleFields.tiers.default([]),
  channels: bundleFields.channels.default([]),
  metadata: bundleFields.metadata.default({}),
  stock: z.int().min(0).nullable().default(null).meta({
    description:
      "How often it can be sold: the least of each component's stock over its quantity; null: unknown",
  }),
  status: BundleStatus,
});
export type Bundle = z.output<typeof Bundle>;

export const settingsFields = {
  shop_name: z.string().trim().max(80).meta({ description: "Shown in mails and on pages" }),
  currency: Currency,
  timezone: TimeZone,
  tax_included: z.boolean(),
};
export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable(),
});
export type Settings = z.output<typeof Settings>;

/** What happened, for webhooks and for counting. */
export const EventType = z.enum([
  "abandoned",
  "recovered",
  "assisted",
  "converted",
  "lost",
  "recovery.sent",
  "recovery.skipped",
  "recovery.clicked",
  "offer.exhausted",
  "bundle.unavailable",
  "suppression.added",
]);
export type EventType = z.output<typeof EventType>;
export const EngineEvent = z.strictObject({
  id: Id,
  created_at: Instant,
  type: EventType.meta({ description: "Webhooks add the prefix `cart.`" }),
  subject_id: Id.meta({ description: "The cart, offer, bundle or suppression it is about" }),
  data: EventData,
});
export type EngineEvent = z.output<typeof EngineEvent>;
