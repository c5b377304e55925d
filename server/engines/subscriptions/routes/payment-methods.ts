import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { filed, gateways, gatewaySecrets, paymentMethods } from "../repository.ts";
import { readStripeToken } from "../rules/stripe-answer.ts";
import { TEST_TOKENS } from "../rules/test-tokens.ts";
import { Ref } from "../schema/parts.ts";
import type { Gateway } from "../schema/payment.ts";
import { PaymentMethod } from "../schema/payment.ts";
import { stripeMethodId } from "../services/cards.ts";
import { DEMO_IDS } from "../data/demo-shop.ts";

const MethodView = withVersion(PaymentMethod);
const shape = PaymentMethod.shape;

const paymentMethodResource = resource({
  id: "subscriptions.payment-methods",
  collection: paymentMethods,
  view: MethodView,
  example: DEMO_IDS.method,
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
    "A token, never a card number. stripe: `cus_…/pm_…`, a payment method that is attached to a customer; the customer's page adds cards by itself. " +
    `The test gateway knows ${TEST_TOKENS.slice(0, -1).join(", ")} ` +
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
      gateway_id: DEMO_IDS.gateway,
      token_ref: "tok_ok",
      brand: "visa",
      last4: "4242",
    },
  },
  errors: [
    conflictWhen("gateway_without_secret", "The external gateway has no signing secret"),
    conflictWhen("payment_method_exists", "The card of Stripe is stored"),
  ],
  make: async (body, ctx) => {
    const gateway = await ctx.tx.get(gateways, body.gateway_id);
    if (gateway === null) throw invalidField(["gateway_id"], "No such gateway.");
    await refuseUnready(ctx, gateway.value);
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const id = gateway.value.kind === "stripe" ? await stripeId(ctx, body) : ctx.newId("pm");
    const method: PaymentMethod = { id, ...times, ...body, status: "usable" };
    return method;
  },
});

/** A gateway to which nothing could be sent is refused here, not at the first charge. */
async function refuseUnready({ tx }: Ctx, { id, kind }: Gateway): Promise<void> {
  if (kind !== "external" || ((await tx.get(gatewaySecrets, id))?.value.secrets ?? []).length > 0) return;
  throw conflict(
    "gateway_without_secret",
    `The gateway ${id} has no signing secret. Create one with POST …/gateways/${id}/secrets.`,
  );
}

async function stripeId(
  { tx }: Ctx,
  { gateway_id: gatewayId, token_ref: token }: Pick<PaymentMethod, "gateway_id" | "token_ref">,
): Promise<string> {
  const read = readStripeToken(token);
  if (read === null)
    throw invalidField(["token_ref"], "Expected a customer and a payment method of Stripe, as cus_…/pm_….");
  const id = stripeMethodId(tx.part, gatewayId, read.method);
  if ((await tx.get(paymentMethods, id)) === null) return id;
  throw conflict("payment_method_exists", `The payment method ${id} has this token.`);
}

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
  example: { body: { expires: "2030-09" } },
  change: (before, body) => mergePatch(before, body),
});

export const paymentMethodRoutes = [listMethods, createMethod, getMethod, updateMethod];
