import { Script } from "node:vm";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { closeForms } from "../../../../server/engines/forms/jobs.ts";
import { ada, createShop, plain, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

describe("versions of a form", () => {
  it("keeps what is published until the next version takes its place", async () => {
    const id = await shop.form(plain());
    const patched = await shop.call("PATCH", `/${id}`, {
      fields: [{ key: "email", type: "email", label: "Mail", required: true }],
    });
    expect(patched.json.data).toMatchObject({ form_version: 2, published_version: 1, status: "published" });
    expect((await shop.call("PATCH", `/${id}`, { name: "Again" })).json.data.form_version).toBe(2);
    const shown = async () => (await shop.page("GET", `/${id}/definition`)).json.data;
    expect(await shown()).toMatchObject({ form_version: 1, name: "Contact us", open: true });
    const old = (await shop.page("POST", `/${id}/tokens`)).json.data.token;
    await shop.make(`/${id}/publish`);
    expect(await shown()).toMatchObject({ form_version: 2, name: "Again" });
    // A page of the old version is read with the old version.
    shop.harness.clock.advance(10_000);
    const sent = await shop.page("POST", `/${id}/submissions`, { data: ada, token: old });
    expect(sent.status, sent.text).toBe(201);
    expect(await shop.read(`/${id}/submissions/${sent.json.data.id}`)).toMatchObject({
      form_version: 1,
      data: { ...ada, email: "Ada@office.example" },
    });
    const versions = await shop.read(`/${id}/versions`);
    expect(versions.map(({ form_version: v }: { form_version: number }) => v)).toEqual([2, 1]);
  });

  it("takes its slug from a long name too", async () => {
    const form = await shop.make("", plain({ name: "b".repeat(150) }));
    expect(form.slug).toBe("b".repeat(75));
    expect((await shop.call("PATCH", `/${form.id}`, { slug: "c".repeat(75) })).json.data.slug).toBe(
      "c".repeat(75),
    );
  });

  it("is in the language of the store's profile, where its own is not set", async () => {
    const key = await shop.harness.key();
    const call = (method: string, path: string, body: object) =>
      shop.harness.call(method, path, { key, body });
    await call("PATCH", "/v1/account/store", { locale: "de-DE" });
    const made = await call("POST", "/v1/forms", { name: "Kontakt" });
    expect(made.json.data).toMatchObject({
      locales: ["de-DE"],
      settings: { success_message: expect.stringMatching(/^Vielen Dank/) },
    });
    const french = await call("POST", "/v1/forms", { name: "Contact", locales: ["fr"] });
    expect(french.json.data.locales).toEqual(["fr"]);
  });

  it("takes the country of phone numbers and addresses from the profile of the store, where it is not set", async () => {
    await shop.harness.call("PATCH", "/v1/account/store", { key: shop.key, body: { country: "JP" } });
    const fields = [
      { key: "tel", type: "phone", label: "Phone" },
      { key: "home", type: "address", label: "Address" },
    ];
    const home = { line1: "1-1 Marunouchi", city: "Tokyo", postcode: "100-0005" };
    const id = await shop.form(plain({ fields }));
    const sent = await shop.send(id, { tel: "090-1234-5678", home });
    expect(sent.status, sent.text).toBe(201);
    expect((await shop.read(`/${id}/submissions/${sent.json.data.id}`)).data).toMatchObject({
      tel: "+819012345678",
      home: { ...home, country: "JP" },
    });
    const british = await shop.make("", plain({ fields, settings: { phone_region: "GB" } }));
    expect(british.settings.phone_region).toBe("GB");
    await shop.harness.call("PATCH", "/v1/account/store", { key: shop.key, body: { country: null } });
  });

  it("takes the currency of quotes from the profile of the store, where it is not set", async () => {
    const of = async (more: Record<string, unknown>) => (await shop.make("", plain(more))).quote.currency;
    expect(await of({})).toBe("GBP");
    const profile = { key: shop.key, body: { currency: "EUR" } };
    await shop.harness.call("PATCH", "/v1/account/store", profile);
    expect(await of({})).toBe("EUR");
    expect(await of({ quote: { enabled: false, currency: "CHF" } })).toBe("CHF");
    const amount = { key: "budget", type: "currency", label: "Budget" };
    const form = await shop.make("", plain({ fields: [amount, { ...amount, key: "own", currency: "USD" }] }));
    const currencies = ({ fields }: { fields: { currency: string }[] }) =>
      fields.map(({ currency }) => currency);
    expect(currencies(form)).toEqual(["EUR", "USD"]);
    const yen = {
      fields: [amount],
      quote: { enabled: true, currency: "JPY", mapping: { budget: "budget" } },
    };
    const patched = (await shop.call("PATCH", `/${form.id}`, yen)).json.data;
    expect(currencies(patched)).toEqual(["JPY"]);
    await shop.harness.call("PATCH", "/v1/account/store", { key: shop.key, body: { currency: null } });
  });

  it("422 for a condition on a later field, with its place", async () => {
    const answer = await shop.call("POST", "", {
      name: "Loop",
      fields: [
        { key: "a", type: "text", label: "A", visible_when: { field: "b", op: "not_empty" } },
        { key: "b", type: "text", label: "B" },
      ],
    });
    expect(answer.status).toBe(422);
    expect(answer.json.error.errors[0].pointer).toBe("#/fields/0/visible_when");
  });

  it("is not published without a question, nor with a page that it would lead astray to", async () => {
    const draft = await shop.make("", { name: "Empty" });
    expect((await shop.call("POST", `/${draft.id}/publish`)).status).toBe(422);
    const astray = await shop.make("", plain({ settings: { success_url: "https://evil.example/x" } }));
    const answer = await shop.call("POST", `/${astray.id}/publish`);
    expect(answer.json.error.errors[0].pointer).toBe("#/settings/success_url");
  });

  it("is not published with a captcha that nobody could pass", async () => {
    const draft = await shop.make("", plain({ settings: { captcha: "turnstile" } }));
    const answer = await shop.call("POST", `/${draft.id}/publish`);
    expect(answer.json.error.errors[0].pointer).toBe("#/settings/captcha");
    await shop.call("PATCH", "/settings", { captcha_secrets: { turnstile: "secret" } });
    expect((await shop.call("POST", `/${draft.id}/publish`)).status).toBe(200);
  });

  it("goes through its states, and refuses the others", async () => {
    const id = await shop.form(plain());
    const send = async () => refusal(await shop.page("POST", `/${id}/submissions`, { data: ada }));
    await shop.make(`/${id}/pause`);
    expect(await send()).toBe("409 form_paused");
    expect(refusal(await shop.call("POST", `/${id}/pause`))).toBe("409 invalid_transition");
    await shop.make(`/${id}/resume`);
    await shop.make(`/${id}/close`);
    expect(await send()).toBe("410 form_closed");
    expect((await shop.page("GET", `/${id}/definition`)).json.data).toMatchObject({
      open: false,
      closed_code: "form_closed",
    });
    await shop.make(`/${id}/publish`);
    expect(await send()).toBe("201");
    expect(refusal(await shop.call("DELETE", `/${id}`))).toBe("409 form_has_submissions");
    await shop.make(`/${id}/archive`);
    expect(await send()).toBe("404");
    expect(refusal(await shop.call("PATCH", `/${id}`, { name: "x" }))).toBe("409 invalid_transition");
    const copy = await shop.make(`/${id}/duplicate`);
    expect(copy).toMatchObject({ status: "draft", name: "Contact us (copy)", published_version: null });
    expect((await shop.call("DELETE", `/${copy.id}`)).status).toBe(204);
  });

  it("opens, closes by the clock, and closes with its last submission", async () => {
    const opens = await shop.form(plain({ settings: { opens_at: "2026-06-02T00:00:00.000Z" } }));
    expect(refusal(await shop.page("POST", `/${opens}/submissions`, { data: ada }))).toBe(
      "409 form_not_open",
    );
    const until = new Date(shop.harness.clock.now() + 60_000).toISOString();
    const closes = await shop.form(plain({ settings: { closes_at: until } }));
    expect(await shop.run(closeForms)).toEqual({ closed: 0 });
    shop.harness.clock.advance(60_000);
    expect(refusal(await shop.page("POST", `/${closes}/submissions`, { data: ada }))).toBe("410 form_closed");
    expect(await shop.run(closeForms)).toEqual({ closed: 1 });
    expect(await shop.read(`/${closes}`)).toMatchObject({ status: "closed", closed_reason: "closes_at" });
    const few = await shop.form(plain({ settings: { max_submissions: 2 } }));
    const answers = await Promise.all(
      [1, 2, 3].map(() => shop.call("POST", `/${few}/submissions`, { data: ada })),
    );
    expect(answers.map(refusal).sort()).toEqual(["201", "201", "410 form_closed"]);
    expect(await shop.read(`/${few}`)).toMatchObject({
      status: "closed",
      submissions: 2,
      closed_reason: "max_submissions",
    });
    const full = await shop.call("POST", `/${few}/publish`);
    expect(full.json.error.errors[0].pointer).toBe("#/settings/max_submissions");
    await shop.call("PATCH", `/${few}`, { settings: { max_submissions: 3 } });
    await shop.make(`/${few}/publish`);
    expect(refusal(await shop.call("POST", `/${few}/submissions`, { data: ada }))).toBe("201");
    expect(await shop.events()).toContain("forms.form.closed");
  });
});

describe("the limit of submissions", () => {
  it("is that of the published version, also for pages that still show an older one", async () => {
    const tokenOf = async (id: string): Promise<string> =>
      (await shop.page("POST", `/${id}/tokens`)).json.data.token;
    const send = (id: string, token: string) => shop.page("POST", `/${id}/submissions`, { data: ada, token });
    const raised = await shop.form(plain({ settings: { max_submissions: 1 } }));
    const lowered = await shop.form(plain());
    const tokens = [await tokenOf(raised), await tokenOf(lowered)];
    await shop.call("PATCH", `/${raised}`, { settings: { max_submissions: 100 } });
    await shop.call("PATCH", `/${lowered}`, { settings: { max_submissions: 1 } });
    for (const id of [raised, lowered]) await shop.make(`/${id}/publish`);
    shop.harness.clock.advance(61_000);
    expect(refusal(await send(raised, tokens[0] ?? ""))).toBe("201");
    expect(await shop.read(`/${raised}`)).toMatchObject({ status: "published", submissions: 1 });
    expect(refusal(await send(lowered, tokens[1] ?? ""))).toBe("201");
    expect(await shop.read(`/${lowered}`)).toMatchObject({ status: "closed", submissions: 1 });
  });
});

it("the limit of submissions does not count what was found to be spam", async () => {
  const id = await shop.form(plain({ settings: { max_submissions: 2 } }));
  // With a token that is none it is held.
  const { id: held } = (await shop.send(id, ada, { token: "x" })).json.data;
  const { status } = await shop.read(`/${id}/submissions/${held}`);
  expect([status, (await shop.read(`/${id}`)).submissions]).toEqual(["quarantined", 1]);
  await shop.make(`/${id}/submissions/${held}/spam`);
  expect((await shop.read(`/${id}`)).submissions).toBe(0);
  await shop.make(`/${id}/submissions/${held}/unspam`);
  expect((await shop.read(`/${id}`)).submissions).toBe(1);
});

describe("what is open", () => {
  it("shows nothing of who is told, and nothing that was never published", async () => {
    const id = await shop.form(plain({ notifications: [{ to: ["secret@bakery.example"] }] }));
    const definition = await shop.page("GET", `/${id}/definition`);
    expect(definition.text).not.toContain("secret@bakery.example");
    const draft = await shop.make("", plain());
    expect((await shop.page("GET", `/${draft.id}/definition`)).status).toBe(404);
    expect((await shop.call("GET", `/${draft.id}/definition`)).status).toBe(200);
    expect(refusal(await shop.page("GET", `/${id}`))).toBe("403 insufficient_scope");
    expect(refusal(await shop.page("GET", `/${id}/submissions`))).toBe("403 insufficient_scope");
    expect(refusal(await shop.page("POST", `/${id}/tokens`, undefined, "https://evil.example"))).toBe(
      "403 origin_not_allowed",
    );
  });

  it("gives the form as HTML and as a script", async () => {
    const id = await shop.form(
      plain({ agent: { enabled: true, tool_name: "write", tool_description: "Writes" } }),
    );
    const page = await shop.page("GET", `/${id}/embed`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain('toolname="write"');
    expect(page.text).not.toContain("_token");
    const script = await shop.page("GET", `/${id}/embed?format=js`);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(() => new Script(script.text)).not.toThrow();
    expect((await shop.page("GET", `/${id}/schema`)).json.data.required).toEqual(["name", "email"]);
  });

  it("checks answers without keeping them, whole or by step", async () => {
    const id = await shop.form(plain());
    const answer = await shop.page("POST", `/${id}/validations`, { data: { email: "ada" } });
    expect(answer.json.data).toEqual({
      valid: false,
      errors: [
        { field: "name", code: "required", message: "This field is required." },
        { field: "email", code: "invalid", message: "Expected an e-mail address such as ada@shop.example." },
      ],
      visible: ["name", "email", "message"],
      required: ["name", "email"],
    });
    expect(await shop.read(`/${id}/submissions`)).toEqual([]);
  });

  it("counts views, starts, submissions and where visitors leave", async () => {
    const id = await shop.form(plain());
    await shop.send(id, ada);
    await shop.page("POST", `/${id}/tokens`);
    await shop.page("POST", `/${id}/progress`, { fields: ["name", "nonsense"] });
    expect(await shop.read(`/${id}/stats`)).toMatchObject({
      views: 2,
      starts: 2,
      submissions: 1,
      spam: 0,
      conversion_bps: 5_000,
      fields: [
        { key: "name", reached: 2, left_after: 1 },
        { key: "email", reached: 1, left_after: 0 },
        { key: "message", reached: 1, left_after: 0 },
      ],
    });
    expect((await shop.call("GET", `/${id}/stats?from=2026-06-02&to=2026-06-01`)).status).toBe(422);
  });

  it("gives each of 70 visitors of a minute a token and a puzzle: those without one count as suspicious", async () => {
    const id = await shop.form(plain({ settings: { captcha: "altcha" } }));
    for (const path of ["tokens", "challenges"]) {
      const statuses = new Set<number>();
      for (let n = 0; n < 70; n += 1) statuses.add((await shop.page("POST", `/${id}/${path}`)).status);
      expect([...statuses], path).toEqual([201]);
    }
  });

  it("lists by status and by a part of the name", async () => {
    await shop.make("", plain({ name: "Wedding cakes" }));
    const found = await shop.read("?q=wedding");
    expect(found.map(({ slug }: { slug: string }) => slug)).toEqual(["wedding-cakes"]);
    expect((await shop.read("?status=archived")).length).toBe(1);
  });
});
