import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { shopOf, line } from "../engines/subscriptions/shop.ts";
import type { Shop } from "../engines/subscriptions/shop.ts";
import { makeGateway, outgoing } from "../engines/subscriptions/stripe-world.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";
import { startStripeDouble } from "../support/stripe-double.ts";
import type { StripeDouble } from "../support/stripe-double.ts";

const SIZES = [
  ["desktop", { viewport: { width: 1280, height: 900 } }],
  ["phone", { viewport: { width: 360, height: 740 }, isMobile: true }],
] as const;
const FOLDER = process.env["PLATFORM_SCREENSHOTS"];

describe.runIf(HAS_BROWSER)("the page on which a customer manages a subscription", () => {
  let browser: TestBrowser;
  let served: Awaited<ReturnType<typeof serveHarness>>;
  let stripe: StripeDouble;
  let shop: Shop;
  beforeAll(async () => {
    browser = await openBrowser();
    served = await serveHarness({ now: "2026-06-01T09:00:00.000Z", ...outgoing });
    stripe = await startStripeDouble({ now: served.harness.clock.now });
    shop = shopOf(served.harness, await served.harness.key());
    await shop.patch("/settings", { shop_name: "Beans & Co" });
    await makeGateway(shop, stripe);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served.close();
    await stripe.close();
  });

  const work = () => served.harness.services.jobs.run("subscriptions.bill");

  it.each(SIZES)(
    "a card is added, a payment confirmed at the bank, and the address changed: %s",
    async (size, options) => {
      const customer = { id: size, email: `${size}@shop.example`, name: "Ada" };
      const { id } = await shop.make("/contracts", {
        customer,
        lines: [line(1250, { title: "Coffee, 1 kg" })],
        interval: { unit: "month", count: 1 },
        delivery: { method: "post", address: "1 Mill Street\nLondon SE1 2XX" },
      });
      await work();
      const { page, complaints } = await browser.open(options);
      const look = async (name: string): Promise<void> => {
        if (FOLDER !== undefined) {
          await mkdir(FOLDER, { recursive: true });
          await page.screenshot({ path: join(FOLDER, `customer-${name}-${size}.png`), fullPage: true });
        }
        expect(await violations(page)).toEqual([]);
        const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        expect(await page.evaluate(isWide)).toBe(false);
      };
      await page.goto((await shop.make(`/contracts/${id}/portal-link`, {})).url);
      await page.getByText("There is no card that can be charged").waitFor();
      await look("failed");
      await page.getByRole("button", { name: "Add a card" }).click();
      await page.getByRole("button", { name: "Save card" }).click();
      await page.getByText("From now on visa ending in 4242 is charged.").waitFor();
      await work();
      await page.goto((await shop.make(`/contracts/${id}/portal-link`, {})).url);
      await page.getByText("Active", { exact: true }).waitFor();
      await look("active");
      await page.getByLabel("Address").fill("2 New Street\nLeeds");
      await page.getByRole("button", { name: "Save the address" }).click();
      await page.getByText("Your address is saved.").waitFor();
      for (const card of stripe.account.cards.values()) card.behaviour = "authenticate";
      await shop.make(`/contracts/${id}/bill-now`, {});
      await work();
      await page.reload();
      await look("confirm");
      await page.getByRole("button", { name: "Confirm the payment" }).click();
      await page.getByRole("button", { name: "Confirm payment" }).click();
      await page.getByText("Active", { exact: true }).waitFor();
      await look("history");
      expect((await shop.read(`/contracts/${id}`)).delivery.address).toBe("2 New Street\nLeeds");
      expect(
        (await shop.read(`/charges?contract_id=${id}`)).map(({ status }: { status: string }) => status),
      ).toEqual(["succeeded", "succeeded"]);
      expect(complaints).toEqual([]);
      for (const card of stripe.account.cards.values()) card.behaviour = "ok";
    },
    60_000,
  );
});
