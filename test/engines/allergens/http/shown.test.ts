import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { products } from "../../../../server/engines/allergens/repository.ts";
import { createShop, idsOf, refusal, titlesOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

// What guests and storefronts are shown of a product that is recorded, verified or served in another way than it was written.

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const pub = () =>
  shop.harness.key({
    kind: "publishable",
    scopes: ["allergens:public"],
    customer_id: shop.key.customerId,
    store_id: shop.key.storeId,
  });

describe("names that only an exempt ingredient answers", () => {
  const oil = { name: "refined soya oil", contains: ["soy"], exemption: "refined_soy_oil" };

  it("409 soy sauce without a code is not verified by the soya oil, and not safe for a guest who avoids soya", async () => {
    const ingredients = [oil, { name: "soy sauce", contains: ["wheat"] }];
    const id = await shop.make("/products", { title: "Noodles", ingredients });
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    const asked = { product_ids: [id], avoid: ["soy"] };
    expect((await shop.post("/check", asked)).json.data.verdict).toBe("unknown");
    const { allergens } = (await shop.get(`/products/${id}`)).json.data;
    expect(allergens).toEqual(["wheat"]);
  });

  it("409 an exemption that the mode does not have is no answer", async () => {
    const ingredients = [{ name: "peanut oil", exemption: "highly_refined_oil" }];
    const id = await shop.make("/products", { title: "Dressing", ingredients });
    const verify = (mode: string) => shop.post(`/products/${id}/verify`, { by: "Priya", mode });
    expect([refusal(await verify("uk")), (await verify("us")).status]).toEqual(["409 lint_errors", 200]);
    // Verified in us, it is still not in uk.
    expect(refusal(await verify("uk"))).toBe("409 lint_errors");
  });

  it("409 a base of dairy origin without the code of milk", async () => {
    const ingredients = [{ name: "Base 12", animal_origin: "dairy" }];
    const id = await shop.make("/products", { title: "Soup", ingredients });
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
  });
});

describe("what pages show", () => {
  it("200 of dietary claims those in force: not expired, withdrawn or contradicted ones", async () => {
    const dietary = [
      { claim: "vegan", status: "certified", certifier: "The Vegan Society", valid_until: "2026-05-31" },
      { claim: "vegetarian", status: "withdrawn" },
      { claim: "kosher" },
    ];
    await shop.verified("Crisp", [{ name: "rye", contains: ["rye"] }], { dietary });
    const claimsFor = async (key: Parameters<typeof shop.harness.call>[2]) =>
      (
        await shop.harness.call("GET", "/v1/allergens/products?include=dietary", key)
      ).json.data[0].dietary.map(({ claim }: { claim: string }) => claim);
    expect(await claimsFor({ key: await pub() })).toEqual(["kosher"]);
    expect(await claimsFor({ key: shop.key })).toEqual(["vegan", "vegetarian", "kosher"]);
  });

  it("200 no label or list as verified in a mode that regulates more than the one it was verified in", async () => {
    const id = await shop.verified("Crisp", [{ name: "rye", contains: ["rye"] }]);
    const key = await pub();
    const read = async (path: string) =>
      (await shop.harness.call("GET", `/v1/allergens${path}`, { key })).json.data;
    const statuses = async (mode: string) => [
      (await read(`/products/${id}/label?mode=${mode}`)).status,
      (await read(`/products?include=status&mode=${mode}`))[0].status,
    ];
    expect(await statuses("eu")).toEqual(["verified", "verified"]);
    expect(await statuses("us")).toEqual(["unverified", "unverified"]);
  });
});

it("200 the filter by an allergen finds what a guest who avoids it avoids: pine nuts and shrimps in uk", async () => {
  await shop.verified("Pesto", [{ name: "pine nuts", contains: ["pine_nut"] }]);
  await shop.verified("Toast", [{ name: "shrimps", contains: ["shrimp"] }]);
  await shop.verified("Spread", [
    { name: "refined soya oil", contains: ["soy"], exemption: "refined_soy_oil" },
  ]);
  const found = async (code: string) => titlesOf(await shop.get(`/products?allergen=${code}`));
  expect([await found("nuts"), await found("pine_nut"), await found("prawn"), await found("soy")]).toEqual([
    ["Pesto"],
    ["Pesto"],
    ["Toast"],
    [],
  ]);
});

it("200 sulphites that were measured before the recipe brought more are declared again, by a new recipe and by the library", async () => {
  const declarations = [{ code: "sulphites", presence: "contains", concentration_mg_per_kg: 6 }];
  const mash = await shop.make("/ingredients", { name: "mash" });
  const ingredients = [{ name: "wine", contains: ["sulphites"] }, { ingredient_id: mash }];
  const id = await shop.make("/products", { title: "Stew", ingredients, declarations });
  const allergens = async () => (await shop.get(`/products/${id}`)).json.data.allergens;
  expect(await allergens()).toEqual([]);
  await shop.put(`/products/${id}/ingredients`, { ingredients: [...ingredients, { name: "salt" }] });
  expect(await allergens()).toEqual([]);
  await shop.patch(`/ingredients/${mash}`, { contains: ["sulphites"] });
  expect(await allergens()).toEqual(["sulphites"]);
  await shop.patch(`/products/${id}`, { declarations });
  expect(await allergens()).toEqual([]);
  const more = [...ingredients, { name: "dried apricots", contains: ["sulphites"] }];
  await shop.put(`/products/${id}/ingredients`, { ingredients: more });
  expect(await allergens()).toEqual(["sulphites"]);
});

it("200 status=stale lists what a newer vocabulary reads in names, and what is too old, before the job marks it", async () => {
  const [old, read] = [
    await shop.verified("Crisp", [{ name: "rye", contains: ["rye"] }]),
    await shop.verified("Tea", [{ name: "tea" }]),
  ];
  const stale = async () => idsOf(await shop.get("/products?status=stale"));
  expect(await stale()).toEqual([]);
  await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
    const stored = await tx.require(products, read);
    // As a version stored it that did not read "milk".
    tx.put(products, stored, { ...stored.value, title: "Tea with milk" });
  });
  expect(await stale()).toEqual([read]);
  shop.harness.clock.advance(400 * 86_400_000);
  expect((await stale()).sort()).toEqual([old, read].sort());
});

