import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import { storePartition } from "../../server/core/partitions.ts";
import { PNG } from "../engines/forms/files.ts";
import type { TestKey } from "../harness.ts";
import { HAS_BROWSER, openBrowser, serveHarness, violations } from "../support/browser.ts";
import type { TestBrowser } from "../support/browser.ts";
import { serveStorefront } from "../support/storefront.ts";
import type { Storefront } from "../support/storefront.ts";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const PICTURES = process.env["TEST_PICTURES"];

let browser: TestBrowser;
let served: Awaited<ReturnType<typeof serveHarness>>;
let shop: Storefront;
let secret: TestKey;
let pub: TestKey;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, served, shop] = await Promise.all([openBrowser(), serveHarness(), serveStorefront()]);
  secret = await served.harness.key();
  pub = await served.harness.key({
    kind: "publishable",
    scopes: ["forms:public", "forms:submit"],
    customer_id: secret.customerId,
    store_id: secret.storeId,
  });
  await own("PATCH", "/v1/account/browser", { origins: [shop.origin] });
  await own("PATCH", "/v1/account/store", { name: "Boulangerie Demo", color: "#8a4b08", locale: "fr-FR" });
}, 60_000);
afterAll(async () => {
  if (!HAS_BROWSER) return;
  await Promise.all([browser.close(), served.close(), shop.close()]);
});

