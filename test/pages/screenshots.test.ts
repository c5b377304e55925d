import { mkdir, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { VIEWS } from "../../server/site/console/views.ts";
import { seedStore } from "../../server/operations/seed.ts";
import { HAS_BROWSER, openBrowser, serveHarness } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";

const SIZES = [
  ["desktop", { viewport: { width: 1280, height: 900 } }],
  ["phone", { viewport: { width: 360, height: 740 }, isMobile: true }],
] as const;

const PUBLIC = [
  "/",
  "/signup",
  "/docs",
  "/docs/guides/authentication",
  "/docs/engines/delivery",
  "/docs/reference",
  "/docs/events",
  "/docs/search?q=slots",
  "/docs/errors",
  "/docs/errors/conflict",
  "/_/inbox",
];

/** Every page, to be looked at: PLATFORM_SCREENSHOTS names the folder, else they lie in a temporary one. */
describe.runIf(HAS_BROWSER)("screenshots", () => {
  let browser: TestBrowser;
  let served: Awaited<ReturnType<typeof serveHarness>>;
  let folder = "";
  beforeAll(async () => {
    browser = await openBrowser();
    served = await serveHarness();
    const { harness } = served;
    const seeded = await seedStore(harness.services, {
      now: harness.clock.now(),
      store: null,
      engines: null,
    });
    const { plaintext } = await harness.key({ customer_id: seeded.customer_id, store_id: seeded.store_id });
    for (let day = 0; day < 9; day += 1) {
      for (let call = 0; call <= day * 3; call += 1) {
        await harness.call("GET", call % 4 === 3 ? "/v1/reviews/nothing" : "/v1/delivery/zones", {
          key: plaintext,
        });
      }
      await harness.services.usage.flush();
      harness.clock.advance(86_400_000);
    }
    const body = { email: "ada@example.test", storeIdentifier: "ada-shop" };
    await harness.call("POST", "/api/platform/signup", { body });
    await harness.admin("POST", "/api/platform/admin/jobs/http.sweep-idempotency/run");
    const hook = { url: "https://ops.example/hooks", types: ["*"] };
    await harness.admin("POST", "/api/platform/admin/webhooks", { body: hook });
    const hooks = await harness.admin("GET", "/api/platform/admin/webhooks");
    await harness.admin("POST", `/api/platform/admin/webhooks/${hooks.json.data[0].id}/test`);
    const base = process.env["PLATFORM_SCREENSHOTS"];
    folder = base ?? (await mkdtemp(join(tmpdir(), "platform-screenshots-")));
    await mkdir(folder, { recursive: true });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  it.each(SIZES)("of every page, light and dark: %s", { timeout: 120_000 }, async (size, options) => {
    const { page, complaints } = await browser.open(options);
    const { harness, url } = served;
    const picture = async (name: string): Promise<void> => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const file = join(folder, `${name}.${size}-${colorScheme}.png`);
        // Chromium itself fails to capture once in a while on a busy machine.
        const capture = () => page.screenshot({ path: file, fullPage: true });
        await capture().catch(capture);
        expect((await stat(file)).size).toBeGreaterThan(5_000);
      }
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([name, wide]).toEqual([name, 0]);
    };
    const email = `${size}@example.test`;
    await harness.call("POST", "/api/platform/signup", { body: { email, storeIdentifier: size } });
    const link = await harness.admin("GET", `/api/platform/admin/mail/link?email=${email}`);
    await page.goto(
      new URL(new URL(link.json.data.link).pathname + new URL(link.json.data.link).search, url).href,
    );
    await picture("verify");
    await page.getByRole("button", { name: "Show my API key" }).click();
    await page.locator("#key").waitFor();
    await picture("verify-key");
    await page.reload();
    await picture("verify-used");
    const made = await harness.admin("POST", "/api/platform/admin/console/links");
    await page.goto(made.json.data.url);
    await picture("console-login");
    await page.getByRole("button", { name: "Log in" }).click();
    const lists = VIEWS.filter(({ path }) => !path.includes(":")).map(({ path }) => `/_/${path}`);
    // A page of one thing is reached from the list of its kind, as people reach it.
    const waiting = new Map(
      VIEWS.filter(({ path }) => path.includes(":")).map(({ path }) => [path, hrefOf(path)]),
    );
    const pages = [...PUBLIC, "/_", ...lists].map((path) => ({ path, name: nameOf(path) }));
    for (const { path, name } of pages) {
      await page.goto(url + path);
      // The list of limits is followed for ever: the page is there when its text is.
      await picture(name);
      const leads = await page
        .locator("main a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
      for (const [view, pattern] of waiting) {
        const found = leads.find((href) => pattern.test(href));
        if (found === undefined) continue;
        waiting.delete(view);
        pages.push({ path: found, name: nameOf(`/_/${view}`) });
      }
    }
    // The link that was used up is the one answer that a browser complains about.
    expect(complaints).toEqual([expect.stringContaining("status of 410")]);
    expect([...waiting.keys()]).toEqual([]);
    await page.context().close();
  });
});

/** What leads to a page of the console. */
const hrefOf = (view: string): RegExp => new RegExp(`^/_/${view.replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`);

const nameOf = (path: string): string =>
  path === "/"
    ? "front"
    : path
        .slice(1)
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replace(/^-/, "console-");
