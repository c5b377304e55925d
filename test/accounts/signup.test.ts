import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { MailError } from "../../server/mail/transport.ts";
import { linkOf, makeAccount, signUp, storedDocuments } from "./support.ts";

let harness: Harness;
afterEach(() => harness.close());

it("201 signup, mailed link, key once, first 200", async () => {
  harness = await createHarness();
  const signup = await signUp(harness);
  expect(signup.status).toBe(201);
  expect(Object.keys(signup.json)).toEqual(["customer_id", "status", "email_sent"]);
  expect(signup.json).toMatchObject({ status: "pending", email_sent: true });
  expect(signup.json.customer_id).toMatch(/^cus_[0-9A-HJKMNP-TV-Z]{26}$/);

  const link = await linkOf(harness);
  expect(link).toMatch(/^\/api\/platform\/verify\?token=[A-Za-z0-9_-]{43}$/);
  const verified = await harness.call("GET", link);
  expect(verified.status).toBe(200);
  expect(verified.headers.get("referrer-policy")).toBe("no-referrer");
  expect(verified.headers.get("cache-control")).toBe("no-store");
  expect(verified.json).toMatchObject({
    customer_id: signup.json.customer_id,
    status: "active",
    key: { status: "ACTIVE", tier: "free", store: "demo-bakery", expires_at: null },
  });
  expect(verified.json.api_key).toMatch(/^plat_live_[0-9A-Za-z]{36}$/);
  expect(verified.json.key.scopes).toEqual(harness.services.scopes);
  expect(verified.json.key.scopes).toContain("account:write");

  const first = await harness.call("GET", "/v1/reviews", { key: verified.json.api_key });
  expect([first.status, first.json.meta.rate_limit.limit]).toEqual([200, 60]);
  expect((await harness.call("GET", link)).status).toBe(410);
});

it("201 with the same customer for a signup of the same address and store, however it is spelled", async () => {
  harness = await createHarness();
  const ids = await Promise.all(
    ["dev@bakery.example", " Dev@Bakery.EXAMPLE ", "DEV@BAKERY.example"].map(
      async (email) => (await signUp(harness, email)).json.customer_id,
    ),
  );
  expect(new Set(ids).size).toBe(1);
  const others = await Promise.all([
    signUp(harness, "dev+tag@bakery.example"),
    signUp(harness, "dev@bakery.example", "Demo-Bakery"),
    signUp(harness, "dev@bücher.example"),
  ]);
  expect(new Set([...ids, ...others.map(({ json }) => json.customer_id)]).size).toBe(4);
  const puny = await signUp(harness, "dev@xn--bcher-kva.example");
  expect(puny.json.customer_id).toBe(others[2]?.json.customer_id);
});

it("201 with an answer that does not tell a verified address from a new one", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  const again = await signUp(harness);
  expect(again.json).toEqual({ customer_id: customerId, status: "pending", email_sent: true });
  const { items } = await harness.services.mail.listTo("dev@bakery.example", { limit: 10 });
  expect(items.map(({ message }) => message.template)).toEqual(["key-reissue", "verify"]);
});

it("201 for 50 simultaneous signups of one address: one customer, one store", async () => {
  harness = await createHarness({ config: { signup: { ...signupConfig, perAddressPerDay: 100 } } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => signUp(harness)));
  expect(new Set(answers.map(({ status, json }) => `${status} ${json.customer_id}`)).size).toBe(1);
  const documents = await storedDocuments(harness);
  expect(documents.filter(({ key }) => key.startsWith("platform:platform.customers:"))).toHaveLength(1);
  expect(documents.filter(({ key }) => key.startsWith("platform:platform.stores:"))).toHaveLength(1);
  expect(documents.filter(({ key }) => key.startsWith("platform:platform.links:"))).toHaveLength(50);
});

it("201 for 200 simultaneous signups of as many addresses", async () => {
  harness = await createHarness();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => signUp(harness, `dev${index}@bakery.example`)),
  );
  expect(answers.every(({ status, json }) => status === 201 && json.email_sent === true)).toBe(true);
  expect(new Set(answers.map(({ json }) => json.customer_id)).size).toBe(200);
});

