import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import { openScopes } from "../../server/registry.ts";
import { silentLog } from "../../server/core/log.ts";
import { createWorld } from "../contract/world.ts";
import type { World } from "../contract/world.ts";
import type { TestKey } from "../harness.ts";
import { HAS_BROWSER, openBrowser, serveHarness } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";
import { serveStorefront } from "../support/storefront.ts";
import type { Storefront } from "../support/storefront.ts";

let browser: TestBrowser;
let served: Awaited<ReturnType<typeof serveHarness>>;
let shop: Storefront;
let world: World;
let pub: TestKey;
let page: Page;
let seen: string[] = [];

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const log = {
    ...silentLog,
    info(fields: object, message: string) {
      const { method, status }: { method?: string; status?: number } = fields;
      if (message === "request") seen.push(`${method} ${status}`);
    },
  };
  [browser, served, shop] = await Promise.all([openBrowser(), serveHarness({ log }), serveStorefront()]);
  world = await createWorld(served.harness);
  const { storeId, customerId } = world.key;
  pub = await served.harness.key({
    kind: "publishable",
    scopes: [...openScopes],
    customer_id: customerId,
    store_id: storeId,
  });
  await served.harness.call("PATCH", "/v1/account/browser", {
    key: world.key,
    body: { origins: [shop.origin] },
  });
  shop.put("/", {
    html: `<script src="/shop.js" data-api="${served.url}" data-key="${pub.plaintext}"></script>`,
  });
  ({ page } = await browser.open());
  await page.goto(shop.origin);
}, 60_000);
afterAll(async () => {
  if (!HAS_BROWSER) return;
  await Promise.all([browser.close(), served.close(), shop.close()]);
});

// Limits count in the minutes of the test's clock.
beforeEach(() => HAS_BROWSER && served.harness.clock.advance(120_000));

interface Answer {
  readonly status: number;
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
  readonly failed: string | null;
}
const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  page.evaluate(`ask(${JSON.stringify({ method, path, body })})`);
const listed = (path: string): string[] => (world.lists.get(path) ?? []).map(({ id }) => String(id));

