import { describe, expect, it } from "vitest";

import { VIEWS } from "../../server/site/console/views.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";

const LOOKS = [
  ["on a phone, dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
  ["wide, light", { viewport: { width: 1280, height: 900 } }],
] as const;

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
      const link = (await harness.admin("POST", "/api/platform/admin/console/links")).json.data.url;
      const { page, complaints } = await browser.open(look);
      await page.goto(link);
      await page.getByRole("button", { name: "Log in" }).click();
      const customer = `/_/customers/${key.customerId}`;
      const lists = VIEWS.filter(({ path }) => !path.includes(":")).map(({ path }) => `/_/${path}`);
      const things = [`/_/keys/${key.id}`, `/_/stores/${key.storeId}`, `/_/mail/${mail.id}`, customer];
      for (const path of ["/_", ...lists, ...things, `${customer}?act=admin.customers.suspend`]) {
        await page.goto(url + path);
        expect([path, await violations(page)]).toEqual([path, []]);
        const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, excess]).toEqual([path, 0]);
      }
      expect(complaints).toEqual([]);
      await browser.close();
      await close();
    },
    90_000,
  );
});
