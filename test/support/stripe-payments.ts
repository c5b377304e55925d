import { stripeObject } from "./stripe-objects.ts";
import { invalid, StripeError } from "./stripe-params.ts";
import type { ConfirmParams, Fault, IntentParams, ListParams, RefundParams } from "./stripe-params.ts";
import type { Intent, Refund, StripeState } from "./stripe-state.ts";

/** PaymentIntents and refunds; `base` is the address of the page of the bank. */
export function createStripePayments(state: StripeState, base: () => string) {
  const { newId, seconds, intents, refunds, ledger, emit, cardOf, shownCard } = state;
  const intentOf = (id: string): Intent => {
    const intent = intents.get(id);
    if (intent !== undefined) return intent;
    throw invalid("resource_missing", `No such payment_intent: '${id}'`, { status: 404, param: "intent" });
  };

  function pay(intent: Intent): void {
    const { amount } = intent;
    Object.assign(intent, { status: "succeeded", next_action: null, last_payment_error: null });
    Object.assign(intent, { amount_received: amount, latest_charge: newId("ch") });
    ledger.push({ kind: "payment", amount, key: intent.metadata["attempt_id"] ?? intent.id });
    emit("payment_intent.succeeded", intent);
  }

  function decline(intent: Intent, fault: Fault, method: object | null): never {
    const charge = newId("ch");
    const inside = { ...fault, charge, ...(method === null ? {} : { payment_method: method }) };
    Object.assign(intent, { status: "requires_payment_method", next_action: null, payment_method: null });
    Object.assign(intent, { last_payment_error: inside, latest_charge: charge });
    emit("payment_intent.payment_failed", intent);
    throw new StripeError(402, { ...inside, payment_intent: structuredClone(intent) });
  }

  function confirm(intent: Intent, params: ConfirmParams): Intent {
    if (intent.status === "succeeded" || intent.status === "canceled") {
      const reason =
        intent.status === "canceled"
          ? "has a status of canceled"
          : "has already succeeded after being previously confirmed";
      throw unexpected(intent, `You cannot confirm this PaymentIntent because it ${reason}.`);
    }
    const given = params.payment_method ?? intent.payment_method;
    if (given === null)
      throw unexpected(
        intent,
        "You cannot confirm this PaymentIntent because it's missing a payment method.",
      );
    const card = cardOf(given);
    if (card.customer !== intent.customer)
      throw invalid("payment_method_unexpected_state", "The payment method belongs to another customer.", {
        param: "payment_method",
      });
    intent.payment_method = card.id;
    if (card.behaviour === "ok") pay(intent);
    else if (card.behaviour !== "authenticate")
      decline(intent, cardError(card.behaviour), shownCard(card.id));
    else if (params.off_session !== undefined && params.off_session !== false)
      decline(intent, cardError("authentication_required"), shownCard(card.id));
    else if (params.return_url === undefined) {
      intent.status = "requires_action";
      intent.next_action = { type: "use_stripe_sdk", use_stripe_sdk: { type: "three_d_secure_redirect" } };
    } else {
      intent.status = "requires_action";
      const url = `${base()}/3ds/${intent.id}?return_url=${encodeURIComponent(params.return_url)}`;
      intent.next_action = {
        type: "redirect_to_url",
        redirect_to_url: { url, return_url: params.return_url },
      };
    }
    return intent;
  }

  const unexpected = (intent: Intent, message: string): StripeError =>
    new StripeError(400, {
      type: "invalid_request_error",
      code: "payment_intent_unexpected_state",
      message,
      payment_intent: structuredClone(intent),
    });

  function newIntent(params: Omit<IntentParams, "confirm" | "off_session">): Intent {
    const id = newId("pi");
    const values = {
      id,
      amount: params.amount,
      amount_received: 0,
      client_secret: `${id}_secret_1`,
      currency: params.currency,
      customer: params.customer ?? null,
      description: params.description ?? null,
      payment_method: params.payment_method ?? null,
      allowed_payment_method_types: params.allowed_payment_method_types ?? null,
      metadata: params.metadata ?? {},
      status:
        params.payment_method === undefined
          ? ("requires_payment_method" as const)
          : ("requires_confirmation" as const),
      next_action: null,
      last_payment_error: null,
      latest_charge: null,
      canceled_at: null,
    };
    const intent: Intent = stripeObject("payment_intent", values, seconds());
    intents.set(id, intent);
    return intent;
  }

  return {
    newIntent,
    pay,
    createIntent({ confirm: isConfirmed, off_session: offSession, ...params }: IntentParams): Intent {
      if (params.amount < 30)
        throw invalid("amount_too_small", "Amount must be at least £0.30 gbp", { param: "amount" });
      if (!/^[a-z]{3}$/.test(params.currency))
        throw invalid("parameter_invalid", `Invalid currency: ${params.currency}`, { param: "currency" });
      if (offSession !== undefined && isConfirmed !== true)
        throw invalid("parameter_invalid", "off_session can only be used when `confirm=true`.", {
          param: "off_session",
        });
      if (params.return_url !== undefined && isConfirmed !== true)
        throw invalid("parameter_invalid", "return_url can only be used when `confirm=true`.", {
          param: "return_url",
        });
      if (params.payment_method !== undefined) cardOf(params.payment_method);
      const intent = newIntent(params);
      if (isConfirmed !== true) return intent;
      return confirm(intent, { ...params, ...(offSession === undefined ? {} : { off_session: offSession }) });
    },
    confirmIntent: (id: string, params: ConfirmParams) => confirm(intentOf(id), params),
    cancelIntent(id: string): Intent {
      const intent = intentOf(id);
      if (intent.status === "succeeded" || intent.status === "canceled")
        throw unexpected(
          intent,
          `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
        );
      Object.assign(intent, { status: "canceled", next_action: null, canceled_at: seconds() });
      emit("payment_intent.canceled", intent);
      return intent;
    },
    readIntent: intentOf,
    listIntents: (params: ListParams) =>
      listOf(
        [...intents.values()].filter(
          ({ customer }) => params.customer === undefined || customer === params.customer,
        ),
        params,
        "/v1/payment_intents",
      ),

    /** The holder of a card answers the bank's question. */
    authenticate(id: string, isRight: boolean): void {
      const intent = intentOf(id);
      if (intent.status !== "requires_action") return;
      if (isRight) return pay(intent);
      const code = "payment_intent_authentication_failure";
      const message = "The provided PaymentMethod has failed authentication.";
      const fault = { type: "invalid_request_error", code, message };
      Object.assign(intent, {
        status: "requires_payment_method",
        next_action: null,
        last_payment_error: fault,
      });
      intent.payment_method = null;
      emit("payment_intent.payment_failed", intent);
    },

    createRefund(params: RefundParams): Refund {
      if (params.payment_intent === undefined)
        throw invalid(
          "parameter_missing",
          "One of the following params should be provided for this request: payment_intent or charge.",
        );
      const intent = intentOf(params.payment_intent);
      if (intent.status !== "succeeded")
        throw invalid("resource_missing", "This PaymentIntent does not have a successful charge to refund.");
      const made = [...refunds.values()].filter(
        ({ payment_intent: of, status }) => of === intent.id && status === "succeeded",
      );
      const left = intent.amount - made.reduce((total, { amount }) => total + amount, 0);
      if (left === 0)
        throw invalid("charge_already_refunded", `Charge ${intent.latest_charge} has already been refunded.`);
      const amount = params.amount ?? left;
      if (amount > left || amount < 1)
        throw invalid(
          "parameter_invalid_integer",
          `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
          { param: "amount" },
        );
      const metadata = params.metadata ?? {};
      const id = newId("re");
      const { currency, latest_charge: charge, customer } = intent;
      const values = {
        id,
        amount,
        charge,
        currency,
        customer,
        payment_intent: intent.id,
        metadata,
        status: "succeeded" as const,
      };
      const refund: Refund = stripeObject("refund", values, seconds());
      refunds.set(id, refund);
      ledger.push({ kind: "refund", amount, key: metadata["refund_id"] ?? id });
      return refund;
    },
    listRefunds: (params: ListParams) =>
      listOf(
        [...refunds.values()].filter(
          ({ payment_intent: of }) => params.payment_intent === undefined || of === params.payment_intent,
        ),
        params,
        "/v1/refunds",
      ),
  };
}

