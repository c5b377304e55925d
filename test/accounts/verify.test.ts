import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { browse, linkOf, makeAccount, operator, signUp, storedDocuments } from "./support.ts";

let harness: Harness;
afterEach(() => harness.close());

const keyCount = async () =>
  (await storedDocuments(harness)).filter(({ key }) => key.startsWith("platform:platform.keys:")).length;

it("200 HEAD and a browser's GET look at the link and leave it unused", async () => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  for (let round = 0; round < 3; round += 1) {
    const head = await harness.call("HEAD", link);
    expect([head.status, head.text]).toEqual([200, ""]);
    const page = await browse(harness, "GET", link);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).toContain("demo-bakery");
    expect(page.text).toContain('method="post"');
    expect(page.text).not.toContain("plat_live_");
  }
  expect(await keyCount()).toBe(0);
  expect((await harness.call("GET", link)).status).toBe(200);
});

it.each([
  ["Sec-Purpose", "prefetch;prerender"],
  ["Purpose", "prefetch"],
  ["X-Moz", "prefetch"],
  ["User-Agent", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"],
  ["User-Agent", "facebookexternalhit/1.1"],
  ["User-Agent", "WhatsApp/2.23.20.0"],
  ["User-Agent", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"],
  ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0.0.0"],
  ["User-Agent", "Mozilla/4.0 (compatible; ms-office; MSOffice 16)"],
])(
  "200 the page, and never the key, for what looks at the link before its reader: %s %s",
  async (name, value) => {
    harness = await createHarness();
    await signUp(harness);
    const link = await linkOf(harness);
    const seen = await harness.call("GET", link, { headers: { [name]: value } });
    expect([seen.status, seen.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(seen.text).not.toContain("plat_live_");
    expect(await keyCount()).toBe(0);
    expect((await harness.call("GET", link)).json.api_key).toMatch(/^plat_live_/);
  },
);

it.each([
  "curl/8.5.0",
  "Wget/1.21.4",
  "node",
  "undici",
  "axios/1.7.2",
  "python-requests/2.32.3",
  "Python-urllib/3.12",
  "Go-http-client/2.0",
  "Java/21.0.2",
  "okhttp/4.12.0",
  "GuzzleHttp/7",
  "Ruby",
  "PostmanRuntime/7.39.0",
  "platform-cli/1.0.0",
])("200 the key for a program: %s", async (agent) => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  const seen = await harness.call("GET", link, { headers: { "user-agent": agent } });
  expect([seen.status, seen.json.status]).toEqual([200, "active"]);
});

it("200 the page's button shows the key once", async () => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  const action = /action="([^"]+)"/.exec((await browse(harness, "GET", link)).text)?.[1] ?? "";
  const target = new URL(action, `http://platform.test${link}`);
  const done = await browse(harness, "POST", target.pathname + target.search);
  expect([done.status, done.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
  const key = /plat_live_[0-9A-Za-z]{36}/.exec(done.text)?.[0] ?? "";
  expect((await harness.call("GET", "/v1/account", { key })).status).toBe(200);
  const again = await browse(harness, "POST", target.pathname + target.search);
  expect([again.status, again.headers.get("content-type")]).toEqual([410, "text/html; charset=utf-8"]);
  expect(again.text).not.toContain("plat_live_");
  expect((await browse(harness, "GET", "/api/platform/verify?token=unknown")).status).toBe(404);
});

it("200 POST consumes as JSON", async () => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  const { status, json } = await harness.call("POST", link);
  expect([status, json.status, json.key.status]).toEqual([200, "active", "ACTIVE"]);
  expect((await harness.call("POST", link)).json.error.code).toBe("link_used");
});

it("404 an unknown token, 422 none, 410 an expired one", async () => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  const unknown = link.replace(/.$/, link.endsWith("A") ? "B" : "A");
  for (const method of ["GET", "POST", "HEAD"]) {
    expect((await harness.call(method, unknown)).status).toBe(404);
    expect((await harness.call(method, "/api/platform/verify?token=../x")).status).toBe(404);
    expect((await harness.call(method, "/api/platform/verify")).status).toBe(422);
  }
  harness.clock.advance(24 * 3_600_000 - 1);
  expect((await harness.call("HEAD", link)).status).toBe(200);
  harness.clock.advance(1);
  for (const method of ["GET", "POST", "HEAD"]) {
    expect((await harness.call(method, link)).status).toBe(410);
  }
  expect((await harness.call("GET", link)).json.error.code).toBe("link_expired");
  await signUp(harness);
  expect((await harness.call("GET", await linkOf(harness))).status).toBe(200);
});

