import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { signEvent } from "../../support/stripe-objects.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble } from "../../support/stripe-double.ts";
import { charges, contracts } from "../../../server/engines/subscriptions/repository.ts";
import { createShop, line, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { createStripeShop, makeGateway, makeStripeContract, outgoing } from "./stripe-world.ts";

let shop: Shop;
let stripe: StripeDouble;
beforeEach(async () => {
  shop = await createStripeShop();
  stripe = await startStripeDouble({ now: shop.harness.clock.now });
});
afterEach(async () => {
  await shop.harness.close();
  await stripe.close();
});

async function work(minutes = 0): Promise<void> {
  shop.harness.clock.advance(minutes * 60_000);
  await shop.harness.services.jobs.run("subscriptions.bill");
}
const chargeOf = async (id: string) => (await shop.read(`/charges?contract_id=${id}`))[0];
const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const payments = () => stripe.account.ledger.filter(({ kind }) => kind === "payment");

/** Delivers what Stripe has to report, and returns the outcomes. */
async function deliver(times = 1): Promise<string[]> {
  const outcomes: string[] = [];
  for (const { url, body, headers } of stripe.account.outbox.splice(0)) {
    for (let sent = 0; sent < times; sent += 1) {
      const answer = await shop.harness.call("POST", new URL(url).pathname, { body, headers });
      outcomes.push(answer.status === 200 ? answer.json.outcome : String(answer.status));
    }
  }
  return outcomes;
}

/** Goes to a link as a browser does, back from Stripe and the bank. */
const visit = (url: string) => {
  const { pathname, search } = new URL(url);
  return shop.harness.call("GET", pathname + search);
};
const press = async (id: string, action: string) => {
  const { url } = await shop.make(`/contracts/${id}/portal-link`, {});
  return shop.harness.call("POST", new URL(url).pathname, {
    body: `action=${action}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
};
const nextOf = (html: string): string =>
  (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
const sessionOf = (url: string): string => url.split("/").at(-1) ?? "";

describe("a gateway of kind stripe", () => {
  it("needs a secret key alone: the webhook endpoint is created at Stripe, and the key is never returned", async () => {
    const gateway = await makeGateway(shop, stripe);
    const [endpoint] = stripe.account.endpoints;
    expect(gateway).toMatchObject({ kind: "stripe", webhook_id: endpoint?.id });
    expect(endpoint?.url).toBe(gateway.callback_url);
    expect(JSON.stringify(await shop.read(`/gateways/${gateway.id}`))).not.toMatch(/sk_test|whsec/);
    const again = await shop.post("/gateways", { title: "x", kind: "stripe", secret_key: stripe.apiKey });
    expect(refusal(again)).toBe("409 gateway_exists");
    expect(refusal(await shop.post(`/gateways/${gateway.id}/secrets`, {}))).toBe(
      "409 not_an_external_gateway",
    );
  });

  it("creates no endpoint where Stripe could not reach it", async () => {
    const local = await createShop({ mode: "live", ...outgoing });
    expect(await makeGateway(local, stripe)).toMatchObject({ webhook_id: null });
    expect(stripe.account.endpoints).toEqual([]);
    await local.harness.close();
  });

  it.each([
    ["no key", {}],
    ["a publishable key", { secret_key: "pk_test_1" }],
    ["a key that Stripe does not know", { secret_key: "sk_test_other" }],
    ["a key for another kind", { kind: "test", secret_key: "sk_test_double" }],
  ])("422: %s", async (_, more) => {
    const answer = await shop.post("/gateways", { title: "x", kind: "stripe", url: stripe.url, ...more });
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/secret_key"]]);
  });

  it("422 for a live key on test data; 503 while Stripe cannot be reached", async () => {
    const test = await createShop({ ...outgoing });
    const live = await test.post("/gateways", { title: "x", kind: "stripe", secret_key: "sk_live_1" });
    expect([live.status, pointersOf(live)]).toEqual([422, ["#/secret_key"]]);
    await test.harness.close();
    const { url } = stripe;
    await stripe.close();
    const away = await shop.post("/gateways", { title: "x", kind: "stripe", secret_key: "sk_test_1", url });
    expect(away.status).toBe(503);
  });

  it("takes another key of the same account by PATCH: endpoint, cards and contracts stay", async () => {
    const { gateway, id } = await makeStripeContract(shop, stripe, "ok");
    const patch = (secret_key: string) => shop.patch(`/gateways/${gateway.id}`, { secret_key });
    expect(pointersOf(await patch("sk_test_unknown"))).toEqual(["#/secret_key"]);
    stripe.apiKey = "sk_test_rolled";
    const rolled = await patch("sk_test_rolled");
    expect(rolled.json.data).toMatchObject({ id: gateway.id, webhook_id: gateway.webhook_id });
    expect(rolled.text).not.toContain("sk_test");
    expect(stripe.account.endpoints).toHaveLength(1);
    await work();
    expect((await contractOf(id)).status).toBe("active");
    const other = await startStripeDouble({ now: shop.harness.clock.now });
    other.apiKey = "sk_test_another_account";
    const moved = await shop.patch(`/gateways/${gateway.id}`, { secret_key: other.apiKey, url: other.url });
    expect(pointersOf(moved)).toEqual(["#/secret_key"]);
    const plain = await shop.make("/gateways", { title: "Test", kind: "test" });
    expect((await shop.patch(`/gateways/${plain.id}`, { secret_key: "sk_test_1" })).status).toBe(422);
    await other.close();
  });

  it("takes payment methods as customer and payment method of Stripe, each once", async () => {
    const { gateway, token } = await makeStripeContract(shop, stripe, "ok");
    const body = { customer_id: "ada", gateway_id: gateway.id };
    const wrong = await shop.post("/payment-methods", { ...body, token_ref: "pm_1" });
    expect(pointersOf(wrong)).toEqual(["#/token_ref"]);
    const twice = await shop.post("/payment-methods", { ...body, token_ref: token });
    expect(refusal(twice)).toBe("409 payment_method_exists");
  });
});

describe("a charge", () => {
  it("is a PaymentIntent off session, under the id of the attempt", async () => {
    const { id } = await makeStripeContract(shop, stripe, "ok");
    await work();
    const charge = await chargeOf(id);
    expect(charge).toMatchObject({ status: "succeeded" });
    const [intent] = stripe.account.intents.values();
    expect(intent).toMatchObject({
      id: charge.attempts[0].gateway_ref,
      amount: 1000,
      currency: "gbp",
      metadata: { attempt_id: `${charge.id}-1`, charge_id: charge.id, contract_id: id },
    });
    expect(stripe.log.find(({ operation }) => operation === "POST /v1/payment_intents")?.key).toBe(
      `${charge.id}-1`,
    );
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    expect(payments()).toHaveLength(1);
  });

  it.each([
    ["insufficient_funds", "soft"],
    ["generic_decline", "soft"],
    ["a_code_of_next_year", "soft"],
    ["lost_card", "hard"],
    ["stolen_card", "hard"],
    ["expired_card", "method"],
    ["incorrect_cvc", "method"],
    ["processing_error", "system"],
  ])("declined with %s counts as %s", async (code, category) => {
    const { id } = await makeStripeContract(shop, stripe, code);
    await work();
    const charge = await chargeOf(id);
    expect([charge.dunning.category, charge.attempts[0].failure.code]).toEqual([category, code]);
  });

  it("whose card was removed at Stripe waits for another one; a key that was withdrawn is a fault of the setup", async () => {
    const { id, token } = await makeStripeContract(shop, stripe, "ok");
    stripe.account.cards.delete(token.split("/")[1] ?? "");
    await work();
    expect((await chargeOf(id)).dunning.category).toBe("method");
    const second = await shop.make("/contracts", {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
      payment_method_id: (await shop.read("/payment-methods"))[0].id,
    });
    stripe.fault = () => ({ kind: "status", status: 401, effect: false });
    await work();
    expect((await chargeOf(second.id)).dunning.category).toBe("config");
  });

  it("that Stripe settles late is paid by its event, in whatever order and number events come", async () => {
    const { id, token } = await makeStripeContract(shop, stripe, "authenticate");
    await work();
    const ref = (await chargeOf(id)).attempts[0].gateway_ref;
    const [, method = ""] = token.split("/");
    stripe.account.confirmIntent(ref, { payment_method: method, return_url: "https://shop.example/x" });
    stripe.account.authenticate(ref, true);
    stripe.account.outbox.reverse();
    expect(await deliver(2)).toEqual(["applied", "repeated", "applied", "repeated"]);
    expect((await chargeOf(id)).status).toBe("succeeded");
    expect((await contractOf(id)).status).toBe("active");
  });
});

it("a payment whose answer was lost is found behind hundreds of others of its customer", async () => {
  const { id, token } = await makeStripeContract(shop, stripe, "ok");
  const [customer = "", method = ""] = token.split("/");
  stripe.fault = ({ operation }) =>
    operation === "POST /v1/payment_intents" ? { kind: "drop", effect: true } : null;
  await work();
  stripe.fault = () => null;
  for (let other = 0; other < 250; other += 1)
    stripe.account.createIntent({ amount: 500, currency: "gbp", customer, payment_method: method });
  await work(30);
  expect(await chargeOf(id)).toMatchObject({ status: "succeeded", attempts: [{ state: "succeeded" }] });
  expect(payments()).toHaveLength(1);
});

describe("an event", () => {
  it("403 unless Stripe signed it within five minutes", async () => {
    await makeStripeContract(shop, stripe, "ok");
    await work();
    const [delivery] = stripe.account.outbox;
    const [endpoint] = stripe.account.endpoints;
    const seconds = Math.floor(shop.harness.clock.now() / 1000);
    const send = (headers: Record<string, string>, body = delivery?.body ?? "") =>
      shop.harness.call("POST", new URL(delivery?.url ?? "").pathname, { body, headers });
    const signed = (secret: string, at: number) => signEvent(delivery?.body ?? "", secret, at).headers;
    const secret = endpoint?.secret ?? "";
    expect((await send({})).status).toBe(403);
    expect((await send(signed("whsec_other", seconds))).status).toBe(403);
    expect((await send(signed(secret, seconds - 301))).status).toBe(403);
    expect((await send(signed(secret, seconds), `${delivery?.body} `)).status).toBe(403);
    expect((await send(signed(secret, seconds - 299))).status).toBe(200);
    const empty = signEvent("{}", secret, seconds);
    expect((await send(empty.headers, empty.body)).status).toBe(400);
  });

  it("about something else is accepted and ignored", async () => {
    await makeGateway(shop, stripe);
    stripe.account.emit("payment_intent.succeeded", { id: "pi_other", status: "succeeded", metadata: {} });
    stripe.account.emit("payment_method.detached", { id: "pm_other" });
    stripe.account.emit("refund.failed", { id: "re_other", status: "failed" });
    stripe.account.emit("checkout.session.completed", { id: "cs_other" });
    expect(await deliver()).toEqual(["unknown", "unknown", "unknown", "unknown"]);
  });
});

describe("the customer's page", () => {
  const begin = async () => {
    await makeGateway(shop, stripe);
    const contract = await shop.make("/contracts", {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
    });
    await work();
    return contract.id as string;
  };

  it("adds a card on Stripe's own page, and the first charge is paid with it at once", async () => {
    const id = await begin();
    expect((await chargeOf(id)).dunning.category).toBe("method");
    const checkout = nextOf((await press(id, "add_card")).text);
    expect(checkout).toContain("/c/pay/cs_test_");
    const back = stripe.account.completeSession(sessionOf(checkout), "ok");
    expect((await visit(back)).text).toContain("From now on visa ending in 4242 is charged.");
    expect(await deliver()).toEqual(["applied"]);
    await work();
    expect(await contractOf(id)).toMatchObject({ status: "active" });
    expect(payments()).toHaveLength(1);
    expect(await shop.read("/payment-methods?customer_id=ada")).toHaveLength(1);
    const second = nextOf((await press(id, "add_card")).text);
    const customer = (await shop.read("/payment-methods"))[0].token_ref.split("/")[0];
    expect(stripe.account.sessions.get(sessionOf(second))?.customer).toBe(customer);
    expect((await visit(back)).text).not.toContain("From now on");
  });

  it("takes the card by the event alone when the customer does not come back", async () => {
    const id = await begin();
    const checkout = nextOf((await press(id, "add_card")).text);
    stripe.account.completeSession(sessionOf(checkout), "ok");
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    await work();
    expect(await contractOf(id)).toMatchObject({ status: "active" });
  });

  it("takes no card of another contract, and none of a session that is not complete", async () => {
    const [id, other] = [await begin(), (await makeStripeContractOf("ben")).id as string];
    const checkout = nextOf((await press(id, "add_card")).text);
    const page = (await shop.make(`/contracts/${other}/portal-link`, {})).url;
    const session = sessionOf(checkout);
    expect((await visit(`${page}?session_id=${session}`)).text).not.toContain("From now on");
    stripe.account.completeSession(session, "ok");
    expect((await visit(`${page}?session_id=${session}`)).text).not.toContain("From now on");
    expect((await contractOf(other)).payment_method_id).toBeNull();
  });

  it("says so when Stripe cannot be reached", async () => {
    const id = await begin();
    stripe.fault = () => ({ kind: "drop", effect: false });
    expect((await press(id, "add_card")).text).toContain("could not be opened");
  });

  it("leads to the bank for a payment that it wants confirmed, and back to a paid subscription", async () => {
    const { id } = await makeStripeContract(shop, stripe, "authenticate");
    await work();
    const charge = await chargeOf(id);
    const { url: own } = await shop.make(`/contracts/${id}/portal-link`, {});
    expect(charge).toMatchObject({ status: "requires_action", attempts: [{ action_url: own }] });
    expect((await visit(own)).text).toContain("Confirm the payment");
    const bank = new URL(nextOf((await press(id, "confirm")).text));
    expect(bank.pathname).toMatch(/^\/3ds\/pi_/);
    stripe.account.authenticate(bank.pathname.split("/").at(-1) ?? "", true);
    const back = `${bank.searchParams.get("return_url")}?payment_intent=pi&redirect_status=succeeded`;
    expect((await visit(back)).text).not.toContain("Confirm the payment");
    expect(await contractOf(id)).toMatchObject({ status: "active" });
    expect((await chargeOf(id)).attempts).toHaveLength(1);
  });

  it("cancels at Stripe what nobody confirmed in time: it can no longer be paid", async () => {
    const { id } = await makeStripeContract(shop, stripe, "ok");
    await work();
    const method = (await shop.read("/payment-methods"))[0].token_ref.split("/")[1];
    const card = stripe.account.cards.get(method);
    if (card !== undefined) card.behaviour = "authenticate";
    await work(28 * 24 * 60 + 180);
    const ref = (await shop.read(`/charges?contract_id=${id}`))[0].attempts[0].gateway_ref;
    await press(id, "confirm");
    expect(stripe.account.readIntent(ref).status).toBe("requires_action");
    await work(73 * 60);
    await work(2);
    expect(stripe.account.readIntent(ref).status).toBe("canceled");
    const [charge] = await shop.read(`/charges?contract_id=${id}`);
    expect(charge.attempts[0]).toMatchObject({ state: "failed", failure: { code: "action_timeout" } });
  });

  const makeStripeContractOf = (customer: string) =>
    shop.make("/contracts", {
      customer: { id: customer, email: `${customer}@shop.example`, name: "" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
    });
});

describe("after a payment", () => {
  const paid = async () => {
    const made = await makeStripeContract(shop, stripe, "ok");
    await work();
    await deliver();
    return { ...made, charge: await chargeOf(made.id) };
  };

  it("a refund that its bank returns is failed again", async () => {
    const { id, charge } = await paid();
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 1000, reason: "Late" });
    await work();
    expect((await chargeOf(id)).status).toBe("refunded");
    const [refund] = stripe.account.refunds.values();
    stripe.account.emit("refund.failed", {
      ...refund,
      status: "failed",
      failure_reason: "expired_or_canceled_card",
    });
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    expect(await chargeOf(id)).toMatchObject({
      status: "succeeded",
      refunds: [{ state: "failed", failure: "expired_or_canceled_card" }],
    });
    expect(await shop.read("/events?type=charge.refund_failed")).toHaveLength(1);
    // Stripe refuses the next one while it lists the first as made.
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 1000, reason: "Late" });
    await work();
    expect(await shop.read("/events?type=charge.refund_failed")).toHaveLength(2);
    // It is made again: the invoice is credited once.
    Object.assign(refund ?? {}, { status: "failed" });
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 1000, reason: "Late" });
    await work();
    const totals = (await shop.read(`/invoices?charge_id=${charge.id}`)).map(
      ({ total }: { total: number }) => total,
    );
    expect(totals.toSorted()).toEqual([-1000, 1000]);
  });

  it("a dispute is shown, refuses refunds, and is over when the bank has decided", async () => {
    const { id, charge } = await paid();
    const dispute = (status: string) => ({
      id: "dp_1",
      payment_intent: charge.attempts[0].gateway_ref,
      amount: 1000,
      reason: "fraudulent",
      status,
      evidence_details: {
        due_by: Date.parse("2026-02-20T00:00:00Z") / 1000,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: "not_submitted",
      },
    });
    stripe.account.emit("charge.dispute.created", dispute("needs_response"));
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    expect((await chargeOf(id)).dispute).toMatchObject({
      status: "needs_response",
      reason: "fraudulent",
      respond_by: "2026-02-20T00:00:00.000Z",
    });
    const refund = { amount: 100, reason: "x" };
    expect(refusal(await shop.post(`/charges/${charge.id}/refunds`, refund))).toBe(
      "409 refund_exceeds_payment",
    );
    stripe.account.emit("charge.dispute.closed", dispute("won"));
    stripe.account.emit("charge.dispute.updated", dispute("under_review"));
    await deliver();
    expect((await chargeOf(id)).dispute).toMatchObject({ status: "won", respond_by: null });
    expect((await shop.post(`/charges/${charge.id}/refunds`, refund)).status).toBe(200);
    expect(await shop.read("/events?type=charge.disputed")).toHaveLength(2);
  });

  it("what the bank gave back of a disputed payment is refunded by no other one", async () => {
    const { id } = await paid();
    await work(28 * 24 * 60 + 180);
    const charge = await chargeOf(id);
    stripe.account.emit("charge.dispute.closed", {
      id: "dp_1",
      payment_intent: charge.attempts[0].gateway_ref,
      amount: 1000,
      reason: "fraudulent",
      status: "lost",
    });
    await deliver();
    await shop.make(`/contracts/${id}/cancel`, { at: "now", refund: "full" });
    await work();
    const known = await shop.read(`/charges?contract_id=${id}`);
    expect(known.map(({ refunds }: { refunds: unknown[] }) => refunds)).toEqual([[], []]);
    expect(await contractOf(id)).toMatchObject({ status: "cancelled", credit: 0 });
  });

  it("a card that its bank replaced is charged on, and a failed charge is tried with it at once", async () => {
    const { id, token, method } = await paid();
    const cardId = token.split("/")[1] ?? "";
    const card = stripe.account.cards.get(cardId);
    if (card === undefined) throw new Error("no card");
    card.behaviour = "expired_card";
    await work(28 * 24 * 60 + 180);
    expect((await contractOf(id)).status).toBe("past_due");
    card.behaviour = "ok";
    card.card = { ...card.card, exp_year: 2034 };
    await deliver();
    stripe.account.emit("payment_method.automatically_updated", card);
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    await work();
    expect((await contractOf(id)).status).toBe("active");
    expect((await shop.read(`/payment-methods/${method.id}`)).expires).toBe("2034-09");
    stripe.account.emit("payment_method.detached", { ...card, customer: null });
    await deliver();
    expect((await shop.read(`/payment-methods/${method.id}`)).status).toBe("revoked");
  });

  it("a card that its bank replaced is tried with the failed charges of several contracts, which exceed one commit", async () => {
    const long = { product_ref: "p".repeat(120), variant_ref: "v".repeat(120), title: "빵".repeat(200) };
    const { id, token } = await makeStripeContract(shop, stripe, "ok", {
      lines: Array.from({ length: 50 }, () => line(1, long)),
    });
    await work();
    const card = stripe.account.cards.get(token.split("/")[1] ?? "");
    if (card === undefined) throw new Error("no card");
    card.behaviour = "expired_card";
    await work(28 * 24 * 60 + 180);
    await deliver();
    const { newId, runTx } = shop.harness.services;
    const stored = await runTx(shop.part, async (tx) => ({
      contract: (await tx.require(contracts, id)).value,
      charge: (await tx.peekAll(charges, { index: "open", value: id }))[0]?.value,
    }));
    const { charge } = stored;
    if (charge === undefined) throw new Error("no charge");
    expect([stored.contract.status, charge.status]).toEqual(["past_due", "retrying"]);
    const ids = Array.from({ length: 5 }, () => newId("sub"));
    for (const own of ids) {
      await runTx(shop.part, async (tx) => void tx.create(contracts, { ...stored.contract, id: own }));
      for (let n = 0; n < 10; n += 1)
        await runTx(
          shop.part,
          async (tx) => void tx.create(charges, { ...charge, id: newId("chg"), contract_id: own }),
        );
    }
    stripe.account.emit("payment_method.automatically_updated", card);
    expect(await deliver(2)).toEqual(["applied", "repeated"]);
    for (const own of [id, ...ids]) {
      const open = await shop.read(`/charges?contract_id=${own}&limit=100`);
      const now = new Date(shop.harness.clock.now()).toISOString();
      const isTried = ({ dunning }: { dunning: { next_retry_at: string | null } }) =>
        dunning.next_retry_at === now;
      expect(open.filter(isTried).length).toBeGreaterThan(own === id ? 0 : 3);
    }
  });
});