async function own(method: string, path: string, body?: unknown) {
  const answer = await served.harness.call(method, path, { key: secret, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json.data;
}

const FORM = {
  name: "Demande de traiteur",
  locales: ["fr-FR"],
  fields: [
    { key: "name", type: "name", label: "Votre nom", required: true },
    { key: "email", type: "email", label: "Votre e-mail", required: true },
    {
      key: "kind",
      type: "radio",
      label: "Occasion",
      required: true,
      options: [
        { value: "wedding", label: "Mariage" },
        { value: "office", label: "Bureau" },
      ],
    },
    { key: "budget", type: "currency", label: "Budget", currency: "EUR", required: true, min: 10_000 },
    { key: "company", type: "text", label: "Société", required: true },
    { key: "plan", type: "file", label: "Plan de table", required: true, accept: ["png"] },
    { key: "note", type: "textarea", label: "Remarques" },
  ],
  steps: [
    { key: "who", title: "Vous", fields: ["name", "email"] },
    { key: "what", title: "L’événement", fields: ["kind", "budget"] },
    {
      key: "office",
      title: "Votre bureau",
      fields: ["company"],
      visible_when: { field: "kind", op: "eq", value: "office" },
    },
    { key: "rest", title: "Pour finir", fields: ["plan", "note"] },
  ],
  consents: [{ key: "privacy", text: "J’ai lu la notice", required: true, version: "1" }],
  settings: { captcha: "none", allow_partial: true },
};

async function publish(more: object = {}): Promise<string> {
  served.harness.clock.advance(120_000);
  const { id } = await own("POST", "/v1/forms", { ...FORM, ...more });
  await own("POST", `/v1/forms/${id}/publish`);
  return String(id);
}
const hosted = (id: string): string =>
  `${served.url}/api/public/forms/${storePartition(secret.storeId, "live")}.${id}`;
const submissions = (id: string, status: string) =>
  own("GET", `/v1/forms/${id}/submissions?status=${status}`);
/** Waits of ten seconds at most, so that a failure shows where. */
const open = async (options: Parameters<TestBrowser["open"]>[0] = {}) => {
  const opened = await browser.open(options);
  opened.page.setDefaultTimeout(10_000);
  return opened;
};
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What axe finds, and whether anything is wider than the window; `TEST_PICTURES` is a folder for screenshots. */
async function looks(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  }
  expect([name, await violations(page)]).toEqual([name, []]);
  expect([name, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([name, 0]);
}

const sent = {
  name: "Ada",
  email: "ada@bureau.example",
  kind: "office",
  budget: 25_000,
  company: "Analytique",
  plan: [expect.stringMatching(/^upl_/)],
};

describe.runIf(HAS_BROWSER)("a form of several steps on its own page, without script", () => {
  it.each([
    ["wide", {}],
    ["phone-dark", { ...PHONE, colorScheme: "dark" }],
  ] as const)(
    "leads from step to step to a review, and keeps everything: %s",
    { timeout: 60_000 },
    async (name, options) => {
      const id = await publish();
      const { page, complaints } = await open(options);
      await page.goto(hosted(id));
      expect(await page.content()).not.toContain("<script");
      await page.getByText("Étape 1 sur 4").waitFor();
      await looks(page, `hosted-${name}-1`);
      await page.getByLabel("Votre nom").fill("Ada");
      await page.getByLabel("Votre e-mail").fill("ada@bureau");
      await button(page, "Continuer").click();
      await page.getByText("Indiquez une adresse e-mail, par exemple ada@shop.example.").waitFor();
      await looks(page, `hosted-${name}-fault`);
      await page.getByLabel("Votre e-mail").fill("ada@bureau.example");
      await button(page, "Continuer").click();
      await page.getByLabel("Bureau").check();
      await page.getByLabel("Budget").fill("50");
      await button(page, "Continuer").click();
      await page.getByText(/Doit être d’au moins 100,00\s€/).waitFor();
      await page.getByLabel("Budget").fill("250");
      await button(page, "Continuer").click();
      await page.getByText("Étape 3 sur 5").waitFor();
      await button(page, "Retour").click();
      expect(await page.getByLabel("Budget").inputValue()).toBe("250");
      expect(await page.getByLabel("Bureau").isChecked()).toBe(true);
      await button(page, "Continuer").click();
      await page.getByLabel("Société").fill("Analytique");
      await button(page, "Continuer").click();
      await page
        .getByLabel("Plan de table")
        .setInputFiles({ name: "plan.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
      await button(page, "Continuer").click();
      await page.getByRole("heading", { name: "Vérifiez vos réponses" }).waitFor();
      await page.getByText("plan.png").waitFor();
      expect(await page.getByText(/^250,00\s€$/).count()).toBe(1);
      await looks(page, `hosted-${name}-review`);
      await page.getByRole("button", { name: "Modifier : Vous" }).click();
      await page.getByLabel("Votre nom").fill("Ada B.");
      // A corrected step leads straight back to the review.
      await button(page, "Continuer").click();
      await page.getByText("Ada B.").waitFor();
      await page.getByLabel("J’ai lu la notice").check();
      served.harness.clock.advance(10_000);
      await button(page, "Envoyer").click();
      await page.getByText("Merci. Nous avons bien reçu votre message.").waitFor();
      await looks(page, `hosted-${name}-thanks`);
      expect(await submissions(id, "new")).toMatchObject([
        {
          channel: "nojs",
          data: { ...sent, name: "Ada B." },
          files: [{ name: "plan.png" }],
          consents: [{ key: "privacy" }],
        },
      ]);
      // The answer to a step with a fault is 422, which the browser notes.
      expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
      await page.context().close();
    },
  );

  it("saves the answers, and goes on where they end by the link", async () => {
    const id = await publish();
    const { page } = await open();
    await page.goto(hosted(id));
    await page.getByLabel("Votre nom").fill("Ada");
    await page.getByLabel("Votre e-mail").fill("ada@bureau.example");
    await button(page, "Continuer").click();
    await page.getByLabel("Bureau").check();
    await page.getByLabel("Budget").fill("250");
    await button(page, "Enregistrer et continuer plus tard").click();
    await page.getByText("Vos réponses sont enregistrées").waitFor();
    await looks(page, "hosted-saved");
    expect(await submissions(id, "partial")).toMatchObject([{ data: { name: "Ada", budget: 25_000 } }]);
    const link = (await page.locator(".key a").getAttribute("href")) ?? "";
    const later = await open();
    served.harness.clock.advance(86_400_000);
    await later.page.goto(link);
    await later.page.getByRole("heading", { name: "Votre bureau" }).waitFor();
    await later.page.getByLabel("Société").fill("Analytique");
    await button(later.page, "Continuer").click();
    await later.page
      .getByLabel("Plan de table")
      .setInputFiles({ name: "p.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
    await button(later.page, "Continuer").click();
    await later.page.getByLabel("J’ai lu la notice").check();
    served.harness.clock.advance(10_000);
    await button(later.page, "Envoyer").click();
    await later.page.getByText("Merci. Nous avons bien reçu votre message.").waitFor();
    // The saved answers became the submission.
    expect(await submissions(id, "partial")).toEqual([]);
    expect(await submissions(id, "new")).toMatchObject([{ data: sent }]);
    await later.page.goto(link);
    await later.page.getByText("Ce formulaire a déjà été envoyé.").waitFor();
    await later.page.goto(`${hosted(id)}?resume=fsb_01.wrong`);
    await later.page.getByText("Le lien n’est pas valable ou a expiré.").waitFor();
    await Promise.all([page.context().close(), later.page.context().close()]);
  }, 60_000);
});

describe.runIf(HAS_BROWSER)("an embedded form of several steps", () => {
  /** A page without any style of its own, and with a policy against inline styles. */
  const embed = (id: string, style = ""): void =>
    shop.put(`/${id}`, {
      html: `${style}<script src="${hosted(id)}/embed.js" data-key="${pub.plaintext}"></script>`,
      ...(style === ""
        ? { policy: `default-src 'none'; script-src ${served.url}; connect-src ${served.url}; img-src data:` }
        : {}),
    });

  it.each([
    ["bare", {}],
    ["bare-phone", PHONE],
    ["dark-phone", { ...PHONE, colorScheme: "dark" }],
  ] as const)(
    "looks right without any style of the page, and leads to a review: %s",
    { timeout: 60_000 },
    async (name, options) => {
      const id = await publish();
      embed(
        id,
        name === "dark-phone" ? `<style>:root{color-scheme:dark}body{font-family:sans-serif}</style>` : "",
      );
      const { page, complaints } = await open(options);
      await page.goto(`${shop.origin}/${id}`);
      await page.getByText("Étape 1 sur 4").waitFor();
      await looks(page, `embed-${name}-1`);
      expect(await page.getByLabel("Budget").isVisible()).toBe(false);
      expect(
        await page.evaluate(
          'getComputedStyle(document.querySelector("button[type=submit]")).backgroundColor',
        ),
      ).toBe("rgb(138, 75, 8)");
      await page.getByLabel("Votre nom").fill("Ada");
      await page.getByLabel("Votre e-mail").fill("ada@bureau");
      await button(page, "Continuer").click();
      await page.getByText("Indiquez une adresse e-mail, par exemple ada@shop.example.").waitFor();
      await looks(page, `embed-${name}-fault`);
      await page.getByLabel("Votre e-mail").fill("ada@bureau.example");
      await button(page, "Continuer").click();
      await page.getByLabel("Bureau").check();
      await page.getByLabel("Budget").fill("250");
      await button(page, "Continuer").click();
      // What a condition shows is marked as required, and checked before it is sent.
      expect(await page.getByText("Société").textContent()).toBe("Société *");
      await button(page, "Continuer").click();
      expect(await page.evaluate("document.activeElement.matches('[name=company]:invalid')")).toBe(true);
      await page.getByLabel("Société").fill("Analytique");
      await button(page, "Continuer").click();
      await page
        .getByLabel("Plan de table")
        .setInputFiles({ name: "plan.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
      await button(page, "Continuer").click();
      await page.getByRole("heading", { name: "Vérifiez vos réponses" }).waitFor();
      await page.getByText("plan.png").waitFor();
      await looks(page, `embed-${name}-review`);
      await page.getByRole("button", { name: "Modifier : Vous" }).click();
      await page.getByLabel("Votre nom").fill("Ada B.");
      await button(page, "Continuer").click();
      await page.getByText("Ada B.").waitFor();
      await page.getByLabel("J’ai lu la notice").check();
      served.harness.clock.advance(10_000);
      await button(page, "Envoyer").click();
      await page.getByText("Merci. Nous avons bien reçu votre message.").waitFor();
      expect(await submissions(id, "new")).toMatchObject([
        { channel: "web", data: { ...sent, name: "Ada B." } },
      ]);
      expect(complaints.filter((text) => !text.includes("shop.css"))).toEqual([]);
      await page.context().close();
    },
  );

  it("saves the answers behind a link, and sends the saved ones", async () => {
    const id = await publish();
    embed(id);
    const { page } = await open();
    await page.goto(`${shop.origin}/${id}`);
    await page.getByLabel("Votre nom").fill("Ada");
    await page.getByLabel("Votre e-mail").fill("ada@bureau.example");
    await button(page, "Continuer").click();
    await page.getByLabel("Bureau").check();
    await page.getByLabel("Budget").fill("250.50");
    await button(page, "Enregistrer et continuer plus tard").click();
    const link = (await page.getByRole("status").getByRole("link").getAttribute("href")) ?? "";
    await looks(page, "embed-saved");
    expect(await submissions(id, "partial")).toMatchObject([{ data: { name: "Ada", budget: 25_050 } }]);
    const later = await open();
    await later.page.goto(link);
    await later.page.getByText("Étape 1 sur").waitFor();
    expect(await later.page.getByLabel("Votre nom").inputValue()).toBe("Ada");
    await button(later.page, "Continuer").click();
    expect(await later.page.getByLabel("Budget").inputValue()).toBe("250.50");
    await button(later.page, "Continuer").click();
    await later.page.getByLabel("Société").fill("Analytique");
    await button(later.page, "Continuer").click();
    await later.page
      .getByLabel("Plan de table")
      .setInputFiles({ name: "p.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
    await button(later.page, "Continuer").click();
    await later.page.getByLabel("J’ai lu la notice").check();
    served.harness.clock.advance(10_000);
    await button(later.page, "Envoyer").click();
    await later.page.getByText("Merci. Nous avons bien reçu votre message.").waitFor();
    expect(await submissions(id, "partial")).toEqual([]);
    expect(await submissions(id, "new")).toMatchObject([{ data: { ...sent, budget: 25_050 } }]);
    await Promise.all([page.context().close(), later.page.context().close()]);
  }, 60_000);
});

it.runIf(HAS_BROWSER)(
  "an embedded form shows what depends on a photo, and takes answers out of its address",
  async () => {
    const when = { field: "photo", op: "not_empty" };
    const id = await publish({
      fields: [
        { key: "source", type: "hidden", label: "Source", prefill_param: "src" },
        { key: "photo", type: "file", label: "Photo", accept: ["png"] },
        { key: "what", type: "text", label: "Que montre-t-elle ?", required: true, visible_when: when },
        { key: "note", type: "text", label: "Remarque", required_when: when },
      ],
      steps: [],
      consents: [],
      settings: { captcha: "none" },
    });
    const html = `<script src="${hosted(id)}/embed.js" data-key="${pub.plaintext}"></script>`;
    shop.put(`/${id}`, { html });
    const { page } = await open();
    await page.goto(`${shop.origin}/${id}?src=lettre`);
    await page.getByLabel("Photo").waitFor();
    expect(await page.getByLabel("Que montre-t-elle ?").isVisible()).toBe(false);
    expect(await page.getByText("Remarque").textContent()).toBe("Remarque");
    const buffer = Buffer.from(PNG);
    await page.getByLabel("Photo").setInputFiles({ name: "a.png", mimeType: "image/png", buffer });
    await page.getByLabel("Que montre-t-elle ?").fill("Un pain");
    expect(await page.getByText("Remarque").textContent()).toBe("Remarque *");
    await looks(page, "embed-photo");
    await page.getByLabel("Remarque").fill("Merci");
    served.harness.clock.advance(10_000);
    await button(page, "Envoyer").click();
    await page.getByText("Merci. Nous avons bien reçu votre message.").waitFor();
    expect(await submissions(id, "new")).toMatchObject([
      { data: { source: "lettre", photo: [expect.stringMatching(/^upl_/)], what: "Un pain", note: "Merci" } },
    ]);
    await page.context().close();
  },
  60_000,
);

describe.runIf(HAS_BROWSER)("checking answers while they are typed", () => {
  it("is not limited as submissions are", async () => {
    const id = await publish();
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n += 1) {
      const answer = await served.harness.call("POST", `/v1/forms/${id}/validations`, {
        key: pub,
        headers: { origin: shop.origin },
        body: { data: { name: "A".repeat(n + 1) }, step: "who" },
      });
      statuses.add(answer.status);
    }
    expect([...statuses]).toEqual([200]);
  });
});

it.runIf(HAS_BROWSER)(
  "a form in Arabic runs from right to left, and long words do not leave it",
  async () => {
    const long = "Donaudampfschifffahrtsgesellschaftskapitänsmützenfabrikbesichtigungstermin";
    const form = {
      steps: [],
      consents: [],
      fields: [
        { key: "name", type: "name", label: "الاسم الكامل", required: true },
        { key: "visit", type: "radio", label: long, options: [{ value: "a", label: long }] },
      ],
    };
    const id = await publish({ ...form, locales: ["ar"] });
    const answer = await fetch(`${served.url}/v1/forms/${id}/embed`, {
      headers: { authorization: `Bearer ${secret.plaintext}` },
    });
    const embedded = `<!doctype html><html lang="en"><title>x</title><main><h1>x</h1>${await answer.text()}</main>`;
    const { page } = await open({ viewport: { width: 320, height: 800 } });
    for (const [name, show] of [
      // First, while no policy of a page applies.
      ["arabic-embedded", () => page.setContent(embedded)],
      ["arabic-hosted", () => page.goto(hosted(id))],
    ] as const) {
      await show();
      await looks(page, name);
      // What leaves a page to the left is cut off there: it does not widen it.
      const cut = `[...document.querySelectorAll("fieldset, legend, label")].filter((one) => one.closest("[aria-hidden]") === null && one.getBoundingClientRect().left < 0).length`;
      expect([name, await page.evaluate(cut)]).toEqual([name, 0]);
      const [label, input] = await page.evaluate<[number, number]>(
        `["label", "input[name=name]"].map((name) => document.querySelector("form " + name).getBoundingClientRect().right)`,
      );
      expect([name, Math.round(label)]).toEqual([name, Math.round(input)]);
    }
    await page.close();
  },
);