it("200 once and 410 nineteen times for 20 simultaneous followers of one link: one key", async () => {
  harness = await createHarness();
  await signUp(harness);
  const link = await linkOf(harness);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => harness.call(index % 2 === 0 ? "GET" : "POST", link)),
  );
  const counts = answers.map(({ status }) => status).sort((a, b) => a - b);
  expect(counts).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
  expect(await keyCount()).toBe(1);
});

it("200 once for 3 sibling links followed at the same time: the first one used voids the rest", async () => {
  harness = await createHarness();
  for (let count = 0; count < 3; count += 1) await signUp(harness);
  const { items } = await harness.services.mail.listTo("dev@bakery.example", { limit: 10 });
  const links = items.map(({ link }) => (link ?? "").slice("http://platform.test".length));
  expect(new Set(links).size).toBe(3);
  expect(await Promise.all(links.map(async (link) => (await harness.call("HEAD", link)).status))).toEqual(
    Array.from({ length: 3 }, () => 200),
  );
  const answers = await Promise.all(links.map((link) => harness.call("GET", link)));
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410, 410]);
  expect(await keyCount()).toBe(1);
});

it("200 a second link revokes the key of the first if that was never used", async () => {
  harness = await createHarness();
  const first = await makeAccount(harness);
  const second = await makeAccount(harness);
  expect(second.customerId).toBe(first.customerId);
  expect((await harness.call("GET", "/v1/account", { key: first.apiKey })).status).toBe(401);
  const { json } = await operator(harness, "GET", `/keys/${first.keyId}`);
  expect(json.data).toMatchObject({
    status: "revoked",
    revoked_reason: "never used, replaced through a new link",
  });
  expect((await harness.call("GET", "/v1/account", { key: second.apiKey })).status).toBe(200);
});

it("200 a second link leaves a used key alone, also when its use is not written yet", async () => {
  harness = await createHarness();
  const first = await makeAccount(harness);
  expect((await harness.call("GET", "/v1/reviews", { key: first.apiKey })).status).toBe(200);
  const second = await makeAccount(harness);
  expect((await harness.call("GET", "/v1/reviews", { key: first.apiKey })).status).toBe(200);
  expect((await harness.call("GET", "/v1/reviews", { key: second.apiKey })).status).toBe(200);
  await harness.services.usage.flush();
  await signUp(harness);
  const link = await linkOf(harness);
  const third = await harness.call("GET", link);
  expect([third.status, third.json.error.code]).toEqual([409, "active_key_limit"]);
  // A refused link is not used up: it works once there is room.
  await operator(harness, "POST", `/keys/${first.keyId}/revoke`, { reason: "lost" });
  expect((await harness.call("GET", link)).status).toBe(200);
});

it("409 on the page of a link that finds no room leaves everything as it was", async () => {
  harness = await createHarness();
  const { customerId, apiKey } = await makeAccount(harness);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "starter" });
  for (let count = 0; count < 3; count += 1) {
    await operator(harness, "POST", "/keys", { customer_id: customerId, preset: "full" });
  }
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "free" });
  await signUp(harness);
  const link = await linkOf(harness);
  const before = await storedDocuments(harness);
  // The never used key would be revoked first; where no new one takes its place, it must stay.
  const page = await browse(harness, "POST", link);
  expect(page.status).toBe(409);
  expect(await storedDocuments(harness)).toEqual(before);
  expect((await harness.call("GET", "/v1/account", { key: apiKey })).status).toBe(200);
});

