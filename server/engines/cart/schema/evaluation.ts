import { z } from "zod";

import { Currency, Id, Minor } from "../../../core/schema.ts";
import { Code, OfferClass } from "./offer.ts";
import { Bps, CART_LIMITS, Channel, LineInput, Ref, UnitFilter } from "./parts.ts";

export const CustomerInput = z.strictObject({
  id: Ref.nullable().default(null).meta({
    description: "The tier of this customer is read from the tiers engine",
  }),
  order_count: z.int().min(0).nullable().default(null).meta({ description: "0 for a first order" }),
});

export const EvaluationRequest = z.strictObject({
  lines: z.array(LineInput).min(1).max(CART_LIMITS.lines),
  customer: CustomerInput.nullable().default(null),
  codes: z.array(Code).max(CART_LIMITS.codes).default([]),
  shipping: z
    .strictObject({ amount: Minor, tax_rate_bps: Bps.nullable().default(null) })
    .nullable()
    .default(null)
    .meta({ description: "Before offers; a null tax rate lets its tax follow the goods" }),
  outcode: z.string().trim().toUpperCase().max(8).nullable().default(null),
  channel: Channel.nullable().default(null),
  currency: Currency.optional().meta({ description: "Default: the store's" }),
  tax_included: z.boolean().optional().meta({ description: "Default: the store's" }),
});

/** Offers whose missing rewards are suggested: each is shown with a filter that can have hundreds of values. */
export const SUGGESTIONS_MAX = 50;

export const EvaluationAnswer = z.object({
  currency: Currency,
  lines: z.array(
    z.object({
      id: z.string(),
      quantity: z.int(),
      unit_price: Minor,
      subtotal: Minor,
      discount: Minor,
      total: Minor,
      tax: Minor,
      per_unit: z.object({ amount: Minor, odd_units: z.int() }).meta({
        description: "What a unit comes to; so many units cost one minor unit more",
      }),
      allocations: z.array(
        z.object({
          source_id: Id.meta({ description: "The bundle or offer" }),
          amount: Minor,
          units: z.int().nullable().meta({ description: "Units it changed, where it chose units" }),
        }),
      ),
    }),
  ),
  shipping: z.object({ amount: Minor, discount: Minor, tax: Minor }).nullable(),
  totals: z.object({
    subtotal: Minor,
    discount: Minor,
    shipping: Minor,
    tax: Minor,
    tax_included: z.boolean(),
    total: Minor,
  }),
  taxes: z.array(z.object({ tax_rate_bps: Bps, taxable: Minor, tax: Minor })),
  bundles: z.array(
    z.object({
      bundle_id: Id,
      title: z.string(),
      times: z.int(),
      saving: Minor,
      parts: z.array(z.object({ line_id: z.string(), quantity: z.int(), price: Minor })),
    }),
  ),
  applied: z.array(z.object({ offer_id: Id, title: z.string(), class: OfferClass, saving: Minor })),
  rejected: z.array(z.object({ offer_id: Id, reason: z.string() })),
  codes: z.array(z.object({ code: Code, reason: z.string() })).meta({ description: "Codes that do nothing" }),
  suggestions: z
    .array(z.object({ kind: z.literal("add_reward"), offer_id: Id, units: z.int(), filter: UnitFilter }))
    .meta({
      description: `Rewards that the cart has room for, of the first ${SUGGESTIONS_MAX} offers by id`,
    }),
  trace: z.object({
    mode: z.enum(["search", "greedy"]),
    sets: z.int().meta({ description: "Sets of offers that were compared" }),
    steps: z.array(
      z.object({
        step: z.enum(["lines", "adjustment", "fees", "tax", "rounding"]),
        id: z.string().nullable(),
        detail: z.string(),
        amount: z.int(),
      }),
    ),
  }),
  pricing_hash: z.string().meta({ description: "The same cart under the same terms has the same" }),
});
