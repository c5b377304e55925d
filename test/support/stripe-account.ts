import { faultsOf, signEvent, stripeObject } from "./stripe-objects.ts";
import { invalid, StripeError } from "./stripe-params.ts";
import type {
  ConfirmParams,
  EndpointParams,
  Fault,
  IntentParams,
  ListParams,
  RefundParams,
  SessionParams,
} from "./stripe-params.ts";

// An account of Stripe: its objects, and what its operations do to them.

/** How a saved card behaves: it pays, asks its holder to authenticate, or is declined with this code. */
export type Behaviour = "ok" | "authenticate" | (string & {});

type Metadata = Readonly<Record<string, string>>;

export interface Intent {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly metadata: Metadata;
  amount_received: number;
  payment_method: string | null;
  status: "requires_payment_method" | "requires_confirmation" | "requires_action" | "succeeded" | "canceled";
  next_action: object | null;
  last_payment_error: object | null;
  latest_charge: string | null;
  canceled_at: number | null;
}

interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly payment_intent: string;
  readonly metadata: Metadata;
  status: "succeeded" | "failed";
  failure_reason?: string;
}

interface Session {
  readonly id: string;
  readonly mode: string;
  readonly success_url: string;
  readonly customer_email: string | null;
  url: string | null;
  status: "open" | "complete";
  payment_status: "unpaid" | "paid" | "no_payment_required";
  readonly amount_total: number | null;
  readonly currency: string | null;
  payment_intent: string | null;
  customer: string | null;
  setup_intent: string | null;
}

