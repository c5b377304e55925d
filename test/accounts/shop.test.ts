import { afterAll, beforeAll, expect, it } from "vitest";

import { cartSettings } from "../../server/engines/cart/repository.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { makeAccount } from "./support.ts";

let harness: Harness;
let key: string;
beforeAll(async () => {
  harness = await createHarness();
  key = (await makeAccount(harness)).apiKey;
});
afterAll(() => harness.close());

const call = (method: string, path: string, body?: object, ifMatch?: string) =>
  harness.call(method, path, {
    key,
    ...(body === undefined ? {} : { body }),
    ...(ifMatch === undefined ? {} : { headers: { "if-match": ifMatch } }),
  });
const settings = async (engine: string) => (await call("GET", `/v1/${engine}/settings`)).json.data;

it("is empty with version 0 until it is saved, and leaves the defaults of the engines in place", async () => {
  expect((await call("GET", "/v1/account/store")).json.data).toMatchObject({ name: null, version: 0 });
  expect(await settings("cart")).toMatchObject({ shop_name: "", currency: "GBP", version: 0 });
});

it("applies in every engine at once, under the name that each has for it", async () => {
  const profile = {
    name: "Bäckerei Ada",
    address: "Hauptstr. 1\n10827 Berlin",
    country: "DE",
    website: "https://ada.example",
    vat_number: "DE123456789",
    time_zone: "Europe/Berlin",
    currency: "EUR",
    locale: "de-DE",
  };
  expect((await call("PATCH", "/v1/account/store", profile)).status).toBe(200);
  const zone = { timezone: "Europe/Berlin" };
  expect(await settings("cart")).toMatchObject({ shop_name: "Bäckerei Ada", currency: "EUR", ...zone });
  expect(await settings("subscriptions")).toMatchObject({
    shop_name: "Bäckerei Ada",
    currency: "EUR",
    ...zone,
  });
  expect(await settings("catering")).toMatchObject({
    shop_name: "Bäckerei Ada",
    shop_address: "Hauptstr. 1\n10827 Berlin",
    vat_no: "DE123456789",
    ...zone,
  });
  expect(await settings("reviews")).toMatchObject({
    shop_name: "Bäckerei Ada",
    shop_url: "https://ada.example",
  });
  expect(await settings("forms")).toMatchObject({ shop_name: "Bäckerei Ada" });
  expect(await settings("menus")).toMatchObject({
    currency: "EUR",
    time_zone: "Europe/Berlin",
    default_locale: "de-DE",
  });
  expect(await settings("delivery")).toMatchObject({
    country: "DE",
    currency: "EUR",
    time_zone: "Europe/Berlin",
  });
  expect(await settings("content")).toMatchObject({ site_url: "https://ada.example", locale: "de-DE" });
  const { json } = await call("POST", "/v1/tiers/programmes", {
    name: "Club",
    levels: [{ id: "lvl_base", name: "Base", rank: 0, entry: { all: [] } }],
  });
  expect(json.data).toMatchObject({ timezone: "Europe/Berlin", currency: "EUR" });
});

it("reaches the delivery configuration that was loaded before", async () => {
  const zone = { name: "Berlin", patterns: ["*"], fee_tiers: [{ from: 0, fee: 500 }] };
  expect((await call("POST", "/v1/delivery/zones", zone)).json.data.country).toBe("DE");
  const countryOf = async () =>
    (await call("POST", "/v1/delivery/zones/match", { postcode: "10827" })).json.data.country;
  const before = await countryOf();
  await call("PATCH", "/v1/account/store", { country: "AT" });
  const after = await countryOf();
  await call("PATCH", "/v1/account/store", { country: "DE" });
  expect([before, after]).toEqual(["DE", "AT"]);
});

it("is overridden by an engine's own settings until they are null again", async () => {
  const own = await call("PATCH", "/v1/cart/settings", { currency: "GBP" });
  expect(own.json.data).toMatchObject({ currency: "GBP", shop_name: "Bäckerei Ada" });
  await call("PATCH", "/v1/account/store", { name: "Ada" });
  expect(await settings("cart")).toMatchObject({ currency: "GBP", shop_name: "Ada" });
  const back = await call("PATCH", "/v1/cart/settings", { currency: null });
  expect(back.json.data).toMatchObject({ currency: "EUR" });
});

it("changes the version of the settings that it reaches", async () => {
  const before = (await call("GET", "/v1/cart/settings")).headers.get("etag") ?? "";
  await call("PATCH", "/v1/account/store", { name: "Ada's" });
  expect((await call("PATCH", "/v1/cart/settings", { tax_included: false }, before)).status).toBe(412);
  const now = (await call("GET", "/v1/cart/settings")).headers.get("etag") ?? "";
  expect((await call("PATCH", "/v1/cart/settings", { tax_included: false }, now)).status).toBe(200);
  expect((await call("PATCH", "/v1/account/store", { name: "Ada" }, '"1"')).status).toBe(412);
});

it("lifts settings that were stored with all members: what was the built-in default is inherited", async () => {
  const { json } = await call("GET", "/v1/account");
  const part = storePartition(json.data.store.id, "live");
  const stored = await harness.services.runTx(part, (tx) => tx.get(cartSettings.collection, "settings"));
  const old = { shop_name: "Corner", currency: "GBP", timezone: "Europe/London", tax_included: true };
  expect(stored?.value).toMatchObject({ tax_included: false });
  expect(cartSettings.collection.upgrade({ id: "settings", ...old }, 1)).toEqual({
    id: "settings",
    shop_name: "Corner",
    tax_included: true,
  });
});
