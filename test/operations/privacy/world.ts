import { rsvps } from "../../../server/engines/catering/repository.ts";
import { sha256Hex } from "../../../server/core/ids.ts";
import { stageStoreMail } from "../../../server/core/store-mail.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createHarness } from "../../harness.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { rulesOf } from "../../engines/tiers/fixture.ts";

/** Somebody with traces in every engine; each text of it is found by a search of the raw storage. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly phone: string;
}

export const ADA: Person = {
  id: "cust-ada-771",
  email: "Ada.Private@people.example",
  name: "Ada Privatissima",
  phone: "07700900123",
};
export const BEN: Person = {
  id: "cust-ben-772",
  email: "ben.other@people.example",
  name: "Ben Otherwise",
  phone: "07700900456",
};
export const tracesOf = ({ id, email, name, phone }: Person): string[] => [
  id,
  email,
  email.toLowerCase(),
  name,
  phone,
];

export interface World {
  readonly harness: Harness;
  readonly key: TestKey;
  readonly part: string;
  /** `data` of an answer; throws when it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  make(path: string, body?: unknown, more?: { method?: string; key?: TestKey }): Promise<any>;
  /** Lets the job that exports and erases work until it is through. */
  work(): Promise<void>;
}

export async function createWorld(store?: StoreDriver): Promise<World> {
  const harness = await createHarness(store === undefined ? {} : { store });
  const key = await harness.key();
  let calls = 0;
  const world: World = {
    harness,
    key,
    part: key.storeId.toLowerCase(),
    async make(path, body, { method = "POST", key: other = key } = {}) {
      calls += 1;
      const headers = method === "GET" ? {} : { "idempotency-key": `call-${calls}` };
      const answer = await harness.call(method, `/v1${path}`, { key: other, body, headers });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json.data;
    },
    async work() {
      await harness.services.jobs.run("privacy.work");
    },
  };
  await world
    .make("/tiers/programmes", rulesOf())
    .then(({ id }) => world.make(`/tiers/programmes/${id}/publish`));
  return world;
}

/** Leaves traces of a person in every engine, in mails, in the outbox, and in answers that are kept for repeats. */
export async function leaveTraces({ make, harness, part }: World, person: Person): Promise<void> {
  const { id, email, name, phone } = person;
  // As everywhere: what a person is called by is in no id of ours.
  const own = sha256Hex(phone).slice(0, 20);
  // No invoice has a legal retention here: everything is erased at once.
  await make("/subscriptions/settings", { invoice_retention_years: 0 }, { method: "PATCH" });
  const gateway = await make("/subscriptions/gateways", { title: "Test", kind: "test" });
  const method = await make("/subscriptions/payment-methods", {
    customer_id: id,
    gateway_id: gateway.id,
    token_ref: "tok_ok",
    metadata: { holder: name },
  });
  const contract = await make("/subscriptions/contracts", {
    customer: { id, email, name },
    lines: [{ product_ref: "coffee", title: "Coffee", quantity: 1, unit_price: 1000, tax_rate_bps: 0 }],
    interval: { unit: "month", count: 1 },
    payment_method_id: method.id,
    delivery: { method: "Post", address: `${name}, 1 Private Road, ring ${phone}` },
    metadata: { phone },
  });
  await harness.services.jobs.run("subscriptions.bill");
  const charges = await make(`/subscriptions/charges?contract_id=${contract.id}`, undefined, {
    method: "GET",
  });
  await make(`/subscriptions/charges/${charges[0].id}/refunds`, {
    amount: 100,
    reason: `${name} rang ${phone}`,
  });

  const common = { title: "Lunch", headcount: { estimate: 10 } };
  const event = { date: "2026-06-19", start: "12:30", end: "14:00", site: `At ${name}'s, ${phone}` };
  const quote = await make("/catering/quotes", {
    ...common,
    prospect: { name, email, company: "" },
    event,
    lines: [{ type: "per_head", title: "Lunch", unit_price: 1295 }],
    metadata: { phone },
  });
  await make(`/catering/quotes/${quote.id}/send`, {});
  await make("/catering/accounts", {
    legal_name: name,
    billing_contacts: [{ name, email }],
    credit_limit: 1000,
    terms: { kind: "net", days: 30 },
  });
  await make(
    `/cart/carts/cart-of-${person.phone.slice(-3)}`,
    {
      customer: { id, email, name },
      sequence: 1,
      consent: { basis: "consent" },
      lines: [{ ref: "cake", title: "Cake", quantity: 1, unit_price: 900 }],
      total: 900,
      currency: "GBP",
      checkout_url: `https://shop.example/c?of=${encodeURIComponent(id)}`,
      metadata: { phone },
    },
    { method: "PUT" },
  );
  await make("/tiers/events", {
    customer: { id, email, name },
    event: {
      type: "order",
      external_id: `x-${phone}`,
      order_ref: `order-of-${phone}`,
      occurred_at: "2026-06-01T08:00:00.000Z",
      currency: "GBP",
      amount: 60_000,
    },
  });
  await make("/catering/headcount-sources", {
    title: "Lunch",
    kind: "calendar_feed",
    url: `https://calendar.example/ical/${email}/basic.ics`,
  });
  await leaveReviews(make, person);
  await leaveForms(make, person);
  await harness.services.runTx(part, async (tx) => {
    const at = "2026-06-01T09:00:00.000Z";
    tx.create(rsvps, {
      id: `crs_${own}`,
      created_at: at,
      updated_at: at,
      source_id: "chs_1",
      date: "2026-06-19",
      title: "Lunch",
      name,
      email,
      answer: "accepted",
      guests: 0,
      dietary: [],
      answered_at: at,
    });
  });
  // What waits now goes to the outbox; one more mail stays behind.
  const forwarded = await harness.services.jobs.run("mail.forward");
  if (forwarded.outcome === "failed") throw new Error(`Mail was not forwarded: ${JSON.stringify(forwarded)}`);
  await harness.services.runTx(part, (tx) =>
    stageStoreMail(tx, {
      id: `ltr_${own}`,
      to: email,
      template: "test",
      data: { text: `${name} ${phone}` },
      created_at: "2026-06-01T09:00:00.000Z",
    }),
  );
}

