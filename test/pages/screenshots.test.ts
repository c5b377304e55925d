import { mkdir, mkdtemp, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { VIEWS } from "../../server/platform/console/views.ts";
import { seedStore } from "../../server/seed.ts";
import { HAS_BROWSER, openBrowser, serveHarness } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";

const LOOKS = [
  ["desktop-light", { viewport: { width: 1280, height: 900 } }],
  ["desktop-dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["phone-light", { viewport: { width: 360, height: 740 }, isMobile: true }],
  ["phone-dark", { viewport: { width: 360, height: 740 }, isMobile: true, colorScheme: "dark" }],
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
    const base = process.env["PLATFORM_SCREENSHOTS"];
    folder = base ?? (await mkdtemp(join(tmpdir(), "platform-screenshots-")));
    await mkdir(folder, { recursive: true });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served.close();
  });

  it.each(LOOKS)("of every page: %s", { timeout: 120_000 }, async (look, options) => {
    const { page, complaints } = await browser.open(options);
    const made = await served.harness.admin("POST", "/api/platform/admin/console/links");
    await page.goto(made.json.data.url);
    await page.getByRole("button", { name: "Log in" }).click();
    const mains = VIEWS.filter(({ path }) => !path.includes(":")).map(({ path }) => `/_/${path}`);
    const paths = [...PUBLIC, "/_", ...mains];
    for (const path of paths) {
      await page.goto(served.url + path);
      const name =
        path === "/"
          ? "front"
          : path
              .slice(1)
              .replaceAll(/[^a-z0-9]+/g, "-")
              .replace(/^-/, "console-");
      const file = join(folder, `${name}.${look}.png`);
      // The list of limits is followed for ever: the page is there when its text is.
      await page.screenshot({ path: file, fullPage: true });
      expect((await stat(file)).size).toBeGreaterThan(5_000);
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, wide]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
    expect((await readdir(folder)).filter((file) => file.includes(look)).length).toBe(paths.length);
    await page.context().close();
  });
});
