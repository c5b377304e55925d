import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findPackageRoot } from "../../server/core/package-root.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";
import { serveStorefront } from "../support/storefront.ts";

const PICTURE = join(findPackageRoot(), "test", "golden", "demo.png");
let browser: TestBrowser;
let served: Awaited<ReturnType<typeof serveHarness>>;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  // A Monday morning, when the demo shop delivers.
  [browser, served] = await Promise.all([openBrowser(), serveHarness({ now: "2026-06-01T09:00:00.000Z" })]);
}, 60_000);
afterAll(async () => {
  if (!HAS_BROWSER) return;
  await Promise.all([browser.close(), served.close()]);
});

describe("the script of the elements", () => {
  it("is at most 15 KB for a page that uses all of them", () => {
    const dir = join(findPackageRoot(), "server", "site", "elements", "client");
    const bytes = readdirSync(dir).map((name) => gzipSync(readFileSync(join(dir, name))).length);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(15 * 1024);
  });
});

describe("the picture in the README", () => {
  it("is there; TEST_PICTURE=1 takes it anew", () => {
    const readme = readFileSync(join(findPackageRoot(), "README.md"), "utf8");
    expect(readme).toContain("](test/golden/demo.png)");
    expect(readFileSync(PICTURE).subarray(1, 4).toString()).toBe("PNG");
  });
});

