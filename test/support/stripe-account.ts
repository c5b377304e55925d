import { createHmac } from "node:crypto";
import type { z } from "zod";

import type { PARAMS } from "./stripe-params.ts";

// An account of Stripe: its objects, and what its operations do to them. Members are those of Stripe's API version 2026-10-28.

type Params<O extends keyof typeof PARAMS> = z.output<(typeof PARAMS)[O]>;

/** How a saved card behaves: it pays, asks its holder to authenticate, or is declined with this code. */
export type Behaviour = "ok" | "authenticate" | (string & {});

interface Fault {
  readonly type: string;
  readonly code: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
  readonly message: string;
}

export interface Intent {
  readonly id: string;
  readonly object: "payment_intent";
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  payment_method: string | null;
  status: "requires_payment_method" | "requires_action" | "succeeded" | "canceled";
  next_action: object | null;
  last_payment_error: Fault | null;
}

interface Refund {
  readonly id: string;
  readonly object: "refund";
  readonly amount: number;
  readonly payment_intent: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: "succeeded" | "failed";
  failure_reason?: string;
}

interface Session {
  readonly id: string;
  readonly object: "checkout.session";
  readonly mode: string;
  readonly url: string;
  readonly success_url: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: "open" | "complete";
  readonly amount_total: number | null;
  readonly currency: string | null;
  payment_status: "unpaid" | "paid" | "no_payment_required";
  payment_intent: string | null;
  customer: string | null;
  setup_intent: { id: string; object: "setup_intent"; status: string; payment_method: string } | null;
}

interface Card {
  readonly id: string;
  readonly object: "payment_method";
  readonly type: "card";
  readonly customer: string;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

export class StripeError extends Error {
  readonly status: number;
  readonly fault: Fault & { payment_intent?: Intent };
  constructor(status: number, fault: Fault & { payment_intent?: Intent }) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
  }
}

