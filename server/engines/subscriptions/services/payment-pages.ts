import { z } from "zod";

import { equalSecrets, sha256Hex } from "../../../core/ids.ts";
import type { MadePayment, PaymentPageRequest } from "../../../core/payments.ts";
import type { EnginePorts, LongWork } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import { gateways, gatewaySecrets } from "../repository.ts";
import { toStripeAmount } from "../rules/stripe-answer.ts";
import type { Gateway } from "../schema/payment.ts";
import { openStripe } from "./gateways/open.ts";
import { requireBody } from "./gateways/stripe-api.ts";
import type { StripeApi } from "./gateways/stripe-api.ts";
import { parseJson } from "../../../lib/parse-json.ts";

const GATEWAYS_READ = 50;
const PURPOSE = "subscriptions.test-payment";

/** The gateway on whose page a customer pays once: Stripe, else one for tests. */
async function findGateway(tx: Tx): Promise<Gateway | null> {
  const { items } = await tx.peekPage(gateways, { limit: GATEWAYS_READ });
  const active = items.map(({ value }) => value).filter(({ active: isActive }) => isActive);
  return (
    active.findLast(({ kind }) => kind === "stripe") ?? active.findLast(({ kind }) => kind === "test") ?? null
  );
}

export const hasPaymentPage: EnginePorts["hasPaymentPage"] = async (tx) => (await findGateway(tx)) !== null;

async function findApi({ part, ports, runTx }: LongWork): Promise<StripeApi | "test" | null> {
  return runTx(part, async (tx) => {
    const gateway = await findGateway(tx);
    if (gateway === null) return null;
    if (gateway.kind === "test") return "test";
    const apiKey = (await tx.get(gatewaySecrets, gateway.id))?.value.api_key;
    return apiKey === undefined ? null : openStripe(ports, gateway, apiKey);
  });
}

const OpenedSession = z.object({ url: z.string().nullish() });

/** Stripe Checkout in payment mode. A gateway for tests has no page: there the customer is back at once, having paid. */
export const openPaymentPage: EnginePorts["openPaymentPage"] = async (work, request) => {
  const api = await findApi(work);
  if (api === null) return null;
  if (api === "test") return `${request.return_url}?session_id=${testSession(work, request)}`;
  const sent = await api.post(
    "/v1/checkout/sessions",
    {
      mode: "payment",
      "allowed_payment_method_types[0]": "card",
      success_url: `${request.return_url}?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: request.return_url,
      client_reference_id: request.subject_id,
      customer_email: request.email,
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][currency]": request.currency.toLowerCase(),
      "line_items[0][price_data][unit_amount]": toStripeAmount(request.amount, request.currency),
      "line_items[0][price_data][product_data][name]": request.title,
      "metadata[subject]": request.subject,
      "metadata[subject_id]": request.subject_id,
      "metadata[amount]": String(request.amount),
    },
    request.key,
  );
  return OpenedSession.safeParse(requireBody(sent)).data?.url ?? null;
};

const PaidSession = z.object({
  mode: z.literal("payment"),
  payment_status: z.literal("paid"),
  payment_intent: z.string(),
  amount_total: z.int(),
  currency: z.string(),
  metadata: z.object({
    subject: z.string(),
    subject_id: z.string(),
    amount: z.string().regex(/^\d{1,12}$/),
  }),
});

export const readPagePayment: EnginePorts["readPagePayment"] = async (work, sessionId) => {
  const api = await findApi(work);
  if (api === null) return null;
  return api === "test" ? readTestSession(work, sessionId) : readSession(api, sessionId);
};

/** What was paid in a session of Stripe Checkout; null for one that was for a card, or is not paid. */
export async function readSession(api: StripeApi, sessionId: string): Promise<MadePayment | null> {
  const sent = await api.get(`/v1/checkout/sessions/${encodeURIComponent(sessionId)}`);
  const paid = PaidSession.safeParse(requireBody(sent)).data;
  if (paid === undefined) return null;
  const { metadata } = paid;
  const currency = paid.currency.toUpperCase();
  const amount = Number(metadata.amount);
  if (toStripeAmount(amount, currency) !== String(paid.amount_total)) return null;
  const { subject, subject_id } = metadata;
  return { subject, subject_id, amount, currency, reference: paid.payment_intent };
}

const TestSession = z.object({
  subject: z.string(),
  subject_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  key: z.string(),
});

function testSession(
  { part, ports }: LongWork,
  { subject, subject_id, amount, currency, key }: PaymentPageRequest,
): string {
  const paid: z.output<typeof TestSession> = { subject, subject_id, amount, currency, key };
  const text = Buffer.from(JSON.stringify(paid), "utf8").toString("base64url");
  return `${text}.${ports.sign(PURPOSE, `${part}.${text}`)}`;
}

function readTestSession({ part, ports }: LongWork, sessionId: string): MadePayment | null {
  const [text = "", signature = ""] = sessionId.split(".");
  if (!equalSecrets(signature, ports.sign(PURPOSE, `${part}.${text}`))) return null;
  const paid = TestSession.safeParse(parseJson(Buffer.from(text, "base64url").toString("utf8"))).data;
  if (paid === undefined) return null;
  const { key, ...payment } = paid;
  return { ...payment, reference: `test_${sha256Hex(key).slice(0, 24)}` };
}
