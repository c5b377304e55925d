import { z } from "zod";

import { conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import {
  cancelOrder,
  confirm,
  deliver,
  guarantee,
  payOrder,
  requireOrder,
  serve,
} from "../services/order-steps.ts";
import { saveOrder } from "../services/save-order.ts";
import { orders } from "../repository.ts";
import { Heads, Payment, ShortNote } from "../schema/parts.ts";
import {
  badState,
  cateringWorkOf,
  creditErrors,
  mayManage,
  poErrors,
  standingErrors,
  tooManyOpen,
} from "./env.ts";
import { orderResource } from "./orders.ts";

const open = async (ctx: Ctx, id: string) => ({
  stored: await ctx.tx.require(orders, id),
  work: await cateringWorkOf(ctx),
});
const force = z.boolean().default(false);

const confirmRoute = orderResource.action("confirm", {
  summary: "Confirm a tentative order",
  description: "What is due must be paid; `force` looks past that and needs catering:manage.",
  body: z.strictObject({ force }),
  errors: [badState, conflictWhen("deposit_due", "A deposit is due and not paid"), ...standingErrors],
  example: { body: {} },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await confirm(work, stored, body.force && mayManage(ctx)));
  },
});

const headcount = orderResource.action("headcount", {
  summary: "Set the guaranteed count, or the count that was served",
  description:
    "Fewer guests may cost a fee, and after the guarantee deadline the count can only rise, at a surcharge. Served counts more than the guarantee are " +
    "billed; fewer are not taken off.",
  body: z
    .strictObject({
      guaranteed: Heads.min(1).optional(),
      served: Heads.optional(),
      force,
    })
    .refine((body) => (body.guaranteed === undefined) !== (body.served === undefined), {
      path: ["guaranteed"],
      message: "Send either `guaranteed` or `served`.",
    }),
  errors: [
    badState,
    conflictWhen("guarantee_locked", "Fewer, after the guarantee deadline"),
    conflictWhen("over_capacity", "More than can be catered for"),
    conflictWhen("too_many_diets", "More dietary needs than guests would be left"),
    conflictWhen("limit_reached", "The order was changed too often"),
    ...creditErrors,
    ...poErrors,
  ],
  example: { body: { guaranteed: 30 } },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    if (body.served !== undefined) return item(await serve(work, stored, body.served));
    const isForced = body.force && mayManage(ctx);
    return item(
      await guarantee(work, stored, body.guaranteed ?? stored.value.headcount.guaranteed, isForced),
    );
  },
});

const progress = orderResource.action("progress", {
  summary: "Record that production has begun or that the order was dispatched",
  body: z.strictObject({ status: z.enum(["in_production", "dispatched"]) }),
  errors: [badState],
  example: { body: { status: "in_production" } },
  async handle({ params: { id }, body: { status } }, ctx) {
    const { stored, work } = await open(ctx, id);
    if (stored.value.status === status) return item(stored);
    requireOrder(stored.value, status === "dispatched" ? "dispatch" : "produce", status.replace("_", " "));
    const locked = stored.value.headcount.locked_at ?? ctx.nowAt;
    const next = { ...stored.value, status, headcount: { ...stored.value.headcount, locked_at: locked } };
    return item(await saveOrder(work, stored, next, { check: false }));
  },
});

const deliverRoute = orderResource.action("deliver", {
  summary: "Record a delivery",
  body: z.strictObject({ served: Heads.nullable().default(null) }),
  errors: [badState],
  example: {
    body: { served: 31 },
  },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await deliver(work, stored, body.served));
  },
});

const cancel = orderResource.action("cancel", {
  summary: "Cancel an order before it is dispatched",
  description:
    "Costs what the order's own policy says at this moment; ask POST /orders/{id}/cancel/previews first.",
  body: z.strictObject({ reason: ShortNote.default("") }),
  errors: [badState],
  example: {
    body: { reason: "The meeting is off." },
  },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await cancelOrder(work, stored, body.reason));
  },
});

export const PaymentBody = z.strictObject({
  amount: Payment.shape.amount.min(-100_000_000_000).max(100_000_000_000),
  method: Payment.shape.method,
  reference: Payment.shape.reference.default(""),
});

const pay = orderResource.action("payments", {
  summary: "Record a payment or refund of an order",
  description:
    "At most what is owed. A payment with the reference, method and amount of a recorded one is the same payment: it is not recorded again. " +
    "A tentative order is confirmed once its due deposits are paid. Once it is invoiced, record payments of the invoice.",
  body: PaymentBody,
  errors: [badState, tooManyOpen, conflictWhen("limit_reached", "Too many payments")],
  example: {
    body: { amount: 19_425, method: "bank_transfer", reference: "Q-12" },
  },
  async handle({ params: { id }, body }, ctx) {
    const { stored, work } = await open(ctx, id);
    return item(await payOrder(work, stored, { id: ctx.newId("pay"), at: ctx.nowAt, ...body }));
  },
});

export const orderActionRoutes = [confirmRoute, headcount, progress, deliverRoute, cancel, pay];
