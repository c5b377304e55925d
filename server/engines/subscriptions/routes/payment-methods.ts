import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { filed, gateways, paymentMethods } from "../repository.ts";
import { TEST_TOKENS } from "../rules/test-tokens.ts";
import { Ref } from "../schema/parts.ts";
import { PaymentMethod } from "../schema/payment.ts";
import { exampleMethod } from "./examples.ts";

const MethodView = withVersion(PaymentMethod);
const shape = PaymentMethod.shape;

const paymentMethodResource = resource({
  id: "subscriptions.payment-methods",
  collection: paymentMethods,
  view: MethodView,
  example: exampleMethod,
});

const listMethods = paymentMethodResource.list({
  summary: "List payment methods",
  query: z.object({ ...listFields, customer_id: Ref.optional() }),
  find: ({ limit, cursor, customer_id: customer }) => {
    const which = customer === undefined ? {} : { index: "customer", value: filed("customer", customer) };
    return { ...which, limit, cursor };
  },
});

const createMethod = paymentMethodResource.create({
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
  example: {
    body: {
      customer_id: "ada",
      gateway_id: exampleMethod.gateway_id,
      token_ref: "tok_ok",
      brand: "visa",
      last4: "4242",
    },
  },
  make: async (body, ctx) => {
    if ((await ctx.tx.get(gateways, body.gateway_id)) === null)
      throw invalidField(["gateway_id"], "No such gateway.");
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const method: PaymentMethod = { id: ctx.newId("pm"), ...times, ...body, status: "usable" };
    return method;
  },
});

const getMethod = paymentMethodResource.get({ summary: "Show a payment method" });

const updateMethod = paymentMethodResource.update({
  summary: "Update or revoke a payment method",
  description: "The token cannot be changed. Create another payment method and set it on the contract.",
  body: z
    .strictObject({
      brand: shape.brand,
      last4: shape.last4,
      expires: shape.expires,
      status: shape.status,
      metadata: shape.metadata,
    })
    .partial(),
  example: { body: { expires: "2030-09" }, data: { ...exampleMethod, expires: "2030-09" } },
  change: (before, body) => mergePatch(before, body),
});

export const paymentMethodRoutes = [listMethods, createMethod, getMethod, updateMethod];
