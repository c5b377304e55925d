import { afterEach, beforeEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { linkOf, makeAccount, operator, signUp, storedDocuments } from "./support.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const DAY_MS = 86_400_000;

const refusal = async (method: string, path: string, body?: object) => {
  const answer = await harness.admin(
    method,
    `/api/platform/admin${path}`,
    body === undefined ? {} : { body },
  );
  return [answer.status, answer.json.error?.code];
};

it("401 without the operator's token, also with an API key", async () => {
  const { apiKey } = await makeAccount(harness);
  for (const path of ["/customers", "/keys", "/stores", "/plans", "/usage", "/audit"]) {
    expect((await harness.call("GET", `/api/platform/admin${path}`)).status).toBe(401);
    expect((await harness.call("GET", `/api/platform/admin${path}`, { key: apiKey })).status).toBe(401);
    expect((await harness.admin("GET", `/api/platform/admin${path}`)).status).toBe(200);
  }
});

it("201 create: mailed as the public form does, or with the link in the answer", async () => {
  const body = { email: "dev@bakery.example", storeIdentifier: "demo-bakery" };
  const mailed = (await operator(harness, "POST", "/customers", body)).json.data;
  expect(mailed).toMatchObject({ status: "pending", email_sent: true, verification_url: null });
  expect((await signUp(harness)).json.customer_id).toBe(mailed.customer_id);
  const silent = (await operator(harness, "POST", "/customers", { ...body, mail: false })).json.data;
  expect(silent).toMatchObject({ customer_id: mailed.customer_id, email_sent: false });
  expect((await harness.services.mail.listTo(body.email, { limit: 10 })).items).toHaveLength(2);
  const path = silent.verification_url.slice("http://platform.test".length);
  expect((await harness.call("GET", path)).status).toBe(200);
  const again = (await operator(harness, "POST", "/customers", { ...body, mail: false })).json.data;
  expect(again.status).toBe("active");
});

it("200 verify by hand shows the key once; 409 the second time", async () => {
  const { json } = await signUp(harness);
  const link = await linkOf(harness);
  const verified = (await operator(harness, "POST", `/customers/${json.customer_id}/verify`)).json.data;
  expect(verified).toMatchObject({ customer_id: json.customer_id, status: "ACTIVE", accepted: true });
  expect((await harness.call("GET", "/v1/account", { key: verified.api_key })).status).toBe(200);
  expect((await harness.call("GET", link)).status).toBe(410);
  expect(await refusal("POST", `/customers/${json.customer_id}/verify`)).toEqual([
    409,
    "customer_not_pending",
  ]);
  expect(await refusal("POST", "/customers/cus_nobody/verify")).toEqual([404, undefined]);
});

it("200 resend, past the public limit; 409 for a suspended customer", async () => {
  const { json } = await signUp(harness);
  for (let count = 0; count < 6; count += 1) {
    const sent = await operator(harness, "POST", `/customers/${json.customer_id}/resend`);
    expect(sent.json.data).toEqual({ customer_id: json.customer_id, status: "pending", email_sent: true });
  }
  expect((await harness.call("GET", await linkOf(harness))).status).toBe(200);
  await operator(harness, "POST", `/customers/${json.customer_id}/suspend`);
  expect(await refusal("POST", `/customers/${json.customer_id}/resend`)).toEqual([
    409,
    "customer_not_active",
  ]);
});

it("200 suspend refuses every key at once, resume restores them", async () => {
  const { apiKey, customerId, keyId } = await makeAccount(harness);
  const status = async () => (await harness.call("GET", "/v1/reviews", { key: apiKey })).status;
  expect((await operator(harness, "POST", `/customers/${customerId}/suspend`)).json.data.status).toBe(
    "suspended",
  );
  expect(await status()).toBe(401);
  expect((await operator(harness, "GET", `/keys/${keyId}`)).json.data).toMatchObject({
    status: "ACTIVE",
    accepted: false,
  });
  await operator(harness, "POST", `/customers/${customerId}/suspend`);
  expect((await operator(harness, "POST", `/customers/${customerId}/resume`)).json.data.status).toBe(
    "active",
  );
  expect(await status()).toBe(200);
  const { json } = await signUp(harness, "pending@bakery.example");
  expect(await refusal("POST", `/customers/${json.customer_id}/suspend`)).toEqual([
    409,
    "customer_not_active",
  ]);
  expect(await refusal("POST", `/customers/${json.customer_id}/resume`)).toEqual([
    409,
    "customer_not_suspended",
  ]);
});

it("204 close: keys revoked, signup silent, plan fixed; twice is no error", async () => {
  const { apiKey, customerId, keyId } = await makeAccount(harness);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "enterprise" });
  for (let count = 0; count < 24; count += 1) {
    await operator(harness, "POST", "/keys", {
      customer_id: customerId,
      preset: "full",
      pending: count % 2 === 0,
    });
  }
  expect((await operator(harness, "DELETE", `/customers/${customerId}`)).status).toBe(204);
  expect((await harness.call("GET", "/v1/reviews", { key: apiKey })).status).toBe(401);
  const { json } = await operator(harness, "GET", `/keys?customer_id=${customerId}&limit=100`);
  expect(json.data).toHaveLength(25);
  expect(new Set(json.data.map(({ status }: { status: string }) => status))).toEqual(new Set(["revoked"]));
  expect((await operator(harness, "GET", `/keys/${keyId}`)).json.data.revoked_reason).toBe("customer closed");
  expect((await operator(harness, "DELETE", `/customers/${customerId}`)).status).toBe(204);
  expect((await signUp(harness)).json).toEqual({
    customer_id: customerId,
    status: "pending",
    email_sent: false,
  });
  expect(await refusal("POST", `/customers/${customerId}/plan`, { plan: "free" })).toEqual([
    409,
    "customer_closed",
  ]);
  expect(await refusal("POST", `/customers/${customerId}/resume`)).toEqual([409, "customer_not_suspended"]);
});

