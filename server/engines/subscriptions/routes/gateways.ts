import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { derivedId } from "../../../core/ids.ts";
import { isTestPart } from "../../../core/test-clock.ts";
import type { Ctx } from "../../../core/route.ts";
import { made, ok } from "../../../core/reply.ts";
import { defineRoute, workOf } from "../../../core/route.ts";
import { Id, ListQuery, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { registerWebhook, requireSameAccount } from "../services/gateways/stripe-webhook.ts";
import { openStripe } from "../services/gateways/open.ts";
import { receiveResult } from "../services/receive.ts";
import { gatewayCalls, gateways, gatewaySecrets } from "../repository.ts";
import { toSecret } from "../../../core/standard-webhooks.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { Gateway, GatewayCall, gatewayFields, GatewayUrl } from "../schema/payment.ts";
import { listUnder } from "../../../core/by-value.ts";
import { DEMO_IDS } from "../data/demo-shop.ts";
import { requireRoom } from "../../../core/room.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { newResource } from "../../../lib/new-resource.ts";

const GatewayView = withVersion(Gateway);
const StripeKey = z
  .string()
  .max(200)
  .regex(/^(sk|rk)_(test|live)_\w+$/, "Expected a secret or restricted key of Stripe, such as sk_test_….")
  .meta({ description: "stripe: the secret key; stored, never returned" });
const params = { id: DEMO_IDS.gateway };
const fields = { ...gatewayFields, url: GatewayUrl };

const gatewayResource = resource({
  id: "subscriptions.gateways",
  collection: gateways,
  view: GatewayView,
  example: DEMO_IDS.gateway,
});

const listGateways = gatewayResource.list({ summary: "List payment gateways" });

const createGateway = gatewayResource.create({
  summary: "Set up a gateway",
  description:
    "manual: charges wait to be marked as paid. test: no money, outcomes by token, and a log of calls. stripe: cards saved on Stripe's own " +
    "page are charged off session; `secret_key` is all it needs, the webhook endpoint is created at Stripe. external: signed JSON is posted " +
    "to your URL; create its secret with POST …/secrets. The guide on payment gateways describes the protocol.",
  scope: "manage",
  body: z.strictObject({
    title: fields.title,
    kind: fields.kind,
    secret_key: StripeKey.optional(),
    url: fields.url.default(null),
    key_ttl_hours: fields.key_ttl_hours.default(23),
    supports_lookup: fields.supports_lookup.default(true),
    timeout_seconds: fields.timeout_seconds.default(15),
    active: fields.active.default(true),
  }),
  errors: [
    conflictWhen("limit_reached", "The store has the maximum number of gateways"),
    conflictWhen("gateway_exists", "A gateway of the store uses this Stripe key"),
  ],
  example: { body: { title: "Test payments", kind: "test" } },
  make: async ({ secret_key: apiKey, ...body }, ctx) => {
    await requireRoom(ctx.tx, gateways, { max: SUBSCRIPTION_LIMITS.gateways, noun: "gateways" });
    if (body.kind === "external" && body.url === null)
      throw invalidField(["url"], "Required for an external gateway.");
    if ((body.kind === "stripe") !== (apiKey !== undefined))
      throw invalidField(["secret_key"], "Required for a gateway of kind `stripe`, and only there.");
    // The id of a Stripe gateway follows from its key, so that a request that runs again creates no second endpoint.
    const id =
      apiKey === undefined ? ctx.newId("gw") : derivedId("gw", new Uint8Array(), [ctx.tx.part, apiKey]);
    const gateway: Gateway = {
      ...newResource(id, ctx.nowAt),
      ...body,
      callback_url: `${ctx.ports.baseUrl}/api/hooks/payments/${ctx.tx.part}.${id}`,
      webhook_id: null,
    };
    return apiKey === undefined ? gateway : connectStripe(ctx, gateway, apiKey);
  },
});

async function connectStripe(ctx: Ctx, gateway: Gateway, apiKey: string): Promise<Gateway> {
  if ((await ctx.tx.get(gateways, gateway.id)) !== null) {
    throw conflict("gateway_exists", `The gateway ${gateway.id} uses this Stripe key.`);
  }
  refuseLiveKey(ctx, apiKey);
  const { webhookId, secret } = await registerWebhook(openStripe(ctx.ports, gateway, apiKey), gateway);
  const secrets = secret === null ? [] : [secret];
  ctx.tx.create(gatewaySecrets, { id: gateway.id, secrets, api_key: apiKey });
  return { ...gateway, webhook_id: webhookId };
}

function refuseLiveKey({ tx }: Ctx, apiKey: string): void {
  if (!isTestPart(tx.part) || /_test_/.test(apiKey)) return;
  throw invalidField(["secret_key"], "Test data take a key of Stripe's test mode (sk_test_… or rk_test_…).");
}

/** Replaces the key of a Stripe gateway by another of the same account, which keeps its webhook endpoint, cards and payments. */
async function replaceKey(ctx: Ctx, gateway: Gateway, apiKey: string): Promise<void> {
  if (gateway.kind !== "stripe")
    throw invalidField(["secret_key"], "Only a gateway of kind `stripe` has a secret key.");
  refuseLiveKey(ctx, apiKey);
  await requireSameAccount(openStripe(ctx.ports, gateway, apiKey), gateway.webhook_id);
  const before = await ctx.tx.get(gatewaySecrets, gateway.id);
  ctx.tx.save(gatewaySecrets, before, {
    id: gateway.id,
    secrets: before?.value.secrets ?? [],
    api_key: apiKey,
  });
}

const getGateway = gatewayResource.get({ summary: "Show a gateway" });

const updateGateway = gatewayResource.update({
  summary: "Change a gateway",
  description:
    "`secret_key` replaces the key of a gateway of kind `stripe`, for key rotation: it must belong to the same account of Stripe. The next request uses it.",
  scope: "manage",
  body: z.strictObject(fields).omit({ kind: true }).extend({ secret_key: StripeKey }).partial(),
  example: { body: { title: "Payments" } },
  change: async (before, { secret_key: apiKey, ...body }, ctx) => {
    const next = { ...mergePatch(before, body), updated_at: ctx.nowAt };
    if (apiKey !== undefined) await replaceKey(ctx, next, apiKey);
    if (next.kind === "external" && next.url === null)
      throw invalidField(["url"], "Required for an external gateway.");
    return next;
  },
});

const createSecret = defineRoute({
  id: "subscriptions.gateways.create-secret",
  method: "POST",
  path: "/gateways/:id/secrets",
  scope: "manage",
  status: 201,
  summary: "Create a signing secret for an external gateway",
  description:
    "Shown once. Requests are signed with the newest two, and callbacks may be, so that one can take over from the other.",
  body: z.strictObject({}).default({}),
  data: z.object({ gateway_id: Id, secret: z.string() }),
  sensitive: true,
  errors: [
    conflictWhen(
      "not_an_external_gateway",
      "The signing secret of a gateway of kind `stripe` comes from Stripe",
    ),
  ],
  example: {
    params,
    body: {},
  },
  async handle({ params: { id } }, ctx) {
    const gateway = await ctx.tx.require(gateways, id);
    if (gateway.value.kind === "stripe") {
      throw conflict(
        "not_an_external_gateway",
        "The signing secret of a gateway of kind `stripe` comes from Stripe.",
      );
    }
    const before = await ctx.tx.get(gatewaySecrets, id);
    const secret = makeSecret(ctx);
    const value = { id, secrets: [secret, ...(before?.value.secrets ?? [])].slice(0, 2) };
    ctx.tx.save(gatewaySecrets, before, value);
    return made({ gateway_id: id, secret }, `/gateways/${id}`);
  },
});

/** 32 bytes that cannot be guessed: derived from a fresh id by the server's secret. */
const makeSecret = ({ ports, newId }: Pick<Ctx, "ports" | "newId">): string =>
  toSecret(Buffer.from(ports.sign("subscriptions.gateway-secret", newId("sec")), "base64url"));

const listCalls = defineRoute({
  id: "subscriptions.gateway-calls.list",
  method: "GET",
  path: "/gateways/:id/calls",
  summary: "What the test gateway was asked, newest first",
  description:
    "charged is money that moved just then; replayed is a key that was known, for which nothing moved.",
  query: ListQuery,
  data: z.array(withVersion(GatewayCall)),
  example: {
    params,
  },
  handle: listUnder(gateways, gatewayCalls, "by"),
});

const simulate = defineRoute({
  id: "subscriptions.gateways.simulate",
  method: "POST",
  path: "/gateways/:id/events",
  scope: "manage",
  summary: "Settle a payment of the test gateway, as its customer or bank would",
  description: "Goes the way of a real callback; the same event_id is applied once.",
  body: z.strictObject({
    event_id: z.string().min(1).max(120),
    attempt_id: z.string().max(80),
    status: z.enum(["succeeded", "failed"]),
  }),
  data: z.object({ outcome: z.enum(["applied", "repeated", "unknown"]) }),
  errors: [conflictWhen("not_a_test_gateway", "Only a gateway of kind `test` accepts simulated events")],
  example: {
    params,
    body: { event_id: "evt_1", attempt_id: `chg_8NKH5BGKS3KVV80XDF9EKPW05C-1`, status: "succeeded" },
  },
  async handle({ params: { id }, body }, ctx) {
    const gateway = await ctx.tx.require(gateways, id);
    if (gateway.value.kind !== "test") {
      throw conflict("not_a_test_gateway", "Only a gateway of kind `test` accepts simulated events.");
    }
    const ref = `test_${body.attempt_id}`;
    const failure = { category: "soft" as const, code: "declined", message: "Declined by the bank." };
    const result =
      body.status === "succeeded"
        ? { status: "succeeded" as const, ref }
        : { status: "failed" as const, ref, failure };
    const event = { eventId: body.event_id, key: body.attempt_id, result };
    const { outcome } = await receiveResult(workOf(ctx), ctx.tx, id, event);
    return ok({ outcome });
  },
});

export const gatewayRoutes = [
  listGateways,
  createGateway,
  getGateway,
  updateGateway,
  createSecret,
  listCalls,
  simulate,
];
