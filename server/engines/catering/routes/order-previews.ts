import { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Instant } from "../../../core/schema.ts";
import { judgeCancel, judgeHeadcount } from "../services/order-steps.ts";
import { orders } from "../repository.ts";
import { Bps, Heads } from "../schema/parts.ts";
import { cateringWorkOf } from "./env.ts";
import { DEMO_ORDER } from "../data/demo-ids.ts";

const params = { id: DEMO_ORDER };
const at = Instant.optional().meta({ description: "Default: now" });

const cancelPreview = defineRoute({
  id: "catering.orders.cancel-previews",
  method: "POST",
  path: "/orders/:id/cancel/previews",
  scope: "read",
  summary: "What cancelling an order would cost, now or at another time",
  body: z.strictObject({ at }),
  data: z.strictObject({
    fee_bps: Bps,
    fee: z.int(),
    until: Instant.nullable().meta({ description: "When this band ends; null after the last" }),
    retained: z.int(),
    refund_due: z.int(),
    still_due: z.int(),
  }),
  example: {
    params,
    body: { at: "2026-06-15T09:00:00.000Z" },
  },
  async handle({ params: { id }, body }, ctx) {
    const { value } = await ctx.tx.require(orders, id);
    return ok(
      judgeCancel(await cateringWorkOf(ctx), value, body.at === undefined ? ctx.now : fromInstant(body.at)),
    );
  },
});

const headcountPreview = defineRoute({
  id: "catering.orders.headcount-previews",
  method: "POST",
  path: "/orders/:id/headcount/previews",
  scope: "read",
  summary: "What another guaranteed count would cost",
  body: z.strictObject({ at, new_headcount: Heads.min(1) }),
  data: z.strictObject({
    before: Heads,
    after: Heads,
    is_locked: z.boolean(),
    rate_bps: z
      .int()
      .meta({ description: "Of the reduction band; for more guests, what each costs of its price" }),
    fee: z.int(),
    total: z.int(),
    deadline: Instant,
    refusal: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  }),
  example: {
    params,
    body: { new_headcount: 20 },
  },
  async handle({ params: { id }, body }, ctx) {
    const { value } = await ctx.tx.require(orders, id);
    const when = body.at === undefined ? ctx.now : fromInstant(body.at);
    const { refusal, ...change } = judgeHeadcount(await cateringWorkOf(ctx), value, body.new_headcount, when);
    return ok({
      ...change,
      deadline: value.guarantee_at,
      refusal: refusal === null ? null : { ...refusal },
    });
  },
});

export const orderPreviewRoutes = [cancelPreview, headcountPreview];