it("403 a link of a suspended customer, 410 of a closed one", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  await signUp(harness);
  const link = await linkOf(harness);
  await operator(harness, "POST", `/customers/${customerId}/suspend`);
  expect((await harness.call("GET", link)).status).toBe(403);
  const silent = await signUp(harness);
  expect(silent.json).toEqual({ customer_id: customerId, status: "pending", email_sent: false });
  await operator(harness, "POST", `/customers/${customerId}/resume`);
  expect((await harness.call("HEAD", link)).status).toBe(200);
  await operator(harness, "DELETE", `/customers/${customerId}`);
  expect((await harness.call("GET", link)).status).toBe(410);
});

it("no customer, mail or key for the address of a suspended customer, whatever the store identifier", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  const other = await makeAccount(harness, "dev@bakery.example", "active-shop");
  await signUp(harness, "dev@bakery.example", "pending-shop");
  const pending = await linkOf(harness);
  await operator(harness, "POST", `/customers/${customerId}/suspend`);

  const before = (await operator(harness, "GET", "/customers")).json.data.length;
  const again = await signUp(harness, " Dev@bakery.example", "another-shop");
  expect(again.status).toBe(201);
  expect(again.json).toEqual({
    customer_id: expect.stringMatching(/^cus_[0-9A-Z]{26}$/),
    status: "pending",
    email_sent: false,
  });
  expect((await operator(harness, "GET", "/customers")).json.data).toHaveLength(before);
  expect((await harness.call("GET", pending)).status).toBe(403);
  expect((await browse(harness, "POST", pending)).status).toBe(403);
  // A customer that was verified before and is not suspended goes on.
  expect((await harness.call("GET", "/v1/account", { key: other.apiKey })).status).toBe(200);

  await operator(harness, "POST", `/customers/${customerId}/resume`);
  expect((await harness.call("GET", pending)).status).toBe(200);
  harness.clock.advance(86_400_000);
  const resumed = await signUp(harness, "dev@bakery.example", "another-shop");
  expect(resumed.json).toEqual({ ...again.json, email_sent: true });
});

it("no customer or mail for the mailbox of a suspended customer, whatever tag or dots its address has", async () => {
  harness = await createHarness();
  const suspended = await makeAccount(harness, "ada.king@gmail.com", "first-shop");
  await operator(harness, "POST", `/customers/${suspended.customerId}/suspend`);
  const before = (await operator(harness, "GET", "/customers")).json.data.length;
  for (const email of ["ada.king+1@gmail.com", "a.d.a.king@googlemail.com", "Adaking+2@Gmail.com"]) {
    expect((await signUp(harness, email, "next-shop")).json).toMatchObject({ email_sent: false });
  }
  expect((await operator(harness, "GET", "/customers")).json.data).toHaveLength(before);
  expect((await signUp(harness, "adaking@bakery.example", "next-shop")).json).toMatchObject({
    email_sent: true,
  });

  await operator(harness, "POST", `/customers/${suspended.customerId}/resume`);
  harness.clock.advance(86_400_000);
  expect((await signUp(harness, "ada.king+9@gmail.com", "next-shop")).json).toMatchObject({
    email_sent: true,
  });
});

it("the address of a suspended customer is found among hundreds of its signups", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  for (let n = 0; n < 120; n += 1) await signUp(harness, "dev@bakery.example", `shop-${n}`);
  await operator(harness, "POST", `/customers/${customerId}/suspend`);
  const before = await storedDocuments(harness);
  expect((await signUp(harness, "dev@bakery.example", "another-shop")).status).toBe(201);
  expect(await storedDocuments(harness)).toEqual(before);
});