const LIMIT_MAX = 100;

/** The newest first, as every list of Stripe. */
function listOf(
  items: readonly { readonly id: string }[],
  { limit = 10, starting_after: after, ending_before: before }: ListParams,
  url: string,
): object {
  if (limit < 1 || limit > LIMIT_MAX)
    throw invalid("parameter_invalid_integer", "This value must be between 1 and 100 (inclusive).", {
      param: "limit",
    });
  const placeOf = (id: string): number => {
    const place = newest.findIndex((one) => one.id === id);
    if (place < 0) throw invalid("resource_missing", `No such object: '${id}'`, { param: "starting_after" });
    return place;
  };
  const newest = items.toReversed();
  if (before !== undefined) {
    const end = placeOf(before);
    const start = Math.max(0, end - limit);
    return { object: "list", data: newest.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : placeOf(after) + 1;
  return {
    object: "list",
    data: newest.slice(start, start + limit),
    has_more: newest.length > start + limit,
    url,
  };
}

/** Codes that are errors of their own; all others are decline codes of `card_declined`. */
const OWN = new Set([
  "expired_card",
  "incorrect_cvc",
  "incorrect_number",
  "processing_error",
  "authentication_required",
]);

function cardError(code: string): Fault {
  const isOwn = OWN.has(code);
  const message =
    code === "authentication_required"
      ? "Your card was declined. This transaction requires authentication."
      : "Your card was declined.";
  const declined = isOwn && code !== "authentication_required" ? {} : { decline_code: code };
  return { type: "card_error", code: isOwn ? code : "card_declined", ...declined, message };
}