it("204 a pending customer is deleted with everything of it, and may sign up again", async () => {
  const { json } = await signUp(harness);
  const link = await linkOf(harness);
  await operator(harness, "POST", "/keys", { customer_id: json.customer_id, preset: "full", pending: true });
  expect((await operator(harness, "DELETE", `/customers/${json.customer_id}`)).status).toBe(204);
  expect(await refusal("GET", `/customers/${json.customer_id}`)).toEqual([404, undefined]);
  const left = (await storedDocuments(harness)).map(({ key }) => key.split(":")[1] ?? "");
  for (const name of [
    "platform.customers",
    "platform.stores",
    "platform.store_names",
    "platform.keys",
    "mail",
  ]) {
    expect(left.filter((collection) => collection === name || collection.startsWith(`ix.${name}.`))).toEqual(
      [],
    );
  }
  expect(left).not.toContain("platform.key_hashes");
  expect((await signUp(harness)).json.email_sent).toBe(true);
  // A link of the customer's earlier life stays void.
  expect((await harness.call("GET", link)).status).toBe(410);
  expect((await harness.call("GET", await linkOf(harness))).status).toBe(200);
});

it("200 lists by state and address, newest first", async () => {
  const first = await makeAccount(harness);
  harness.clock.advance(1000);
  const second = await makeAccount(harness, "dev@bakery.example", "second");
  harness.clock.advance(1000);
  const { json } = await signUp(harness, "other@bakery.example");
  const ids = async (query: string) =>
    (await operator(harness, "GET", `/customers${query}`)).json.data.map(({ id }: { id: string }) => id);
  expect(await ids("")).toEqual([json.customer_id, second.customerId, first.customerId]);
  expect(await ids("?status=pending")).toEqual([json.customer_id]);
  expect(await ids("?status=active")).toEqual([second.customerId, first.customerId]);
  expect(await ids("?email=%20DEV%40bakery.example")).toEqual([second.customerId, first.customerId]);
  expect(await ids("?email=dev%40bakery.example&status=closed")).toEqual([]);
  expect(await ids("?email=no%20address")).toEqual([]);
  const page = await operator(harness, "GET", "/customers?limit=1");
  expect(await ids(`?limit=1&cursor=${page.json.meta.pagination.next_cursor}`)).toEqual([second.customerId]);
});

it("200 stores: added up to the plan's limit, removed with their keys", async () => {
  const { customerId } = await makeAccount(harness);
  const add = (identifier: string) => ["POST", "/stores", { customer_id: customerId, identifier }] as const;
  expect(await refusal(...add("second"))).toEqual([409, "store_limit"]);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "growth" });
  const made = await operator(harness, ...add("second"));
  expect(made.headers.get("location")).toBe(`/api/platform/admin/stores/${made.json.data.id}`);
  expect(await refusal(...add("second"))).toEqual([409, "store_exists"]);
  expect(await refusal(...add("demo-bakery"))).toEqual([409, "store_exists"]);
  const more = await Promise.all(["a", "b", "c", "d", "e", "f"].map((name) => refusal(...add(name))));
  expect(more.filter(([status]) => status === 201)).toHaveLength(3);
  expect(more.filter(([, code]) => code === "store_limit")).toHaveLength(3);

  const bound = (
    await operator(harness, "POST", "/keys", { customer_id: customerId, store: "second", preset: "full" })
  ).json.data;
  expect(bound.store_id).toBe(made.json.data.id);
  expect((await harness.call("GET", "/v1/account", { key: bound.api_key })).json.data.store.identifier).toBe(
    "second",
  );
  expect((await operator(harness, "DELETE", `/stores/${made.json.data.id}`)).status).toBe(204);
  expect((await harness.call("GET", "/v1/account", { key: bound.api_key })).status).toBe(401);
  expect((await operator(harness, "GET", `/keys/${bound.id}`)).json.data).toMatchObject({
    status: "revoked",
    revoked_reason: "store removed",
  });
  expect(await refusal("GET", `/stores/${made.json.data.id}`)).toEqual([404, undefined]);
  const { json } = await operator(harness, "GET", `/stores?customer_id=${customerId}`);
  const primary = json.data.find((store: { primary: boolean }) => store.primary);
  expect(await refusal("DELETE", `/stores/${primary.id}`)).toEqual([409, "store_primary"]);
  const again = await operator(harness, ...add("second"));
  expect(again.json.data.id).not.toBe(made.json.data.id);
});

