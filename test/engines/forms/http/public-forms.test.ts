import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { formVersions, versionId } from "../../../../server/engines/forms/repository.ts";
import { PNG } from "../files.ts";
import { createShop, plain, SHOP } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const pathOf = (id: string): string => `/api/public/forms/${shop.part}.${id}`;
const visit = (id: string) => shop.harness.call("GET", pathOf(id));
const post = (id: string, fields: [string, string][], headers: Record<string, string> = {}) =>
  shop.harness.call("POST", pathOf(id), {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
const tokenIn = (text: string): string => /name="_token" value="([^"]+)"/.exec(text)?.[1] ?? "";

const fields = [
  { key: "name", type: "name", label: "Name", required: true },
  {
    key: "diet",
    type: "checkbox",
    label: "Diet",
    options: [
      { value: "vegan", label: "Vegan" },
      { value: "halal", label: "Halal" },
    ],
  },
  { key: "home", type: "address", label: "Address" },
  { key: "budget", type: "currency", label: "Budget" },
  { key: "photo", type: "file", label: "Photo" },
];
const consents = [{ key: "news", text: "Write to me", required: true, version: "1" }];

describe("a form without script", () => {
  it("is shown on a page that runs nothing, and sent from there", async () => {
    const id = await shop.form(plain({ fields, consents, settings: { captcha: "altcha" } }));
    const page = await visit(id);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("<script");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    shop.harness.clock.advance(10_000);
    const answer = await post(
      id,
      [
        ["name", "Ada & Bo"],
        ["diet", "vegan"],
        ["diet", "halal"],
        ["home.line1", "1 Mare Street"],
        ["home.city", "London"],
        ["home.postcode", "E8 3PH"],
        ["budget", "12.50"],
        ["consents", "news"],
        ["_gotcha", ""],
        ["unknown", "ignored"],
        ["_token", tokenIn(page.text)],
      ],
      { origin: "null" },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain("Thank you");
    const [submission] = await shop.read(`/${id}/submissions`);
    expect(submission).toMatchObject({
      channel: "nojs",
      status: "new",
      data: {
        name: "Ada & Bo",
        diet: ["vegan", "halal"],
        home: { line1: "1 Mare Street", country: "GB" },
        budget: 1250,
      },
      consents: [{ key: "news" }],
      spam: { reasons: [{ code: "captcha_missing", points: 15 }] },
    });
  });

  it("has the language of its author, from right to left where that is written so", async () => {
    const id = await shop.form(
      plain({ name: "طلب كعكة", locales: ["ar"], fields: [{ key: "name", type: "name", label: "الاسم" }] }),
    );
    const page = await visit(id);
    expect(page.text).toContain('<main lang="ar" dir="auto">');
    shop.harness.clock.advance(10_000);
    const sent = await post(id, [
      ["name", "سلمى"],
      ["_token", tokenIn(page.text)],
    ]);
    expect(sent.text).toContain('<main lang="ar" dir="auto">');
  });

  it("shows what is wrong beside what was typed", async () => {
    const id = await shop.form(plain({ fields, consents }));
    const answer = await post(id, [
      ["diet", "halal"],
      ["budget", "lots"],
    ]);
    expect(answer.status).toBe(422);
    for (const shown of [
      "This field is required.",
      "Expected an amount of money.",
      'value="halal" checked',
      'value="lots"',
    ]) {
      expect(answer.text.replaceAll(/\s+/g, " ")).toContain(shown);
    }
    const consent = await post(id, [["name", "Ada"]]);
    expect([consent.status, consent.text.includes("You must agree to this")]).toEqual([422, true]);
    expect(await shop.read(`/${id}/submissions`)).toEqual([]);
  });

  it("leads to the shop's own page, and to no other", async () => {
    const id = await shop.form(plain({ fields, settings: { success_url: `${SHOP}/thanks` } }));
    const answer = await post(id, [["name", "Ada"]], { origin: SHOP });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${SHOP}/thanks`]);
    expect((await visit(id)).headers.get("content-security-policy")).toContain(`form-action 'self' ${SHOP};`);
    await shop.harness.call("PATCH", "/v1/account/browser", {
      key: shop.key,
      body: { origins: ["https://other.example"] },
    });
    const later = await post(id, [["name", "Eve"]], { origin: "https://other.example" });
    expect([later.status, later.headers.get("location")]).toEqual([200, null]);
    await shop.harness.call("PATCH", "/v1/account/browser", { key: shop.key, body: { origins: [SHOP] } });
  });

  it("leads to a page whose address has letters of any language", async () => {
    const id = await shop.form(plain({ fields, settings: { success_url: `${SHOP}/thanks` } }));
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const stored = await tx.require(formVersions, versionId(id, 1));
      const { content } = stored.value;
      const settings = { ...content.settings, success_url: `${SHOP}/dziękuję` };
      tx.put(formVersions, stored, { ...stored.value, content: { ...content, settings } });
    });
    const answer = await post(id, [["name", "Ada"]], { origin: SHOP });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${SHOP}/dzi%C4%99kuj%C4%99`]);
  });

  it("weighs where it comes from, and refuses other sites where the form insists", async () => {
    const id = await shop.form(plain({ fields }));
    await post(id, [["name", "Ada"]], { origin: "https://evil.example" });
    const [submission] = await shop.read(`/${id}/submissions`);
    expect(submission.spam.reasons).toContainEqual({ code: "origin", points: 30 });
    const strict = await shop.form(plain({ fields, settings: { strict_origin: true } }));
    expect((await post(strict, [["name", "Ada"]], { origin: "https://evil.example" })).status).toBe(403);
    expect((await post(strict, [["name", "Ada"]], { referer: `${SHOP}/contact` })).status).toBe(200);
    const own = tokenIn((await visit(strict)).text);
    expect(
      (
        await post(
          strict,
          [
            ["name", "Eve"],
            ["_token", own],
          ],
          { origin: "null" },
        )
      ).status,
    ).toBe(200);
  });

  it("takes files", async () => {
    const id = await shop.form(plain({ fields }));
    const send = (bytes: Uint8Array) => {
      const body = new FormData();
      body.append("name", "Ada");
      body.append("photo", new File([new Uint8Array(bytes)], "p.png"));
      return shop.harness.app.fetch(
        new Request(`http://platform.test${pathOf(id)}`, { method: "POST", body, headers: { origin: SHOP } }),
      );
    };
    expect((await send(PNG)).status).toBe(200);
    const [submission] = await shop.read(`/${id}/submissions`);
    expect(submission.files).toMatchObject([{ mime: "image/png", name: "p.png" }]);
    const bad = await send(new TextEncoder().encode("<svg/>"));
    expect([bad.status, (await bad.text()).includes("this type are not accepted")]).toEqual([422, true]);
  });

  it("says so when there is none, or it is closed", async () => {
    const id = await shop.form(plain({ fields }));
    await shop.make(`/${id}/close`);
    expect((await visit(id)).status).toBe(410);
    expect((await post(id, [["name", "Ada"]])).status).toBe(410);
    for (const name of ["nonsense", `platform.${id}`, `${shop.part}.frm_01JD8Z5T9QK3M4N5P6R7S8T9V0`]) {
      expect((await shop.harness.call("GET", `/api/public/forms/${name}`)).status).toBe(404);
    }
  });

  it("is not shown while its customer is suspended, as a publishable key is refused", async () => {
    const id = await shop.form(plain({ fields }));
    const customer = `/api/platform/admin/customers/${shop.key.customerId}`;
    await shop.harness.admin("POST", `${customer}/suspend`);
    expect((await visit(id)).status).toBe(404);
    expect((await post(id, [["name", "Ada"]])).status).toBe(404);
    await shop.harness.admin("POST", `${customer}/resume`);
    expect((await visit(id)).status).toBe(200);
  });

  it("gives its script and a bare puzzle to anybody", async () => {
    const id = await shop.form(plain({ fields }));
    const script = await shop.harness.call("GET", `${pathOf(id)}/embed.js`);
    expect(script.text).toContain(JSON.stringify(id));
    const puzzle = await shop.harness.call("GET", `${pathOf(id)}/captcha`);
    expect(puzzle.json).toMatchObject({ algorithm: "SHA-256", maxnumber: 50_000 });
    expect((await shop.harness.call("GET", "/api/public/forms/none/captcha")).status).toBe(404);
  });
});

