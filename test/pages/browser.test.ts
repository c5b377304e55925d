import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe.runIf(HAS_BROWSER)("in a real browser", () => {
  let browser: TestBrowser;
  let served: Awaited<ReturnType<typeof serveHarness>>;
  beforeAll(async () => {
    browser = await openBrowser();
    served = await serveHarness();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  const schemes = [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["on a phone", PHONE],
    ["on a phone, dark", { ...PHONE, colorScheme: "dark" }],
  ] as const;
  const paths = [
    "/",
    "/docs/reference",
    "/signup",
    "/docs",
    "/docs/guides",
    "/docs/guides/safe-writes",
    "/docs/guides/testing",
    "/docs/engines/delivery",
    "/docs/search?q=slots",
    "/docs/events",
    "/docs/errors/conflict",
    "/_/inbox",
    "/nothing",
  ];

  it.each(schemes)(
    "has nothing for axe to complain of, and fits: %s",
    async (_, options) => {
      const { page, complaints } = await browser.open({ ...options, javaScriptEnabled: true });
      for (const path of paths) {
        await page.goto(served.url + path);
        expect([path, await violations(page)]).toEqual([path, []]);
        const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, wide]).toEqual([path, 0]);
      }
      // The last page is one that does not exist.
      expect(complaints).toEqual([expect.stringContaining("status of 404")]);
      await page.context().close();
    },
    60_000,
  );

  it("leads without script from the form over the mail to a key that works", async () => {
    const { page } = await browser.open({ ...PHONE, javaScriptEnabled: false });
    await page.goto(`${served.url}/signup`);
    await page.getByLabel("E-mail").fill("ada@example.test");
    await page.getByLabel("Store").fill("ada-shop");
    await page.getByRole("button").click();
    await page.goto(`${served.url}/_/inbox`);
    await page
      .getByRole("link", { name: /ada@example\.test|Confirm|key/i })
      .first()
      .click();
    const link = /https?:\/\/\S+verify\?token=[\w-]+/.exec(await page.content())?.[0] ?? "";
    await page.goto(link.replaceAll("&amp;", "&"));
    await page.getByRole("button", { name: "Show my API key" }).click();
    const key = (await page.locator(".key").textContent()) ?? "";
    expect(key).toMatch(/^plat_live_/);
    expect(await page.getByRole("button", { name: /copy/i }).count()).toBe(0);
    const answer = await fetch(`${served.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    await page.goBack();
    await page.context().close();
  });

  it("copies the key with script, and the call that it shows works as it stands", async () => {
    const { page, complaints } = await browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    const made = await served.harness.admin("POST", "/api/platform/admin/customers", {
      body: { email: "bea@example.test", storeIdentifier: "bea-shop", mail: false },
    });
    await page.goto(made.json.data.verification_url);
    await page.getByRole("button", { name: "Show my API key" }).click();
    await page.getByRole("button", { name: "Copy the key" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toMatch(/^plat_live_\w{36}$/);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("draws the reference under its policy, asks nobody else, and sends a request with the reader's own key", async () => {
    const { page, complaints } = await browser.open();
    const { plaintext } = await served.harness.key();
    await page.goto(`${served.url}/docs/reference/delivery#get-/v1/delivery/zones`);
    await page.getByText("/v1/delivery/zones").first().waitFor();
    await page.getByText("Authentication", { exact: true }).first().click();
    await page
      .getByPlaceholder(/api-token/i)
      .first()
      .fill(plaintext);
    await page.getByRole("button", { name: /^set$/i }).first().click();
    await page.locator('[data-content-id="get-/v1/delivery/zones"]').click();
    const tried = page.getByRole("button", { name: /^try$/i }).first();
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/v1/delivery/zones")),
      tried.click(),
    ]);
    expect(answer.status()).toBe(200);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  it("fills the form of a route in with its documented example, and sends it", async () => {
    const { page, complaints } = await browser.open();
    await page.goto(`${served.url}/docs/reference/delivery#post-/v1/delivery/validate`);
    const body = page.locator("textarea").first();
    await body.waitFor();
    expect(JSON.parse(await body.inputValue())).toEqual({ postcode: "SW1A 1AA", basketTotal: 2999 });
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/v1/delivery/validate")),
      page.getByRole("button", { name: /^try$/i }).first().click(),
    ]);
    expect(answer.request().postDataJSON()).toEqual({ postcode: "SW1A 1AA", basketTotal: 2999 });
    // Without a key the route answers 401, and the browser says so.
    expect(answer.status()).toBe(401);
    expect(await violations(page)).toEqual([]);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await page.context().close();
  }, 60_000);

  it("follows the limits in the console as they are used", async () => {
    const { page, complaints } = await browser.open();
    const key = await served.harness.key({ plan: "free" });
    const made = await served.harness.admin("POST", "/api/platform/admin/console/links");
    await page.goto(made.json.data.url);
    await page.getByRole("button", { name: "Log in" }).click();
    // The windows of the tests before are over.
    served.harness.clock.advance(120_000);
    await page.goto(`${served.url}/_/limits`);
    await page.getByText(/^Live from /).waitFor();
    expect(await page.getByText("No key has sent a request in the last minute.").isVisible()).toBe(true);
    const row = page.locator(`tr[data-key="${key.id}"]`);
    for (const used of ["1", "2", "3"]) {
      await served.harness.call("GET", "/v1/delivery/zones", { key });
      await row.locator("td").nth(1).getByText(used, { exact: true }).waitFor();
    }
    expect(await row.locator("td").nth(4).textContent()).toBe("delivery.zones.list");
    // The row came live, without a reload: it names the key and its customer as the page itself does.
    const { json } = await served.harness.admin("GET", `/api/platform/admin/customers/${key.customerId}`);
    await row.locator("td").nth(5).getByText(json.data.email).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
