import { z } from "zod";

import { fail, invalidField } from "../../../../lib/errors.ts";
import type { Gateway } from "../../schema/payment.ts";
import { STRIPE_VERSION } from "./stripe-api.ts";
import type { StripeApi, StripeSent } from "./stripe-api.ts";

/** What Stripe reports of payments, cards, refunds and disputes. */
const EVENTS = [
  "checkout.session.completed",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.processing",
  "payment_intent.canceled",
  "payment_method.automatically_updated",
  "payment_method.updated",
  "payment_method.detached",
  "refund.failed",
  "refund.updated",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
] as const;

const Endpoint = z.object({ id: z.string(), secret: z.string() });
const Fault = z.object({ error: z.object({ message: z.string() }) });

/**
 * Checks the key and creates the webhook endpoint of a gateway. Stripe calls https addresses only: elsewhere there is none,
 * and payments are looked up. Throws 422 where Stripe refuses the key, 503 where it does not answer.
 */
export async function registerWebhook(
  api: StripeApi,
  { id, callback_url: url }: Pick<Gateway, "id" | "callback_url">,
): Promise<{ readonly webhookId: string | null; readonly secret: string | null }> {
  requireAccepted(await api.get("/v1/payment_intents", { limit: "1" }));
  if (!url.startsWith("https:")) return { webhookId: null, secret: null };
  const events = EVENTS.map((type, index) => [`enabled_events[${index}]`, type] as const);
  const sent = await api.post(
    "/v1/webhook_endpoints",
    { url, api_version: STRIPE_VERSION, ...Object.fromEntries(events), "metadata[gateway_id]": id },
    `${id}.webhook`,
  );
  const endpoint = Endpoint.parse(requireAccepted(sent));
  return { webhookId: endpoint.id, secret: endpoint.secret };
}

/** Throws 422 unless Stripe accepts the key for the account that has the webhook endpoint (for payments, where there is none). */
export async function requireSameAccount(api: StripeApi, webhookId: string | null): Promise<void> {
  requireAccepted(
    webhookId === null
      ? await api.get("/v1/payment_intents", { limit: "1" })
      : await api.get(`/v1/webhook_endpoints/${encodeURIComponent(webhookId)}`),
  );
}

function requireAccepted(sent: StripeSent): unknown {
  if (sent.kind !== "answer" || sent.status >= 500 || sent.status === 429) {
    throw fail("service_unavailable", "Stripe could not be reached. Try again.", {
      headers: { "Retry-After": "10" },
      cause: sent,
    });
  }
  if (sent.status < 300) return sent.body;
  const fault = Fault.safeParse(sent.body);
  const message = fault.success ? fault.data.error.message : `status ${sent.status}`;
  throw invalidField(["secret_key"], `Stripe refused it: ${message}`);
}
