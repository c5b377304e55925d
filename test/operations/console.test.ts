import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { adminNamespace } from "../../server/operations/admin/index.ts";
import { keys, stores } from "../../server/accounts/collections.ts";
import { VIEWS } from "../../server/site/console/views.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ config: { baseUrl: "http://127.0.0.1" } });
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
    const page = await open("/_/customers", cookie);
    const csrf = csrfOf(page);
    const made = await post(
      "/_/do/admin.customers.create",
      { csrf, "body.email": "cleo@example.test", "body.storeIdentifier": "cleo", back: "/_/customers" },
      cookie,
    );
    expect(made.status, made.text).toBe(200);
    expect(made.text).toContain("verification_url");
    const customers = await harness.admin("GET", "/api/platform/admin/customers?email=cleo@example.test");
    const customerId = customers.json.data[0].id;
    await post("/_/do/admin.customers.verify", { csrf, "param.id": customerId }, cookie);
    const issued = await post(
      "/_/do/admin.keys.create",
      { csrf, "body.customer_id": customerId, "body.preset": "read-only", "body.name": "" },
      cookie,
    );
    const key = /plat_live_\w{36}/.exec(issued.text)?.[0] ?? "";
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
    const { json } = await harness.call("GET", "/v1/account", { key });
    const revoke = { csrf, "param.id": json.data.key.id, "body.reason": "leaked" };
    expect((await post("/_/do/admin.keys.revoke", revoke, cookie)).status).toBe(422);
    await post("/_/do/admin.keys.revoke", { ...revoke, sure: "yes" }, cookie);
    expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(401);
    const audit = await open(`/_/audit?about=${json.data.key.id}`, cookie);
    expect(audit.text).toMatch(/console[\s\S]*key\.revoked/);
  });

  it("do nothing without the session's own mark, nor what no page offers", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    const fields = { "body.email": "eve@example.test", "body.storeIdentifier": "eve" };
    expect((await post("/_/do/admin.customers.create", fields, cookie)).status).toBe(403);
    expect((await post("/_/do/admin.customers.create", { ...fields, csrf: `${csrf}x` }, cookie)).status).toBe(
      403,
    );
    expect((await post("/_/do/admin.customers.create", { ...fields, csrf })).status).toBe(401);
    expect((await post("/_/do/admin.seed.clear", { csrf }, cookie)).status).toBe(404);
    const none = await harness.admin("GET", "/api/platform/admin/customers?email=eve@example.test");
    expect(none.json.data).toEqual([]);
  });

  it("tell what is refused, field by field, and write nothing of it", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    const answer = await post(
      "/_/do/admin.customers.create",
      { csrf, "body.email": "no address", "body.storeIdentifier": "x" },
      cookie,
    );
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("#/email");
  });

  it("lead back to this service alone", async () => {
    const cookie = await logIn();
    const csrf = csrfOf(await open("/_/customers", cookie));
    for (const back of ["https://evil.example/", "//evil.example", "/_/../../x", "javascript:alert(1)"]) {
      const answer = await post("/_/do/admin.storage.compact", { csrf, back }, cookie);
      expect(answer.headers.get("location") ?? "").not.toMatch(/evil|javascript/);
      expect(answer.text).not.toMatch(/href="(https:\/\/evil|\/\/evil|javascript)/);
    }
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
    const answer = await post(
      "/_/do/admin.webhooks.resend",
      {
        csrf: csrfOf(page),
        "param.id": made.json.data.id,
        "param.store_id": key.storeId,
        "param.mode": "live",
        "body.since": "2026-06-01T00:00:00.000Z",
        "body.until": "",
      },
      cookie,
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain(made.json.data.id);

    await harness.call("POST", `/v1/account/webhooks/${made.json.data.id}/test`, { key });
    const sent = await open(link.replace("?", "/deliveries?"), cookie);
    const field = (name: string): string =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(sent.text)?.[1] ?? "";
    const again = await post(
      "/_/do/admin.webhooks.resend-delivery",
      {
        csrf: csrfOf(sent),
        "param.id": field("param.id"),
        "param.delivery_id": field("param.delivery_id"),
        "param.store_id": field("param.store_id"),
        "param.mode": field("param.mode"),
      },
      cookie,
    );
    expect(again.status, again.text).toBe(200);
    expect(again.text).toContain("pending");
  });
});

describe("a link to a page with more in its query", () => {
  it("does not change what a button is about", async () => {
    const cookie = await logIn();
    const page = await open("/_/jobs/mail.deliver?job_id=x&id=delivery.sweep-holds", cookie);
    expect(page.text).toContain('name="param.id" value="mail.deliver"');
    expect(page.text).not.toContain('name="param.id" value="delivery.sweep-holds"');
  });
});
