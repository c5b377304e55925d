import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { cartBody } from "../engines/cart/make.ts";
import { quoteBody } from "../engines/catering/http/shop.ts";
import { plain } from "../engines/forms/http/shop.ts";
import { makeContract, shopOf } from "../engines/subscriptions/shop.ts";
import { rulesOf } from "../engines/tiers/fixture.ts";

/** Monday 1 June 2026, 10:00 in London, by the test clock; in real time it is the year before. */
const START = "2026-06-01T09:00:00.000Z";

let harness: Harness;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness({ now: "2025-01-01T00:00:00.000Z" });
  key = await harness.key({ mode: "test" });
});
afterAll(() => harness.close());

const call = (method: string, path: string, body?: unknown, by = key) =>
  harness.call(method, `/v1${path}`, { key: by, body });
async function must(method: string, path: string, body?: unknown) {
  const answer = await call(method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json.data;
}

interface Run {
  at: string;
  job: string;
  counts: Record<string, number>;
}
interface Advanced {
  reached: boolean;
  failed: number;
  runs: Run[];
}
/** One call ends after 20 seconds of real time: on a busy machine the rest takes another. */
async function advance(to: string): Promise<Advanced> {
  const part: Advanced = await must("POST", "/account/test-clock/advance", { to });
  if (part.reached || part.failed > 0) return part;
  const rest = await advance(to);
  return { ...rest, runs: [...part.runs, ...rest.runs] };
}
interface Mail {
  id: string;
  to: string;
  template: string;
  text: string;
  link: string | null;
  created_at: string;
}
const mails = (): Promise<Mail[]> => must("GET", "/account/test-mail?limit=100");

/** One piece of work in each engine, by paths below /v1. */
async function stock() {
  const contract = await makeContract(shopOf(harness, key), "tok_ok");
  await must("POST", "/cart/recovery-flows", { title: "Back" });
  const cart = await must("PUT", "/cart/carts/one", cartBody());
  const quote = await must(
    "POST",
    "/catering/quotes",
    quoteBody({ valid_until: "2026-06-10T09:00:00.000Z" }),
  );
  await must("POST", `/catering/quotes/${quote.id}/send`, {});
  await must("PATCH", "/reviews/settings", { shop_name: "Bakery" });
  await must("POST", "/reviews/orders", {
    orders: [
      {
        order_id: "o1",
        email: "ada@shop.example",
        customer_name: "Ada",
        fulfilled_at: START,
        items: [{ target: { type: "product", id: "loaf" }, name: "Loaf", url: "https://shop.example/loaf" }],
      },
    ],
  });
  const form = await must("POST", "/forms", plain({ settings: { retention_days: 20 } }));
  await must("POST", `/forms/${form.id}/publish`);
  const { token } = await must("POST", `/forms/${form.id}/tokens`);
  await must("POST", `/forms/${form.id}/submissions`, {
    data: { name: "Ada", email: "ada@shop.example" },
    token,
  });
  const programme = await must("POST", "/tiers/programmes", rulesOf());
  await must("POST", `/tiers/programmes/${programme.id}/publish`);
  const facts = { type: "order", external_id: "x", order_ref: "r", occurred_at: START, currency: "GBP" };
  const member = await must("POST", "/tiers/events", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    event: { ...facts, amount: 60_000 },
  });
  return {
    charges: `/subscriptions/charges?contract_id=${contract.id}&limit=100`,
    cart: `/cart/carts/${cart.id}`,
    quote: `/catering/quotes/${quote.id}`,
    submissions: `/forms/${form.id}/submissions`,
    member: `/tiers/customers/${member.customer_id}`,
  };
}

