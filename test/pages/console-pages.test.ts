import { describe, expect, it } from "vitest";

import { DRAWINGS } from "../../server/site/console/drawn/drawings.ts";
import { VIEWS } from "../../server/site/console/views.ts";
import type { Harness } from "../harness.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";

const LOOKS = [
  ["on a phone, dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
  ["wide, light", { viewport: { width: 1280, height: 900 } }],
] as const;

/** Zones with areas on the map, which the demo store has not. */
async function addAreas(harness: Harness, customer_id: string): Promise<void> {
  const body = { customer_id, preset: "full" };
  const { json } = await harness.admin("POST", "/api/platform/admin/keys", { body });
  const ring = [
    [-0.19, 51.53],
    [-0.12, 51.53],
    [-0.11, 51.56],
    [-0.19, 51.53],
  ];
  for (const area of [
    { type: "Circle", coordinates: [-0.1276, 51.5072], radius_meters: 3200 },
    { type: "Polygon", coordinates: [ring] },
  ]) {
    const zone = { name: `By ${area.type}`, area, fee_tiers: [{ from: 0, fee: 299 }] };
    const made = await harness.call("POST", "/v1/delivery/zones", { key: json.data.api_key, body: zone });
    expect(made.status).toBe(201);
  }
}

describe.runIf(HAS_BROWSER)("every page of the console in a real browser", () => {
  it.each(LOOKS)(
    "fits, and axe finds nothing: %s",
    async (_, look) => {
      const browser = await openBrowser();
      const { harness, url, close } = await serveHarness();
      const key = await harness.key({ name: "Till", identifier: "Corner Bakery", plan: "free" });
      for (let call = 0; call < 65; call += 1)
        await harness.call("GET", "/v1/reviews", { key: key.plaintext });
      const body = { email: "mia@example.test", storeIdentifier: "mia" };
      await harness.call("POST", "/api/platform/signup", { body });
      const [mail] = (await harness.admin("GET", "/api/platform/admin/mail")).json.data;
      const seeded = await harness.admin("POST", "/api/platform/admin/seed", { body: {} });
      const demo = `/_/stores/${seeded.json.data.store_id}`;
      await addAreas(harness, seeded.json.data.customer_id);
      const link = (await harness.admin("POST", "/api/platform/admin/console/links")).json.data.url;
      const { page, complaints } = await browser.open(look);
      await page.goto(link);
      await page.getByRole("button", { name: "Log in" }).click();
      const customer = `/_/customers/${key.customerId}`;
      const lists = VIEWS.filter(({ path }) => !path.includes(":")).map(({ path }) => `/_/${path}`);
      const stores = [demo, `/_/stores/${key.storeId}`];
      const drawn = stores.flatMap((store) => DRAWINGS.map(({ path }) => `${store}/${path}`));
      const things = [`/_/keys/${key.id}`, `/_/stores/${key.storeId}`, `/_/mail/${mail.id}`, customer];
      for (const path of ["/_", ...lists, ...things, ...drawn, `${customer}?act=admin.customers.suspend`]) {
        await page.goto(url + path);
        expect([path, await violations(page)]).toEqual([path, []]);
        const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, excess]).toEqual([path, 0]);
      }
      await page.goto(`${url}${demo}/labels`);
      await page.frameLocator("iframe").getByText("Ingredients:").waitFor();
      expect(complaints).toEqual([]);
      await browser.close();
      await close();
    },
    90_000,
  );
});
