import type { PaymentFailure } from "../../../core/payments.ts";

/**
 * Decline codes and error codes of Stripe by what follows from them; a code that is not listed counts as `soft`, as
 * `generic_decline` does. Sources, read on 2026-11-22: https://docs.stripe.com/declines/codes,
 * https://docs.stripe.com/error-codes, and for `hard` also https://docs.stripe.com/billing/revenue-recovery/smart-retries
 * (codes after which Stripe itself does not retry).
 */
const CODES: Readonly<Record<Exclude<PaymentFailure["category"], "inventory">, readonly string[]>> = {
  hard: [
    "card_not_supported",
    "currency_not_supported",
    "do_not_try_again",
    "fraudulent",
    "invalid_account",
    "lost_card",
    "merchant_blacklist",
    "not_permitted",
    "pickup_card",
    "restricted_card",
    "revocation_of_all_authorizations",
    "revocation_of_authorization",
    "security_violation",
    "service_not_allowed",
    "stolen_card",
    "stop_payment_order",
    "transaction_not_allowed",
  ],
  method: [
    "expired_card",
    "incorrect_address",
    "incorrect_cvc",
    "incorrect_number",
    "incorrect_zip",
    "invalid_cvc",
    "invalid_expiry_month",
    "invalid_expiry_year",
    "invalid_number",
    "new_account_information_available",
    "payment_intent_payment_attempt_expired",
    "payment_method_unactivated",
    "resource_missing",
  ],
  action: [
    "authentication_not_handled",
    "authentication_required",
    "mobile_device_authentication_required",
    "payment_intent_authentication_failure",
  ],
  soft: [
    "approve_with_id",
    "call_issuer",
    "card_declined",
    "card_velocity_exceeded",
    "do_not_honor",
    "duplicate_transaction",
    "generic_decline",
    "insufficient_funds",
    "issuer_not_available",
    "no_action_taken",
    "reenter_transaction",
    "try_again_later",
    "withdrawal_count_limit_exceeded",
  ],
  system: ["processing_error"],
  config: [
    "amount_too_large",
    "amount_too_small",
    "invalid_amount",
    "invalid_charge_amount",
    "live_mode_test_card",
    "test_mode_live_card",
    "testmode_decline",
  ],
};

const CATEGORY_OF = new Map(
  (["hard", "method", "action", "soft", "system", "config"] as const).flatMap((category) =>
    CODES[category].map((code) => [code, category] as const),
  ),
);

/** What the card networks advise, https://docs.stripe.com/declines/card: it overrules the code. */
const ADVICE = new Map([
  ["confirm_card_data", "method"],
  ["do_not_try_again", "hard"],
] as const);

export interface StripeFault {
  readonly type?: string | undefined;
  readonly code?: string | null | undefined;
  readonly decline_code?: string | null | undefined;
  readonly advice_code?: string | null | undefined;
  readonly message?: string | null | undefined;
}

/** The failure behind an error of Stripe. What is no fault of a card is one of the request or the key. */
export function failureOf(fault: StripeFault): PaymentFailure {
  const { decline_code: decline, advice_code: advice, message } = fault;
  const code = decline ?? fault.code ?? fault.type ?? "declined";
  const isOfCard = fault.type === undefined || fault.type === "card_error";
  const advised = [...ADVICE].find(([name]) => name === advice)?.[1];
  const category = advised ?? CATEGORY_OF.get(code) ?? (isOfCard ? "soft" : "config");
  return {
    category,
    code: code.slice(0, 80),
    message: (message ?? "The payment was declined.").slice(0, 300),
  };
}
