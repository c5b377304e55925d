import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { adminNamespace } from "../../server/operations/admin/index.ts";
import { ConfigSchema } from "../../server/config/schema.ts";
import { keys, stores } from "../../server/accounts/collections.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { VIEWS } from "../../server/site/console/views.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

let harness: Harness;
beforeAll(async () => {
  // No folder: one check fails, whether or not `npm start` has made the default one here.
  const { storage } = ConfigSchema.parse({ storage: { driver: "fs", base: "./no-such-data" } });
  harness = await createHarness({ config: { baseUrl: "http://127.0.0.1", storage } });
});
afterAll(() => harness.close());

const asForm = { "content-type": "application/x-www-form-urlencoded" };

async function logIn(): Promise<string> {
  const made = await harness.admin("POST", "/api/platform/admin/console/links");
  const token = new URL(made.json.data.url).pathname.split("/").at(-1) ?? "";
  const answer = await post("/_/setup", { token });
  expect(answer.status).toBe(303);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const post = (path: string, fields: Record<string, string>, cookie = ""): Promise<Answer> =>
  harness.call("POST", path, {
    headers: { ...asForm, ...(cookie === "" ? {} : { cookie }) },
    body: new URLSearchParams(fields).toString(),
  });
/** Presses a button of a page, with the fields that its form would send. */
const press = (path: string, act: string, fields: Record<string, string>, cookie: string): Promise<Answer> =>
  post(path, { act, ...fields }, cookie);
const open = (path: string, cookie: string): Promise<Answer> =>
  harness.call("GET", path, { headers: { cookie } });
const csrfOf = (page: Answer): string => /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";

describe("the list of pages", () => {
  const routes = new Map(adminNamespace.routes.map((route) => [route.id, route]));

  it.each(VIEWS.map((view) => [view.path, view] as const))(
    "shows what its admin route gives: %s",
    (_, view) => {
      const route = routes.get(view.route);
      expect(route).toBeDefined();
      for (const { route: id } of view.actions ?? []) expect([id, routes.has(id)]).toEqual([id, true]);
      const shape = z.toJSONSchema(route?.data ?? z.null(), { unrepresentable: "any" });
      const item = view.columns === undefined ? shape : shape.items;
      const members = Object.keys(z.object({ properties: z.looseObject({}) }).parse(item).properties);
      for (const { of } of view.columns ?? []) if (typeof of === "string") expect(members).toContain(of);
      const filters = Object.keys(route?.query?.shape ?? {});
      for (const { name } of view.filters ?? []) expect(filters).toContain(name);
    },
  );
});

describe("the login", () => {
  it("is a link that works once, after a press of a button, for half an hour", async () => {
    const made = await harness.admin("POST", "/api/platform/admin/console/links");
    const { pathname } = new URL(made.json.data.url);
    const token = pathname.split("/").at(-1) ?? "";
    for (let look = 0; look < 3; look += 1) expect((await harness.call("GET", pathname)).status).toBe(200);
    const first = await post("/_/setup", { token });
    expect([first.status, first.headers.get("location")]).toEqual([303, "/_"]);
    expect(first.headers.get("set-cookie")).toMatch(
      /^platform_console=[\w-]{43}; Path=\/_; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect((await post("/_/setup", { token })).status).toBe(410);
    const late = await harness.admin("POST", "/api/platform/admin/console/links");
    harness.clock.advance(31 * 60_000);
    expect((await post("/_/setup", { token: late.json.data.url.split("/").at(-1) })).status).toBe(410);
  });

  it("ends by itself, and by hand", async () => {
    const cookie = await logIn();
    const page = await open("/_/customers", cookie);
    expect(page.status).toBe(200);
    await post("/_/logout", { csrf: csrfOf(page) }, cookie);
    expect((await open("/_/customers", cookie)).status).toBe(401);
    const other = await logIn();
    harness.clock.advance(12 * 3_600_000);
    expect((await open("/_/customers", other)).status).toBe(401);
  });

  it.each(VIEWS.map(({ path }) => path))("is asked for: %s", async (path) => {
    const answer = await harness.call("GET", `/_/${path.replaceAll(/:\w+/g, "x")}`);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain("platform admin link");
  });

  it("is not offered where a session would travel in the clear, nor where it is switched off", async () => {
    for (const [config, status] of [
      [{ baseUrl: "http://api.shop.example" }, 403],
      [{ baseUrl: "http://127.0.0.1", admin: { ui: false } }, 404],
    ] as const) {
      const closed = await createHarness({ config });
      expect((await closed.call("GET", "/_")).status).toBe(status);
      expect((await closed.call("GET", "/_/limits/stream")).status).toBe(status);
      await closed.close();
    }
  });
});

it("offers the plans of the configuration, the customer's own first", async () => {
  const { plans } = ConfigSchema.parse({
    plans: [
      { id: "free", requestsPerMinute: 60 },
      { id: "bakery", requestsPerMinute: 600 },
    ],
  });
  const own = await createHarness({ config: { baseUrl: "http://127.0.0.1", plans } });
  try {
    const { customerId } = await own.key({ plan: "bakery" });
    const made = await own.admin("POST", "/api/platform/admin/console/links");
    const token = new URL(made.json.data.url).pathname.split("/").at(-1) ?? "";
    const entry = await own.call("POST", "/_/setup", {
      headers: asForm,
      body: new URLSearchParams({ token }).toString(),
    });
    const cookie = entry.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { text } = await own.call("GET", `/_/customers/${customerId}`, { headers: { cookie } });
    const select = /<select name="body.plan"[^>]*>([^]*?)<\/select>/.exec(text)?.[1] ?? "";
    expect(select.match(/<option[^]*?<\/option>/g)).toEqual([
      "<option>free</option>",
      "<option selected>bakery</option>",
    ]);
  } finally {
    await own.close();
  }
});

describe("pages", () => {
  it("begin with what needs somebody", async () => {
    const cookie = await logIn();
    const home = await open("/_", cookie);
    expect(home.text).toMatch(/class="note bad">[^<]*checks failed/);
    expect(home.text).toContain("mail.transport");
    expect(home.text).not.toContain("storage.ping");
    const doctor = await open("/_/doctor", cookie);
    expect(doctor.text.indexOf("mail.transport")).toBeLessThan(doctor.text.indexOf("storage.ping"));
    expect((await open("/_/audit", cookie)).text).toContain('href="/_/audit/chain"');
    expect((await open("/_/audit/chain", cookie)).text).toMatch(/The chain is intact: \d+ entries/);
  });

  it("find a store by its name, and a job by what it does", async () => {
    const { storeId } = await harness.key();
    const { value: store } = await harness.services.runTx("platform", (tx) => tx.require(stores, storeId));
    const cookie = await logIn();
    const found = await open(`/_/stores?identifier=${encodeURIComponent(store.identifier)}`, cookie);
    expect(found.text).toContain(storeId);
    const of = `/_/stores?identifier=${encodeURIComponent(store.identifier)}&customer_id=`;
    expect((await open(`${of}${store.customer_id}`, cookie)).text).toContain(storeId);
    expect((await open(`${of}cus_00000000000000000000000000`, cookie)).text).not.toContain(storeId);
    expect((await open("/_/stores?identifier=nobody", cookie)).text).toContain(
      "No results for these filters",
    );
    const jobs = await open("/_/jobs?search=IDEMPOTENCY", cookie);
    expect(jobs.text).toContain("http.sweep-idempotency");
    expect(jobs.text.match(/<tr/g)?.length).toBe(2);
    expect((await open("/_/jobs?status=failed", cookie)).text).toContain("No results for these filters");
  });

  it("name customers, stores and keys, with their ids in small", async () => {
    const { id, storeId, customerId, plaintext } = await harness.key({
      name: "Till",
      identifier: "corner-shop",
    });
    await harness.call("GET", "/v1/reviews", { key: plaintext });
    await harness.call("GET", "/v1/reviews/nothing", { key: plaintext });
    const { json } = await harness.admin("GET", `/api/platform/admin/customers/${customerId}`);
    const cookie = await logIn();
    const key = `<a href="/_/keys/${id}">Till</a> <small class="soft">${id}</small>`;
    const customer = `<a href="/_/customers/${customerId}">${json.data.email}</a>`;
    const store = `<a href="/_/stores/${storeId}">corner-shop</a>`;
    for (const [path, ...names] of [
      ["/_/stores?identifier=corner-shop", customer, store],
      [`/_/limits?customer_id=${customerId}`, key, customer],
      [`/_/usage?key_id=${id}`, key, customer],
      [`/_/logs?key_id=${id}`, key, customer],
      [`/_/keys/${id}`, customer, store],
      [`/_/customers/${customerId}/budgets`, store],
    ] as const) {
      const { text } = await open(path, cookie);
      for (const name of names) expect([path, text.includes(name)]).toEqual([path, true]);
    }
  });

  it("find anything by id, key or name, also misspelled, and put no key into an address or a page", async () => {
    const { id, storeId, customerId, plaintext } = await harness.key({ identifier: "Meadow Bakery" });
    const cookie = await logIn();
    const page = await open("/_", cookie);
    expect(page.text).toContain('role="search"');
    const search = (q: string): Promise<Answer> => post("/_/search", { csrf: csrfOf(page), q }, cookie);
    const led = async (q: string): Promise<string> => (await search(q)).headers.get("location") ?? "";
    expect(await led(plaintext)).toBe(`/_/keys/${id}`);
    expect(await led(` ${storeId} `)).toBe(`/_/stores/${storeId}`);
    expect(await led("Meadow Bakery")).toBe(`/_/stores/${storeId}`);
    const { json } = await harness.admin("GET", `/api/platform/admin/customers/${customerId}`);
    expect(await led(json.data.email)).toBe(`/_/customers/${customerId}`);
    expect(await led("medow bakry")).toBe(`/_/stores/${storeId}`);
    const last4 = (await harness.admin("GET", `/api/platform/admin/keys/${id}`)).json.data.last4;
    const byEnd = await search(last4);
    expect(byEnd.headers.get("location") ?? byEnd.text).toContain(`/_/keys/${id}`);
    const refused = await harness.call("GET", "/v1/reviews/nothing", { key: plaintext });
    const request = refused.headers.get("x-request-id") ?? "";
    expect(await led(request)).toBe(`/_/logs/${request}`);
    const unknown = makeKey("live", createSystemRandom());
    const none = await search(unknown);
    expect(none.text).toContain("No key is this one.");
    expect(none.text).not.toContain(unknown);
    expect((await search("zzzzqqqq")).text).toContain("Nothing found.");
    expect((await post("/_/search", { q: "shop" }, cookie)).status).toBe(403);
    const answers = await harness.admin("POST", "/api/platform/admin/search", { body: { q: "medow" } });
    expect(answers.json.data[0]).toMatchObject({ kind: "store", id: storeId, name: "Meadow Bakery" });
  });

  it("show refusals by hour and by whom: key, customer and route", async () => {
    const { plaintext, id, customerId } = await harness.key({ name: "Kiosk", plan: "free" });
    harness.clock.set("2026-06-02T14:00:10.000Z");
    for (let call = 0; call < 66; call += 1)
      await harness.call("GET", "/v1/delivery/zones", { key: plaintext });
    const { json } = await harness.admin("GET", "/api/platform/admin/limits/refusals?day=2026-06-02");
    const [first] = json.data;
    const refused = first.rate_limited;
    expect(refused).toBeGreaterThan(0);
    expect(first).toMatchObject({ key_id: id, customer_id: customerId });
    expect(first.routes).toEqual([{ route: "delivery.zones.list", rate_limited: refused }]);
    expect(
      first.by_hour
        .map((count: number, hour: number) => (count > 0 ? hour : -1))
        .filter((hour: number) => hour >= 0),
    ).toEqual([14]);
    const cookie = await logIn();
    const page = await open("/_/refusals?day=2026-06-02", cookie);
    expect(page.text).toContain(`<title>14:00: ${refused} Kiosk</title>`);
    expect(page.text).toContain(`delivery.zones.list ${refused}`);
    expect(page.text).not.toContain("<script");
    const logs = await open(`/_/logs?key_id=${id}&status=4xx`, cookie);
    expect(logs.text).toMatch(/delivery\.zones\.list<\/td>\s*<td>429/);
  });

  it("draw what was asked by day, by outcome and by route", async () => {
    const { plaintext, id } = await harness.key();
    for (const path of ["/v1/reviews", "/v1/reviews", "/v1/delivery/zones", "/v1/reviews/nothing"])
      await harness.call("GET", path, { key: plaintext });
    const page = await open(`/_/usage?key_id=${id}`, await logIn());
    expect(page.text).toMatch(/: 3 succeeded, 1 rejected, 0 rate limited, 0 failed/);
    expect(page.text).toMatch(/: 2 reviews\.reviews\.list, /);
  });

  it("show, search and page 10,000 keys", async () => {
    const { id, customerId, storeId } = await harness.key();
    const { value: model } = await harness.services.runTx("platform", (tx) => tx.require(keys, id));
    for (let start = 0; start < 10_000; start += 25) {
      await harness.services.runTx("platform", async (tx) => {
        for (let at = start; at < start + 25; at += 1) {
          tx.create(keys, {
            ...model,
            id: harness.services.newId("key"),
            name: `number ${at}`,
            customer_id: customerId,
            store_id: storeId,
          });
        }
      });
    }
    const cookie = await logIn();
    const first = await open("/_/keys", cookie);
    expect(first.status).toBe(200);
    expect(first.text.match(/<tr/g)?.length).toBe(26);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await open(`/_/keys${next}`, cookie);
    expect(second.text).toContain("number 9970");
    const found = await open(`/_/keys?customer_id=${customerId}&status=ACTIVE`, cookie);
    expect(found.text).toContain("number 9999");
    const none = await open("/_/keys?customer_id=cus_00000000000000000000000000", cookie);
    expect(none.text).toContain("No results for these filters");
  }, 60_000);

  it("do what a button says: sign up, issue a key, revoke it; and write who did it", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    const made = await press(
      "/_/customers?status=pending",
      "admin.customers.create",
      { csrf, "body.email": "cleo@example.test", "body.storeIdentifier": "cleo" },
      cookie,
    );
    expect(made.status, made.text).toBe(200);
    expect(made.text).toMatch(/class="note good"[\s\S]*open the customer/);
    expect(made.text).toContain("/api/platform/verify?token=");
    expect(made.text).toContain('action="/_/customers?status=pending"');
    const customers = await harness.admin("GET", "/api/platform/admin/customers?email=cleo@example.test");
    const customerId = customers.json.data[0].id;
    const page = `/_/customers/${customerId}`;
    const verified = await press(page, "admin.customers.verify", { csrf }, cookie);
    expect(verified.text).toMatch(/<h1>Customer[\s\S]*not stored and cannot be shown again/);
    const issued = await press(
      page,
      "admin.keys.create",
      { csrf, "body.customer_id": customerId, "body.preset": "read-only", "body.name": "" },
      cookie,
    );
    const key = /plat_live_\w{36}/.exec(issued.text)?.[0] ?? "";
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
    const { json } = await harness.call("GET", "/v1/account", { key });
    const revoke = { csrf, "body.reason": "leaked" };
    const keyPage = `/_/keys/${json.data.key.id}`;
    expect((await press(keyPage, "admin.keys.revoke", revoke, cookie)).text).toContain('value="leaked"');
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
    const revoked = await press(keyPage, "admin.keys.revoke", { ...revoke, sure: "yes" }, cookie);
    expect([revoked.status, revoked.headers.get("location")]).toEqual([303, keyPage]);
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(401);
    const audit = await open(`/_/audit?about=${json.data.key.id}`, cookie);
    expect(audit.text).toMatch(/<td>operator<\/td>\s*<td>key\.revoked/);
  });

  it("show the result of an action on the page itself, once, and as words", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/storage", cookie));
    const sent = await press("/_/storage", "admin.storage.verify", { csrf }, cookie);
    expect([sent.status, sent.headers.get("location"), sent.text]).toEqual([303, "/_/storage", ""]);
    const after = await open("/_/storage", cookie);
    expect(after.text).toMatch(/class="note good" role="status"[\s\S]*\d+ documents[\s\S]*no problem/);
    expect((await open("/_/storage", cookie)).text).not.toContain("no problem");
  });

  it("suspend for a reason, after asking; the reason is stored, shown and in the audit trail", async () => {
    const { customerId, plaintext } = await harness.key();
    const cookie = await logIn();
    const page = `/_/customers/${customerId}`;
    const ask = /href="([^"]*act=admin\.customers\.suspend)"/.exec((await open(page, cookie)).text)?.[1];
    const asking = await open(ask ?? "", cookie);
    expect(asking.text).toMatch(/All its keys are refused[\s\S]*name="body\.reason"[\s\S]*Cancel/);
    const csrf = csrfOf(asking);
    const fields = { csrf, "body.reason": "Invoices unpaid" };
    const unasked = await press(page, "admin.customers.suspend", fields, cookie);
    expect(unasked.text).toContain("All its keys are refused");
    const empty = await press(
      page,
      "admin.customers.suspend",
      { csrf, "body.reason": "x\ny", sure: "yes" },
      cookie,
    );
    expect(empty.status).toBe(422);
    expect(empty.text).toMatch(/not done[\s\S]*aria-invalid="true"[\s\S]*Control characters/);
    expect((await harness.call("GET", "/v1/reviews", { key: plaintext })).status).toBe(200);
    await press(page, "admin.customers.suspend", { ...fields, sure: "yes" }, cookie);
    expect((await harness.call("GET", "/v1/reviews", { key: plaintext })).status).toBe(401);
    expect((await open(page, cookie)).text).toMatch(
      /class="note good"[\s\S]*Suspended: Invoices unpaid[\s\S]*<dt>Suspended reason<\/dt>\s*<dd>Invoices unpaid/,
    );
    expect((await open(`/_/audit?about=${customerId}`, cookie)).text).toContain("reason: Invoices unpaid");
    await press(page, "admin.customers.resume", { csrf }, cookie);
    const { json } = await harness.admin("GET", `/api/platform/admin/customers/${customerId}`);
    expect(json.data.suspended_reason).toBeNull();
  });

  it("do nothing without the session's own mark, nor what no page offers", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    const fields = { "body.email": "eve@example.test", "body.storeIdentifier": "eve" };
    const create = (more: Record<string, string>, by = cookie): Promise<Answer> =>
      press("/_/customers", "admin.customers.create", { ...fields, ...more }, by);
    expect((await create({})).status).toBe(403);
    expect((await create({ csrf: `${csrf}x` })).status).toBe(403);
    expect((await create({ csrf }, "")).status).toBe(401);
    expect((await press("/_/customers", "admin.seed.clear", { csrf }, cookie)).status).toBe(404);
    expect((await press("/_/storage", "admin.customers.create", { ...fields, csrf }, cookie)).status).toBe(
      404,
    );
    const none = await harness.admin("GET", "/api/platform/admin/customers?email=eve@example.test");
    expect(none.json.data).toEqual([]);
  });

  it("explain what is refused at its field, keep what was typed, and write nothing of it", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    const answer = await press(
      "/_/customers",
      "admin.customers.create",
      { csrf, "body.email": "no address", "body.storeIdentifier": "kept-name" },
      cookie,
    );
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/<h1>Customers[\s\S]*class="note bad"[\s\S]*not done/);
    expect(answer.text).toMatch(/value="no address"[^>]*aria-invalid="true"[\s\S]*class="wrong"/);
    expect(answer.text).toContain('value="kept-name"');
    expect(answer.text).not.toContain("{&quot;");
  });

  it("render a mail in a frame that loads nothing, with its text, and send it again", async () => {
    const body = { email: "mia@example.test", storeIdentifier: "mia" };
    await harness.call("POST", "/api/platform/signup", { body });
    const cookie = await logIn();
    const list = await open("/_/mail?to=mia@example.test", cookie);
    const link = /href="(\/_\/mail\/mail_\w+)"/.exec(list.text)?.[1] ?? "";
    const page = await open(link, cookie);
    expect(page.text).toMatch(/<dt>Status<\/dt>\s*<dd>sent[\s\S]*<dt>Attempts<\/dt>\s*<dd>1/);
    expect(page.text).toMatch(new RegExp(`<iframe\\s+src="${link}/html"[^>]*sandbox="allow-popups`));
    expect(page.text).toMatch(/Text part<\/h2>\s*<pre>[\s\S]*verify\?token=/);
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
    expect(page.text).not.toContain("Retry now");
    const html = await open(`${link}/html`, cookie);
    expect(html.headers.get("content-security-policy")).toMatch(/^sandbox [\s\S]*default-src 'none'/);
    expect((await harness.call("GET", `${link}/html`)).status).toBe(401);
    await press(link, "admin.mail.resend", { csrf: csrfOf(page) }, cookie);
    const again = /queued again as <a href="(\/_\/mail\/mail_\w+)"/.exec(
      (await open(link, cookie)).text,
    )?.[1];
    expect(again).not.toBe(link);
    expect((await open(again ?? "", cookie)).text).toContain("mia@example.test");
  });

  it("lead to the webhooks of a store and send again what it missed", async () => {
    const key = await harness.key();
    const made = await harness.call("POST", "/v1/account/webhooks", {
      key,
      body: { url: "https://ops.example/hooks", types: ["delivery.*"] },
    });
    expect(made.status, made.text).toBe(201);
    const cookie = await logIn();
    const list = await open(`/_/webhooks?store_id=${key.storeId}`, cookie);
    const link = /href="(\/_\/webhooks\/[^"]+)"/.exec(list.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const page = await open(link, cookie);
    expect(page.text).toContain("https://ops.example/hooks");
    const answer = await press(
      link,
      "admin.webhooks.resend",
      {
        csrf: csrfOf(page),
        "body.since": "2026-06-01T00:00:00.000Z",
        "body.until": "",
      },
      cookie,
    );
    expect([answer.status, answer.headers.get("location")], answer.text).toEqual([303, link]);
    expect((await open(link, cookie)).text).toContain("The missed events are sent again");

    await harness.call("POST", `/v1/account/webhooks/${made.json.data.id}/test`, { key });
    const sent = await open(link.replace("?", "/deliveries?"), cookie);
    const field = (name: string): string =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(sent.text)?.[1] ?? "";
    const again = await press(
      link.replace("?", "/deliveries?"),
      "admin.webhooks.resend-delivery",
      {
        csrf: csrfOf(sent),
        "param.id": field("param.id"),
        "param.delivery_id": field("param.delivery_id"),
      },
      cookie,
    );
    expect(again.status, again.text).toBe(303);
    expect((await open(again.headers.get("location") ?? "", cookie)).text).toContain(
      "The delivery is pending.",
    );
  });
});

describe("a link to a page with more in its query", () => {
  it("does not change what a button is about", async () => {
    const cookie = await logIn();
    const page = await open("/_/jobs/http.sweep-idempotency?job_id=x&id=delivery.sweep-holds", cookie);
    const address = /class="action" method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? "";
    await press(address.replaceAll("&amp;", "&"), "admin.jobs.run", { csrf: csrfOf(page) }, cookie);
    const runs = async (id: string): Promise<number> =>
      (await harness.admin("GET", `/api/platform/admin/jobs/history?job_id=${id}`)).json.data.length;
    expect([await runs("http.sweep-idempotency"), await runs("delivery.sweep-holds")]).toEqual([1, 0]);
  });
});