interface Card {
  readonly id: string;
  readonly customer: string | null;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/** `base` is the address under which the pages of Checkout and of the bank are served. */
export function createStripeAccount(base: () => string, now: () => number) {
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${String((count += 1)).padStart(8, "0")}`;
  const seconds = (): number => Math.floor(now() / 1000);
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, Refund>();
  const sessions = new Map<string, Session>();
  const setups = new Map<string, { readonly id: string; readonly payment_method: string }>();
  const cards = new Map<string, Card & { behaviour: Behaviour }>();
  const endpoints: {
    id: string;
    url: string;
    secret: string;
    events: readonly string[];
    version: string | null;
  }[] = [];
  const outbox: { url: string; body: string; headers: Record<string, string> }[] = [];
  /** Money that moved, in order: each payment and refund once. */
  const ledger: { kind: "payment" | "refund"; amount: number; key: string }[] = [];

  /** Sends an event with the object of its type, whose missing members are filled in. */
  function emit(type: string, values: object): void {
    const members = Object.entries(stripeObject(kindOf(type), values, seconds()));
    const object = Object.fromEntries(members.filter(([name]) => name !== "behaviour"));
    const faults = faultsOf(object);
    if (faults.length > 0) throw new Error(`${type}: ${faults.join("; ")}`);
    for (const { url, secret, version } of endpoints.filter(
      ({ events }) => events.includes(type) || events.includes("*"),
    )) {
      const event = {
        id: newId("evt"),
        object: "event",
        api_version: version,
        created: seconds(),
        data: { object },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      };
      outbox.push({ url, ...signEvent(JSON.stringify(event, null, 2), secret, seconds()) });
    }
  }

  function addCard(behaviour: Behaviour, customer = newId("cus")): string {
    const id = newId("pm");
    const checks = { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" };
    const card = {
      brand: "visa",
      checks,
      country: "GB",
      display_brand: "visa",
      exp_month: 9,
      exp_year: 2030,
      funding: "credit",
      generated_from: null,
      last4: "4242",
      networks: { available: ["visa"], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    };
    cards.set(id, { ...stripeObject("payment_method", { id, customer, card }, seconds()), behaviour });
    return `${customer}/${id}`;
  }

  const cardOf = (id: string | null) => {
    const card = cards.get(id ?? "");
    if (card !== undefined) return card;
    throw invalid("resource_missing", `No such PaymentMethod: '${id}'`, { param: "payment_method" });
  };
  const shownCard = (id: string): object => {
    const { behaviour: _behaviour, ...card } = cardOf(id);
    return card;
  };
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
    intents,
    refunds,
    sessions,
    cards,
    endpoints,
    outbox,
    ledger,
    emit,
    addCard,

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

    createSession(params: SessionParams): Session {
      const {
        mode = "payment",
        customer,
        customer_creation: creation,
        customer_email: email,
        line_items: items = [],
      } = params;
      if (customer !== undefined && (creation ?? email) !== undefined)
        throw invalid(
          "parameter_invalid",
          "You may only specify one of these parameters: customer, customer_email.",
        );
      if (params.success_url === undefined)
        throw invalid("parameter_missing", "Missing required param: success_url.", { param: "success_url" });
      if (mode === "payment" && items.length === 0)
        throw invalid("parameter_missing", "`line_items` are required in `payment` mode.", {
          param: "line_items",
        });
      if (mode === "setup" && items.length > 0)
        throw invalid("parameter_invalid", "`line_items` cannot be used in `setup` mode.", {
          param: "line_items",
        });
      if (
        mode === "setup" &&
        params.allowed_payment_method_types === undefined &&
        params.currency === undefined
      )
        throw invalid("parameter_missing", "Missing required param: currency.", { param: "currency" });
      if (mode === "payment" && email !== undefined && !/^\S+@\S+$/.test(email))
        throw invalid("email_invalid", `Invalid email address: ${email}`, { param: "customer_email" });
      const id = newId("cs_test");
      const total = items.reduce(
        (sum, { quantity = 1, price_data: price }) => sum + quantity * (price?.unit_amount ?? 0),
        0,
      );
      const isPayment = mode === "payment";
      const values = {
        id,
        mode,
        url: `${base()}/c/pay/${id}`,
        success_url: params.success_url,
        cancel_url: params.cancel_url ?? null,
        client_reference_id: params.client_reference_id ?? null,
        customer_creation: creation ?? null,
        customer_email: email ?? null,
        expires_at: seconds() + 86_400,
        metadata: params.metadata ?? {},
        status: "open" as const,
        amount_subtotal: isPayment ? total : null,
        amount_total: isPayment ? total : null,
        currency: items[0]?.price_data?.currency ?? null,
        payment_status: isPayment ? ("unpaid" as const) : ("no_payment_required" as const),
        payment_intent: null,
        customer: customer ?? null,
        setup_intent: null,
      };
      const session: Session = stripeObject("checkout.session", values, seconds());
      sessions.set(id, session);
      return session;
    },
    readSession(id: string, { expand = [] }: { readonly expand?: readonly string[] }): object {
      const session = sessions.get(id);
      if (session === undefined)
        throw invalid("resource_missing", `No such checkout.session: ${id}`, {
          status: 404,
          param: "session",
        });
      const setup = setups.get(session.setup_intent ?? "");
      if (setup === undefined || !expand.some((path) => path.startsWith("setup_intent"))) return session;
      const isDeep = expand.includes("setup_intent.payment_method");
      return {
        ...session,
        setup_intent: {
          ...setup,
          payment_method: isDeep ? shownCard(setup.payment_method) : setup.payment_method,
        },
      };
    },
    /** The customer enters a card on the page of Checkout. Returns where the browser goes. */
    completeSession(id: string, behaviour: Behaviour): string {
      const session = sessions.get(id);
      if (session === undefined || session.status !== "open") throw new Error(`${id} is not open.`);
      const [customer = "", method = ""] = addCard(behaviour, session.customer ?? undefined).split("/");
      const { amount_total: amount, currency } = session;
      if (session.mode === "payment") {
        const intent = newIntent({
          amount: amount ?? 0,
          currency: currency ?? "gbp",
          payment_method: method,
        });
        pay(intent);
        Object.assign(session, { payment_status: "paid", payment_intent: intent.id });
      } else {
        const setup = { id: newId("seti"), customer, payment_method: method };
        setups.set(setup.id, stripeObject("setup_intent", setup, seconds()));
        Object.assign(session, { customer, setup_intent: setup.id });
      }
      Object.assign(session, { status: "complete", url: null });
      emit("checkout.session.completed", session);
      return session.success_url.replace("{CHECKOUT_SESSION_ID}", id);
    },

    readEndpoint(id: string): object {
      const endpoint = endpoints.find((one) => one.id === id);
      if (endpoint === undefined)
        throw invalid("resource_missing", `No such webhook endpoint: '${id}'`, {
          status: 404,
          param: "webhook_endpoint",
        });
      const { events: enabled_events, url, version: api_version } = endpoint;
      return stripeObject("webhook_endpoint", { id, url, enabled_events, api_version }, seconds());
    },
    createEndpoint(params: EndpointParams): object {
      const { url, enabled_events, metadata = {}, api_version = null } = params;
      if (!url.startsWith("https:"))
        throw invalid("url_invalid", "Invalid URL: An explicit scheme (such as https) must be provided.", {
          param: "url",
        });
      const id = newId("we");
      const secret = `whsec_${newId("secret")}`;
      endpoints.push({ id, url, secret, events: enabled_events, version: api_version });
      return stripeObject(
        "webhook_endpoint",
        { id, url, secret, enabled_events, metadata, api_version },
        seconds(),
      );
    },
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

const kindOf = (type: string): string =>
  type.startsWith("charge.dispute.") ? "dispute" : type.split(".").slice(0, -1).join(".");

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