it("prefills the fields of its page from the address, hidden ones included, and no consent", async () => {
  const id = await shop.form(
    plain({
      fields: [
        { key: "campaign", type: "hidden", label: "Campaign", prefill_param: "c" },
        {
          key: "topic",
          type: "select",
          label: "Topic",
          default: "other",
          prefill_param: "topic",
          options: [
            { value: "other", label: "Something else" },
            { value: "order", label: "An order" },
          ],
        },
        { key: "terms", type: "consent", label: "I agree", prefill_param: "terms" },
        { key: "name", type: "name", label: "Name" },
      ],
    }),
  );
  const query = "?c=%22spring%22&topic=order&terms=true&name=Eve&utm_source=x";
  const { status, text } = await shop.harness.call("GET", `${pathOf(id)}${query}`);
  expect(status).toBe(200);
  expect(text).toContain('name="campaign" value="&quot;spring&quot;"');
  expect(text).toMatch(/value="order"\s+selected/);
  expect(text).not.toMatch(/ checked|Eve/);
});

describe("a browser that is refused", () => {
  const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const urlencoded = "application/x-www-form-urlencoded";
  const send = (id: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    shop.harness.app.fetch(
      new Request(`http://platform.test${pathOf(id)}`, { method: "POST", body, headers }),
    );

  it.each([
    [413, { "content-type": urlencoded }, "x".repeat(1_048_577), "too large"],
    [413, { "content-type": urlencoded }, "a=1&".repeat(301), "too large"],
    [415, { "content-type": "text/plain" }, "name=Ada", "could not be processed"],
    [400, { "content-type": "multipart/form-data; boundary=x" }, "no parts", "could not be processed"],
    [400, { "content-type": urlencoded }, "__proto__=1", "could not be processed"],
    [400, { "content-type": urlencoded }, new Uint8Array([0xff, 0xfe]), "could not be processed"],
  ])(
    "%s: is shown a page in the style of the form; a program is answered as everywhere",
    async (status, type, body, said) => {
      const id = await shop.form(plain({ fields }));
      const page = await send(id, body, { ...BROWSER, ...type });
      const text = await page.text();
      expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
      expect(text).toContain(said);
      expect(text).toContain(page.headers.get("x-request-id"));
      expect(text).not.toContain("application/json");
      const form = await visit(id);
      expect(page.headers.get("content-security-policy")).toBe(form.headers.get("content-security-policy"));
      expect(/<style>.*?<\/style>/s.exec(text)?.[0]).toBe(/<style>.*?<\/style>/s.exec(form.text)?.[0]);
      const program = await send(id, body, type);
      expect([program.status, program.headers.get("content-type")]).toEqual([
        status,
        "application/problem+json",
      ]);
    },
  );

  it("429: is told when to send again, and what it typed is taken then; a program is told the same in JSON", async () => {
    const id = await shop.form(plain({ fields }));
    // The limit of the form itself: there is no address here to tell visitors apart by.
    for (let n = 0; n < 60; n += 1) expect((await post(id, [["name", `Ada ${n}`]])).status).toBe(200);
    shop.harness.clock.advance(13_000);
    const over = await post(id, [["name", "Eve"]], BROWSER);
    expect([over.status, over.headers.get("retry-after")]).toEqual([429, "47"]);
    expect(over.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(over.text.replaceAll(/\s+/g, " ")).toContain(
      "Please try again in 47 seconds. Reload this page then",
    );
    const program = await post(id, [["name", "Eve"]]);
    expect([program.status, program.headers.get("retry-after"), program.json.error.type]).toEqual([
      429,
      "47",
      "too_many_requests",
    ]);
    const json = await shop.harness.call("POST", pathOf(id), { body: { name: "Eve" }, headers: BROWSER });
    expect([json.status, json.headers.get("content-type")]).toEqual([429, "application/problem+json"]);
    shop.harness.clock.advance(47_000);
    expect((await post(id, [["name", "Eve"]], BROWSER)).status).toBe(200);
  });
});

describe("the language of a form", () => {
  it("is that of its faults, of its messages and of its script, for pages and programs", async () => {
    const id = await shop.form(
      plain({
        locales: ["fr-FR"],
        fields: [
          { key: "name", type: "name", label: "Nom", required: true },
          { key: "at", type: "time", label: "Heure" },
          { key: "home", type: "address", label: "Adresse" },
        ],
        settings: { success_message: undefined },
      }),
    );
    const faults = await shop.page("POST", `/${id}/validations`, {
      data: { at: "25:00", home: { city: "Lyon" } },
    });
    expect(faults.json.data.errors.map(({ message }: { message: string }) => message)).toEqual([
      "Ce champ est obligatoire.",
      "Indiquez une heure, par exemple 12:30.",
      "Vérifiez l’adresse : Adresse.",
    ]);
    const sent = await shop.send(id, { name: "Ada" });
    expect(sent.json.data.message).toBe("Merci. Nous avons bien reçu votre message.");
    const script = await shop.harness.call("GET", `${pathOf(id)}/embed.js`);
    expect(script.text).toContain("Étape {at} sur {of}");
  });
});
