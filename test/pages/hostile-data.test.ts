import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DRAWINGS } from "../../server/site/console/drawn/drawings.ts";
import { VIEWS } from "../../server/site/console/views.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { isMailName, mailTemplates, renderMail } from "../../server/mail/render.ts";
import type { MailData } from "../../server/mail/render.ts";
import { createScene } from "../contract/scene.ts";
import { HAS_BROWSER, openBrowser, serveHarness } from "../support/browser.ts";
import type { TestBrowser, WatchedPage } from "../support/browser.ts";
import { createVisit, hostedPages } from "./hosted-pages.ts";

// Every text of a store with demo data is made hostile behind the API, and a real browser opens what shows them.

const HOSTILE = `"'><img src=x onerror=ran()></title></script></textarea></style><script>ran()</script>`;
const TEXTS =
  /(?:name|title|label|text|body|note|reason|message|description|subject|comment|headline|summary|address|city|question|answer)s?$/;

/** Texts that people write: by the name of the member, or because they are more than a word. Sanitised HTML stays. */
function poison(value: unknown, member = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => poison(each, member));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poison(each, name)]));
  if (typeof value !== "string" || member.includes("html") || /^\w+:\/\//.test(value)) return value;
  const isText = (TEXTS.test(member) && !/^[a-z_]+$/.test(value)) || /[a-z] [a-z]/i.test(value);
  return isText ? `${value} ${HOSTILE}` : value;
}

/** Answers how many documents were changed. */
async function poisonAll(store: StoreDriver, part: string): Promise<number> {
  let changed = 0;
  for (const { name: coll } of await store.collections(part)) {
    if (coll.startsWith("ix.")) continue;
    const { items } = await store.page(part, coll, { limit: 500 });
    for (const { key, value } of items) {
      const poisoned = JSON.stringify(poison(JSON.parse(value)));
      if (poisoned === value) continue;
      await store.commit(part, [{ put: key, value: poisoned }]);
      changed += 1;
    }
  }
  return changed;
}

describe.runIf(HAS_BROWSER)("texts of a hostile store", { timeout: 180_000 }, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** How often something ran or has become an element. No policy of the service stops scripts here. */
  async function runningIn({ page }: WatchedPage, html: string): Promise<number> {
    await page.setContent(html);
    // A picture that fails to load runs its handler in a later task.
    return page.evaluate(`new Promise((resolve) => setTimeout(() => {
      const found = document.querySelectorAll("[onerror]").length + (window.count ?? 0);
      window.count = 0;
      resolve(found);
    }, 20))`);
  }
  async function openCounter(): Promise<WatchedPage> {
    const watched = await browser.open();
    await watched.page.addInitScript("window.ran = () => { window.count = (window.count ?? 0) + 1; };");
    await watched.page.goto("about:blank");
    return watched;
  }

  it("are noticed where they are not escaped", async () => {
    const watched = await openCounter();
    expect(await runningIn(watched, `<!doctype html><p title="${HOSTILE}">x</p>`)).toBeGreaterThan(1);
    expect(await runningIn(watched, "<!doctype html><p>x</p>")).toBe(0);
  });

  it("run nothing in mails", async () => {
    const watched = await openCounter();
    let shown = 0;
    for (const name of Object.keys(mailTemplates).filter(isMailName)) {
      const data = poison(mailTemplates[name].example) as MailData<typeof name>;
      const { html } = await renderMail(name, data, { baseUrl: "http://platform.test" });
      expect([name, await runningIn(watched, html)]).toEqual([name, 0]);
      if (html.includes("onerror=ran()")) shown += 1;
    }
    expect(shown).toBeGreaterThan(20);
  });

  it("run nothing on pages for customers", async () => {
    const watched = await openCounter();
    const visit = await createVisit("en-GB");
    expect(await poisonAll(visit.harness.store, visit.scene.part)).toBeGreaterThan(200);
    let shown = 0;
    for (const [id, play] of Object.entries(hostedPages)) {
      // Some steps cannot be played with such texts: what they would show is shown by others.
      for (const { text } of await play(visit).catch(() => [])) {
        if (!/^\s*<(?:!doctype|html)/i.test(text)) continue;
        if (text.includes("onerror=ran()")) shown += 1;
        expect([id, await runningIn(watched, text)]).toEqual([id, 0]);
      }
    }
    expect(shown).toBeGreaterThan(10);
    await visit.harness.close();
  });

  it("run nothing in the console", async () => {
    const { harness, url, close } = await serveHarness();
    const scene = await createScene(harness);
    await poisonAll(harness.store, scene.part);
    await poisonAll(harness.store, "platform");
    const link = (await harness.admin("POST", "/api/platform/admin/console/links")).json.data.url;
    const { page, complaints } = await browser.open();
    await page.goto(link);
    await page.getByRole("button", { name: "Log in" }).click();
    const store = `/_/stores/${scene.world.key.storeId}`;
    const paths = [
      "/_",
      ...VIEWS.filter(({ path }) => !path.includes(":")).map(({ path }) => `/_/${path}`),
      store,
      ...DRAWINGS.map(({ path }) => `${store}/${path}`),
      `/_/customers/${scene.world.key.customerId}`,
    ];
    let shown = 0;
    for (const path of paths) {
      await page.goto(url + path);
      for (const frame of page.frames())
        expect([path, await frame.evaluate(`document.querySelectorAll("[onerror]").length`)]).toEqual([
          path,
          0,
        ]);
      if ((await page.content()).includes("onerror=ran()")) shown += 1;
    }
    expect(shown).toBeGreaterThan(3);
    expect(complaints).toEqual([]);
    await close();
  });
});
