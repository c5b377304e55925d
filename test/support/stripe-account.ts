import { stripeObject } from "./stripe-objects.ts";
import { invalid } from "./stripe-params.ts";
import type { EndpointParams, SessionParams } from "./stripe-params.ts";
import { createStripePayments } from "./stripe-payments.ts";
import { createStripeState } from "./stripe-state.ts";
import type { Behaviour, Session } from "./stripe-state.ts";

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/** An account of Stripe. `base` is the address under which the pages of Checkout and of the bank are served. */
export function createStripeAccount(base: () => string, now: () => number) {
  const state = createStripeState(now);
  const { newId, seconds, sessions, setups, endpoints, emit, addCard, shownCard } = state;
  const { newIntent, pay, ...payments } = createStripePayments(state, base);

  return {
    ...state,
    ...payments,

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
