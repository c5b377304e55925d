import { z } from "zod";

import type {
  ChargeAnswer,
  ChargeRequest,
  LookupAnswer,
  LookupRequest,
  PaymentGateway,
  RefundAnswer,
  RefundRequest,
} from "../../../../core/payments.ts";
import {
  Intent,
  readStripeToken,
  StripeRefund,
  toChargeAnswer,
  toIntentResult,
  toRefundAnswer,
  toRefundResult,
  toStripeAmount,
} from "../../rules/stripe-answer.ts";
import type { StripeApi, StripeSent } from "./stripe-api.ts";

export interface StripeGatewayDeps {
  readonly api: StripeApi;
  /** Where the customer of a contract confirms a payment. */
  readonly pageUrl: (contractId: string) => string;
}

const HTTP_OK = 200;
const NEWEST = "100";

/**
 * Charges saved cards at Stripe, off session. The id of the attempt is the `Idempotency-Key` and is in the metadata of the
 * PaymentIntent, by which an attempt without an answer is found: lists are consistent at once, searches are not.
 */
export function createStripeGateway({ api, pageUrl }: StripeGatewayDeps): PaymentGateway {
  return { charge, lookup, refund };

  async function charge(request: ChargeRequest): Promise<ChargeAnswer> {
    const token = readStripeToken(request.token_ref);
    if (token === null) {
      const message = "The payment method has no token of the form cus_…/pm_….";
      return { status: "failed", ref: null, failure: { category: "method", code: "invalid_token", message } };
    }
    const sent = await api.post("/v1/payment_intents", intentParams(request, token), request.key);
    if (sent.kind === "refused") {
      const message = sent.detail.slice(0, 300);
      return { status: "failed", ref: null, failure: { category: "system", code: "unreachable", message } };
    }
    return answerOf(sent, pageUrl(request.contract_id));
  }

  async function lookup(request: LookupRequest): Promise<LookupAnswer> {
    const found = await find(request);
    if (!("id" in found)) return found;
    const actionUrl = pageUrl(request.contract_id);
    const result = toIntentResult(found, actionUrl);
    const isOpen = result === null || result.status === "requires_action";
    if (!request.closing || !isOpen) {
      return result ?? { status: "unknown", detail: `the PaymentIntent is ${found.status}` };
    }
    // What was paid meanwhile cannot be cancelled: the answer is then an error, and the next look finds the payment.
    return answerOf(await api.post(`/v1/payment_intents/${found.id}/cancel`, {}), actionUrl, true);
  }

  async function find(request: LookupRequest): Promise<Intent | LookupAnswer> {
    const { gateway_ref: ref, key } = request;
    const token = readStripeToken(request.token_ref);
    if (ref === null && token === null) return { status: "unsupported" };
    const sent =
      ref === null
        ? await api.get("/v1/payment_intents", { customer: token?.customer ?? "", limit: NEWEST })
        : await api.get(`/v1/payment_intents/${encodeURIComponent(ref)}`);
    if (sent.kind !== "answer") return { status: "unknown", detail: sent.detail };
    const one = Intent.safeParse(sent.body);
    if (sent.status === HTTP_OK && one.success) return one.data;
    const listed = z.object({ data: z.array(Intent) }).safeParse(sent.body);
    if (sent.status !== HTTP_OK || !listed.success)
      return { status: "unknown", detail: `Stripe answered ${sent.status}` };
    return listed.data.data.find(({ metadata }) => metadata["attempt_id"] === key) ?? { status: "not_found" };
  }

  async function refund(request: RefundRequest): Promise<RefundAnswer> {
    const { key, gateway_ref: ref } = request;
    if (ref === null) return { status: "failed", detail: "The payment has no reference of Stripe." };
    // Stripe forgets a key after a day: a refund that was made before is found by its metadata.
    const listed = await api.get("/v1/refunds", { payment_intent: ref, limit: NEWEST });
    if (listed.kind !== "answer" || listed.status !== HTTP_OK)
      return { status: "unknown", detail: detailOf(listed) };
    const parsed = z.object({ data: z.array(StripeRefund) }).safeParse(listed.body);
    const made = parsed.data?.data.find(({ metadata }) => metadata?.["refund_id"] === key);
    if (made !== undefined) return toRefundResult(made);
    const params = {
      payment_intent: ref,
      amount: toStripeAmount(request.amount, request.currency),
      "metadata[refund_id]": key,
    };
    const sent = await api.post("/v1/refunds", params, key);
    return sent.kind === "answer" ? toRefundAnswer(sent) : { status: "unknown", detail: sent.detail };
  }
}

const detailOf = (sent: StripeSent): string =>
  sent.kind === "answer" ? `Stripe answered ${sent.status}` : sent.detail;

function answerOf(sent: StripeSent, actionUrl: string, isCancel = false): ChargeAnswer {
  if (sent.kind !== "answer") return { status: "unknown", detail: sent.detail };
  if (isCancel && sent.status !== HTTP_OK) return { status: "unknown", detail: detailOf(sent) };
  return toChargeAnswer(sent, actionUrl);
}

const intentParams = (
  request: ChargeRequest,
  token: { readonly customer: string; readonly method: string },
): Record<string, string> => ({
  amount: toStripeAmount(request.amount, request.currency),
  currency: request.currency.toLowerCase(),
  customer: token.customer,
  payment_method: token.method,
  "payment_method_types[0]": "card",
  off_session: "true",
  confirm: "true",
  "metadata[attempt_id]": request.key,
  "metadata[charge_id]": request.charge_id,
  "metadata[contract_id]": request.contract_id,
});
