import { toInstant } from "../../../lib/instant.ts";
import { z } from "zod";

import { fail } from "../../../lib/errors.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineOpenRoute, missing } from "../../../core/route.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import { receiveResult } from "../services/receive.ts";
import { openStripe } from "../services/gateways/open.ts";
import { receiveStripe, StripeEvent } from "../services/stripe-events.ts";
import { gateways, gatewaySecrets } from "../repository.ts";
import { CallbackBody, toResult } from "../rules/parse-answer.ts";
import { verify } from "../../../core/standard-webhooks.ts";
import { verifyStripe } from "../rules/stripe-signature.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import { inTurn } from "../../../lib/slices.ts";

/** Where a gateway calls back: its store's partition and its id, as `callback_url` says. */
const Target = z
  .string()
  .regex(/^[a-z0-9_]{3,40}\.gw_[0-9A-HJKMNP-TV-Z]{26}$/, "Use the callback_url of the gateway.")
  .meta({ description: "The last part of the gateway's callback_url" });

const receive = defineOpenRoute({
  id: "hooks.payments.receive",
  method: "POST",
  path: "/payments/:gateway_id",
  summary: "Receive the result of a payment from an external gateway, or an event of Stripe",
  description:
    "Signed by Standard Webhooks with a secret of the gateway. Body: {type, data: {key, status, ref, failure, action_url}}; key is the " +
    "idempotency-key of the request, status one of succeeded, failed, requires_action, pending. Stripe signs its events by Stripe-Signature. " +
    "An event is applied once, in whatever order they come.",
  params: z.object({ gateway_id: Target }),
  data: z.object({ outcome: z.enum(["applied", "repeated", "unknown"]) }),
  errors: [
    missing,
    { type: "content_too_large", when: "The body has more than 131,072 bytes" },
    {
      type: "too_many_requests",
      when:
        "There are more than 3,000 callbacks of one IP address in a minute, the customer's CPU budget is used up, or Stripe has to be asked and " +
        "the budget of outgoing requests is: it is sent again",
    },
    {
      type: "forbidden",
      when: "The signature is missing, older than five minutes, or not ours",
    },
  ],
  example: {
    params: { gateway_id: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0.gw_01KDVDNA00GGGGGGGGGGGGGGGG" },
  },
  paidBy: ({ params: { gateway_id: target } }) => target.split(".", 1)[0] ?? null,
  async handle({ params: { gateway_id: target } }, ctx) {
    const [part = "", gatewayId = ""] = target.split(".");
    const text = Buffer.from(await ctx.rawBody()).toString("utf8");
    const known = await ctx.runTx(part, async (tx) => ({
      gateway: (await tx.get(gateways, gatewayId))?.value,
      secrets: (await tx.get(gatewaySecrets, gatewayId))?.value,
      now: (await readTestClock(tx)) ?? ctx.now,
    }));
    const { gateway, secrets, now } = known;
    const ports = ctx.portsOf(part);
    const work = { now, nowAt: toInstant(now), part, newId: ctx.newId, ports, runTx: ctx.runTx };
    const isStripe = gateway?.kind === "stripe";
    // Without the secret, a missing gateway and a wrong signature cannot be distinguished.
    refuseForged(ctx, text, { secrets: secrets?.secrets ?? [], isStripe });
    const sent = await inTurn(part, () => parseJson(text));
    if (isStripe && secrets?.api_key !== undefined) {
      const event = StripeEvent.safeParse(sent);
      if (!event.success) throw fail("bad_request", "The body is not an event of Stripe.");
      const api = openStripe(ports, gateway, secrets.api_key);
      return ok({ outcome: await receiveStripe({ work, gateway, api }, event.data) });
    }
    return ctx.runTx(part, async (tx) => {
      const parsed = CallbackBody.safeParse(sent);
      if (!parsed.success) throw fail("bad_request", "The body is not {type, data: {key, status, …}}.");
      const { data } = parsed.data;
      const event = { eventId: ctx.header("webhook-id") ?? "", key: data.key, result: toResult(data) };
      const { outcome } = await receiveResult(work, tx, gatewayId, event);
      return ok({ outcome });
    });
  },
});

function refuseForged(
  ctx: OpenCtx,
  body: string,
  { secrets, isStripe }: { readonly secrets: readonly string[]; readonly isStripe: boolean },
): void {
  const now = ctx.ports.realNow();
  const verdict =
    secrets.length === 0
      ? "forged"
      : isStripe
        ? verifyStripe(ctx.header("stripe-signature"), body, secrets, now)
        : verify(ctx.header, body, secrets, now);
  if (verdict === "ok") return;
  throw fail("forbidden", isStripe && verdict === "missing" ? "Send Stripe-Signature." : DETAILS[verdict]);
}

const DETAILS = {
  missing: "Send webhook-id, webhook-timestamp and webhook-signature (standardwebhooks.com).",
  stale: "The signature is older than five minutes, or from the future.",
  forged: "The signature does not fit the body and a secret of this gateway.",
} as const;

export const hookRoutes = [receive];
