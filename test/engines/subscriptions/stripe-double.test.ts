import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { STRIPE_VERSION } from "../../../server/engines/subscriptions/services/gateways/stripe-api.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble } from "../../support/stripe-double.ts";
import { faultsOf, stripeObject } from "../../support/stripe-objects.ts";
import { SCHEMA } from "../../support/stripe-params.ts";

// What the tests of payments rest on: the double behaves as Stripe's documentation has it.

let stripe: StripeDouble;
let customer = "";
let method = "";
let now = Date.parse("2026-06-01T09:00:00.000Z");

beforeEach(async () => {
  stripe = await startStripeDouble({ now: () => now });
  [customer = "", method = ""] = stripe.account.addCard("ok").split("/");
});
afterEach(() => stripe.close());

async function call(verb: string, path: string, params: Record<string, string> = {}, key?: string) {
  const text = new URLSearchParams(params).toString();
  const response = await fetch(`${stripe.url}${path}${verb === "GET" ? `?${text}` : ""}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${stripe.apiKey}`,
      "stripe-version": STRIPE_VERSION,
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(verb === "GET" ? {} : { body: new URLSearchParams(params) }),
  });
  const isReplayed = response.headers.get("idempotent-replayed") === "true";
  return { status: response.status, body: await response.json(), isReplayed };
}

const payment = (more: Record<string, string> = {}) => ({
  amount: "2000",
  currency: "gbp",
  customer,
  payment_method: method,
  confirm: "true",
  off_session: "true",
  ...more,
});
const pay = (more?: Record<string, string>, key?: string) =>
  call("POST", "/v1/payment_intents", payment(more), key);

describe("the schema", () => {
  it("is of the version that the platform asks for", () => expect(SCHEMA.source).toContain(STRIPE_VERSION));

  it("finds a missing, an unknown and a wrong member, in lists too", () => {
    const refund = stripeObject("refund", { id: "re_1", amount: 1000 });
    const { amount: _amount, ...rest } = refund;
    expect(faultsOf(refund)).toEqual([]);
    expect(faultsOf(rest).join()).toContain("amount");
    const wrong = [
      { ...rest, amount: "1" },
      { ...rest, amount: 1, colour: "red" },
    ];
    for (const one of wrong) expect(faultsOf(one)).toHaveLength(1);
    expect(faultsOf({ object: "list", url: "/v1/refunds", has_more: false, data: [rest] })).toHaveLength(1);
    expect(faultsOf({ object: "list", data: [], has_more: false })).toHaveLength(1);
  });
});

describe("parameters", () => {
  it.each([
    [{ colour: "red" }, "parameter_unknown", "colour"],
    [{ "payment_method_types[0]": "card" }, "parameter_unknown", "payment_method_types"],
    [{ amount: "12.5" }, "parameter_invalid_integer", "amount"],
    [{ amount: "1" }, "amount_too_small", "amount"],
    [{ customer: "" }, "parameter_invalid_empty", "customer"],
    [{ confirm: "yes" }, "parameter_invalid_boolean", "confirm"],
    [{ "allowed_payment_method_types[0]": "cash" }, "parameter_invalid", "allowed_payment_method_types[0]"],
    [{ "metadata[note]": "x".repeat(501) }, "parameter_invalid_string_length", "metadata[note]"],
    [{ payment_method: "pm_other" }, "resource_missing", "payment_method"],
  ])("%j is refused with %s", async (more, code, param) => {
    const { status, body } = await pay(more);
    expect([status, body.error]).toMatchObject([400, { type: "invalid_request_error", code, param }]);
    expect(stripe.account.ledger).toEqual([]);
  });

  it("that are missing are named", async () => {
    const { body } = await call("POST", "/v1/payment_intents", { currency: "gbp" });
    expect(body.error).toMatchObject({
      code: "parameter_missing",
      message: "Missing required param: amount.",
    });
  });
});

