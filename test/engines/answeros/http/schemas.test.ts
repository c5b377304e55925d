import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createShop, RYE } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let page: string;
beforeAll(async () => {
  shop = await createShop();
  page = (
    await shop.must("POST", "/pages", { html: RYE, url: "https://crumb.example/rye", page_type: "product" })
  ).id;
});
afterAll(() => shop.harness.close());

const product = (name: string, price = "5.20") => ({
  "@context": "https://schema.org",
  "@type": "Product",
  name,
  offers: { "@type": "Offer", price, priceCurrency: "GBP" },
});

describe("structured data", () => {
  it("is generated out of the page, published, and served escaped", async () => {
    const made = await shop.must("POST", "/schemas/generate", { page_id: page });
    expect(made).toMatchObject({
      type: "Product",
      status: "valid",
      origin: "generated",
      parity: { checked: true, missing: [] },
    });
    expect((await shop.call("GET", `/schemas/${made.id}/script`)).status).toBe(404);
    const published = await shop.must("POST", `/schemas/${made.id}/publish`);
    expect(published).toMatchObject({ status: "published", published_at: expect.any(String) });
    const script = await shop.call("GET", `/schemas/${made.id}/script`);
    expect(script.text).toMatch(/^<script type="application\/ld\+json">\{.*\}<\/script>\n$/);
    await shop.must("POST", `/schemas/${made.id}/unpublish`);
    expect((await shop.call("GET", `/schemas/${made.id}/script`)).status).toBe(404);
  });

  it("cannot break out of its script", async () => {
    const nasty = "Dark rye </script><script>alert(1)</script>";
    const html = RYE.replace(
      "<h1>Dark rye</h1>",
      "<h1>Dark rye &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>",
    );
    const { id: other } = await shop.must("POST", "/pages", { html });
    const made = await shop.must("POST", "/schemas", {
      page_id: other,
      type: "Product",
      jsonld: product(nasty),
    });
    await shop.must("POST", `/schemas/${made.id}/publish`);
    const { text } = await shop.call("GET", `/schemas/${made.id}/script`);
    expect(text.match(/<\/?script/g)).toHaveLength(2);
    expect(text).toContain("\\u003c/script\\u003e");
  });

  it("is read with a publishable key, and only when published", async () => {
    const made = await shop.must("POST", "/schemas/generate", { page_id: page });
    const key = await shop.harness.key({
      kind: "publishable",
      scopes: ["answeros:public"],
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
    });
    const get = (path: string) => shop.harness.call("GET", `/v1/answeros${path}`, { key });
    expect((await get(`/schemas/${made.id}/script`)).status).toBe(404);
    await shop.must("POST", `/schemas/${made.id}/publish`);
    expect((await get(`/schemas/${made.id}/script`)).status).toBe(200);
    expect((await get(`/schemas/${made.id}`)).status).toBe(403);
  });

  it("is not published while it is wrong: 409 schema_invalid", async () => {
    const { offers: _, ...bare } = product("Dark rye");
    const made = await shop.must("POST", "/schemas", { page_id: page, type: "Product", jsonld: bare });
    expect(made).toMatchObject({
      status: "invalid",
      errors: [{ path: "/offers", code: "missing_required" }],
    });
    expect(await shop.refused("POST", `/schemas/${made.id}/publish`)).toEqual([409, "schema_invalid"]);
    expect(await shop.events()).toContain("answeros.schema.invalid");
  });

  it("is not published while the page does not show it: 409 schema_not_visible", async () => {
    const made = await shop.must("POST", "/schemas", {
      page_id: page,
      type: "Product",
      jsonld: product("Dark rye", "4.00"),
    });
    expect(made.parity.missing).toEqual([{ path: "/offers/price", value: "4.00" }]);
    expect(await shop.refused("POST", `/schemas/${made.id}/publish`)).toEqual([409, "schema_not_visible"]);
    const unread = await shop.must("POST", "/pages", { url: "https://crumb.example/unread" });
    const blind = await shop.must("POST", "/schemas", {
      page_id: unread.id,
      type: "Product",
      jsonld: product("x"),
    });
    expect(await shop.refused("POST", `/schemas/${blind.id}/publish`)).toEqual([409, "schema_not_visible"]);
    expect(await shop.refused("POST", "/schemas/generate", { page_id: unread.id })).toEqual([
      409,
      "page_not_read",
    ]);
  });

  it("stays valid while it is published, and is taken back when the page changes", async () => {
    const { id: own } = await shop.must("POST", "/pages", { html: RYE });
    const made = await shop.must("POST", "/schemas", {
      page_id: own,
      type: "Product",
      jsonld: product("Dark rye"),
    });
    await shop.must("POST", `/schemas/${made.id}/publish`);
    const worse = { jsonld: product("Dark rye", "9.99") };
    expect(await shop.refused("PATCH", `/schemas/${made.id}`, worse)).toEqual([409, "schema_invalid"]);
    await shop.must("POST", `/pages/${own}/refresh`, { html: RYE.replace("£5.20", "£6.00") });
    expect((await shop.must("GET", `/schemas/${made.id}`)).status).toBe("invalid");
    const again = await shop.must("POST", `/schemas/${made.id}/validate`);
    expect(again).toMatchObject({ status: "invalid", published_at: null });
    expect((await shop.call("GET", `/schemas/${made.id}/script`)).status).toBe(404);
    const mended = await shop.must("PATCH", `/schemas/${made.id}`, { jsonld: product("Dark rye", "6.00") });
    expect(mended).toMatchObject({ status: "valid", revision: 2 });
  });

  it("keeps its page while it is published: 409 schema_published", async () => {
    const { id: own } = await shop.must("POST", "/pages", { html: RYE });
    const made = await shop.must("POST", "/schemas", {
      page_id: own,
      type: "Product",
      jsonld: product("Dark rye"),
    });
    await shop.must("POST", `/schemas/${made.id}/publish`);
    expect(await shop.refused("DELETE", `/pages/${own}`)).toEqual([409, "schema_published"]);
    await shop.must("POST", `/schemas/${made.id}/unpublish`);
    expect((await shop.call("DELETE", `/pages/${own}`)).status).toBe(204);
  });

  it("is listed by page and status", async () => {
    const valid = await shop.must("GET", `/schemas?page_id=${page}&status=invalid`);
    expect(valid.length).toBeGreaterThan(0);
    expect(valid.every((one: { status: string }) => one.status === "invalid")).toBe(true);
    expect((await shop.must("GET", "/schemas?status=published")).length).toBeGreaterThan(0);
  });

  it("is validated without being kept", async () => {
    const validate = (jsonld: string, more: object = {}) =>
      shop.must("POST", "/schemas/validate", { jsonld, ...more });
    expect(await validate("{")).toMatchObject({ valid: false, errors: [{ code: "bad_json" }] });
    expect(await validate(JSON.stringify(product("Dark rye")), { page_id: page })).toMatchObject({
      valid: true,
    });
    expect(await validate(JSON.stringify(product("Oats")), { page_id: page })).toMatchObject({
      valid: false,
      errors: [{ path: "/name", code: "not_visible" }],
    });
  });
});
