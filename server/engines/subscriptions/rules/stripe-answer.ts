import { z } from "zod";

import type { ChargeAnswer, GatewayResult, PaymentFailure, RefundAnswer } from "../../../core/payments.ts";
import { failureOf } from "../data/stripe-declines.ts";

const Text = z.string().nullish();
const Fault = z.object({
  type: z.string().optional(),
  code: Text,
  decline_code: Text,
  advice_code: Text,
  message: Text,
});

/** What is read of a PaymentIntent; Stripe adds members at any time. */
export const Intent = z.object({
  id: z.string(),
  status: z.string(),
  metadata: z.record(z.string(), z.string()).default({}),
  last_payment_error: Fault.nullish(),
});
export type Intent = z.output<typeof Intent>;

const ErrorBody = z.object({ error: Fault.extend({ payment_intent: Intent.nullish() }) });

/** An answer of Stripe's API. */
export interface StripeReply {
  readonly status: number;
  readonly body: unknown;
}

const HTTP_OK = 200;
/** Refused before anything was done: the request, the key, its permissions, or what it refers to. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 402, 403, 404]);

/** The failure of an attempt that the customer did not confirm in time. */
const NOT_CONFIRMED: PaymentFailure = {
  category: "action",
  code: "action_timeout",
  message: "The payment was not confirmed in time.",
};

/**
 * The result that the state of a PaymentIntent means. A payment off session that needs authentication fails at Stripe; the
 * same PaymentIntent can be confirmed by the customer at `actionUrl`. Null for a state that is not of this integration.
 */
export function toIntentResult(intent: Intent, actionUrl: string | null): GatewayResult | null {
  const { id: ref, status, last_payment_error: fault } = intent;
  switch (status) {
    case "succeeded":
      return { status: "succeeded", ref };
    case "processing":
      return { status: "pending", ref };
    case "requires_action":
      return { status: "requires_action", ref, action_url: actionUrl };
    case "canceled":
      return { status: "failed", ref, failure: NOT_CONFIRMED };
    case "requires_payment_method": {
      if (fault === null || fault === undefined) return null;
      if (needsCustomer(fault)) return { status: "requires_action", ref, action_url: actionUrl };
      return { status: "failed", ref, failure: failureOf(fault) };
    }
    default:
      return null;
  }
}

const needsCustomer = ({ code, decline_code: decline }: z.output<typeof Fault>): boolean =>
  code === "authentication_required" || decline === "authentication_required";

/**
 * What Stripe answered to a request about a payment. Only a refusal whose effect is certain is a failure: conflicts, limits,
 * faults of the server and a key that was used with other parameters say nothing about the payment.
 */
export function toChargeAnswer({ status, body }: StripeReply, actionUrl: string | null): ChargeAnswer {
  const unknown = { status: "unknown", detail: `Stripe answered ${status}` } as const;
  if (status === HTTP_OK) {
    const intent = Intent.safeParse(body);
    return (intent.success ? toIntentResult(intent.data, actionUrl) : null) ?? unknown;
  }
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success || !REFUSED.has(status)) return unknown;
  const { payment_intent: intent, ...fault } = parsed.data.error;
  if (fault.type === "idempotency_error") return unknown;
  if (intent !== null && intent !== undefined) return toIntentResult(intent, actionUrl) ?? unknown;
  return { status: "failed", ref: null, failure: failureOf(fault) };
}

const Refunded = z.object({
  id: z.string(),
  status: z.string(),
  failure_reason: Text,
  metadata: z.record(z.string(), z.string()).nullish(),
});
export const StripeRefund = Refunded;

/** A refund that is pending counts as made: Stripe reports by `refund.failed` when its bank returns it. */
export function toRefundAnswer({ status, body }: StripeReply): RefundAnswer {
  const refund = Refunded.safeParse(body);
  if (status === HTTP_OK && refund.success) return toRefundResult(refund.data);
  const fault = ErrorBody.safeParse(body);
  const isRefused = fault.success && REFUSED.has(status) && fault.data.error.type !== "idempotency_error";
  if (isRefused) return { status: "failed", detail: failureOf(fault.data.error).message };
  return { status: "unknown", detail: `Stripe answered ${status}` };
}

export function toRefundResult({
  id,
  status,
  failure_reason: reason,
}: z.output<typeof Refunded>): RefundAnswer {
  if (status === "failed" || status === "canceled") return { status: "failed", detail: reason ?? status };
  return { status: "succeeded", ref: id };
}

/** Stripe counts these currencies in hundredths although they have none (https://docs.stripe.com/currencies#special-cases). */
const IN_HUNDREDTHS: ReadonlySet<string> = new Set(["ISK", "UGX"]);

/** Of these currencies with three decimals it takes multiples of ten (same page): rounded down, so that none pays more than is owed. */
const IN_TENS: ReadonlySet<string> = new Set(["BHD", "JOD", "KWD", "OMR", "TND"]);

export function toStripeAmount(amount: number, currency: string): string {
  if (IN_TENS.has(currency)) return String(amount - (amount % 10));
  return String(IN_HUNDREDTHS.has(currency) ? amount * 100 : amount);
}

/** A customer and a payment method of Stripe, as `token_ref` has them: `cus_…/pm_…`. */
const STRIPE_TOKEN = /^(cus_\w{1,80})\/((?:pm|card|src)_\w{1,80})$/;

export function readStripeToken(
  token: string,
): { readonly customer: string; readonly method: string } | null {
  const [, customer = "", method = ""] = STRIPE_TOKEN.exec(token) ?? [];
  return customer === "" ? null : { customer, method };
}