describe.runIf(HAS_BROWSER)("a page on another origin, with a publishable key", () => {
  it("shows the live menu, and asks next time only whether it changed", async () => {
    const menus = await Promise.all(listed("/v1/menus").map((id) => ask("GET", `/v1/menus/${id}/live`)));
    const live = menus.find(({ status }) => status === 200)?.json.data;
    expect(live.categories.length).toBeGreaterThan(0);
    seen = [];
    // A minute later, nothing having changed.
    served.harness.clock.advance(60_000);
    const again = await ask("GET", `/v1/menus/${live.menu_id}/live`);
    expect([again.status, again.json.data.categories]).toEqual([200, live.categories]);
    expect(seen.filter((line) => line.startsWith("GET"))).toEqual(["GET 304"]);
    const item = live.categories.flatMap(({ items }: { items: object[] }) => items)[0];
    const priced = await ask("POST", "/v1/menus/price", {
      menu_id: live.menu_id,
      lines: [{ item_id: item.id, quantity: 2 }],
    });
    expect([priced.status, priced.json.data.currency]).toEqual([200, live.currency]);
  });

  it("shows allergens, labels and nutrition of products that were verified, and nothing of others", async () => {
    const { status, json } = await ask("GET", "/v1/allergens/products?include=status,dietary&limit=100");
    expect(status).toBe(200);
    const shown = json.data.map(({ id }: { id: string }) => id);
    const all = listed("/v1/allergens/products");
    const [draft] = all.filter((id) => !shown.includes(id));
    expect(json.data.some(({ status: is }: { status: string }) => is === "unverified")).toBe(false);
    for (const path of ["label", "nutrition"]) {
      expect((await ask("GET", `/v1/allergens/products/${shown[0]}/${path}`)).status, path).toBe(200);
    }
    expect((await ask("GET", "/v1/allergens/products?include=declarations")).status).toBe(422);
    const checked = await ask("POST", "/v1/allergens/check", { product_ids: [shown[0]], avoid: ["milk"] });
    expect(checked.json.data.results[0].title).toEqual(expect.any(String));
    if (draft === undefined) throw new Error("The demo store has no product that was never verified.");
    expect((await ask("GET", `/v1/allergens/products/${draft}/label`)).status).toBe(404);
    const hidden = await ask("POST", "/v1/allergens/check", { product_ids: [draft], avoid: ["milk"] });
    expect(hidden.json.data).toMatchObject({ verdict: "unknown", results: [{ title: null }] });
    const matrix = await ask("GET", "/v1/allergens/matrix");
    const rows = matrix.json.data.rows.map(({ id }: { id: string }) => id);
    expect(new Set(rows)).toEqual(new Set(shown));
  });

  it("checks a delivery and lists slots", async () => {
    const checked = await ask("POST", "/v1/delivery/validate", { postcode: "SW1A 1AA", basketTotal: 2999 });
    expect([checked.status, typeof checked.json.data.deliverable]).toEqual([200, "boolean"]);
    expect((await ask("GET", "/v1/delivery/slots?postcode=SW1A%201AA&limit=5")).status).toBe(200);
  });

  it("prices a cart for no one in particular", async () => {
    const line = { id: "1", ref: "sourdough", quantity: 1, unit_price: 420 };
    expect((await ask("POST", "/v1/cart/evaluations", { lines: [line] })).status).toBe(200);
    const suggested = await ask("POST", "/v1/cart/upsells/suggestions", { placement: "cart", lines: [line] });
    expect(suggested.status).toBe(200);
    for (const path of ["evaluations", "upsells/suggestions"]) {
      const body = { placement: "cart", lines: [line], customer: { id: "ada" } };
      const { placement: _placement, ...plain } = body;
      const refused = await ask("POST", `/v1/cart/${path}`, path === "evaluations" ? plain : body);
      expect([refused.status, refused.json.error.errors[0].pointer]).toEqual([422, "#/customer"]);
    }
  });

  it("keeps a cart under a secret id, and neither writes to anyone nor reads who it belongs to", async () => {
    const id = "n4bQgYhMfWWaL-qgxVrQFa";
    const body = {
      lines: [{ ref: "sourdough", title: "Sourdough", quantity: 1, unit_price: 420 }],
      total: 420,
      currency: "GBP",
      checkout_url: "https://shop.example/checkout",
      sequence: 1,
    };
    expect((await ask("PUT", `/v1/cart/carts/${id}`, body)).status).toBe(200);
    // Not as a submission, of which 15 a minute are accepted.
    for (let sequence = 2; sequence < 18; sequence += 1)
      expect((await ask("PUT", `/v1/cart/carts/${id}`, { ...body, sequence })).status).toBe(200);
    const customer = { email: "ada@office.example" };
    const refused = await ask("PUT", `/v1/cart/carts/${id}`, { ...body, sequence: 18, customer });
    expect([refused.status, refused.json.error.errors[0].pointer]).toEqual([422, "#/customer"]);
    const consent = { basis: "consent" };
    expect((await ask("PUT", `/v1/cart/carts/${id}`, { ...body, sequence: 18, consent })).status).toBe(422);
    expect((await ask("PUT", "/v1/cart/carts/cart-1", body)).status).toBe(422);
    const own = { ...body, sequence: 19, customer, consent: { basis: "consent" } };
    const stored = await served.harness.call("PUT", `/v1/cart/carts/${id}`, { key: world.key, body: own });
    expect(stored.json.data.customer.email).toBe(customer.email);
    const read = await ask("GET", `/v1/cart/carts/${id}`);
    expect([read.status, read.json.data.customer.email, read.json.data.sequence]).toEqual([200, null, 19]);
    // What the page writes later leaves the person that the server has set.
    await ask("PUT", `/v1/cart/carts/${id}`, { ...body, sequence: 20 });
    const after = await served.harness.call("GET", `/v1/cart/carts/${id}`, { key: world.key });
    expect(after.json.data).toMatchObject({ sequence: 20, customer, consent: { basis: "consent" } });
    expect((await ask("GET", `/v1/cart/carts/${stored.json.data.id}`)).status).toBe(404);
  });

  it("shows the levels of the programme", async () => {
    const { status, json } = await ask("GET", "/v1/tiers/ladder");
    expect([status, json.data[0].rank]).toEqual([200, 0]);
    expect(json.data[0]).not.toHaveProperty("members");
  });

  it("reads why a request is refused, on any route", async () => {
    const { status, json, failed } = await ask("GET", "/v1/menus");
    expect([status, json.error.code, failed]).toEqual([403, "insufficient_scope", null]);
    expect((await ask("GET", "/v1/nothing/here")).status).toBe(404);
  });
});
