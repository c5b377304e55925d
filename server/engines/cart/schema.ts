import { z } from "zod";

import { Instant, Metadata, resourceFields } from "../../kernel/schema.ts";
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
  groups: z.array(Group).max(CART_LIMITS.groups).default([]),
  pricing: z.strictObject({
    kind: z.enum(["fixed_price", "percent_off", "amount_off", "sum"]),
    value: UnitPrice,
  }),
  tiers: z.array(Tier).max(CART_LIMITS.tiers).default([]).meta({
    description: "Of a tiered bundle: from so many units on, each unit is reduced so",
  }),
  auto_apply: z.boolean(),
  subscribable: z.boolean(),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  channels: z.array(Channel).max(20).default([]).meta({ description: "Empty: everywhere" }),
  metadata: Metadata.default({}),
};

export const Bundle = z.strictObject({
  ...resourceFields,
  ...bundleFields,
  stock: z.int().min(0).nullable().default(null).meta({
    description:
      "How often it can be sold: the least of each component's stock over its quantity; null: unknown",
  }),
  status: BundleStatus,
});
export type Bundle = z.output<typeof Bundle>;
