import { createHmac } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { OutgoingError } from "../../../server/core/ports.ts";
import type { OutgoingAnswer, OutgoingPost } from "../../../server/core/ports.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { callsOf, createShop, makeContract, makeMethod, NOW, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
/** What the merchant's gateway was sent, and how it answers. */
let sent: OutgoingPost[];
let answerWith: (request: OutgoingPost) => OutgoingAnswer | "silence" | "unreachable";
beforeEach(async () => {
  sent = [];
  answerWith = () => json(200, { status: "succeeded", ref: "ch_1" });
  const post = async (request: OutgoingPost): Promise<OutgoingAnswer> => {
    sent.push(request);
    const answer = answerWith(request);
    if (answer === "unreachable") throw new OutgoingError("refused", "ECONNREFUSED");
    if (answer === "silence") throw new OutgoingError("unknown", "socket hang up");
    return answer;
  };
  shop = await createShop({ post, mode: "live" });
});
afterEach(() => shop.harness.close());

const json = (status: number, body: unknown): OutgoingAnswer => ({ status, body: JSON.stringify(body) });
const typesSent = (): string[] => sent.map(({ body }) => JSON.parse(body).type);

async function work(minutes = 0): Promise<void> {
  shop.harness.clock.advance(minutes * 60_000);
  await shop.harness.services.jobs.run("subscriptions.bill");
}

/** A contract that is paid through a gateway of the merchant's own. */
async function makeExternal(more: object = {}) {
  const gateway = await shop.make("/gateways", {
    title: "Own",
    kind: "external",
    url: "https://pay.shop.example/",
    ...more,
  });
  const { secret } = await shop.make(`/gateways/${gateway.id}/secrets`, {});
  const method = await shop.make("/payment-methods", {
    customer_id: "ada",
    gateway_id: gateway.id,
    token_ref: "tok_9",
  });
  const { id } = await makeContract(shop, "tok_ok", { payment_method_id: method.id });
  return { gateway, secret: secret as string, id };
}