describe("the test clock", () => {
  it("is for test data alone, one for a store, and only goes forward", async () => {
    const live = await harness.key({ customer_id: key.customerId, store_id: key.storeId });
    const refused = await call("POST", "/account/test-clock", { now: START }, live);
    expect([refused.status, refused.json.error.code]).toEqual([409, "not_test_mode"]);
    expect((await call("GET", "/account/test-mail", undefined, live)).json.data).toEqual([]);
    expect((await call("GET", "/account/test-clock")).status).toBe(404);
    expect((await call("POST", "/account/test-clock/advance", { to: START })).status).toBe(404);
    expect((await call("POST", "/account/test-clock", { now: "9999-12-31T23:59:59.000Z" })).status).toBe(422);
    expect(await must("POST", "/account/test-clock", { now: START })).toMatchObject({ now: START });
    expect((await call("POST", "/account/test-clock", { now: START })).json.error.code).toBe("clock_exists");
    const back = await call("POST", "/account/test-clock/advance", { to: "2026-01-01T00:00:00.000Z" });
    expect(back.json.error.errors[0].pointer).toBe("#/to");
    expect(await must("GET", "/account/test-clock")).toMatchObject({ now: START });
    expect((await call("DELETE", "/account/test-clock")).status).toBe(204);
    expect((await call("GET", "/account/test-clock")).status).toBe(404);
  });

  it("brings what is due in every engine, in order of time, and keeps the mails", async () => {
    await must("POST", "/account/test-clock", { now: START });
    const at = await stock();
    const june = await advance("2026-07-05T09:00:00.000Z");
    expect([june.reached, june.failed]).toEqual([true, 0]);
    const order = june.runs.map(({ at: instant }) => instant);
    expect(order).toEqual(order.toSorted());
    expect(await must("GET", at.charges)).toHaveLength(2);
    expect((await must("GET", at.cart)).status).toBe("lost");
    expect((await must("GET", at.quote)).status).toBe("expired");
    expect(await must("GET", at.submissions)).toEqual([]);
    const first = (job: string) => june.runs.find((run) => run.job === job)?.at ?? "";
    expect(first("subscriptions.bill") < first("cart.recover")).toBe(true);
    expect(first("cart.recover") < first("reviews.invite")).toBe(true);
    expect(first("reviews.invite").slice(0, 10)).toBe("2026-06-15");
    // Retention has no due time: within six hours.
    expect(
      june.runs.find(({ counts, job }) => job === "forms.retention" && counts["removed"] === 1)?.at,
    ).toBe("2026-06-21T12:00:00.000Z");
    const templates = new Set((await mails()).map(({ template }) => template));
    for (const template of ["abandoned-cart-first", "catering-quote", "review-invitation", "tier-up"])
      expect(templates).toContain(template);
    const linkOf = async (name: string) => (await mails()).find(({ template }) => template === name)?.link;
    expect(await linkOf("catering-quote")).toMatch(/^http.*\/api\/public\/quotes\//);
    expect(await linkOf("review-invitation")).toMatch(/^http.*\/api\/public\/reviews\//);
    await advance("2027-06-03T09:00:00.000Z");
    expect(await must("GET", at.charges)).toHaveLength(13);
    expect((await must("GET", at.member)).tier).toMatchObject({ name: "Silver", expires_on: "2028-06-01" });
    await advance("2028-06-03T09:00:00.000Z");
    expect((await must("GET", at.member)).tier).toMatchObject({ name: "Base" });
  });

  it("mails of test data can be read, are shown in the inbox of development, and are sent to nobody", async () => {
    const [newest] = await mails();
    expect(newest?.template).toBe("tier-down");
    expect(newest?.created_at.slice(0, 10)).toBe("2028-06-01");
    const whole = await must("GET", `/account/test-mail/${newest?.id}`);
    expect(whole.text).toBe(newest?.text);
    expect(whole.html).toContain("<html");
    const { items } = await harness.services.mail.list({ limit: 100 });
    expect(items.length).toBeGreaterThan(3);
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(["test"]));
    expect((await harness.call("GET", "/_/inbox")).text).toContain("test data, not sent");
    expect((await harness.services.mail.runDue({ limit: 100 })).sent).toBe(0);
  });

  it("is advanced once under an Idempotency-Key, and a repeat has the same runs", async () => {
    await makeContract(shopOf(harness, key), "tok_ok");
    const options = {
      key,
      body: { to: "2028-07-10T09:00:00.000Z" },
      headers: { "idempotency-key": "advance-once" },
    };
    const first = await harness.call("POST", "/v1/account/test-clock/advance", options);
    expect(first.status, first.text).toBe(200);
    expect(first.json.data.runs.some(({ job }: Run) => job === "subscriptions.bill")).toBe(true);
    const again = await harness.call("POST", "/v1/account/test-clock/advance", options);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.json.data).toEqual(first.json.data);
  });

  it("stops where something fails and is still due, and says so", async () => {
    const shop = shopOf(harness, await harness.key({ mode: "test" }));
    await shop.harness.call("POST", "/v1/account/test-clock", { key: shop.key, body: { now: START } });
    await makeContract(shop, "tok_ok");
    const { store } = harness;
    const commit = store.commit.bind(store);
    store.commit = (part, ops, ...rest) =>
      ops.some((op) => "put" in op && op.put.includes(":subscriptions.charges:"))
        ? Promise.reject(new Error("no room"))
        : commit(part, ops, ...rest);
    const body = { to: "2026-07-01T09:00:00.000Z" };
    const stopped = (await harness.call("POST", "/v1/account/test-clock/advance", { key: shop.key, body }))
      .json;
    expect(stopped.data).toMatchObject({ reached: false, failed: 1, clock: { now: START } });
    store.commit = commit;
    const again = (await harness.call("POST", "/v1/account/test-clock/advance", { key: shop.key, body }))
      .json;
    expect(again.data).toMatchObject({ reached: true, failed: 0, clock: { now: body.to } });
  });
});
