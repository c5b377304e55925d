import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hasRole, OperatorRole } from "../../server/core/operator-role.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { ConfigSchema } from "../../server/config/schema.ts";
import { adminEndpoints, callExample, titleOf } from "../contract/world.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

const ADMIN = "/api/platform/admin";
const config = { baseUrl: "http://127.0.0.1" };

let harness: Harness;
const tokens = new Map<string, string>();
beforeAll(async () => {
  harness = await createHarness({ config });
  for (const role of OperatorRole.options) tokens.set(role, await add(role, role));
});
afterAll(() => harness.close());

async function add(name: string, role: string): Promise<string> {
  const answer = await harness.admin("POST", `${ADMIN}/operators`, { body: { name, role } });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.token;
}

const as = (token: string | undefined, method: string, path: string, body?: object): Promise<Answer> =>
  harness.call(method, `${ADMIN}${path}`, { key: token, ...(body === undefined ? {} : { body }) });

describe("a named operator", () => {
  it("has a token that is shown once and stored as a hash", async () => {
    const token = await add("anna", "support");
    expect(token).toMatch(/^plat_admin_\w{36}$/);
    const listed = await as(token, "GET", "/operators");
    expect(listed.json.data[0]).toMatchObject({ name: "anna", role: "support" });
    expect(listed.text).not.toContain(token);
    for (const { name } of await harness.store.collections("platform")) {
      const { items } = await harness.store.page("platform", name, { limit: 100 });
      for (const doc of items) expect(doc.key + doc.value).not.toContain(token);
    }
  });

  it("has a name of its own, and none that stands for something else", async () => {
    await add("bo", "viewer");
    const again = await harness.admin("POST", `${ADMIN}/operators`, { body: { name: "bo", role: "owner" } });
    expect(again.json.error).toMatchObject({ status: 409, code: "operator_exists" });
    for (const name of ["config", "system", "Anna", "a b", ""])
      expect([
        name,
        (await harness.admin("POST", `${ADMIN}/operators`, { body: { name, role: "owner" } })).status,
      ]).toEqual([name, 422]);
  });

  it("is in the audit trail, as is the owner by the token of the configuration", async () => {
    const { customerId } = await harness.key();
    await as(tokens.get("support"), "POST", `/customers/${customerId}/suspend`, { reason: "Fraud" });
    const { data } = (await harness.admin("GET", `${ADMIN}/audit?about=${customerId}`)).json;
    expect(data[0]).toMatchObject({
      actor: "support",
      action: "customer.suspended",
      details: { reason: "Fraud" },
    });
    const token = makeKey("admin", createSystemRandom());
    const other = await createHarness({ config: { admin: { ...ConfigSchema.parse({}).admin, token } } });
    const made = await other.call("POST", `${ADMIN}/operators`, {
      key: token,
      body: { name: "cy", role: "viewer" },
    });
    const audit = await other.call("GET", `${ADMIN}/audit?about=${made.json.data.id}`, { key: token });
    expect(audit.json.data[0]).toMatchObject({ actor: "config", action: "operator.added" });
    await other.close();
  });

  it("is refused once removed, with the console session", async () => {
    const token = await add("dee", "owner");
    const cookie = await logIn(token);
    expect((await harness.call("GET", "/_/customers", { headers: { cookie } })).status).toBe(200);
    expect((await harness.admin("DELETE", `${ADMIN}/operators/dee`)).status).toBe(204);
    expect((await as(token, "GET", "/plans")).status).toBe(401);
    expect((await harness.call("GET", "/_/customers", { headers: { cookie } })).status).toBe(401);
    expect((await harness.admin("DELETE", `${ADMIN}/operators/dee`)).status).toBe(404);
    // Another operator of the same name does not inherit it.
    await add("dee", "owner");
    expect((await harness.call("GET", "/_/customers", { headers: { cookie } })).status).toBe(401);
  });
});