const sign = (secret: string, id: string, seconds: number, body: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${seconds}.${body}`)
    .digest("base64")}`;

/** A callback as the gateway would send it. */
function callBack(
  target: { gateway: { callback_url: string }; secret: string },
  eventId: string,
  data: object,
  more: { seconds?: number; signature?: string } = {},
) {
  const body = JSON.stringify({ type: "payment.updated", data });
  const seconds = more.seconds ?? Math.floor(shop.harness.clock.now() / 1000);
  return shop.harness.call("POST", new URL(target.gateway.callback_url).pathname, {
    body,
    headers: {
      "webhook-id": eventId,
      "webhook-timestamp": String(seconds),
      "webhook-signature": more.signature ?? sign(target.secret, eventId, seconds, body),
    },
  });
}

const chargeOf = async (id: string) => (await shop.read(`/charges?contract_id=${id}`))[0];

// 100,000 objects with names of their own, signed by who owns the gateway, took 290 ms, and nothing counted them.
it.each([
  [6_000, 200],
  [90_000, 413],
])("reads a callback of %d objects in short steps, or not at all", async (count, status) => {
  const external = await makeExternal();
  let used = 0;
  const longest = await longestOf(
    () => many(count, () => ({ [`n${(used += 1).toString(36)}`]: 0 })),
    async (more) => {
      const answer = await callBack(external, `evt_${used}`, { key: "none", status: "pending", more });
      expect(answer.status).toBe(status);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

describe("an external gateway", () => {
  it("is posted signed JSON with the attempt's id as idempotency-key", async () => {
    const { id, secret } = await makeExternal();
    await work();
    const charge = await chargeOf(id);
    expect(charge.status).toBe("succeeded");
    const [request] = sent;
    const {
      "webhook-id": eventId = "",
      "webhook-timestamp": at = "",
      "webhook-signature": signature,
    } = request?.headers ?? {};
    expect(request?.headers["idempotency-key"]).toBe(`${charge.id}-1`);
    expect(signature).toBe(sign(secret, eventId, Number(at), request?.body ?? ""));
    expect(JSON.parse(request?.body ?? "")).toEqual({
      type: "charge",
      data: {
        key: `${charge.id}-1`,
        charge_id: charge.id,
        contract_id: id,
        amount: 1000,
        currency: "GBP",
        customer_id: "ada",
        token_ref: "tok_9",
      },
    });
  });

  it.each([
    ["silence", "silence"],
    ["a 500", json(500, {})],
    ["a 200 that says nothing", json(200, { hello: "world" })],
    ["a redirect", json(302, {})],
  ] as const)("%s leaves the attempt unknown, and it is looked up, never charged again", async (_, first) => {
    const { id } = await makeExternal();
    answerWith = ({ body }) =>
      JSON.parse(body).type === "charge" ? first : json(200, { status: "succeeded", ref: "ch_1" });
    await work();
    expect((await chargeOf(id)).status).toBe("unknown");
    await work(1);
    expect((await chargeOf(id)).status).toBe("succeeded");
    expect(typesSent()).toEqual(["charge", "lookup"]);
  });

  it("a key that it does not know is sent again, the same one; after its time somebody has to look", async () => {
    const { id } = await makeExternal({ key_ttl_hours: 1 });
    answerWith = ({ body }) => (JSON.parse(body).type === "charge" ? "silence" : { status: 404, body: "" });
    await work();
    await work(1);
    expect(typesSent()).toEqual(["charge", "lookup", "charge"]);
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    for (const minutes of [5, 30, 60]) await work(minutes);
    const charge = await chargeOf(id);
    expect(charge).toMatchObject({ status: "unknown", review: { reason: "unresolved" } });
    expect(await shop.read("/events?type=attempt.needs_review")).toHaveLength(1);
    const before = sent.length;
    await work(600);
    expect(sent.length).toBe(before);
    expect(refusal(await shop.post(`/charges/${charge.id}/attempts`))).toBe("409 attempt_open");
    expect(refusal(await shop.post(`/charges/${charge.id}/void`, { reason: "x" }))).toBe("409 attempt_open");
    await shop.make(`/charges/${charge.id}/settle`, { result: "succeeded", reference: "ch_7" });
    expect(await chargeOf(id)).toMatchObject({ status: "succeeded", review: null });
    const again = await shop.post(`/charges/${charge.id}/settle`, { result: "failed", reference: "x" });
    expect(refusal(again)).toBe("409 no_open_attempt");
  });

  it("without a signing secret is refused when a payment method is created", async () => {
    const gateway = await shop.make("/gateways", {
      title: "x",
      kind: "external",
      url: "https://pay.shop.example/",
    });
    const method = { customer_id: "ada", gateway_id: gateway.id, token_ref: "tok_9" };
    expect(refusal(await shop.post("/payment-methods", method))).toBe("409 gateway_without_secret");
    await shop.make(`/gateways/${gateway.id}/secrets`, {});
    expect((await shop.post("/payment-methods", method)).status).toBe(201);
  });

  it("one that cannot be asked is settled by a person", async () => {
    const { id } = await makeExternal({ supports_lookup: false });
    answerWith = () => "silence";
    await work();
    await work(1);
    expect(await chargeOf(id)).toMatchObject({ status: "unknown", review: { reason: "unresolved" } });
    expect(typesSent()).toEqual(["charge"]);
  });

  it("a connection that never came about moved no money: a fault of the system", async () => {
    const { id } = await makeExternal();
    answerWith = () => "unreachable";
    await work();
    expect(await chargeOf(id)).toMatchObject({ status: "retrying", dunning: { category: "system" } });
    answerWith = () => json(200, { status: "succeeded" });
    await work(5);
    expect((await chargeOf(id)).status).toBe("succeeded");
  });

  it("202 waits for the callback; repeats of it, in any number, count once", async () => {
    const external = await makeExternal();
    answerWith = () => json(202, {});
    await work();
    const charge = await chargeOf(external.id);
    expect([charge.status, charge.attempts[0].state]).toEqual(["processing", "pending"]);
    const key = `${charge.id}-1`;
    const outcomes: string[] = [];
    for (const eventId of ["e1", "e1", "e2"]) {
      outcomes.push(
        (await callBack(external, eventId, { key, status: "succeeded", ref: "ch_1" })).json.outcome,
      );
    }
    expect(outcomes).toEqual(["applied", "repeated", "applied"]);
    expect((await chargeOf(external.id)).status).toBe("succeeded");
    expect(await shop.read("/events?type=charge.succeeded")).toHaveLength(1);
  });

  it("callbacks out of order: a definite state never moves back, and late money still counts", async () => {
    const external = await makeExternal();
    answerWith = () => json(202, {});
    await work();
    const key = `${(await chargeOf(external.id)).id}-1`;
    await callBack(external, "e3", {
      key,
      status: "failed",
      failure: { category: "soft", code: "declined" },
    });
    await callBack(external, "e1", { key, status: "pending" });
    expect((await chargeOf(external.id)).attempts[0].state).toBe("failed");
    await callBack(external, "e2", { key, status: "succeeded", ref: "ch_1" });
    expect((await chargeOf(external.id)).status).toBe("succeeded");
    await callBack(external, "e4", { key, status: "failed" });
    expect(await chargeOf(external.id)).toMatchObject({
      status: "succeeded",
      attempts: [{ state: "succeeded" }],
    });
  });

  it("late money after another attempt was paid is told to a person", async () => {
    const external = await makeExternal();
    answerWith = () => json(202, {});
    await work();
    const charge = await chargeOf(external.id);
    await callBack(external, "e1", { key: `${charge.id}-1`, status: "failed" });
    await shop.make(`/charges/${charge.id}/attempts`, {});
    answerWith = () => json(200, { status: "succeeded" });
    await work();
    await callBack(external, "e2", { key: `${charge.id}-1`, status: "succeeded" });
    expect(await chargeOf(external.id)).toMatchObject({
      status: "succeeded",
      review: { reason: "double_payment", attempt_id: `${charge.id}-1` },
    });
  });

  it("money that came twice goes back once without a credit note, and the payment after it", async () => {
    const external = await makeExternal();
    answerWith = () => json(202, {});
    await work();
    const charge = await chargeOf(external.id);
    await callBack(external, "e1", { key: `${charge.id}-1`, status: "failed" });
    await shop.make(`/charges/${charge.id}/attempts`, {});
    answerWith = () => json(200, { status: "succeeded", ref: "ch_2" });
    await work();
    await callBack(external, "e2", { key: `${charge.id}-1`, status: "succeeded", ref: "ch_1" });
    sent = [];
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 1000, reason: "Paid twice" });
    await work();
    const kinds = async () =>
      (await shop.read(`/invoices?contract_id=${external.id}`))
        .map(({ kind }: { kind: string }) => kind)
        .toSorted();
    expect([(await chargeOf(external.id)).status, await kinds()]).toEqual(["succeeded", ["invoice"]]);
    await shop.make(`/contracts/${external.id}/cancel`, { at: "now", reason_code: "other", refund: "full" });
    await work();
    expect(sent.map(({ body }) => JSON.parse(body).data.gateway_ref)).toEqual(["ch_1", "ch_2"]);
    expect((await chargeOf(external.id)).status).toBe("refunded");
    expect(await kinds()).toEqual(["credit_note", "invoice"]);
    const again = await shop.call("POST", `/charges/${charge.id}/refunds`, { amount: 1, reason: "x" });
    expect(refusal(again)).toBe("409 refund_exceeds_payment");
  });

  it("late money for a charge that was voided goes back, and the charge stays voided", async () => {
    const external = await makeExternal();
    answerWith = () => json(202, {});
    await work();
    const charge = await chargeOf(external.id);
    await callBack(external, "e1", { key: `${charge.id}-1`, status: "failed" });
    await shop.make(`/charges/${charge.id}/void`, { reason: "Goodwill" });
    await callBack(external, "e2", { key: `${charge.id}-1`, status: "succeeded", ref: "ch_1" });
    answerWith = () => json(200, { status: "succeeded", ref: "re_1" });
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 1000, reason: "Nothing was owed" });
    await work();
    expect(typesSent()).toEqual(["charge", "refund"]);
    expect(await chargeOf(external.id)).toMatchObject({
      status: "voided",
      refunds: [{ amount: 1000, state: "succeeded", gateway_ref: "re_1" }],
    });
    expect(await shop.read(`/invoices?contract_id=${external.id}`)).toEqual([]);
    const again = await shop.call("POST", `/charges/${charge.id}/refunds`, { amount: 1, reason: "x" });
    expect(refusal(again)).toBe("409 refund_exceeds_payment");
  });

  it("403 for what is not signed, signed wrongly, too old, or meant for another gateway", async () => {
    const external = await makeExternal();
    const other = await makeExternal();
    await work();
    const data = { key: `${(await chargeOf(external.id)).id}-1`, status: "failed" };
    const now = Math.floor(shop.harness.clock.now() / 1000);
    const elsewhere: string = external.gateway.callback_url.replace(/.$/, (char: string) =>
      char === "0" ? "1" : "0",
    );
    const bad = await Promise.all([
      callBack(external, "e1", data, { signature: "v1,AAAA" }),
      callBack(external, "e1", data, { signature: "" }),
      callBack(external, "e1", data, { seconds: now - 301 }),
      callBack({ ...external, secret: other.secret }, "e1", data),
      callBack({ ...external, gateway: { callback_url: elsewhere } }, "e1", data),
    ]);
    expect(bad.map(refusal)).toEqual(Array.from({ length: 5 }, () => "403"));
    expect((await callBack(other, "e1", data)).json.outcome).toBe("unknown");
    const broken = await callBack(external, "e9", { key: "x" });
    expect(broken.status).toBe(400);
  });

  it("the old secret goes on beside the new one", async () => {
    const external = await makeExternal();
    await shop.make(`/gateways/${external.gateway.id}/secrets`, {});
    answerWith = () => json(202, {});
    await work();
    expect(sent[0]?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    const data = { key: `${(await chargeOf(external.id)).id}-1`, status: "succeeded" };
    expect((await callBack(external, "e1", data)).json.outcome).toBe("applied");
  });
});

describe("the test gateway", () => {
  it("A15 tok_timeout_charged: unknown, then succeeded by look-up; one charge in the log", async () => {
    const { id, gateway } = await makeContract(shop, "tok_timeout_charged");
    await work();
    expect((await chargeOf(id)).status).toBe("unknown");
    await work(1);
    expect((await chargeOf(id)).status).toBe("succeeded");
    expect(await callsOf(shop, gateway)).toEqual(["charge charged", "lookup found"]);
  });

  it("with supports_lookup: false it cannot be asked, and a person settles the attempt", async () => {
    const { id, gateway } = await makeContract(shop, "tok_timeout_charged");
    await shop.patch(`/gateways/${gateway}`, { supports_lookup: false });
    await work();
    await work(1);
    expect(await chargeOf(id)).toMatchObject({ status: "unknown", review: { reason: "unresolved" } });
    expect(await callsOf(shop, gateway)).toEqual(["charge charged"]);
  });

  it("tok_timeout_not_charged: the same key is sent again", async () => {
    const { id, gateway } = await makeContract(shop, "tok_timeout_not_charged");
    await work();
    await work(1);
    expect((await chargeOf(id)).attempts).toHaveLength(1);
    expect(await callsOf(shop, gateway)).toEqual(["charge lost", "lookup not_found", "charge charged"]);
  });

  it("tok_action waits for the customer, who confirms; the same event counts once", async () => {
    const { id, gateway } = await makeContract(shop, "tok_action");
    await work();
    const charge = await chargeOf(id);
    expect(charge).toMatchObject({
      status: "requires_action",
      attempts: [{ action_url: expect.stringContaining("https://") }],
    });
    const event = { event_id: "e1", attempt_id: `${charge.id}-1`, status: "succeeded" };
    expect((await shop.make(`/gateways/${gateway}/events`, event)).outcome).toBe("applied");
    expect((await shop.make(`/gateways/${gateway}/events`, event)).outcome).toBe("repeated");
    const unknown = { ...event, event_id: "e2", attempt_id: "chg_unknown-1" };
    expect((await shop.make(`/gateways/${gateway}/events`, unknown)).outcome).toBe("unknown");
    expect((await chargeOf(id)).status).toBe("succeeded");
    const manual = await shop.make("/gateways", { title: "Transfer", kind: "manual" });
    expect(refusal(await shop.post(`/gateways/${manual.id}/events`, event))).toBe("409 not_a_test_gateway");
  });

  it("an action that nobody confirms is asked about once more, and then fails", async () => {
    const clocked = await createShop({ clock: NOW });
    const { id } = await makeContract(clocked, "tok_ok");
    await clocked.advance(NOW);
    const { makeMethod } = await import("./shop.ts");
    const { method, gateway } = await makeMethod(clocked, "tok_action");
    await clocked.patch(`/contracts/${id}`, { payment_method_id: method });
    await clocked.advance("2026-03-04T12:00:00.000Z");
    const [charge] = await clocked.read(`/charges?contract_id=${id}`);
    expect(charge.attempts[0]).toMatchObject({ state: "failed", failure: { code: "action_timeout" } });
    expect((await callsOf(clocked, gateway)).at(-1)).toMatch(/^(lookup found|charge action)$/);
    await clocked.harness.close();
  });

  it("tok_pending comes through after a day", async () => {
    const { id } = await makeContract(shop, "tok_pending");
    await work();
    expect((await chargeOf(id)).attempts[0].state).toBe("pending");
    await work(24 * 60);
    expect((await chargeOf(id)).status).toBe("succeeded");
  });

  it("tok_duplicate_callback is applied once", async () => {
    const { id } = await makeContract(shop, "tok_duplicate_callback");
    await work();
    expect((await chargeOf(id)).status).toBe("succeeded");
    expect(await shop.read("/events?type=charge.succeeded")).toHaveLength(1);
  });

  it("an attempt on request while one is under way: 409 attempt_open", async () => {
    const { id } = await makeContract(shop, "tok_pending");
    await work();
    expect(refusal(await shop.post(`/charges/${(await chargeOf(id)).id}/attempts`))).toBe("409 attempt_open");
  });
});

describe("test clocks", () => {
  it("jobs on the test data go by the clock, and those on live data do not", async () => {
    const clocked = await createShop({ clock: "2027-01-01T00:00:00.000Z" });
    const { contract, id } = await makeContract(clocked, "tok_ok");
    expect(contract.start_date).toBe("2027-01-01");
    await clocked.harness.services.jobs.run("subscriptions.bill");
    expect((await clocked.read(`/charges?contract_id=${id}`))[0].paid_at).toBe("2027-01-01T00:00:00.000Z");
    await clocked.harness.close();
  });
});

describe("the customer's page", () => {
  const linkOf = async (id: string): Promise<string> => {
    const { selfServiceUrl } = await import("../../../server/engines/subscriptions/rules/self-service.ts");
    return new URL(selfServiceUrl(shop.harness.services.ports, shop.part, id)).pathname;
  };
  const press = (path: string, action: string) =>
    shop.harness.call("POST", path, {
      body: `action=${action}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  it("shows the subscription and does what its buttons say", async () => {
    await shop.patch("/settings", { shop_name: "Beans <& Co>" });
    const { id } = await makeContract(shop, "tok_ok");
    await work();
    const path = await linkOf(id);
    const page = await shop.harness.call("GET", path);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).toContain("Beans &lt;&amp; Co&gt;");
    expect(page.text).toContain("£10.00 on 1 March 2026");
    expect((await press(path, "skip")).text).toContain("1 March 2026 is skipped");
    expect((await shop.read(`/contracts/${id}`)).next_billing_date).toBe("2026-04-01");
    expect((await press(path, "pause")).text).toContain("paused");
    expect((await press(path, "resume")).text).toContain("is active again");
    expect((await press(path, "resume")).text).toContain("cannot be resumed");
    expect((await press(path, "cancel")).text).toContain("Cancelled");
    expect((await shop.read(`/contracts/${id}`)).cancellation).toMatchObject({
      by: "customer",
      effective_on: "2026-03-01",
    });
    expect((await press(path, "keep")).text).toContain("goes on");
    expect((await shop.read(`/contracts/${id}`)).cancellation).toBeNull();
    await shop.make(`/contracts/${id}/cancel`, { at: "now" });
    expect((await shop.harness.call("GET", path)).text).not.toContain("<button");
  });

  it("one press within the cooling-off ends it and refunds all", async () => {
    const { id } = await makeContract(shop, "tok_ok", { compliance_profile: "uk_dmcc" });
    await work();
    expect((await press(await linkOf(id), "cancel")).text).toContain("£10.00 is on its way back");
    await work();
    expect((await chargeOf(id)).status).toBe("refunded");
  });

  it("pays with another card that the customer has, and tries a charge that failed with it at once", async () => {
    const { id, gateway } = await makeContract(shop, "tok_ok");
    await work();
    const add = (token: string, more: object) =>
      shop.make("/payment-methods", { customer_id: "ada", gateway_id: gateway, token_ref: token, ...more });
    const lost = await add("tok_lost_card", { brand: "visa", last4: "0002" });
    await add("tok_ok", { brand: "visa", last4: "0003", expires: "2020-01" });
    const good = await add("tok_ok", { brand: "visa", last4: "4242" });
    const foreign = await makeMethod(shop, "tok_ok", "ben");
    await shop.patch("/settings", { payment_page_url: "https://shop.example/cards?a=1&b=2" });
    const path = await linkOf(id);
    const page = (await shop.harness.call("GET", path)).text;
    expect(page).toContain("Pay with visa ending in 4242");
    expect(page).not.toContain("ending in 0003");
    expect(page).toContain('href="https://shop.example/cards?a=1&amp;b=2"');
    expect((await press(path, `pay_with&payment_method_id=${lost.id}`)).text).toContain(
      "visa ending in 0002 is charged",
    );
    await work(28 * 24 * 60 + 180);
    expect((await shop.read(`/contracts/${id}`)).status).toBe("past_due");
    for (const wrong of [foreign.method, "pm_unknown", ""]) {
      expect((await press(path, `pay_with&payment_method_id=${wrong}`)).status).toBeOneOf([200, 422]);
      expect((await shop.read(`/contracts/${id}`)).payment_method_id).toBe(lost.id);
    }
    expect((await press(path, `pay_with&payment_method_id=${good.id}`)).text).toContain("4242 is charged");
    await work();
    expect(await shop.read(`/contracts/${id}`)).toMatchObject({
      status: "active",
      payment_method_id: good.id,
    });
  });

  it("404 for a link that was not made here", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    const path = await linkOf(id);
    for (const wrong of [`${path}x`, path.replace(/\.[^.]+$/, ".AAAA"), "/api/public/subscriptions/x"]) {
      expect((await shop.harness.call("GET", wrong)).status).toBe(404);
    }
  });
});
