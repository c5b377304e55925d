import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import { storeMails } from "../../server/core/store-mail.ts";
import { silentLog } from "../../server/core/log.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { PNG } from "../engines/forms/files.ts";
import type { TestKey } from "../harness.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";
import { serveStorefront } from "../support/storefront.ts";
import type { Storefront } from "../support/storefront.ts";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const AGREED = [{ key: "news", text: "Write to me about new bread", required: false, version: "1" }];

let browser: TestBrowser;
let served: Awaited<ReturnType<typeof serveHarness>>;
let shop: Storefront;
/** A site that the shop does not name. */
let stranger: Storefront;
let secret: TestKey;
let pub: TestKey;
/** Every request that the service answered: method and status, preflights too. */
let seen: string[] = [];

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const log = {
    ...silentLog,
    info(fields: object, message: string) {
      const { method, status }: { method?: string; status?: number } = fields;
      if (message === "request") seen.push(`${method} ${status}`);
    },
  };
  [browser, served, shop, stranger] = await Promise.all([
    openBrowser(),
    serveHarness({ log }),
    serveStorefront(),
    serveStorefront(),
  ]);
  secret = await served.harness.key();
  pub = await served.harness.key({
    kind: "publishable",
    scopes: ["forms:public", "forms:submit", "reviews:public", "reviews:submit"],
    customer_id: secret.customerId,
    store_id: secret.storeId,
  });
  await own("PATCH", "/v1/account/browser", { origins: [shop.origin] });
  for (const site of [shop, stranger]) {
    site.put("/", {
      html: `<script src="/shop.js" data-api="${served.url}" data-key="${pub.plaintext}"></script>`,
    });
  }
}, 60_000);
afterAll(async () => {
  if (!HAS_BROWSER) return;
  await Promise.all([browser.close(), served.close(), shop.close(), stranger.close()]);
});