describe("the role of a route", () => {
  it("is viewer for reads of no secrets, support for mails, keys and suspensions, owner for the rest", () => {
    const of = new Map(adminEndpoints.map(({ route }) => [route.id, route.role]));
    const ids = [
      "audit.list",
      "mail.list",
      "mail.show",
      "keys.create",
      "customers.suspend",
      "customers.trust",
    ];
    expect(ids.map((id) => of.get(`admin.${id}`))).toEqual([
      "viewer",
      "viewer",
      "support",
      "support",
      "support",
      "owner",
    ]);
    for (const id of [
      "customers.plan",
      "operators.create",
      "storage.backup",
      "storage.export",
      "privacy.export",
    ])
      expect([id, of.get(`admin.${id}`)]).toEqual([id, "owner"]);
  });

  it.each(adminEndpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "is required: %s",
    async (_, endpoint) => {
      for (const role of OperatorRole.options) {
        if (hasRole(role, endpoint.route.role)) continue;
        const answer = await callExample(harness, endpoint, { key: tokens.get(role) });
        expect([role, answer.status, answer.json.error.code]).toEqual([role, 403, "insufficient_role"]);
      }
    },
  );
});

async function logIn(token: string | undefined): Promise<string> {
  const made = await as(token, "POST", "/console/links");
  const link = new URL(made.json.data.url).pathname.split("/").at(-1) ?? "";
  const answer = await form("/_/setup", { token: link });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const form = (path: string, fields: Record<string, string>, cookie = ""): Promise<Answer> =>
  harness.call("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded", cookie },
    body: new URLSearchParams(fields).toString(),
  });

describe("the console", () => {
  it("offers what the role allows, refuses the rest, and writes who did it", async () => {
    const { customerId } = await harness.key();
    const path = `/_/customers/${customerId}`;
    const look = async (role: string) => {
      const cookie = await logIn(tokens.get(role));
      const page = await harness.call("GET", path, { headers: { cookie } });
      return { cookie, page, csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "" };
    };
    const viewer = await look("viewer");
    expect(viewer.page.text).toContain("viewer (viewer)");
    expect(viewer.page.text).not.toMatch(/Suspend…|Change plan|Issue an API key/);
    const fields = { act: "admin.customers.suspend", sure: "yes", "body.reason": "Spam" };
    const refused = await form(path, { ...fields, csrf: viewer.csrf }, viewer.cookie);
    expect([refused.status, refused.text.includes("has the role viewer")]).toEqual([403, true]);
    const support = await look("support");
    expect(support.page.text).toContain("Suspend…");
    expect(support.page.text).not.toContain("Change plan");
    expect((await form(path, { ...fields, csrf: support.csrf }, support.cookie)).status).toBe(303);
    const { data } = (await harness.admin("GET", `${ADMIN}/audit?about=${customerId}`)).json;
    expect(data[0]).toMatchObject({ actor: "support", action: "customer.suspended" });
    const owner = await look("owner");
    expect(owner.page.text).toContain("Change plan");
  });

  it("adds an operator with the token shown once, and removes one", async () => {
    const cookie = await logIn(tokens.get("owner"));
    const page = await harness.call("GET", "/_/operators", { headers: { cookie } });
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const fields = { csrf, act: "admin.operators.create", "body.name": "fay", "body.role": "viewer" };
    const added = await form("/_/operators", fields, cookie);
    const token = /plat_admin_\w{36}/.exec(added.text)?.[0];
    expect((await as(token, "GET", "/plans")).status).toBe(200);
    // It asks first, about this operator, also where the form came without the answer.
    const list = await harness.call("GET", "/_/operators", { headers: { cookie } });
    const [, ask = ""] =
      /href="([^"]*act=admin\.operators\.delete[^"]*)">Remove…/.exec(
        list.text.slice(list.text.indexOf("<td>fay</td>")),
      ) ?? [];
    const asked = await harness.call("GET", ask.replaceAll("&amp;", "&"), { headers: { cookie } });
    const hasty = await form(
      "/_/operators",
      { csrf, act: "admin.operators.delete", "param.name": "fay" },
      cookie,
    );
    for (const page of [asked, hasty]) {
      expect(page.text).toContain("Operators: fay");
      expect(page.text).toContain("refused from the next request on");
      expect(page.text).toContain('<input type="hidden" name="param.name" value="fay" />');
    }
    expect((await as(token, "GET", "/plans")).status).toBe(200);
    await form(
      "/_/operators",
      { csrf, act: "admin.operators.delete", sure: "yes", "param.name": "fay" },
      cookie,
    );
    expect((await as(token, "GET", "/plans")).status).toBe(401);
  });
});
