const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (ms) => new Date(ms).toISOString();
const after = (instant, ms = HOUR_MS) => Date.parse(instant) + ms;
const first = (which) => (values) => values.find(which);
const byStatus = (status) => (value) => value.status === status;

/**
 * What is measured: `job` runs on copies of the document that `model` selects of the demo data, each with what `change` returns, at
 * the time `at`; `counter` is the count of the job that says how many it did.
 */
export const tasks = [
  {
    name: "subscriptions.bill: charge at the test gateway",
    job: "subscriptions.bill",
    collection: "subscriptions.contracts",
    model: first(({ status, payment_method_id: method }) => status === "active" && method !== null),
    at: ({ next_action_at: due }) => after(due),
    counter: "charged",
  },
  {
    name: "subscriptions.bill: invoice",
    job: "subscriptions.bill",
    collection: "subscriptions.contracts",
    model: first(({ status, collection }) => status === "active" && collection === "send_invoice"),
    at: ({ next_action_at: due }) => after(due),
    counter: "looked",
  },
  {
    name: "subscriptions.erasures",
    job: "subscriptions.erasures",
    collection: "subscriptions.invoices",
    model: first(() => true),
    change: () => ({ erasure_due: true, retained_until: "2020-12-31" }),
    counter: "erased",
  },
  {
    name: "catering.quotes: expire",
    job: "catering.quotes",
    collection: "catering.quotes",
    model: first(byStatus("sent")),
    at: ({ valid_until: until }) => after(until),
    counter: "done",
  },
  {
    name: "catering.orders: lock",
    job: "catering.orders",
    collection: "catering.orders",
    model: first(({ status, next_action_at: due }) => status === "confirmed" && due !== null),
    at: ({ next_action_at: due }) => after(due),
    counter: "done",
  },
  {
    name: "catering.invoices: remind",
    job: "catering.invoices",
    collection: "catering.invoices",
    model: first(byStatus("issued")),
    at: ({ due_on: on }) => after(on, 3 * DAY_MS),
    counter: "done",
  },
  {
    name: "reviews.invite: send",
    job: "reviews.invite",
    collection: "reviews.invitations",
    model: first(byStatus("scheduled")),
    change: (index) => ({
      order_id: `BENCH-${index}`,
      customer: { id: null, email: `customer-${index}@mail.example`, name: "Nina" },
    }),
    // At noon: none is sent at night.
    at: ({ next_action_at: due }) => after(due.slice(0, 10), 36 * HOUR_MS),
    counter: "sent",
  },
  {
    name: "cart.recover: abandon",
    job: "cart.recover",
    collection: "cart.carts",
    model: first(byStatus("active")),
    at: ({ next_action_at: due }) => after(due),
    counter: "looked",
  },
  {
    name: "tiers.review",
    job: "tiers.review",
    collection: "tiers.members",
    model: first(
      ({ ledger: { orders }, next_check_on: on }) => on !== null && Object.keys(orders).length < 9,
    ),
    change: (index) => ({ customer_id: `bench-${index}`, next_check_on: "2026-01-01" }),
    counter: "reviewed",
  },
  {
    name: "content.publish-due",
    job: "content.publish-due",
    collection: "content.drafts",
    model: first(byStatus("scheduled")),
    change: (index) => ({ slug: `picnic-loaves-${index}` }),
    at: ({ scheduled_at: due }) => after(due),
    counter: "published",
  },
  {
    name: "forms.retention",
    job: "forms.retention",
    collection: "forms.submissions",
    model: first(byStatus("new")),
    change: (_, now) => ({ expires_at: at(now - HOUR_MS) }),
    counter: "removed",
  },
  {
    name: "delivery.sweep-holds",
    job: "delivery.sweep-holds",
    collection: "delivery.holds",
    model: first(({ state }) => state === "held"),
    at: ({ expires_at: ended }) => after(ended, 8 * DAY_MS),
    counter: "holds",
  },
  {
    name: "cart.keep-time: begin",
    job: "cart.keep-time",
    collection: "cart.offers",
    model: first(byStatus("scheduled")),
    at: ({ starts_at: starts }) => after(starts),
    counter: "offers",
  },
  {
    name: "http.sweep-idempotency",
    job: "http.sweep-idempotency",
    collection: "http.idempotency",
    model: (_, now) => ({
      id: "idem_0",
      fingerprint: "0".repeat(64),
      status: 201,
      location: null,
      json: JSON.stringify({ id: "bdl_0", title: "Breakfast for two" }),
      item_version: null,
      kind: "item",
      page: null,
      expires_at: at(now - HOUR_MS),
    }),
    counter: "deleted",
  },
  {
    name: "mail.forward",
    job: "mail.forward",
    collection: "kernel.letters",
    model: (_, now) => ({
      id: "ltr_0",
      to: "nina@mail.example",
      template: "engine-message",
      data: { subject: "Your order is ready", text: "It can be picked up from nine." },
      created_at: at(now - HOUR_MS),
      state: "waiting",
    }),
    change: (index) => ({ to: `customer-${index}@mail.example` }),
    counter: "forwarded",
  },
];