const signupConfig = {
  perIpPerHour: 600,
  perAddressPerDay: 3,
  verificationTtlHours: 24,
  purgePendingHours: 72,
};

it("201 email_sent false after 3 mails to one address in a day, true again in the next", async () => {
  harness = await createHarness();
  const sent: boolean[] = [];
  for (let count = 0; count < 5; count += 1) sent.push((await signUp(harness)).json.email_sent);
  expect(sent).toEqual([true, true, true, false, false]);
  const before = await storedDocuments(harness);
  for (const store of ["another", "a third"]) {
    const { status, json } = await signUp(harness, "dev@bakery.example", store);
    expect([status, json]).toEqual([
      201,
      { customer_id: expect.stringMatching(/^cus_/), status: "pending", email_sent: false },
    ]);
  }
  expect(await storedDocuments(harness)).toEqual(before);
  expect((await signUp(harness, "other@bakery.example")).json.email_sent).toBe(true);
  harness.clock.advance(86_400_000);
  expect((await signUp(harness)).json.email_sent).toBe(true);
});

it("counts the mails of a mailbox however its address is written", async () => {
  harness = await createHarness();
  const sentTo = async (...addresses: string[]) => {
    const sent: boolean[] = [];
    for (const address of addresses) sent.push((await signUp(harness, address)).json.email_sent);
    return sent;
  };
  const ada = ["ada+1@shop.example", "ADA+2@shop.example", "ada@shop.example", "ada+3@shop.example"];
  expect(await sentTo(...ada)).toEqual([true, true, true, false]);
  expect(await sentTo("a.da@shop.example")).toEqual([true]);
  const gmail = ["a.d.a@gmail.com", "ada@googlemail.com", "ad.a+x@gmail.com", "ada@gmail.com"];
  expect(await sentTo(...gmail)).toEqual([true, true, true, false]);
});

it("mails nothing of what was typed into the form, and stops with one click", async () => {
  harness = await createHarness();
  const body = { email: "dev@bakery.example", storeIdentifier: "YOU WON A PRIZE: http://prize.example" };
  await harness.call("POST", "/api/platform/signup", { body });
  const { items } = await harness.services.mail.listTo("dev@bakery.example", { limit: 10 });
  const { message } = items[0] ?? {};
  expect(`${message?.subject} ${message?.text} ${message?.html}`).not.toMatch(/PRIZE|prize/);
  const stop = new URL(message?.stop_url ?? "").pathname;
  const press = { body: { "List-Unsubscribe": "One-Click" } };
  expect((await harness.call("POST", stop, press)).status).toBe(200);
  expect((await signUp(harness)).json.email_sent).toBe(false);
});

it("201 email_sent false when the mail server refuses, and the mail waits for the next try", async () => {
  let isUp = false;
  let link = "";
  const taken: string[] = [];
  harness = await createHarness({
    transport: {
      name: "smtp",
      send(mail) {
        if (!isUp) return Promise.reject(new MailError("unreachable", "connect ECONNREFUSED"));
        taken.push(mail.to);
        link = /^http\S+$/m.exec(mail.text)?.[0] ?? "";
        return Promise.resolve({ accepted: true, id: mail.id });
      },
    },
  });
  const signup = await signUp(harness);
  expect([signup.status, signup.json.status, signup.json.email_sent]).toEqual([201, "pending", false]);
  isUp = true;
  harness.clock.advance(60_000);
  await harness.services.mail.runDue({ limit: 10 });
  expect(taken).toEqual(["dev@bakery.example"]);
  expect((await harness.call("GET", link.replace("http://platform.test", ""))).status).toBe(200);
});

it("201 email_sent false, not 500, when a mail cannot even be written", async () => {
  harness = await createHarness({ config: { baseUrl: "not an address" } });
  const signup = await signUp(harness);
  expect([signup.status, signup.json.email_sent]).toEqual([201, false]);
});