it("200 trial: 14 days at the plan's limits, then Free; once per plan", async () => {
  const { customerId, apiKey } = await makeAccount(harness);
  const set = (body: object) => operator(harness, "POST", `/customers/${customerId}/plan`, body);
  const plan = async () => (await operator(harness, "GET", `/customers/${customerId}`)).json.data;
  const limit = async () =>
    (await harness.call("GET", "/v1/account/rate-limit", { key: apiKey })).json.data.limit;
  const begun = (await set({ plan: "growth", trial: true })).json.data;
  expect(begun).toMatchObject({
    plan: "growth",
    base_plan: "free",
    plan_state: "trialing",
    trial_days_left: 14,
  });
  expect(begun.trial_ends_at).toBe(new Date(harness.clock.now() + 14 * DAY_MS).toISOString());
  harness.clock.advance(13 * DAY_MS);
  expect(await plan()).toMatchObject({ plan_state: "trialing", trial_days_left: 1 });
  // A change of plan inside the trial keeps the trial's end.
  expect((await set({ plan: "scale", trial: true })).json.data).toMatchObject({
    plan: "scale",
    trial_ends_at: begun.trial_ends_at,
    trials_used: ["growth", "scale"],
  });
  expect(await limit()).toBe(6000);
  harness.clock.advance(DAY_MS - 1);
  expect(await limit()).toBe(6000);
  harness.clock.advance(1);
  expect(await limit()).toBe(60);
  expect(await plan()).toMatchObject({ plan: "free", plan_state: "free", trial_days_left: 0 });
  expect((await harness.call("GET", "/v1/reviews", { key: apiKey })).status).toBe(200);
  expect(await refusal("POST", `/customers/${customerId}/plan`, { plan: "growth", trial: true })).toEqual([
    409,
    "trial_used",
  ]);
  expect((await set({ plan: "starter", trial: true })).json.data.plan_state).toBe("trialing");
  expect((await set({ plan: "starter" })).json.data).toMatchObject({
    plan: "starter",
    plan_state: "paid",
    trial_ends_at: null,
  });
});

it("200 a cancelled plan holds until its end; a trial falls back to the paid plan beneath", async () => {
  const { customerId } = await makeAccount(harness);
  const set = async (body: object) =>
    (await operator(harness, "POST", `/customers/${customerId}/plan`, body)).json.data;
  const look = async () => (await operator(harness, "GET", `/customers/${customerId}`)).json.data;
  await set({ plan: "starter" });
  await set({ plan: "growth", trial: true });
  harness.clock.advance(14 * DAY_MS);
  expect(await look()).toMatchObject({ plan: "starter", plan_state: "paid" });
  const ends_at = new Date(harness.clock.now() + DAY_MS).toISOString();
  expect(await set({ plan: "starter", ends_at })).toMatchObject({ plan: "starter", plan_state: "canceling" });
  harness.clock.advance(DAY_MS);
  expect(await look()).toMatchObject({ plan: "free", plan_state: "free", base_plan: "starter" });
});

it("422 plans that do not exist or have no trial, and ends that make no sense", async () => {
  const { customerId } = await makeAccount(harness);
  const past = new Date(harness.clock.now()).toISOString();
  const future = new Date(harness.clock.now() + DAY_MS).toISOString();
  const pointer = async (body: object) => {
    const { status, json } = await harness.admin("POST", `/api/platform/admin/customers/${customerId}/plan`, {
      body,
    });
    return [status, json.error?.errors?.[0]?.pointer];
  };
  expect(await pointer({ plan: "platinum" })).toEqual([422, "#/plan"]);
  expect(await pointer({ plan: "free", trial: true })).toEqual([422, "#/trial"]);
  expect(await pointer({ plan: "growth", ends_at: past })).toEqual([422, "#/ends_at"]);
  expect(await pointer({ plan: "free", ends_at: future })).toEqual([422, "#/ends_at"]);
  expect(await pointer({ plan: "growth", trial: true, ends_at: future })).toEqual([422, "#/ends_at"]);
  expect(await pointer({})).toEqual([422, "#/plan"]);
});

it("409 for all but one of 5 simultaneous trials of one plan", async () => {
  const { customerId } = await makeAccount(harness);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      refusal("POST", `/customers/${customerId}/plan`, { plan: "growth", trial: true }),
    ),
  );
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
});

it("200 the plans as configured, 404 another", async () => {
  const { json } = await operator(harness, "GET", "/plans");
  expect(json.data.map((plan: { requests_per_minute: number }) => plan.requests_per_minute)).toEqual([
    60, 300, 1500, 6000, 30_000,
  ]);
  expect((await operator(harness, "GET", "/plans/free")).json.data).toMatchObject({
    trial_days: 0,
    paid: false,
  });
  expect((await operator(harness, "GET", "/plans/starter")).json.data).toMatchObject({
    trial_days: 14,
    paid: true,
  });
  expect(await refusal("GET", "/plans/platinum")).toEqual([404, undefined]);
});