describe("an Idempotency-Key", () => {
  it("repeats the first answer, a declined payment too, until a day later", async () => {
    for (const [behaviour, status] of [
      ["ok", 200],
      ["insufficient_funds", 402],
    ] as const) {
      const [owner = "", card = ""] = stripe.account.addCard(behaviour).split("/");
      const more = { customer: owner, payment_method: card };
      const first = await pay(more, `key-${behaviour}`);
      const second = await pay(more, `key-${behaviour}`);
      expect([first.status, first.isReplayed, second.isReplayed]).toEqual([status, false, true]);
      expect({ ...second, isReplayed: false }).toEqual(first);
    }
    expect(stripe.account.ledger).toHaveLength(1);
    now += 25 * 3_600_000;
    const [intent] = stripe.account.intents.values();
    expect(
      (
        await pay(
          { customer: intent?.customer ?? "", payment_method: intent?.payment_method ?? "" },
          "key-ok",
        )
      ).isReplayed,
    ).toBe(false);
  });

  it("is refused with other parameters and at another endpoint, and kept of no request with wrong parameters", async () => {
    await pay({ amount: "x" }, "k");
    expect((await pay({}, "k")).status).toBe(200);
    const others = [
      await pay({ amount: "3000" }, "k"),
      await call("POST", "/v1/refunds", { payment_intent: "pi_x" }, "k"),
    ];
    for (const { status, body } of others)
      expect([status, body.error.type]).toEqual([400, "idempotency_error"]);
    expect(stripe.account.ledger).toHaveLength(1);
  });
});

describe("a PaymentIntent", () => {
  it("off session that needs authentication is declined, and confirmed by its holder with the card again", async () => {
    const [owner = "", card = ""] = stripe.account.addCard("authenticate").split("/");
    const { status, body } = await pay({ customer: owner, payment_method: card });
    expect([status, body.error]).toMatchObject([
      402,
      {
        type: "card_error",
        code: "authentication_required",
        payment_method: { id: card },
        payment_intent: { status: "requires_payment_method", payment_method: null },
      },
    ]);
    const path = `/v1/payment_intents/${body.error.payment_intent.id}`;
    expect((await call("POST", `${path}/confirm`)).body.error.code).toBe("payment_intent_unexpected_state");
    const confirmed = await call("POST", `${path}/confirm`, {
      payment_method: card,
      return_url: "https://shop.example/x",
    });
    expect(confirmed.body).toMatchObject({
      status: "requires_action",
      next_action: { type: "redirect_to_url" },
    });
    stripe.account.authenticate(confirmed.body.id, true);
    expect((await call("GET", path)).body).toMatchObject({ status: "succeeded", amount_received: 2000 });
    for (const action of ["cancel", "confirm"])
      expect((await call("POST", `${path}/${action}`)).body.error.code).toBe(
        "payment_intent_unexpected_state",
      );
  });

  it("without confirmation waits for it", async () => {
    const { body } = await call("POST", "/v1/payment_intents", {
      amount: "2000",
      currency: "gbp",
      customer,
      payment_method: method,
    });
    expect(body.status).toBe("requires_confirmation");
    expect((await call("POST", `/v1/payment_intents/${body.id}/confirm`)).body.status).toBe("succeeded");
  });
});

it("a list has pages in both directions, the newest first, and a URL", async () => {
  for (let at = 1; at <= 5; at += 1) await pay({ "metadata[at]": String(at) });
  const list = async (more: Record<string, string>) => {
    const { body } = await call("GET", "/v1/payment_intents", { customer, limit: "2", ...more });
    return {
      at: body.data.map(({ metadata }: { metadata: { at: string } }) => metadata.at),
      more: body.has_more,
      body,
    };
  };
  const first = await list({});
  expect([first.at, first.more, first.body.url]).toEqual([["5", "4"], true, "/v1/payment_intents"]);
  const second = await list({ starting_after: first.body.data[1].id });
  expect([second.at, second.more]).toEqual([["3", "2"], true]);
  const third = await list({ starting_after: second.body.data[1].id });
  expect([third.at, third.more]).toEqual([["1"], false]);
  expect((await list({ ending_before: third.body.data[0].id })).at).toEqual(["3", "2"]);
  expect((await call("GET", "/v1/payment_intents", { limit: "101" })).status).toBe(400);
});