it("201 for members that nobody asked for, which are dropped", async () => {
  harness = await createHarness();
  const body = {
    email: "dev@bakery.example",
    storeIdentifier: "demo-bakery",
    plan: "enterprise",
    status: "active",
  };
  expect((await harness.call("POST", "/api/platform/signup", { body })).status).toBe(201);
  const documents = await storedDocuments(harness);
  const customer = documents.find(({ key }) => key.startsWith("platform:platform.customers:"));
  expect(JSON.parse(customer?.value ?? "{}")).toMatchObject({ status: "pending", plan: "free" });
});

it("201 for a store name of 255 characters, of any script, kept as typed without the blanks around it", async () => {
  harness = await createHarness({ config: { signup: { ...signupConfig, perAddressPerDay: 100 } } });
  for (const name of ["x".repeat(255), "Bäckerei Müller & Söhne", "パン屋", "a:b/c?d@e", "123", "true"]) {
    expect((await signUp(harness, "dev@bakery.example", ` ${name} `)).status).toBe(201);
  }
  const stores = (await storedDocuments(harness)).filter(({ key }) =>
    key.startsWith("platform:platform.stores:"),
  );
  expect(stores.map(({ value }) => JSON.parse(value).identifier)).toContain("Bäckerei Müller & Söhne");
  expect(stores).toHaveLength(6);
});

it.each([
  ["no address", { storeIdentifier: "s" }, "#/email"],
  ["no store", { email: "a@b.example" }, "#/storeIdentifier"],
  ["a number as address", { email: 5, storeIdentifier: "s" }, "#/email"],
  ["an address without @", { email: "dev", storeIdentifier: "s" }, "#/email"],
  ["two addresses", { email: "a@b.example,c@d.example", storeIdentifier: "s" }, "#/email"],
  [
    "a line break in the address",
    { email: "a@b.example\r\nBcc: c@d.example", storeIdentifier: "s" },
    "#/email",
  ],
  ["a named address", { email: "A <a@b.example>", storeIdentifier: "s" }, "#/email"],
  ["an address literal", { email: "a@[127.0.0.1]", storeIdentifier: "s" }, "#/email"],
  ["an IP address as domain", { email: "a@127.0.0.1", storeIdentifier: "s" }, "#/email"],
  ["a domain without a dot", { email: "a@localhost", storeIdentifier: "s" }, "#/email"],
  ["a domain that maps to another", { email: "a@ｅxample.com", storeIdentifier: "s" }, "#/email"],
  ["an escaped domain", { email: "a@exa%6dple.com", storeIdentifier: "s" }, "#/email"],
  [
    "an address of 255 characters",
    { email: `a@${"b".repeat(60)}.`.padEnd(255, "c."), storeIdentifier: "s" },
    "#/email",
  ],
  ["an empty store", { email: "a@b.example", storeIdentifier: "  " }, "#/storeIdentifier"],
  [
    "a store of 256 characters",
    { email: "a@b.example", storeIdentifier: "x".repeat(256) },
    "#/storeIdentifier",
  ],
  ["a control character", { email: "a@b.example", storeIdentifier: "a\u0000b" }, "#/storeIdentifier"],
  ["half a surrogate pair", { email: "a@b.example", storeIdentifier: "a\ud800b" }, "#/storeIdentifier"],
])("422 %s", async (_, body, pointer) => {
  harness = await createHarness();
  const { status, json } = await harness.call("POST", "/api/platform/signup", { body });
  expect([status, json.error.errors?.[0]?.pointer]).toEqual([422, pointer]);
  expect((await storedDocuments(harness)).filter(({ key }) => key.includes("customers"))).toEqual([]);
});

it("400 and 415 for a body that is no JSON", async () => {
  harness = await createHarness();
  const path = "/api/platform/signup";
  expect((await harness.call("POST", path, { body: "{" })).status).toBe(400);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  expect((await harness.call("POST", path, { body: "email=a", headers: form })).status).toBe(415);
  expect((await harness.call("GET", path)).status).toBe(405);
});
