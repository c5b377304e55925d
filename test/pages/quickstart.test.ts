import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { GUIDES } from "../../server/site/docs/guides.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import { serveStorefront } from "../support/storefront.ts";

const run = promisify(execFile);

// A newcomer follows the quickstart from an empty store, and opens the page that it ends with at another origin.
it.runIf(HAS_BROWSER)("the quickstart ends on a page", { timeout: 120_000 }, async () => {
  const now = new Date().toISOString();
  const [served, shop, browser] = await Promise.all([
    serveHarness({ now }),
    serveStorefront(),
    openBrowser(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "platform-quickstart-"));
  try {
    const { plaintext: key } = await served.harness.key();
    const guide = GUIDES.find(({ slug }) => slug === "quickstart")?.markdown(served.url) ?? "";
    const blocks = guide.matchAll(/^```js\n(.*?)^```$/gms);
    await writeFile(join(folder, "quickstart.mjs"), Array.from(blocks, ([, code]) => code).join("\n"));
    const env = { ...process.env, API_KEY: key, SHOP_ORIGIN: shop.origin };
    await run(process.execPath, ["quickstart.mjs"], { cwd: folder, env });
    const page = await readFile(join(folder, "shop.html"), "utf8");
    shop.put("/", {
      html: /<main>(.*)<\/main>/s.exec(page)?.[1] ?? "",
      head: /<script.*<\/script>/.exec(page)?.[0],
    });
    const { complaints, page: tab } = await browser.open();
    await tab.goto(shop.origin);
    await tab.getByText("£2.60").waitFor();
    await tab.getByRole("button", { name: "Check" }).click();
    await tab.getByRole("button", { name: /08:00/ }).first().waitFor();
    await tab.getByLabel("Your message").waitFor();
    await tab.locator("sf-menu").getByText("Cheese scone").waitFor();
    await tab
      .locator("sf-allergens")
      .getByText(/mustard/i)
      .first()
      .waitFor();
    expect(await violations(tab)).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    await Promise.all([browser.close(), served.close(), shop.close(), rm(folder, { recursive: true })]);
  }
});