/** `data` of a call by the shop's own server; throws when it is refused. */
async function own(method: string, path: string, body?: unknown) {
  const answer = await served.harness.call(method, path, { key: secret, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json.data;
}

const part = (): string => storePartition(secret.storeId, "live");
const publicUrl = (formId: string): string => `${served.url}/api/public/forms/${part()}.${formId}`;
const sentTo = (formId: string, status = "new") =>
  own("GET", `/v1/forms/${formId}/submissions?status=${status}`);

/** A published form; gives its id. Limits count in the minutes of the test's clock: each form begins a new one. */
async function publish(more: { settings?: object; fields?: object[]; consents?: object[] } = {}) {
  served.harness.clock.advance(120_000);
  const { settings, ...rest } = more;
  const { id } = await own("POST", "/v1/forms", {
    name: "Contact us",
    fields: [
      { key: "name", type: "name", label: "Name", required: true },
      { key: "email", type: "email", label: "E-mail", required: true },
      { key: "message", type: "textarea", label: "Message" },
    ],
    notifications: [{ to: ["private@bakery.example"] }],
    settings: { captcha: "none", ...settings },
    ...rest,
  });
  await own("POST", `/v1/forms/${id}/publish`);
  return String(id);
}

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly bearer?: string;
}
interface Told {
  readonly status: number;
  /** Those that the page may read. */
  readonly headers: Readonly<Record<string, string>>;
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
  readonly failed: string | null;
}
const ask = (page: Page, asked: Asked): Promise<Told> => page.evaluate(`ask(${JSON.stringify(asked)})`);

async function visit(site: Storefront, path = "/", options = {}) {
  const opened = await browser.open(options);
  await opened.page.goto(site.origin + path);
  return opened;
}

/** `TEST_PICTURES` is a folder for screenshots. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["TEST_PICTURES"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

const ada = { name: "Ada Byron", email: "ada@office.example", message: "Do you bake rye bread on Mondays?" };

/** A token that is ten seconds old when it is used. */
async function tokenOf(page: Page, formId: string): Promise<string> {
  const { json } = await ask(page, { method: "POST", path: `/v1/forms/${formId}/tokens` });
  served.harness.clock.advance(10_000);
  return json.data.token;
}
const sendForm = (page: Page, formId: string, body: object) =>
  ask(page, { method: "POST", path: `/v1/forms/${formId}/submissions`, body });

describe.runIf(HAS_BROWSER)("a page of the shop, on another origin", () => {
  it("shows a form and sends it, each call after a preflight", async () => {
    const id = await publish();
    const { page, complaints } = await visit(shop);
    seen = [];
    const { json } = await ask(page, { path: `/v1/forms/${id}/definition` });
    expect(json.data).toMatchObject({ id, open: true, captcha: { kind: "none" } });
    expect(JSON.stringify(json)).not.toContain("private@bakery.example");
    const token = await tokenOf(page, id);
    const answer = await sendForm(page, id, { data: ada, token, page_url: page.url() });
    expect([answer.status, answer.json.data.status]).toEqual([201, "received"]);
    expect(answer.headers).toHaveProperty("x-request-id");
    expect(seen).toEqual(["OPTIONS 204", "GET 200", "OPTIONS 204", "POST 201", "OPTIONS 204", "POST 201"]);
    expect(await sentTo(id)).toMatchObject([
      { channel: "web", data: ada, page_url: `${shop.origin}/`, spam: { score: 0, reasons: [] } },
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("solves the puzzle that a widget fetches without a key", async () => {
    const id = await publish({ settings: { captcha: "altcha" } });
    const { page, complaints } = await visit(shop);
    const captcha = await page.evaluate(`solve(${JSON.stringify(`${publicUrl(id)}/captcha`)})`);
    const token = await tokenOf(page, id);
    expect((await sendForm(page, id, { data: ada, token, captcha })).status).toBe(201);
    expect(await sentTo(id)).toMatchObject([{ spam: { reasons: [{ code: "captcha_passed" }] } }]);
    // Who leaves it out gets the same answer, and is held back.
    const plain = { data: { ...ada, message: "Quite another question" }, token: await tokenOf(page, id) };
    expect((await sendForm(page, id, plain)).status).toBe(201);
    expect(await sentTo(id, "quarantined")).toMatchObject([
      { spam: { reasons: [{ code: "captcha_missing" }] } },
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 30_000);

  it("is not told that a token which was used before is a reason for suspicion", async () => {
    const id = await publish();
    const { page } = await visit(shop);
    const token = await tokenOf(page, id);
    const first = await sendForm(page, id, { data: ada, token });
    const again = await sendForm(page, id, { data: { ...ada, message: "Something else entirely" }, token });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(Object.keys(again.json.data)).toEqual(Object.keys(first.json.data));
    expect(again.json.data.status).toBe(first.json.data.status);
    const [held] = await sentTo(id, "quarantined");
    expect(held.spam.reasons).toContainEqual({ code: "token_bad", points: 60 });
    await page.context().close();
  });

  it("hands a review in, and sees none that is not published, nor who wrote it", async () => {
    served.harness.clock.advance(120_000);
    await own("PATCH", "/v1/reviews/settings", { confirm_email: false });
    const { page, complaints } = await visit(shop);
    const target = { type: "product", id: "rye" };
    const minted = await ask(page, { method: "POST", path: "/v1/reviews/tokens", body: { target } });
    served.harness.clock.advance(60_000);
    const sent = await ask(page, {
      method: "POST",
      path: "/v1/reviews",
      body: {
        target,
        rating: 4,
        title: "Dense",
        body: "A loaf that lasts the whole week, and toasts well on the last day.",
        author: { display_name: "Ada" },
        email: "ada@office.example",
        incentive: { type: "none" },
        form_token: minted.json.data.token,
      },
    });
    expect([sent.status, sent.json.data.status]).toEqual([201, "pending"]);
    const read = async () => [
      (await ask(page, { path: "/v1/reviews?target_type=product&target_id=rye" })).json.data,
      (await ask(page, { path: "/v1/reviews/aggregates/product/rye" })).json.data,
    ];
    expect(await read()).toMatchObject([[], { rating_count: 0, rating_value: null }]);
    const { id } = sent.json.data;
    await own("POST", `/v1/reviews/${id}/approve`, {});
    const shown = await read();
    expect(shown).toMatchObject([
      [{ id, rating: 4, author: { display_name: "Ada" } }],
      { rating_count: 1, rating_value: 4 },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/office\.example|moderation|risk/);
    expect(complaints).toEqual([]);
    const pending = await ask(page, { path: "/v1/reviews?status=pending" });
    expect(pending.status).toBeGreaterThanOrEqual(400);
    await page.context().close();
  });
});

describe.runIf(HAS_BROWSER)("a page is refused", () => {
  it("where the shop does not name it, and can read why", async () => {
    const id = await publish();
    const { page } = await visit(stranger);
    for (const asked of [
      { path: `/v1/forms/${id}/definition` },
      { method: "POST", path: `/v1/forms/${id}/submissions`, body: { data: ada } },
      { path: "/v1/reviews/aggregates/product/rye" },
    ]) {
      const { json, status } = await ask(page, asked);
      expect([asked.path, status, json.error.code]).toEqual([asked.path, 403, "origin_not_allowed"]);
    }
    expect(await sentTo(id)).toEqual([]);
    await page.context().close();
  });

  it("with a secret key, and outside the routes that are open", async () => {
    const id = await publish();
    const { page } = await visit(shop);
    const path = `/v1/forms/${id}/submissions`;
    const leaked = await ask(page, { path, bearer: secret.plaintext });
    expect([leaked.status, leaked.json.error.code]).toEqual([403, "secret_key_in_browser"]);
    // The path is open for sending, so its refusals can be read.
    const inbox = await ask(page, { path });
    expect([inbox.status, inbox.json.error.code]).toEqual([403, "insufficient_scope"]);
    // Nothing is open here, and the page can read so.
    for (const closed of ["/v1/forms", `/v1/forms/${id}`, "/v1/account"]) {
      for (const [bearer, code] of [
        [pub.plaintext, "insufficient_scope"],
        [secret.plaintext, "secret_key_in_browser"],
      ] as const) {
        const refused = await ask(page, { path: closed, bearer });
        expect([refused.status, refused.json.error.code], closed).toEqual([403, code]);
      }
    }
    const removed = await ask(page, { method: "DELETE", path: `/v1/forms/${id}` });
    expect([removed.status, removed.json.error.code]).toEqual([403, "insufficient_scope"]);
    expect((await own("GET", `/v1/forms/${id}`)).id).toBe(id);
    const direct = await served.harness.call("GET", "/v1/forms", {
      key: pub,
      headers: { origin: shop.origin },
    });
    expect([direct.status, direct.json.error.code]).toEqual([403, "insufficient_scope"]);
    await page.context().close();
  });

  it("when it sends too often, and can read when to come back", async () => {
    const id = await publish();
    const { page } = await visit(shop);
    const statuses: number[] = [];
    let last: Told | null = null;
    for (let n = 0; n < 16; n += 1) {
      last = await sendForm(page, id, { data: { ...ada, message: `Question number ${n}` } });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 15 }, () => 201), 429]);
    const wait = Number(last?.headers["retry-after"]);
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
    expect(last?.json.error.type).toBe("too_many_requests");
    served.harness.clock.advance(wait * 1000);
    expect((await sendForm(page, id, { data: ada })).status).toBe(201);
    await page.context().close();
  });
});

describe.runIf(HAS_BROWSER)("a form as HTML, without script", () => {
  async function post(success: string) {
    // Publishing refuses an address of a site that the shop does not name; it may stop naming it later.
    await own("PATCH", "/v1/account/browser", { origins: [shop.origin, stranger.origin] });
    const id = await publish({ settings: { success_url: success } });
    await own("PATCH", "/v1/account/browser", { origins: [shop.origin] });
    const { text } = await served.harness.call("GET", `/v1/forms/${id}/embed?format=html`, { key: pub });
    shop.put("/contact", {
      html: text,
      policy: `default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; form-action ${served.url} ${shop.origin}`,
    });
    shop.put("/thanks", { html: "<p>See you on Monday</p>" });
    const { page, complaints } = await visit(shop, "/contact", { javaScriptEnabled: false });
    await page.getByLabel("Name").fill(ada.name);
    await page.getByLabel("E-mail").fill(ada.email);
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForLoadState();
    expect(complaints).toEqual([]);
    expect(await sentTo(id)).toMatchObject([{ channel: "nojs", data: { name: ada.name } }]);
    return { page, id };
  }

  it("ends at the shop's own page", async () => {
    seen = [];
    const { page } = await post(`${shop.origin}/thanks`);
    expect(page.url()).toBe(`${shop.origin}/thanks`);
    expect(await page.getByText("See you on Monday").isVisible()).toBe(true);
    expect(seen).toContain("POST 303");
    await page.context().close();
  });

  it("never ends at a page of another site", async () => {
    const { id, page } = await post(`${stranger.origin}/`);
    expect(page.url()).toBe(publicUrl(id));
    expect(await page.getByRole("status").isVisible()).toBe(true);
    await page.context().close();
  });
});

describe.runIf(HAS_BROWSER)("the hosted page of a form, which has no script", () => {
  async function send(page: Page): Promise<void> {
    await page.getByLabel("Name").fill(ada.name);
    await page.getByLabel("E-mail").fill(ada.email);
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForLoadState();
  }

  it("tells whoever sends too often when to come back; a reload then sends what was typed", async () => {
    const id = await publish();
    for (let n = 0; n < 15; n += 1) {
      const body = new URLSearchParams({ name: `Bo ${n}`, email: `bo${n}@office.example` });
      expect((await fetch(publicUrl(id), { method: "POST", body })).status).toBe(200);
    }
    const { page } = await browser.open();
    await page.goto(publicUrl(id));
    seen = [];
    await send(page);
    expect(seen).toContain("POST 429");
    expect(await page.getByRole("heading", { name: "Please wait a moment" }).isVisible()).toBe(true);
    const told = await page.getByRole("alert").textContent();
    expect(told).toMatch(/Please try again in \d+ seconds\. Reload this page then/);
    expect(await violations(page)).toEqual([]);
    served.harness.clock.advance(60_000);
    await page.reload();
    expect(await page.getByRole("status").isVisible()).toBe(true);
    const names = (await own("GET", `/v1/forms/${id}/submissions?limit=100`)).map(
      ({ data }: { data: { name: string } }) => data.name,
    );
    expect(names).toContain(ada.name);
    await page.context().close();
  }, 30_000);
});

const EVERYTHING = {
  settings: { captcha: "altcha", success_message: "We will write to you." },
  consents: AGREED,
  fields: [
    { key: "name", type: "name", label: "Name", required: true, help: "As on the invoice" },
    { key: "email", type: "email", label: "E-mail", required: true, prefill_param: "email" },
    {
      key: "topic",
      type: "select",
      label: "Topic",
      options: [
        { value: "bread", label: "Bread" },
        { value: "cake", label: "Cake" },
      ],
    },
    {
      key: "guests",
      type: "integer",
      label: "Guests",
      required: true,
      min: 1,
      visible_when: { field: "topic", op: "eq", value: "cake" },
    },
    {
      key: "diet",
      type: "checkbox",
      label: "Diet",
      required: true,
      options: [
        { value: "vegan", label: "Vegan" },
        { value: "halal", label: "Halal" },
      ],
    },
    {
      key: "size",
      type: "radio",
      label: "Size",
      options: [
        { value: "small", label: "Small" },
        { value: "large", label: "Large" },
      ],
    },
    { key: "home", type: "address", label: "Where to" },
    { key: "photo", type: "file", label: "Photo" },
    { key: "again", type: "boolean", label: "I was here before" },
    { key: "message", type: "textarea", label: "Message" },
  ],
};

describe.runIf(HAS_BROWSER)("a form that the script puts into a page", () => {
  /** The shop's policy lets in our origin and its own style, nothing inline. */
  const policy = (): string =>
    `default-src 'none'; base-uri 'none'; style-src 'self'; img-src data:; form-action 'none'; script-src ${served.url}; connect-src ${served.url}`;
  const tag = (id: string): string =>
    `<script src="${publicUrl(id)}/embed.js" data-key="${pub.plaintext}" async></script>`;

  it("stands under a strict policy, minds the logic of the form, and is sent", async () => {
    const id = await publish(EVERYTHING);
    shop.put("/embedded", { html: tag(id), policy: policy() });
    const { page, complaints } = await visit(shop, "/embedded?email=ada@office.example&utm_source=post");
    await page.getByLabel("Name").waitFor();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("ada@office.example");
    expect(await page.getByLabel("Guests").isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Name").fill(ada.name);
    await page.getByLabel("Topic").selectOption("cake");
    await page.getByLabel("Guests").fill("12");
    await page.getByLabel("Large").check();
    await page.getByLabel("Address", { exact: true }).fill("1 Mare Street");
    await page.getByLabel("Town or city").fill("London");
    await page.getByLabel("Postcode").fill("E8 3PH");
    const photo = { name: "p.png", mimeType: "image/png", buffer: Buffer.from(PNG) };
    await page.getByLabel("Photo").setInputFiles(photo);
    await page.getByLabel("Write to me").check();
    served.harness.clock.advance(10_000);
    await page.getByRole("button", { name: "Send" }).click();
    // A browser cannot ask for one of several boxes: the server does.
    const fault = page.getByRole("alert");
    await fault.waitFor();
    expect(await fault.textContent()).toBe("This field is required.");
    expect(await page.getByLabel("Vegan").getAttribute("aria-invalid")).toBe("true");
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Vegan").check();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("We will write to you.").waitFor();
    expect(await violations(page)).toEqual([]);
    const [submission] = await sentTo(id);
    expect(submission).toMatchObject({
      channel: "web",
      data: {
        name: ada.name,
        topic: "cake",
        guests: 12,
        diet: ["vegan"],
        size: "large",
        home: { line1: "1 Mare Street" },
      },
      files: [{ mime: "image/png" }],
      consents: [{ key: "news" }],
      page_url: expect.stringContaining(`${shop.origin}/embedded?`),
      utm: { source: "post" },
      spam: { reasons: [{ code: "captcha_passed" }] },
    });
    expect(complaints.filter((text) => !text.includes("status of 422"))).toEqual([]);
    await page.context().close();
  }, 60_000);

  it("sends the other files when the minute is over where they are more than a visitor can send in one", async () => {
    const fields = [{ key: "photo", type: "file", label: "Photo", max_files: 2 }];
    const id = await publish({ fields });
    shop.put("/embedded", { html: tag(id), policy: policy() });
    const { page } = await visit(shop, "/embedded");
    let count = 0;
    await page.route("**/uploads", async (route) => {
      count += 1;
      const headers = {
        "access-control-allow-origin": shop.origin,
        "access-control-expose-headers": "Retry-After",
        "retry-after": "1",
      };
      if (count === 2) await route.fulfill({ status: 429, headers, json: { error: {} } });
      else await route.continue();
    });
    const buffer = Buffer.from(PNG);
    const photos = ["a.png", "b.png"].map((name) => ({ name, mimeType: "image/png", buffer }));
    await page.getByLabel("Photo").setInputFiles(photos);
    served.harness.clock.advance(10_000);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    expect(count).toBe(3);
    expect((await sentTo(id))[0].files).toHaveLength(2);
    await page.context().close();
  }, 30_000);

  it("says in words that it cannot be shown or sent", async () => {
    const id = await publish();
    for (const site of [shop, stranger]) site.put("/embedded", { html: tag(id), policy: policy() });
    const elsewhere = await visit(stranger, "/embedded");
    await elsewhere.page.getByText("This form cannot be shown right now.").waitFor();
    expect(await elsewhere.page.locator("body").textContent()).not.toContain("{");
    expect(elsewhere.complaints.join(" ")).toContain("is not allowed for this store");
    await elsewhere.page.context().close();
    const { page } = await visit(shop, "/embedded");
    await page.getByLabel("Name").fill(ada.name);
    await page.getByLabel("E-mail").fill(ada.email);
    const aside = await visit(shop);
    for (let n = 0; n < 15; n += 1) {
      const more = { method: "POST", path: `/v1/forms/${id}/submissions`, body: { data: ada } };
      await ask(aside.page, more);
    }
    await aside.page.context().close();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/Please wait \d+ seconds/).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe(ada.name);
    await own("POST", `/v1/forms/${id}/close`);
    const late = await visit(shop, "/embedded");
    await late.page.getByText("This form does not accept submissions at the moment.").waitFor();
    await late.page.context().close();
    await page.context().close();
  }, 60_000);
});

describe.runIf(HAS_BROWSER)("the pages that the service shows itself", () => {
  const schemes = [
    ["light", PHONE],
    ["dark", { ...PHONE, colorScheme: "dark" }],
  ] as const;

  async function invite(orderId: string, first = "loaf"): Promise<string> {
    const item = (id: string) => ({ target: { type: "product", id }, name: `The ${id}` });
    const { id } = await own("POST", "/v1/reviews/invitations", {
      order_id: orderId,
      email: `${orderId}@office.example`,
      customer_name: "Ada",
      fulfilled_at: "2026-05-01T09:00:00.000Z",
      items: [item(first), item("bun")],
    });
    await own("POST", `/v1/reviews/invitations/${id}/send`);
    const { items } = await served.harness.services.runTx(part(), (tx) =>
      tx.peekPage(storeMails, { index: "waiting", limit: 100 }),
    );
    const mail = items.find(({ value }) => value.to === `${orderId}@office.example`);
    return String(mail?.value.data["review_url"]);
  }

  it.each(schemes)(
    "fit a phone and have nothing for axe to complain of: %s",
    async (name, options) => {
      const form = await publish(EVERYTHING);
      const { page, complaints } = await browser.open(options);
      for (const url of [publicUrl(form), await invite(`axe-${name}`)]) {
        await page.goto(url);
        expect([url, await violations(page)]).toEqual([url, []]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    },
    60_000,
  );

  it("rate by stars with the keyboard, and show reviews with their photos on a page", async () => {
    served.harness.clock.advance(120_000);
    const { page, complaints } = await browser.open(PHONE);
    await page.goto(await invite("stars", "cake"));
    await page.getByLabel("3 – fair").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByLabel("4 – good").isChecked()).toBe(true);
    expect(await page.getByRole("group", { name: "Your rating" }).getByRole("radio").count()).toBe(5);
    const filled = `[...document.querySelectorAll(".stars input")].map((star) => getComputedStyle(star, "::before").content)`;
    expect(await page.evaluate(filled)).toEqual(['"★"', '"★"', '"★"', '"★"', '"☆"']);
    expect(await page.getByText("4 – good").isVisible()).toBe(true);
    await page.getByLabel("Your review").fill("Crisp outside, soft inside, gone by noon.");
    await page
      .getByLabel("Photos")
      .setInputFiles({ name: "p.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
    await picture(page, "review-form");
    await page.getByRole("button", { name: "Send review" }).click();
    await page.getByText("Thank you").waitFor();
    const [review] = await own("GET", "/v1/reviews?target_id=cake");
    await own("POST", `/v1/reviews/${review.id}/approve`, {});
    const base = `${served.url}/api/public/stores/${part()}/reviews/product/cake`;
    for (const [name, options] of schemes) {
      const shown = await browser.open(options);
      await shown.page.goto(base);
      await shown.page.getByText("Crisp outside").first().waitFor();
      const image = shown.page.getByRole("img", { name: "Photo by Ada" });
      expect(await image.evaluate((node) => Reflect.get(node, "naturalWidth"))).toBe(1);
      expect([name, await violations(shown.page)]).toEqual([name, []]);
      expect(await shown.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await picture(shown.page, `gallery-${name}`);
      expect(shown.complaints).toEqual([]);
      await shown.page.setContent(
        `<meta name="color-scheme" content="light dark"><img src="${base}/badge.svg">`,
      );
      await shown.page.waitForFunction("document.images[0].naturalWidth === 280");
      await picture(shown.page, `badge-${name}`);
      await shown.page.context().close();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  it("take a review on a phone without script, once an item", async () => {
    served.harness.clock.advance(120_000);
    const url = await invite("noscript");
    const { page, complaints } = await browser.open({ ...PHONE, javaScriptEnabled: false });
    await page.goto(url);
    await page.getByLabel("4 – good").check();
    await page.getByLabel("Your review").fill("Crisp outside, soft inside, gone by noon.");
    await page.getByRole("button", { name: "Send review" }).click();
    await page.getByRole("link", { name: "Review something else from this order" }).click();
    await page.getByRole("heading", { name: "The bun" }).waitFor();
    await page.getByLabel("2 – poor").check();
    await page.getByRole("button", { name: "Send review" }).click();
    await page.getByText("Your reviews of this order").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
    const verification = { level: "verified_purchase", order_id: "noscript" };
    expect(await own("GET", "/v1/reviews?target_id=loaf")).toMatchObject([{ rating: 4, verification }]);
    expect(await own("GET", "/v1/reviews?target_id=bun")).toMatchObject([{ rating: 2, verification }]);
  }, 60_000);
});
