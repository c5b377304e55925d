import { z } from "zod";

import { conflictWhen } from "../../../lib/errors.ts";
import { byAll } from "../../../core/by-value.ts";
import { created, empty, list } from "../../../core/reply.ts";
import { missing } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, Minor, withVersion } from "../../../core/schema.ts";
import { redeem, releaseRedemption } from "../services/redeem.ts";
import { filed, redemptions } from "../repository.ts";
import { Code, Redemption } from "../schema/offer.ts";
import { Ref } from "../schema/parts.ts";

const View = withVersion(Redemption);

const redemptionResource = routesOf({
  id: "cart.redemptions",
  view: View,
  example: "red_01JD8Z5T9QK3M4N5P6R7S8T9V2",
});

const listRedemptions = redemptionResource.list({
  summary: "List redemptions, newest first",
  description: "Of an offer, an order, or both.",
  query: z.object({ ...listFields, offer_id: Id.optional(), order_ref: Ref.optional() }),
  async handle({ query: { limit, cursor, offer_id: offer, order_ref: order } }, { tx }) {
    const filters = [order && filed("order", order), offer];
    return list(await tx.peekPage(redemptions, byAll(filters, { limit, cursor })));
  },
});

const createRedemption = redemptionResource.create({
  summary: "Redeem an offer for an order",
  description:
    "At order time, once for each applied offer of the evaluation. The same order again counts nothing and gets the same answer. Limits hold under any number " +
    "of claims at once. DELETE frees the use again, for an order that is cancelled.",
  body: z.strictObject({
    offer_id: Id,
    order_ref: Ref,
    customer_id: Ref.nullable().default(null),
    code: Code.nullable().default(null),
    amount: Minor.default(0).meta({ description: "What the offer saved, for its budget" }),
    pricing_hash: z.string().max(64).meta({ description: "Of the evaluation that the order rests on" }),
  }),
  errors: [
    missing,
    conflictWhen("exhausted", "The offer, the customer's share of it, its budget or the code is used up"),
    conflictWhen("not_active", "The offer does not run"),
    conflictWhen("code_required", "The offer has codes, and none was sent"),
    conflictWhen("unknown_code", "The code is not one of the offer"),
    conflictWhen("customer_required", "The offer is limited per customer"),
  ],
  example: {
    body: {
      offer_id: "ofr_01JD8Z5T9QK3M4N5P6R7S8T9V1",
      order_ref: "order-1042",
      customer_id: "ada",
      amount: 250,
      pricing_hash: "5e1f6d",
    },
  },
  async handle({ body }, ctx) {
    const stored = await redeem(ctx.tx, body, ctx);
    return created(stored, `/redemptions/${stored.id}`);
  },
});

const removeRedemption = redemptionResource.remove({
  summary: "Release a redemption",
  async handle({ params: { id } }, ctx) {
    await releaseRedemption(ctx.tx, await ctx.current(redemptions, id), ctx.now);
    return empty();
  },
});

export const redemptionRoutes = [listRedemptions, createRedemption, removeRedemption];
