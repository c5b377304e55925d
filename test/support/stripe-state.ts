import { faultsOf, signEvent, stripeObject } from "./stripe-objects.ts";
import { invalid } from "./stripe-params.ts";

// The objects of an account of Stripe, its events and its cards.

/** How a saved card behaves: it pays, asks its holder to authenticate, or is declined with this code. */
export type Behaviour = "ok" | "authenticate" | (string & {});

export type Metadata = Readonly<Record<string, string>>;

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

export interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly payment_intent: string;
  readonly metadata: Metadata;
  status: "succeeded" | "failed";
  failure_reason?: string;
}

export interface Session {
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

export interface Card {
  readonly id: string;
  readonly customer: string | null;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

export type StripeState = ReturnType<typeof createStripeState>;

export function createStripeState(now: () => number) {
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

  return {
    newId,
    seconds,
    intents,
    refunds,
    sessions,
    setups,
    cards,
    endpoints,
    outbox,
    ledger,
    emit,
    addCard,
    cardOf,
    shownCard,
  };
}

const kindOf = (type: string): string =>
  type.startsWith("charge.dispute.") ? "dispute" : type.split(".").slice(0, -1).join(".");
