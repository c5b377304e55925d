import { z } from "zod";

import { Id, Instant, Metadata, resourceFields } from "../../../core/schema.ts";
import { Conditions } from "./offer.ts";
import { Ref, Refs, Text, UnitValue } from "./parts.ts";

export const Placement = z.enum(["cart", "checkout", "post_purchase"]);

export const upsellFields = {
  title: Text,
  placement: Placement,
  when: Conditions,
  source: z
    .enum(["refs", "auto"])
    .meta({ description: "auto: what others bought together with what is in the cart" }),
  refs: Refs,
  out_of_stock: Refs.meta({ description: "Not suggested for now" }),
  margin_weights: z
    .array(z.strictObject({ ref: Ref, weight_bps: z.int().min(0).max(100_000) }))
    .max(200)
    .meta({ description: "Multiplies the rank of a product; 10000 leaves it" }),
  discount: UnitValue.nullable(),
  cap: z.int().min(1).max(20).meta({ description: "Suggestions at most" }),
  rank: z.int().min(0).max(1000).meta({ description: "Higher goes first" }),
  active: z.boolean(),
  metadata: Metadata,
};
export const Upsell = z.strictObject({ ...resourceFields, ...upsellFields });
export type Upsell = z.output<typeof Upsell>;

/** What was bought together with a product, in the orders of half a year. */
export const Affinity = z.strictObject({
  id: Id,
  ref: Ref,
  computed_at: Instant,
  with: z.array(z.strictObject({ ref: Ref, orders: z.int(), lift: z.number() })).max(50),
});
export type Affinity = z.output<typeof Affinity>;

/** What a customer was shown, and took. */
export const Exposure = z.strictObject({
  id: Id,
  shown: z.array(z.strictObject({ ref: Ref, at: Instant })).max(300),
  accepted: z.array(z.strictObject({ ref: Ref, at: Instant })).max(100),
});
export type Exposure = z.output<typeof Exposure>;
