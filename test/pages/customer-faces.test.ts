import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { seedStore } from "../../server/operations/seed.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";

/** What a store's customers see: its name and color, in their language, legible and as wide as the window. */
describe.runIf(HAS_BROWSER)("pages for customers", () => {
  let browser: TestBrowser;
  let served: Awaited<ReturnType<typeof serveHarness>>;
  const paths: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
    served = await serveHarness();
    const { harness } = served;
    const seeded = await seedStore(harness.services, {
      now: harness.clock.now(),
      store: null,
      engines: null,
    });
    const { plaintext: key } = await harness.key({
      customer_id: seeded.customer_id,
      store_id: seeded.store_id,
    });
    await harness.call("PATCH", "/v1/account/store", { key, body: { color: "#ffd000", locale: "fr-FR" } });
    const contracts = await harness.call("GET", "/v1/subscriptions/contracts?limit=1", { key });
    const portal = await harness.call(
      "POST",
      `/v1/subscriptions/contracts/${contracts.json.data[0].id}/portal-link`,
      { key, body: {} },
    );
    const sheet = await harness.call("PUT", "/v1/allergens/sheet", { key, body: {} });
    const forms = await harness.call("GET", "/v1/forms?limit=1", { key });
    paths.push(
      new URL(portal.json.data.url).pathname,
      new URL(sheet.json.data.url).pathname,
      `/api/public/forms/${seeded.store_id.toLowerCase()}.${forms.json.data[0].id}`,
    );
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)("%s, %s wide", { timeout: 60_000 }, async (colorScheme, width) => {
    const { page, complaints } = await browser.open({
      viewport: { width, height: 900 },
      colorScheme,
      locale: "de-DE",
    });
    for (const path of paths) {
      await page.goto(served.url + path);
      expect([path, await violations(page)]).toEqual([path, []]);
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, wide]).toEqual([path, 0]);
      expect(await page.locator(".brand").textContent()).toContain("Demo Bakery & Roastery");
    }
    await page.goto(served.url + (paths[0] ?? ""));
    expect(await page.locator("h1").textContent()).toBe("Ihr Abonnement");
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("breaks a name that is longer than the window", { timeout: 60_000 }, async () => {
    const { page } = await browser.open({ viewport: { width: 320, height: 900 } });
    await page.goto(served.url + (paths[0] ?? ""));
    const name = "Donaudampfschifffahrtsgesellschaftskapitänsfrühstücksbrötchenmanufaktur";
    await page.evaluate(`document.querySelector(".brand span").textContent = "${name}"`);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.context().close();
  });
});
