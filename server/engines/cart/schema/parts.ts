import { z } from "zod";

/** Named limits of the engine. */
export const CART_LIMITS = {
  lines: 500,
  units: 10_000,
  refs: 200,
  /** Of all components and groups of a bundle: each is listed in an index, and one commit writes all of them. */
  bundleRefs: 180,
  tags: 20,
  codes: 20,
  ownCodes: 50,
  bulkCodes: 10_000,
  components: 30,
  groups: 10,
  tiers: 20,
  conditions: 20,
  steps: 6,
  cartLines: 200,
  /** Bytes of a cart that callers may fill; a document holds 32 KB more, for what its recovery adds. */
  cartBytes: 229_376,
} as const;

export const Text = z.string().trim().min(1).max(150);
/** A product, variant or category as the shop calls it. */
/** A name that the shop gave, a text without control characters. */
export const Ref = z
  .string()
  .trim()
  .min(1)
  .max(120)
  // Not \P{Cc}: Python's re, for one, cannot compile it from the document.
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "Must not contain control characters.");
export const Refs = z.array(Ref).max(CART_LIMITS.refs);
export const Bps = z.int().min(0).max(10_000);
/** One price of one unit: together with a quantity it stays an exact amount. */
export const UnitPrice = z.int().min(0).max(100_000_000_000);
export const Channel = z.string().trim().min(1).max(40);

/** Which units something is about: those that any of the lists names; all, when none of them names anything. */
export const UnitFilter = z
  .strictObject({
    refs: Refs.default([]),
    categories: Refs.default([]),
    tags: Refs.default([]),
  })
  .meta({ description: "Units named by any of the lists; all units when the lists are empty" });
export type UnitFilter = z.output<typeof UnitFilter>;

/** What becomes of the price of one unit. */
export const UnitValue = z
  .strictObject({
    kind: z.enum(["free", "percent_off", "amount_off", "fixed_price"]),
    value: UnitPrice.default(0),
  })
  .refine(({ kind, value }) => kind !== "percent_off" || value <= 10_000, {
    path: ["value"],
    error: "A percentage is given in basis points, 10000 at most.",
  })
  .meta({ description: "value: basis points for percent_off, else minor units; free needs none" });
export type UnitValue = z.output<typeof UnitValue>;

export const LineInput = z.strictObject({
  id: z.string().trim().min(1).max(64).meta({ description: "Of this line, unique in the request" }),
  ref: Ref,
  category: Ref.nullable().default(null),
  tags: z.array(Ref).max(CART_LIMITS.tags).default([]),
  quantity: z.int().min(1).max(CART_LIMITS.units),
  unit_price: UnitPrice,
  compare_at: UnitPrice.nullable().default(null).meta({ description: "Regular price of a reduced item" }),
  tax_rate_bps: Bps.default(0),
  selling_plan: Ref.nullable()
    .default(null)
    .meta({ description: "Set for what is bought as a subscription" }),
  bundle_id: z.string().max(64).nullable().default(null).meta({
    description: "The bundle that the customer put this line into",
  }),
});
export type LineInput = z.output<typeof LineInput>;