/** An order that is reviewed, with what was said about it on both sides, a question and an answer. */
async function leaveReviews(make: World["make"], { email, id, name, phone }: Person): Promise<void> {
  const target = { type: "product", id: "cake" };
  const author = { display_name: name, customer_id: id };
  // The shop's own number of it, which its answers name: not told of a person here, as it must not be.
  const order_id = `order-${sha256Hex(phone).slice(0, 8)}`;
  const order = { order_id, email, customer_id: id, customer_name: name };
  await make("/reviews/orders", {
    orders: [{ ...order, fulfilled_at: "2026-05-30T10:00:00.000Z", items: [{ target, name: "Cake" }] }],
  });
  const review = await make("/reviews", {
    target,
    rating: 4,
    title: `${name} writes`,
    body: `Lovely, said ${name}. Ring me on ${phone} for more of it.`,
    author,
    email,
    order_id,
    incentive: { type: "none" },
  });
  await make(`/reviews/${review.id}/private-replies`, { body: `Dear ${name}, we rang ${phone}.` });
  const question = await make("/reviews/questions", {
    target,
    body: `Does it keep until ${name} is home?`,
    author,
    email,
  });
  await make(`/reviews/questions/${question.id}/answers`, {
    body: `It did for me, says ${name}, ${phone}.`,
    author,
    author_type: "customer",
    email,
  });
}

/** A form that was sent and answered, which the shop was told of and noted something on, and a quote asked for by phone. */
async function leaveForms(make: World["make"], { email, id, name, phone }: Person): Promise<void> {
  const form = await make("/forms", {
    name: "Contact us",
    fields: [
      { key: "name", type: "name", label: "Name", required: true },
      { key: "email", type: "email", label: "E-mail", required: true },
      { key: "message", type: "textarea", label: "Message" },
    ],
    settings: { captcha: "none" },
    notifications: [{ to: ["hello@bakery.example"], title: "Mail" }],
    autoresponder: { enabled: true, to_field: "email", message: "Thank you." },
  });
  await make(`/forms/${form.id}/publish`);
  const sent = await make(`/forms/${form.id}/submissions`, {
    data: { name, email, message: `Ring ${phone}` },
    page_url: `https://shop.example/contact?of=${encodeURIComponent(id)}`,
  });
  await make(
    `/forms/${form.id}/submissions/${sent.id}`,
    { tags: ["regular"], note: `${name} was rung on ${phone}.` },
    { method: "PATCH" },
  );
  await make("/forms/quote-requests", {
    customer: { name, email, phone: `+44${phone.slice(1)}` },
    event: { date: "2026-06-19", time: "12:30", guests: 40, address: `At ${name}'s, ring ${phone}` },
    message: `${name} rings again.`,
  });
}