describe("the ETag of a product", () => {
  it("is another one where time, the library or the settings make another product of it, and fits If-Match", async () => {
    const id = await shop.verified("Pie", [{ name: "pine nuts", contains: ["pine_nut"] }]);
    const path = `/products/${id}`;
    const read = (etag: string) => shop.call("GET", path, undefined, { "if-none-match": etag });
    const etagOf = ({ headers }: { headers: Headers }) => headers.get("etag") ?? "";
    const first = etagOf(await shop.get(path));
    expect(first).toMatch(/^"\d+"$/);
    expect((await read(first)).status).toBe(304);

    shop.harness.clock.advance(60_000);
    await shop.patch("/settings", { default_mode: "us" });
    const other = await read(first);
    expect([other.status, other.json.data.allergens]).toEqual([200, ["pine_nut"]]);
    expect((await read(etagOf(other))).status).toBe(304);

    // Before the job marks it.
    shop.harness.clock.advance(400 * 86_400_000);
    const old = await read(etagOf(other));
    expect([old.status, old.json.data.status]).toEqual([200, "stale"]);
    const patch = (etag: string) => shop.call("PATCH", path, { title: "Tart" }, { "if-match": etag });
    expect((await patch(`"9${first.slice(1)}`)).status).toBe(412);
    const changed = await patch(etagOf(old));
    expect([changed.status, changed.json.data.title]).toEqual([200, "Tart"]);
  });
});
