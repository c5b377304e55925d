import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { created, defineRoute, item, list } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { filed, gateways, paymentMethods } from "../repository.ts";
import { TEST_TOKENS } from "../rules/test-tokens.ts";
import { Ref } from "../schema/parts.ts";
import { PaymentMethod } from "../schema/payment.ts";
import { missing, stale } from "./env.ts";
import { exampleMethod } from "./examples.ts";

const MethodView = withVersion(PaymentMethod);
const Params = z.object({ id: Id });
const shape = PaymentMethod.shape;

const listMethods = defineRoute({
  id: "subscriptions.payment-methods.list",
  method: "GET",
  path: "/payment-methods",
  summary: "List payment methods",
  query: z.object({ ...listFields, customer_id: Ref.optional() }),
  data: z.array(MethodView),
  example: { data: [exampleMethod] },
  async handle({ query: { limit, cursor, customer_id: customer } }, { tx }) {
    const which = customer === undefined ? {} : { index: "customer", value: filed("customer", customer) };
    return list(await tx.peekPage(paymentMethods, { ...which, limit, cursor }));
  },
});

const createMethod = defineRoute({
  id: "subscriptions.payment-methods.create",
  method: "POST",
  path: "/payment-methods",
  status: 201,
  summary: "Store a payment method of a customer",
  description:
    `A token, never a card number. The test gateway knows ${TEST_TOKENS.slice(0, -1).join(", ")} ` +
    `and ${TEST_TOKENS.at(-1)}.`,
  body: z.strictObject({
    customer_id: Ref,
    gateway_id: Id,
    token_ref: shape.token_ref,
    brand: shape.brand.default(null),
    last4: shape.last4.default(null),
    expires: shape.expires.default(null),
    metadata: shape.metadata.default({}),
  }),
  data: MethodView,
  example: {
    body: {
      customer_id: "ada",
      gateway_id: exampleMethod.gateway_id,
      token_ref: "tok_ok",
      brand: "visa",
      last4: "4242",
    },
    data: exampleMethod,
  },
  async handle({ body }, ctx) {
    if ((await ctx.tx.get(gateways, body.gateway_id)) === null)
      throw invalidField(["gateway_id"], "No such gateway.");
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const method: PaymentMethod = { id: ctx.newId("pm"), ...times, ...body, status: "usable" };
    return created(ctx.tx.create(paymentMethods, method), `/payment-methods/${method.id}`);
  },
});

const getMethod = defineRoute({
  id: "subscriptions.payment-methods.get",
  method: "GET",
  path: "/payment-methods/:id",
  summary: "Show a payment method",
  params: Params,
  data: MethodView,
  errors: [missing],
  example: { params: { id: exampleMethod.id }, data: exampleMethod },
  handle: async ({ params }, { tx }) => item(await tx.require(paymentMethods, params.id)),
});

const updateMethod = defineRoute({
  id: "subscriptions.payment-methods.update",
  method: "PATCH",
  path: "/payment-methods/:id",
  summary: "Update or revoke a payment method",
  description: "The token cannot be changed. Create another payment method and set it on the contract.",
  params: Params,
  body: z
    .strictObject({
      brand: shape.brand,
      last4: shape.last4,
      expires: shape.expires,
      status: shape.status,
      metadata: shape.metadata,
    })
    .partial(),
  data: MethodView,
  errors: [missing, stale],
  example: {
    params: { id: exampleMethod.id },
    body: { expires: "2030-09" },
    data: { ...exampleMethod, expires: "2030-09" },
  },
  async handle({ params, body }, ctx) {
    const before = await ctx.current(paymentMethods, params.id);
    const next = { ...mergePatch(before.value, body), updated_at: ctx.nowAt };
    return item(ctx.tx.put(paymentMethods, before, next));
  },
});

export const paymentMethodRoutes = [listMethods, createMethod, getMethod, updateMethod];