const invalid = (code: string, message: string, status = 400): StripeError =>
  new StripeError(status, { type: "invalid_request_error", code, message });

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/** `base` is the address under which the pages of Checkout and of the bank are served. */
export function createStripeAccount(base: () => string, now: () => number) {
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${String((count += 1)).padStart(8, "0")}`;
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, Refund>();
  const sessions = new Map<string, Session>();
  const cards = new Map<string, Card & { behaviour: Behaviour }>();
  const endpoints: { id: string; url: string; secret: string; events: string[] }[] = [];
  const outbox: { url: string; body: string; headers: Record<string, string> }[] = [];
  /** Money that moved, in order: each payment and refund once. */
  const ledger: { kind: "payment" | "refund"; amount: number; key: string }[] = [];

  function emit(type: string, object: object): void {
    const created = Math.floor(now() / 1000);
    const event = { id: newId("evt"), object: "event", api_version: null, created, type, data: { object } };
    for (const endpoint of endpoints.filter(({ events }) => events.includes(type))) {
      outbox.push({ url: endpoint.url, ...signEvent(JSON.stringify(event), endpoint.secret, created) });
    }
  }

  function addCard(behaviour: Behaviour, customer = newId("cus")): string {
    const id = newId("pm");
    const card = { brand: "visa", last4: "4242", exp_month: 9, exp_year: 2030 };
    cards.set(id, { id, object: "payment_method", type: "card", customer, card, behaviour });
    return `${customer}/${id}`;
  }

  const cardOf = (id: string | null) => {
    const card = cards.get(id ?? "");
    if (card === undefined) throw invalid("resource_missing", `No such PaymentMethod: '${id}'`);
    return card;
  };
  const intentOf = (id: string): Intent => {
    const intent = intents.get(id);
    if (intent === undefined) throw invalid("resource_missing", `No such payment_intent: '${id}'`, 404);
    return intent;
  };

  function pay(intent: Intent): void {
    Object.assign(intent, { status: "succeeded", next_action: null, last_payment_error: null });
    ledger.push({ kind: "payment", amount: intent.amount, key: intent.metadata["attempt_id"] ?? intent.id });
    emit("payment_intent.succeeded", intent);
  }

  function decline(intent: Intent, fault: Fault): never {
    Object.assign(intent, {
      status: "requires_payment_method",
      next_action: null,
      last_payment_error: fault,
    });
    emit("payment_intent.payment_failed", intent);
    throw new StripeError(402, { ...fault, payment_intent: structuredClone(intent) });
  }

  function confirm(intent: Intent, params: Params<"POST /v1/payment_intents/:id/confirm">): Intent {
    if (intent.status !== "requires_payment_method")
      throw invalid("payment_intent_unexpected_state", `This PaymentIntent is ${intent.status}.`);
    const card = cardOf(params.payment_method ?? intent.payment_method);
    if (card.customer !== intent.customer)
      throw invalid("invalid_request", "The payment method belongs to another customer.");
    intent.payment_method = card.id;
    if (card.behaviour === "ok") pay(intent);
    else if (card.behaviour !== "authenticate") decline(intent, cardError(card.behaviour));
    else if (params.off_session === "true") decline(intent, cardError("authentication_required"));
    else if (params.return_url === undefined)
      throw invalid("parameter_missing", "Provide a return_url to redirect to.");
    else {
      intent.status = "requires_action";
      const url = `${base()}/3ds/${intent.id}?return_url=${encodeURIComponent(params.return_url)}`;
      intent.next_action = {
        type: "redirect_to_url",
        redirect_to_url: { url, return_url: params.return_url },
      };
    }
    return intent;
  }

  return {
    intents,
    refunds,
    sessions,
    cards,
    endpoints,
    outbox,
    ledger,
    emit,
    addCard,

    createIntent(params: Params<"POST /v1/payment_intents">): Intent {
      if (Number(params.amount) < 30) throw invalid("amount_too_small", "Amount must be at least £0.30 gbp");
      if (params.off_session === "true" && params.confirm !== "true")
        throw invalid("parameter_missing", "off_session can only be used with confirm=true.");
      if (params.payment_method !== undefined) cardOf(params.payment_method);
      const intent: Intent = {
        id: newId("pi"),
        object: "payment_intent",
        amount: Number(params.amount),
        currency: params.currency,
        customer: params.customer ?? null,
        payment_method: params.payment_method ?? null,
        metadata: params.metadata ?? {},
        status: "requires_payment_method",
        next_action: null,
        last_payment_error: null,
      };
      intents.set(intent.id, intent);
      return params.confirm === "true" ? confirm(intent, params) : intent;
    },
    confirmIntent: (id: string, params: Params<"POST /v1/payment_intents/:id/confirm">) =>
      confirm(intentOf(id), params),
    cancelIntent(id: string): Intent {
      const intent = intentOf(id);
      if (intent.status === "succeeded" || intent.status === "canceled")
        throw invalid("payment_intent_unexpected_state", `This PaymentIntent is ${intent.status}.`);
      Object.assign(intent, { status: "canceled", next_action: null });
      emit("payment_intent.canceled", intent);
      return intent;
    },
    readIntent: intentOf,
    listIntents: ({ customer, limit = "10" }: Params<"GET /v1/payment_intents">) =>
      listOf(
        [...intents.values()].filter((one) => customer === undefined || one.customer === customer),
        limit,
      ),

    /** The holder of a card answers the bank's question. */
    authenticate(id: string, isRight: boolean): void {
      const intent = intentOf(id);
      if (intent.status !== "requires_action") return;
      if (isRight) return pay(intent);
      const fault = {
        type: "invalid_request_error",
        code: "payment_intent_authentication_failure",
        message: "The provided PaymentMethod has failed authentication.",
      };
      Object.assign(intent, {
        status: "requires_payment_method",
        next_action: null,
        last_payment_error: fault,
      });
      emit("payment_intent.payment_failed", intent);
    },

    createRefund(params: Params<"POST /v1/refunds">): Refund {
      const intent = intentOf(params.payment_intent);
      const made = [...refunds.values()].filter(({ payment_intent: of }) => of === intent.id);
      const left =
        intent.amount -
        made.reduce((total, { amount, status }) => total + (status === "succeeded" ? amount : 0), 0);
      const amount = Number(params.amount ?? left);
      if (intent.status !== "succeeded" || amount > left || left === 0)
        throw invalid(
          "charge_already_refunded",
          `Refund amount (${amount}) is greater than unrefunded amount.`,
        );
      const metadata = params.metadata ?? {};
      const refund: Refund = {
        id: newId("re"),
        object: "refund",
        amount,
        payment_intent: intent.id,
        metadata,
        status: "succeeded",
      };
      refunds.set(refund.id, refund);
      ledger.push({ kind: "refund", amount, key: metadata["refund_id"] ?? refund.id });
      return refund;
    },
    listRefunds: ({ payment_intent: of, limit = "10" }: Params<"GET /v1/refunds">) =>
      listOf(
        [...refunds.values()].filter((one) => of === undefined || one.payment_intent === of),
        limit,
      ),

    createSession(params: Params<"POST /v1/checkout/sessions">): Session {
      if (params.customer !== undefined && (params.customer_creation ?? params.customer_email) !== undefined)
        throw invalid("parameter_invalid", "You may only specify one of these: customer, customer_email.");
      const [item] = Object.values(params.line_items ?? {});
      if ((params.mode === "payment") !== (item !== undefined))
        throw invalid("parameter_missing", "line_items are needed in payment mode, and only there.");
      const id = newId("cs_test");
      const session: Session = {
        id,
        object: "checkout.session",
        mode: params.mode,
        url: `${base()}/c/pay/${id}`,
        success_url: params.success_url.replace("{CHECKOUT_SESSION_ID}", id),
        metadata: params.metadata ?? {},
        status: "open",
        amount_total: item === undefined ? null : Number(item.quantity) * Number(item.price_data.unit_amount),
        currency: item?.price_data.currency ?? null,
        payment_status: item === undefined ? "no_payment_required" : "unpaid",
        payment_intent: null,
        customer: params.customer ?? null,
        setup_intent: null,
      };
      sessions.set(id, session);
      return session;
    },
    readSession(id: string, params: Params<"GET /v1/checkout/sessions/:id">): object {
      const session = sessions.get(id);
      if (session === undefined) throw invalid("resource_missing", `No such checkout.session: ${id}`, 404);
      const { setup_intent: setup } = session;
      const isExpanded = Object.values(params.expand ?? {}).includes("setup_intent.payment_method");
      if (!isExpanded || setup === null) return { ...session, setup_intent: setup?.id ?? null };
      const { behaviour: _behaviour, ...card } = cardOf(setup.payment_method);
      return { ...session, setup_intent: { ...setup, payment_method: card } };
    },
    /** The customer enters a card on the page of Checkout. Returns where the browser goes. */
    completeSession(id: string, behaviour: Behaviour): string {
      const session = sessions.get(id);
      if (session === undefined || session.status !== "open") throw new Error(`${id} is not open.`);
      if (session.mode === "payment") {
        const intent = newId("pi");
        ledger.push({ kind: "payment", amount: session.amount_total ?? 0, key: intent });
        Object.assign(session, { status: "complete", payment_status: "paid", payment_intent: intent });
        emit("checkout.session.completed", session);
        return session.success_url;
      }
      const [customer = "", method = ""] = addCard(behaviour, session.customer ?? undefined).split("/");
      const setup = { id: newId("seti"), object: "setup_intent" as const, status: "succeeded" };
      Object.assign(session, {
        status: "complete",
        customer,
        setup_intent: { ...setup, payment_method: method },
      });
      emit("checkout.session.completed", { ...session, setup_intent: setup.id });
      return session.success_url;
    },

    readEndpoint(id: string): object {
      const endpoint = endpoints.find((one) => one.id === id);
      if (endpoint === undefined) throw invalid("resource_missing", `No such webhook endpoint: '${id}'`, 404);
      const { events: enabled_events, url } = endpoint;
      return { id, object: "webhook_endpoint", url, enabled_events, status: "enabled" };
    },
    createEndpoint(params: Params<"POST /v1/webhook_endpoints">): object {
      const endpoint = {
        id: newId("we"),
        url: params.url,
        secret: `whsec_${newId("secret")}`,
        events: Object.values(params.enabled_events),
      };
      endpoints.push(endpoint);
      const { events: enabled_events, ...rest } = endpoint;
      return { ...rest, object: "webhook_endpoint", enabled_events, status: "enabled" };
    },
  };
}

const listOf = (items: readonly object[], limit: string): object => ({
  object: "list",
  data: items.toReversed().slice(0, Number(limit)),
  has_more: items.length > Number(limit),
});

/** Codes that are errors of their own; all others are decline codes of `card_declined`. */
const OWN = new Set([
  "expired_card",
  "incorrect_cvc",
  "incorrect_number",
  "processing_error",
  "authentication_required",
]);

const cardError = (code: string): Fault => ({
  type: "card_error",
  code: OWN.has(code) ? code : "card_declined",
  ...(OWN.has(code) && code !== "authentication_required" ? {} : { decline_code: code }),
  message: "Your card was declined.",
});

/** A delivery as Stripe signs it. */
export function signEvent(body: string, secret: string, seconds: number) {
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { body, headers: { "stripe-signature": `t=${seconds},v1=${signature},v0=ignored` } };
}
