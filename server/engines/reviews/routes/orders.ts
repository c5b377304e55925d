import { z } from "zod";

import { list, ok } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Instant, listFields, withVersion } from "../../../core/schema.ts";
import { reviewWorkOf } from "../services/work.ts";
import type { NewOrder } from "../services/invitations.ts";
import { ingestOrder } from "../services/invitations.ts";
import { addressHash, orderId, orders } from "../repository.ts";
import { Order, OrderItem } from "../schema/invitation.ts";
import { Email } from "../schema/parts.ts";
import { OwnLocale } from "./env.ts";

/** The invitation that follows weeks later, and what follows it, have years of four digits, too. */
const LATEST = "9998-01-01T00:00:00.000Z";

/** An order as sent by the store. */
export const OrderBody = z.strictObject({
  order_id: z.string().trim().min(1).max(128),
  email: Email,
  customer_id: z.string().max(128).nullable().default(null),
  customer_name: z.string().trim().max(100).default(""),
  locale: OwnLocale,
  fulfilled_at: Instant.refine((at) => at < LATEST, `Send a time before ${LATEST}.`)
    .nullable()
    .default(null)
    .meta({ description: "Time of delivery; null if not delivered yet" }),
  refunded: z.boolean().default(false),
  items: z.array(OrderItem).min(1).max(50),
});

export const toOrder = (body: z.output<typeof OrderBody>): NewOrder => ({
  order_id: body.order_id,
  customer: { id: body.customer_id, email: body.email, name: body.customer_name },
  items: body.items,
  fulfilled_at: body.fulfilled_at,
  refunded: body.refunded,
  locale: body.locale ?? null,
});

const ORDERS_MAX = 100;
const INVITATION_OUTCOMES = [
  "scheduled",
  "unchanged",
  "waiting",
  "cancelled",
  "suppressed",
  "switched_off",
  "too_late",
] as const;

const orderResource = routesOf({
  id: "reviews.orders",
  view: z.strictObject({
    orders: z.array(z.strictObject({ order_id: z.string(), invitation: z.enum(INVITATION_OUTCOMES) })),
  }),
});

const importOrders = orderResource.create({
  status: 200,
  summary: "Ingest orders to verify purchases and invite customers",
  description:
    "Up to a hundred per request, each in a separate commit. An order that is sent twice is invited once; the invitation follows it until " +
    "it is sent, and is cancelled if it is sent as refunded. Every delivered order is invited, whatever opinion is expected, " +
    "unless the mail would be 60 days late (too_late).",
  body: z.strictObject({ orders: z.array(OrderBody).min(1).max(ORDERS_MAX) }),
  example: {
    body: {
      orders: [
        {
          order_id: "1043",
          email: "ben@shop.example",
          fulfilled_at: "2026-05-30T10:00:00.000Z",
          items: [{ target: { type: "product", id: "oat-bar" }, name: "Oat bar" }],
        },
      ],
    },
  },
  async handle({ body }, ctx) {
    const results: { order_id: string; invitation: (typeof INVITATION_OUTCOMES)[number] }[] = [];
    // A hundred orders exceed one commit. Each is idempotent: its ids are derived from the order.
    for (const order of body.orders) {
      const invitation = await ctx.runTx(ctx.tx.part, (tx) =>
        ingestOrder(tx, reviewWorkOf(ctx), toOrder(order), { isHistory: true }),
      );
      results.push({ order_id: order.order_id, invitation });
    }
    return ok({ orders: results });
  },
});

const listOrders = orderResource.list({
  summary: "List ingested orders, newest first",
  description: "Filter by e-mail address or by order id.",
  query: z.object({ ...listFields, email: Email.optional(), order_id: z.string().max(128).optional() }),
  data: z.array(withVersion(Order)),
  async handle({ query: { limit, cursor, email, order_id: id } }, { tx }) {
    if (id !== undefined) {
      const order = await tx.get(orders, orderId(id));
      return list({ items: order === null ? [] : [order], limit, next: null });
    }
    return list(
      await tx.peekPage(
        orders,
        email === undefined
          ? { limit, cursor }
          : { index: "buyer", value: addressHash(email), limit, cursor },
      ),
    );
  },
});

export const orderRoutes = [importOrders, listOrders];