describe.runIf(HAS_BROWSER)("the demo storefront", () => {
  it("is there with demo data only", async () => {
    const before = await fetch(`${served.url}/demo`);
    expect(before.status).toBe(404);
    const seeded = await served.harness.admin("POST", "/api/platform/admin/seed", { body: {} });
    expect(seeded.status).toBe(200);
    const [first, second] = await Promise.all(
      [0, 1].map(async () => (await fetch(`${served.url}/demo`)).text()),
    );
    const key = /elements\.js\?key=(plat_pub_\w+)/;
    expect(key.exec(first ?? "")?.[1]).toBe(key.exec(second ?? "")?.[1]);
  });

  for (const [name, options] of [
    ["on a wide screen", { viewport: { width: 1200, height: 900 } }],
    ["on a phone at night", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
  ] as const) {
    it(`shows menu, allergens, delivery, reviews, levels and a form, ${name}`, async () => {
      served.harness.clock.advance(120_000);
      const { page, complaints } = await browser.open(options);
      await page.goto(`${served.url}/demo`);
      const menu = page.locator("sf-menu");
      await menu.getByText("Country sourdough").waitFor();
      const breads = await menu.locator("section").first().innerText();
      expect(breads).toMatch(/£\d+\.\d\d/);
      expect(breads).toContain("Contains: rye, wheat.");

      const allergens = page.locator("sf-allergens");
      await allergens.getByLabel("milk", { exact: true }).check();
      await allergens.getByText("products without what you avoid").waitFor();
      const croissant = allergens.locator("li", { hasText: "Butter croissant" });
      expect(await croissant.innerText()).toContain("Contains: milk");
      await allergens.getByText("All products and allergens").click();
      expect(await allergens.locator("tbody tr").count()).toBeGreaterThan(10);

      const delivery = page.locator("sf-delivery");
      await delivery.getByLabel("Postcode").fill("GIR 0AA");
      await delivery.getByRole("button", { name: "Check" }).click();
      await delivery.getByText("cannot be delivered").or(delivery.getByText("not")).first().waitFor();
      await delivery.getByLabel("Postcode").fill("sw1a1aa");
      await delivery.getByRole("button", { name: "Check" }).click();
      await delivery.getByText("We deliver to SW1A 1AA").waitFor();
      const heard = heldIn(page);
      await delivery.locator(".days button:enabled").first().click();
      await delivery.getByText("Held for you until").waitFor();
      expect(await heard).toMatchObject({ state: "held" });
      expect(await delivery.locator('button[aria-pressed="true"]').count()).toBe(1);

      expect(await page.locator("sf-reviews p").first().innerText()).toMatch(/of 5, \d+ reviews/);
      expect(await page.locator("sf-tier ol").innerText()).toContain("Gold");
      await page.locator("sf-form").getByRole("button", { name: "Send" }).waitFor();
      expect(complaints).toEqual([]);
      expect(await violations(page)).toEqual([]);
      const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      expect(await page.evaluate(isWider)).toBe(false);
      if (process.env["TEST_PICTURE"] === "1" && !name.includes("phone")) await takePicture();
      await page.context().close();
    }, 60_000);
  }

  /** The next hold that the page hears of. */
  const heldIn = (page: Page): Promise<unknown> =>
    page.evaluate(
      `new Promise((resolve) => addEventListener("sf-slot", ({ detail }) => resolve(detail.hold), { once: true }))`,
    );

  it("leaves visitors the slot that their own hold has filled when they come back to it", async () => {
    served.harness.clock.advance(120_000);
    const { page } = await browser.open();
    await page.goto(`${served.url}/demo`);
    const delivery = page.locator("sf-delivery");
    await delivery.getByLabel("Postcode").fill("sw1a1aa");
    await delivery.getByRole("button", { name: "Check" }).click();
    const choose = async (at: number): Promise<unknown> => {
      const heard = heldIn(page);
      await delivery.locator(".days button:enabled").nth(at).click();
      return heard;
    };
    const first = await choose(0);
    expect(await choose(1)).not.toEqual(first);
    const full = { error: { code: "slot_full", detail: "No capacity is left." } };
    await page.route("**/v1/delivery/holds", (route) => route.fulfill({ status: 409, json: full }));
    expect(await choose(0)).toEqual(first);
    await delivery.locator(".days button:enabled").nth(2).click();
    await delivery.getByText("No capacity is left.").waitFor();
    await page.context().close();
  }, 60_000);

  async function takePicture(): Promise<void> {
    const { page } = await browser.open({ viewport: { width: 800, height: 1000 } });
    await page.goto(`${served.url}/demo`);
    await page.locator("sf-menu").getByText("Country sourdough").waitFor();
    await page.screenshot({ path: PICTURE });
    await page.context().close();
  }

  it("works on a page of another origin with a strict policy, in its language, and keeps what the page says until then", async () => {
    served.harness.clock.advance(120_000);
    const shop = await serveStorefront();
    const demo = await (await fetch(`${served.url}/demo`)).text();
    const key = /elements\.js\?key=(plat_pub_\w+)/.exec(demo)?.[1] ?? "";
    const menu = /sf-menu menu="(\w+)"/.exec(demo)?.[1] ?? "";
    const { page, complaints } = await browser.open();
    const policy = `default-src 'none'; script-src ${served.url}; connect-src ${served.url}; style-src 'self'; img-src data:`;
    const markup = `<div lang="de"><sf-menu menu="${menu}"><p>Our menu: call us.</p></sf-menu></div>`;
    shop.put("/", {
      policy,
      html: `${markup}<script type="module" src="${served.url}/elements.js?key=${key}"></script>`,
    });
    await page.goto(shop.origin);
    // The store does not list this origin yet: the page can show why, and try again.
    await page.getByText("This origin is not allowed for this store.").waitFor();
    expect(await page.getByRole("button", { name: "Erneut versuchen" }).count()).toBe(1);
    const stores = await served.harness.admin("POST", "/api/platform/admin/seed", { body: {} });
    const { customer_id, store } = stores.json.data;
    const issued = await served.harness.admin("POST", "/api/platform/admin/keys", {
      body: { customer_id, store, preset: "full" },
    });
    const allowed = await served.harness.call("PATCH", "/v1/account/browser", {
      key: issued.json.data.api_key,
      body: { origins: [shop.origin] },
    });
    expect(allowed.status).toBe(200);
    await page.getByRole("button", { name: "Erneut versuchen" }).click();
    await page.getByText("Enthält:").first().waitFor();
    // Only the refusal itself is on the console.
    expect(
      complaints.every((text) => /403|not allowed/.test(text)),
      complaints.join("\n"),
    ).toBe(true);
    await page.evaluate(
      `{ const jam = document.createElement("sf-reviews"); jam.setAttribute("target", "jam"); document.querySelector("div").append(jam); }`,
    );
    // 16 CFR 255.5
    await page
      .locator("sf-reviews")
      .getByText("Für diese Bewertung wurde ein Gutschein angeboten.")
      .waitFor();
    // An element that comes later is loaded then, and without script the page's own words stay.
    await page.evaluate(`document.body.append(document.createElement("sf-tier"))`);
    await page.locator("sf-tier").getByText("Gold").waitFor();
    const plain = await browser.open({ javaScriptEnabled: false });
    await plain.page.goto(shop.origin);
    expect(await plain.page.innerText("sf-menu")).toBe("Our menu: call us.");
    await plain.page.context().close();
    await page.context().close();
    await shop.close();
  }, 60_000);
});
