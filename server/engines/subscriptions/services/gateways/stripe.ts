import { z } from "zod";

import type {
  ChargeAnswer,
  ChargeRequest,
  LookupAnswer,
  LookupRequest,
  PaymentGateway,
  RefundAnswer,
  RefundRequest,
  Unsent,
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
import type { StripeApi, StripeParams, StripeSent } from "./stripe-api.ts";

export interface StripeGatewayDeps {
  readonly api: StripeApi;
  /** Where the customer of a contract confirms a payment. */
  readonly pageUrl: (contractId: string) => string;
}

const HTTP_OK = 200;
const PER_PAGE = "100";
/** Pages of a list that are read for one payment or refund. Beyond them it may be there: its state is unknown. */
const PAGES_MAX = 20;

/**
 * Charges saved cards at Stripe, off session. The id of the attempt is the `Idempotency-Key` and is in the metadata of the
 * PaymentIntent, by which an attempt without an answer is found: lists are consistent at once, searches are not.
 */
export function createStripeGateway({ api, pageUrl }: StripeGatewayDeps): PaymentGateway {
  return { charge, lookup, refund };

  async function charge(request: ChargeRequest): Promise<ChargeAnswer | Unsent> {
    const token = readStripeToken(request.token_ref);
    if (token === null) {
      const message = "The payment method has no token of the form cus_…/pm_….";
      return { status: "failed", ref: null, failure: { category: "method", code: "invalid_token", message } };
    }
    const sent = await api.post("/v1/payment_intents", intentParams(request, token), request.key);
    if (sent.kind === "refused") {
      const { detail, waitMs } = sent;
      if (waitMs !== null) return { status: "unsent", detail, waitMs };
      const message = detail.slice(0, 300);
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
    if (ref === null) {
      const list = { path: "/v1/payment_intents", params: { customer: token?.customer ?? "" }, item: Intent };
      return search(list, ({ metadata }) => metadata["attempt_id"] === key);
    }
    const sent = await api.get(`/v1/payment_intents/${encodeURIComponent(ref)}`);
    const one =
      sent.kind === "answer" && sent.status === HTTP_OK ? Intent.safeParse(sent.body).data : undefined;
    return one ?? { status: "unknown", detail: detailOf(sent) };
  }

  /** The item of a list, newest first, that fits. */
  async function search<T extends { readonly id: string }>(
    {
      path,
      params,
      item,
    }: { readonly path: string; readonly params: StripeParams; readonly item: z.ZodType<T> },
    fits: (one: T) => boolean,
  ): Promise<T | { readonly status: "not_found" } | { readonly status: "unknown"; readonly detail: string }> {
    const page = z.object({ data: z.array(item), has_more: z.boolean() });
    let after: StripeParams = {};
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const sent = await api.get(path, { ...params, ...after, limit: PER_PAGE });
      const list =
        sent.kind === "answer" && sent.status === HTTP_OK ? page.safeParse(sent.body).data : undefined;
      if (list === undefined) return { status: "unknown", detail: detailOf(sent) };
      const found = list.data.find(fits);
      if (found !== undefined) return found;
      const last = list.data.at(-1);
      if (!list.has_more || last === undefined) return { status: "not_found" };
      after = { starting_after: last.id };
    }
    return { status: "unknown", detail: `not among the newest ${PAGES_MAX} pages of ${path}` };
  }

  async function refund(request: RefundRequest): Promise<RefundAnswer> {
    const { key, gateway_ref: ref } = request;
    if (ref === null) return { status: "failed", detail: "The payment has no reference of Stripe." };
    // Stripe forgets a key after a day: a refund that was made before is found by its metadata.
    const list = { path: "/v1/refunds", params: { payment_intent: ref }, item: StripeRefund };
    const made = await search(list, ({ metadata }) => metadata?.["refund_id"] === key);
    if ("id" in made) return toRefundResult(made);
    if (made.status === "unknown") return made;
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
  "allowed_payment_method_types[0]": "card",
  off_session: "true",
  confirm: "true",
  "metadata[attempt_id]": request.key,
  "metadata[charge_id]": request.charge_id,
  "metadata[contract_id]": request.contract_id,
});
