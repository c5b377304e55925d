import { solveChallenge } from "altcha-lib/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sweepSubmissions } from "../../../../server/engines/forms/jobs.ts";
import { submissions } from "../../../../server/engines/forms/repository.ts";
import { ada, createShop, plain, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let posts: { url: string; body: string }[] = [];
let reply: () => Promise<{ status: number; body: string }> = () => Promise.reject(new Error("down"));
beforeAll(async () => {
  shop = await createShop({
    post: async ({ body, url }) => {
      posts.push({ url, body });
      return reply();
    },
  });
});
afterAll(() => shop.harness.close());

/** The submission as the shop sees it. */
async function sent(id: string, data: object, more: object = {}) {
  const answer = await shop.send(id, data, more);
  if (answer.status !== 201) throw new Error(answer.text);
  const { id: sid } = answer.json.data;
  return { receipt: answer.json.data, ...(await shop.read(`/${id}/submissions/${sid}`)) };
}

describe("sending a form", () => {
  it("keeps the answers in their normal form, tells the shop and answers the sender once", async () => {
    const id = await shop.form(
      plain({
        notifications: [
          { to: ["hello@bakery.example"], title: "Mail\r\nBcc: x@evil.example" },
          { to: ["rye@bakery.example"], when: { field: "message", op: "contains", value: "rye" } },
          { to: ["never@bakery.example"], when: { field: "message", op: "contains", value: "cake" } },
        ],
        autoresponder: { enabled: true, to_field: "email", message: "Thank you." },
      }),
    );
    const submission = await sent(id, ada);
    expect(submission).toMatchObject({
      status: "new",
      channel: "web",
      data: { ...ada, email: "Ada@office.example" },
      contact: { name: "Ada Byron", email: "Ada@office.example", phone: null },
      spam: { score: 0, verdict: "accept", reasons: [] },
    });
    expect(submission.receipt).toMatchObject({ status: "received", resume_token: null, redirect_url: null });
    await shop.send(id, {
      ...ada,
      email: "ada@office.example",
      message: "Something quite different this time",
    });
    const mails = await shop.mails();
    expect(mails.map(({ template, to }) => `${template} ${to}`).toSorted()).toEqual([
      "forms-notification hello@bakery.example",
      "forms-notification hello@bakery.example",
      "forms-notification rye@bakery.example",
      "forms-receipt Ada@office.example",
    ]);
    // The shop answers the mail, and the sender gets it.
    expect(mails.find(({ to }) => to === "rye@bakery.example")?.data["reply_to"]).toBe("Ada@office.example");
    shop.harness.clock.advance(3_600_000);
    await shop.send(id, { ...ada, message: "And one hour later still the same old question" });
    expect((await shop.mails()).filter(({ template }) => template === "forms-receipt")).toHaveLength(2);
    expect((await shop.events()).filter((type) => type === "forms.submission.created")).toHaveLength(3);
  });

  it("never keeps what is hidden, and names what is missing", async () => {
    const id = await shop.form(
      plain({
        fields: [
          { key: "topic", type: "text", label: "Topic", required: true },
          {
            key: "more",
            type: "text",
            label: "More",
            required: true,
            visible_when: { field: "topic", op: "eq", value: "order" },
          },
        ],
      }),
    );
    expect((await sent(id, { topic: "other", more: "hidden" })).data).toEqual({ topic: "other" });
    const answer = await shop.send(id, { topic: "order" });
    expect(refusal(answer)).toBe("422 invalid_answers");
    expect(answer.json.error.errors).toEqual([{ pointer: "#/data/more", detail: "This field is required." }]);
  });

  it("asks for the consents that it requires, and keeps their wording's version", async () => {
    const consents = [{ key: "news", text: "Write to me", required: true, version: "2026-01" }];
    const notifications = [{ to: ["consents@bakery.example"] }];
    const id = await shop.form(plain({ consents, notifications }));
    const answer = await shop.send(id, ada);
    expect(answer.json.error.errors[0].pointer).toBe("#/consents/news");
    expect((await sent(id, ada, { consents: ["news"] })).consents).toMatchObject([
      { key: "news", version: "2026-01" },
    ]);
    const [mail] = (await shop.mails()).filter(({ to }) => to === "consents@bakery.example");
    expect(mail?.data["answers"]).toContainEqual({ label: "Write to me", value: "Yes" });
    const csv = await shop.call("GET", `/${id}/submissions?format=csv`);
    expect(csv.text.split("\r\n")[1]).toContain(",news,");
  });

  it("takes one of each address where it says so; an erasure gives the turn back", async () => {
    const id = await shop.form(plain({ settings: { one_per: "email" } }));
    const first = await sent(id, ada);
    expect(refusal(await shop.send(id, { ...ada, email: "ada@office.example" }))).toBe("409 duplicate");
    expect((await shop.call("DELETE", `/${id}/submissions/${first.id}`)).status).toBe(204);
    expect((await shop.send(id, ada)).status).toBe(201);
  });

  it("lets somebody try again whose message was held for spam, and keeps the turn for what was accepted", async () => {
    const id = await shop.form(plain({ settings: { one_per: "email" } }));
    const step = (sid: string, action: string) => shop.make(`/${id}/submissions/${sid}/${action}`);
    const spam = await sent(id, { ...ada, _gotcha: "x" });
    expect(spam.status).toBe("spam");
    const good = await sent(id, { ...ada, message: "It was me, not a machine" });
    expect(good.status).toBe("new");
    expect(refusal(await shop.send(id, { ...ada, message: "And again" }))).toBe("409 duplicate");
    // Called spam, it gives its turn back; let in again, it takes it.
    await step(good.id, "spam");
    await step(good.id, "unspam");
    expect(refusal(await shop.send(id, { ...ada, message: "And again" }))).toBe("409 duplicate");
    await step(good.id, "spam");
    const third = await sent(id, { ...ada, message: "A third one, on another matter" });
    expect(third.status).toBe("new");
    // Somebody has the turn: both are let in, and the turn stays with whoever took it.
    await step(good.id, "unspam");
    await step(spam.id, "unspam");
    await shop.call("DELETE", `/${id}/submissions/${good.id}`);
    expect(refusal(await shop.send(id, { ...ada, message: "And again" }))).toBe("409 duplicate");
    await shop.call("DELETE", `/${id}/submissions/${third.id}`);
    expect((await shop.send(id, { ...ada, message: "Now there is room" })).status).toBe(201);
  });

  it("takes one of each visitor for a day, from when it was let in", async () => {
    const id = await shop.form(plain({ settings: { one_per: "visitor" } }));
    const held = await sent(id, { ...ada, _gotcha: "x" });
    await shop.make(`/${id}/submissions/${held.id}/unspam`);
    expect(refusal(await shop.send(id, { ...ada, message: "And again" }))).toBe("409 duplicate");
    shop.harness.clock.advance(86_400_000);
    expect((await shop.send(id, { ...ada, message: "The next day" })).status).toBe(201);
  });

  it("sends nothing twice under one Idempotency-Key", async () => {
    const id = await shop.form(plain());
    const headers = { "idempotency-key": "once" };
    const [one, two] = [
      await shop.call("POST", `/${id}/submissions`, { data: ada }, headers),
      await shop.call("POST", `/${id}/submissions`, { data: ada }, headers),
    ];
    expect(two.json.data).toEqual(one.json.data);
    expect(await shop.read(`/${id}/submissions`)).toHaveLength(1);
  });
});

it("answers in the language of the form, and tells the shop in its own", async () => {
  const fields = [
    { key: "email", type: "email", label: "E-Mail", required: true },
    { key: "vegan", type: "boolean", label: "Vegan" },
  ];
  const autoresponder = { enabled: true, to_field: "email", attach_copy: true };
  const notifications = [{ to: ["german@bakery.example"] }];
  const id = await shop.form(plain({ locales: ["de-AT"], fields, autoresponder, notifications }));
  await sent(id, { email: "gast@example.org", vegan: true });
  const mails = await shop.mails();
  const [toGuest] = mails.filter(({ to }) => to === "gast@example.org");
  expect(toGuest?.locale).toBe("de-AT");
  expect(toGuest?.data["answers"]).toEqual([{ label: "Vegan", value: "Ja" }]);
  const [toShop] = mails.filter(({ to }) => to === "german@bakery.example");
  expect(toShop?.locale).toBeUndefined();
  expect(toShop?.data["answers"]).toContainEqual({ label: "Vegan", value: "Yes" });
});

describe("what looks like spam", () => {
  it("gets the same receipt, is kept apart, and sets nothing off", async () => {
    const id = await shop.form(plain({ notifications: [{ to: ["spam@bakery.example"] }] }));
    const before = (await shop.events()).length;
    const spam = await sent(id, { ...ada, _gotcha: "http://x.example" });
    expect(spam).toMatchObject({
      status: "spam",
      spam: { reasons: [{ code: "honeypot_filled", points: 100 }] },
    });
    expect(spam.data).not.toHaveProperty("_gotcha");
    expect(spam.receipt).toMatchObject({
      status: "received",
      message: "Thank you. We have received your message.",
    });
    const bare = await shop.page("POST", `/${id}/submissions`, {
      data: {
        ...ada,
        email: "a@mailinator.com",
        message:
          "Dear shop, have a good look at these fine pages of ours: https://a.example https://b.example https://c.example",
      },
    });
    const held = await shop.read(`/${id}/submissions/${bare.json.data.id}`);
    expect(held).toMatchObject({ status: "quarantined", spam: { verdict: "quarantined" } });
    expect(held.spam.reasons.map(({ code }: { code: string }) => code)).toEqual([
      "token_missing",
      "urls",
      "disposable_email",
    ]);
    expect((await shop.events()).length).toBe(before);
    expect((await shop.mails()).filter(({ to }) => to === "spam@bakery.example")).toEqual([]);
    // Released, it is as if it had been accepted at once.
    expect((await shop.make(`/${id}/submissions/${held.id}/unspam`)).status).toBe("new");
    expect((await shop.mails()).filter(({ to }) => to === "spam@bakery.example")).toHaveLength(1);
    expect((await shop.events()).at(-1)).toBe("forms.submission.released");
    expect(refusal(await shop.call("POST", `/${id}/submissions/${held.id}/unspam`))).toBe(
      "409 invalid_transition",
    );
    // It is released once, however often somebody changes their mind.
    await shop.make(`/${id}/submissions/${held.id}/spam`);
    await shop.make(`/${id}/submissions/${held.id}/unspam`);
    expect((await shop.mails()).filter(({ to }) => to === "spam@bakery.example")).toHaveLength(1);
  });

  it("weighs the token: once, not too fast, not of another form", async () => {
    const id = await shop.form(plain());
    const other = await shop.form(plain());
    const mint = async (form: string) => (await shop.page("POST", `/${form}/tokens`)).json.data.token;
    const codes = async (data: object, token: string) => {
      const { id: sid } = (await shop.page("POST", `/${id}/submissions`, { data, token })).json.data;
      const { spam } = await shop.read(`/${id}/submissions/${sid}`);
      return spam.reasons.map(({ code }: { code: string }) => code);
    };
    const fast = await mint(id);
    expect(await codes({ ...ada, message: "one" }, fast)).toEqual(["too_fast"]);
    expect(await codes({ ...ada, message: "two" }, fast)).toEqual(["token_bad"]);
    expect(await codes({ ...ada, message: "three" }, await mint(other))).toEqual(["token_bad"]);
  });

  it("notices nearly the same text, and knows who was answered before", async () => {
    const id = await shop.form(plain());
    const message = "Great bread, fast delivery and lovely packaging. Will order again soon!";
    const first = await sent(id, { ...ada, email: "new@office.example", name: "One Two", message });
    const second = await sent(id, { ...ada, email: "other@office.example", name: "One Two", message });
    expect(second.spam.reasons).toContainEqual({ code: "duplicate", points: 35 });
    await shop.make(`/${id}/submissions/${first.id}/done`);
    const third = await sent(id, {
      ...ada,
      email: "new@office.example",
      message: "Something else altogether here",
    });
    expect(third.spam.reasons).toContainEqual({ code: "known_customer", points: -40 });
  });

  it("learns terms alone", async () => {
    const id = await shop.form(plain());
    const first = await sent(id, { ...ada, message: "We sell cheap backlinks to everybody" });
    await shop.make(`/${id}/submissions/${first.id}/spam`, { block_terms: ["backlinks"] });
    expect((await shop.events()).at(-1)).toBe("forms.submission.spam");
    // One in quarantine was told to nobody, so that nobody is told that it went.
    const held = await sent(id, {
      ...ada,
      email: "x@mailinator.com",
      message:
        "See https://a.example https://b.example https://c.example https://d.example https://e.example",
    });
    expect(held.status).toBe("quarantined");
    const before = await shop.events();
    await shop.make(`/${id}/submissions/${held.id}/spam`);
    expect(await shop.events()).toEqual(before);
    const second = await sent(id, { ...ada, message: "Other backlinks of ours" });
    expect(second.spam.reasons).toContainEqual({ code: "blocked_term", points: 15 });
  });
});

describe("captchas", () => {
  it("takes a solved puzzle once, and holds back what has none", async () => {
    const id = await shop.form(plain({ settings: { captcha: "altcha" } }));
    const { data: puzzle } = (await shop.page("POST", `/${id}/challenges`)).json;
    const { algorithm, challenge, maxnumber, salt, signature } = puzzle;
    const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
    const captcha = btoa(JSON.stringify({ algorithm, challenge, number: solution?.number, salt, signature }));
    const good = await sent(id, ada, { captcha });
    expect(good.spam).toMatchObject({
      verdict: "accept",
      reasons: [{ code: "captcha_passed", points: -30 }],
    });
    const again = await sent(id, { ...ada, message: "x" }, { captcha });
    expect(again.status).toBe("spam");
    expect((await sent(id, { ...ada, message: "y" })).status).toBe("quarantined");
    shop.harness.clock.advance(1_300_000);
    const stale = (await shop.page("POST", `/${id}/challenges`)).json.data;
    const late = await solveChallenge(stale.challenge, stale.salt, stale.algorithm, stale.maxnumber).promise;
    shop.harness.clock.advance(1_300_000);
    const kept = btoa(JSON.stringify({ ...stale, number: late?.number }));
    expect((await sent(id, { ...ada, message: "z" }, { captcha: kept })).status).toBe("spam");
  });

  it("asks Turnstile and hCaptcha, and loses nothing when they are down", async () => {
    await shop.call("PATCH", "/settings", {
      captcha_secrets: { turnstile: "t-secret", hcaptcha: "h-secret" },
      captcha_hostnames: ["bakery.example"],
    });
    const settings = await shop.call("GET", "/settings");
    expect(settings.json.data.captcha_configured).toEqual(["turnstile", "hcaptcha"]);
    expect(settings.text).not.toContain("t-secret");
    const says = (body: object) => () => Promise.resolve({ status: 200, body: JSON.stringify(body) });
    for (const [captcha, host] of [
      ["turnstile", "challenges.cloudflare.com"],
      ["hcaptcha", "api.hcaptcha.com"],
    ]) {
      const id = await shop.form(plain({ settings: { captcha } }));
      posts = [];
      const { action } = (await shop.page("GET", `/${id}/definition`)).json.data.captcha;
      expect(action).toBe(captcha === "turnstile" ? id : null);
      reply = says({ success: true, hostname: "bakery.example", ...(action === null ? {} : { action }) });
      expect((await sent(id, { ...ada, message: `${captcha} 1` }, { captcha: "tok" })).status).toBe("new");
      expect(posts).toHaveLength(1);
      expect(new URL(posts[0]?.url ?? "").hostname).toBe(host);
      expect(new URLSearchParams(posts[0]?.body).get("response")).toBe("tok");
      reply = says({ success: true, hostname: "bakery.example", action: "frm_of_somebody" });
      const other = await sent(id, { ...ada, message: `${captcha} other` }, { captcha: "tok" });
      expect(other.status).toBe(captcha === "turnstile" ? "quarantined" : "new");
      reply = says({ success: false, "error-codes": ["timeout-or-duplicate"] });
      expect((await sent(id, { ...ada, message: `${captcha} 2` }, { captcha: "tok" })).status).toBe("spam");
      reply = () => Promise.reject(new Error("timed out"));
      expect((await sent(id, { ...ada, message: `${captcha} 3` }, { captcha: "tok" })).status).toBe(
        "quarantined",
      );
      const { customerId } = shop.key;
      posts = [];
      await shop.harness.services.budgets.charge(`${customerId}.visitors`, "outgoing", 1_000_000);
      expect((await sent(id, { ...ada, message: `${captcha} 4` }, { captcha: "tok" })).status).toBe(
        "quarantined",
      );
      expect(posts).toHaveLength(0);
      shop.harness.clock.advance(3_600_000);
    }
  });
});

describe("what is kept", () => {
  it("is nothing but the fact, or nothing at all, where the form says so; mails go out all the same", async () => {
    for (const storage of ["metadata", "none"]) {
      const to = `${storage}@bakery.example`;
      const id = await shop.form(plain({ settings: { storage }, notifications: [{ to: [to] }] }));
      const receipt = (await shop.send(id, { ...ada, message: `Storing ${storage} of this` })).json.data;
      const kept = await shop.call("GET", `/${id}/submissions/${receipt.id}`);
      if (storage === "none") expect(kept.status).toBe(404);
      else expect(kept.json.data).toMatchObject({ status: "new", data: {}, contact: { email: null } });
      expect((await shop.mails()).filter((storeMail) => storeMail.to === to)).toHaveLength(1);
      expect((await shop.read(`/${id}/stats`)).submissions).toBe(1);
    }
  });

  it("is complete while it is held, and retained as long as the others once it is released", async () => {
    const to = "held@bakery.example";
    const settings = { storage: "metadata", retention_days: 100 };
    const id = await shop.form(plain({ settings, notifications: [{ to: [to] }] }));
    const held = await sent(id, { ...ada, message: "A false alarm", _gotcha: "x" });
    expect(held.status).toBe("spam");
    const released = await shop.make(`/${id}/submissions/${held.id}/unspam`);
    expect(released).toMatchObject({ status: "new", data: {}, contact: { email: null } });
    expect(Date.parse(released.expires_at) - Date.parse(released.created_at)).toBe(100 * 86_400_000);
    const [storeMail] = (await shop.mails()).filter((one) => one.to === to);
    expect(storeMail?.data["answers"]).toContainEqual({ label: "Message", value: "A false alarm" });
  });

  it("goes when its retention ends", async () => {
    const id = await shop.form(plain({ settings: { retention_days: 1 } }));
    await sent(id, ada);
    await shop.run(sweepSubmissions);
    expect(await shop.read(`/${id}/submissions`)).toHaveLength(1);
    shop.harness.clock.advance(86_400_000);
    expect((await shop.run(sweepSubmissions))["removed"]).toBe(1);
    expect(await shop.read(`/${id}/submissions`)).toEqual([]);
  });

  it("is erased on demand: data, contact and waiting mails", async () => {
    const id = await shop.form(plain({ notifications: [{ to: ["erase@bakery.example"] }] }));
    const { id: sid } = await sent(id, {
      ...ada,
      email: "gone@office.example",
      message: "Forget that I wrote this",
    });
    expect((await shop.call("DELETE", `/${id}/submissions/${sid}`)).status).toBe(204);
    const left = await shop.read(`/${id}/submissions/${sid}`);
    expect(left).toMatchObject({
      status: "erased",
      data: {},
      contact: { name: null, email: null },
      respondent_ref: "",
    });
    expect(left.erased_at).not.toBeNull();
    expect((await shop.mails()).filter(({ to }) => to === "erase@bakery.example")).toEqual([]);
    expect((await shop.events()).at(-1)).toBe("forms.submission.erased");
    expect(submissions.personal?.subjects(left)).toEqual([]);
  });
});

describe("partial submissions", () => {
  it("are kept for whoever has the token, and sent when they are whole", async () => {
    const id = await shop.form(plain({ settings: { allow_partial: true } }));
    const first = (await shop.send(id, { name: "Ada" }, { partial: true })).json.data;
    expect(first).toMatchObject({ status: "partial", data: { name: "Ada" } });
    const path = `/${id}/submissions/${first.id}`;
    const token = { resume_token: first.resume_token };
    expect((await shop.page("PATCH", path, { resume_token: "wrong" })).status).toBe(404);
    expect((await shop.page("PATCH", path, { assignee: "me" })).status).toBe(422);
    expect(
      (await shop.page("PATCH", path, { ...token, data: { email: "a@b.example" } })).json.data.data,
    ).toEqual({
      name: "Ada",
      email: "a@b.example",
    });
    const early = await shop.page("PATCH", path, { ...token, data: { email: "" }, complete: true });
    expect(refusal(early)).toBe("422 invalid_answers");
    const minted = (await shop.page("POST", `/${id}/tokens`)).json.data;
    shop.harness.clock.advance(60_000);
    const done = await shop.page("PATCH", path, { ...token, token: minted.token, complete: true });
    expect(done.json.data, done.text).toMatchObject({ id: first.id, status: "received" });
    expect(await shop.read(path)).toMatchObject({
      status: "new",
      data: { name: "Ada", email: "a@b.example" },
    });
    shop.harness.clock.advance(60_000);
    expect(refusal(await shop.page("PATCH", path, { ...token, data: { name: "Eve" } }))).toBe(
      "409 edit_closed",
    );
  });

  it("are listed as of when they are sent", async () => {
    const id = await shop.form(plain({ settings: { allow_partial: true } }));
    const first = (await shop.send(id, { name: "Ada" }, { partial: true })).json.data;
    shop.harness.clock.advance(3 * 86_400_000);
    const other = (await shop.send(id, { ...ada, message: "Rye?" })).json.data;
    const since = (await shop.read(`/${id}/submissions/${other.id}`)).created_at;
    shop.harness.clock.advance(60_000);
    const path = `/${id}/submissions/${first.id}`;
    const rest = { data: { email: "ada@office.example" }, complete: true };
    const done = await shop.page("PATCH", path, { resume_token: first.resume_token, ...rest });
    expect(done.status, done.text).toBe(200);
    const ids = (await shop.read(`/${id}/submissions?from=${since}`)).map((one: { id: string }) => one.id);
    expect(ids).toEqual([first.id, other.id]);
  });

  it("are completed also where the form has lost a field meanwhile", async () => {
    const form = plain({ settings: { allow_partial: true } });
    const fax = { key: "fax", type: "text", label: "Fax" };
    const id = await shop.form({ ...form, fields: [...form["fields"], fax] });
    const { data: first } = (await shop.send(id, { ...ada, fax: "1" }, { partial: true })).json;
    await shop.call("PATCH", `/${id}`, { fields: form["fields"] });
    await shop.make(`/${id}/publish`);
    const path = `/${id}/submissions/${first.id}`;
    const token = { resume_token: first.resume_token };
    const more = await shop.page("PATCH", path, { ...token, data: { message: "Two" } });
    expect(more.status, more.text).toBe(200);
    const done = await shop.page("PATCH", path, { ...token, complete: true });
    expect(done.status, done.text).toBe(200);
    expect((await shop.read(path)).data).toEqual({ ...ada, email: "Ada@office.example", message: "Two" });
  });

  it("are not taken where the form does not say so", async () => {
    const id = await shop.form(plain());
    expect(refusal(await shop.send(id, {}, { partial: true }))).toBe("409 partial_not_allowed");
  });

  it("change what was sent as long as the form allows", async () => {
    const until = new Date(shop.harness.clock.now() + 3_600_000).toISOString();
    const to = ["kitchen@bakery.example"];
    const id = await shop.form(plain({ settings: { allow_edit_until: until }, notifications: [{ to }] }));
    const { receipt } = await sent(id, ada);
    const path = `/${id}/submissions/${receipt.id}`;
    const edited = await shop.page("PATCH", path, {
      resume_token: receipt.resume_token,
      data: { message: "Rather two" },
    });
    expect(edited.status, edited.text).toBe(200);
    expect((await shop.read(path)).data.message).toBe("Rather two");
    const mails = (await shop.mails()).filter((mail) => mail.to === to[0]);
    expect(mails).toHaveLength(2);
    const note = mails.find(({ data }) => data["edited"] === true);
    expect(JSON.stringify(note?.data["answers"])).toContain("Rather two");
    expect(await shop.events()).toContain("forms.submission.edited");
    await shop.page("PATCH", path, { resume_token: receipt.resume_token, data: { message: "Rather two" } });
    expect((await shop.mails()).filter((mail) => mail.to === to[0])).toHaveLength(2);
    shop.harness.clock.advance(3_600_000);
    const late = await shop.page("PATCH", path, {
      resume_token: receipt.resume_token,
      data: { message: "Three" },
    });
    expect(refusal(late)).toBe("409 edit_closed");
  });
});

describe("the inbox", () => {
  it("finds by status, word, tag, answer and time, and exports", async () => {
    const other = await createShop();
    const id = await other.form(
      plain({
        fields: [
          { key: "topic", type: "text", label: "Topic", required: true },
          { key: "name", type: "name", label: "Name" },
        ],
      }),
    );
    for (const [topic, name] of [
      ["=1+1", "Ada Byron"],
      ["rye", "Grace Hopper"],
      ["rye", "Ada Lovelace"],
    ]) {
      await other.make(`/${id}/submissions`, { data: { topic, name } });
      other.harness.clock.advance(1_000);
    }
    const names = async (query: string) =>
      (await other.read(`/${id}/submissions?${query}`)).map(
        ({ contact }: { contact: { name: string } }) => contact.name,
      );
    const [newest] = await other.read(`/${id}/submissions`);
    const worked = await other.call("PATCH", `/${id}/submissions/${newest.id}`, {
      tags: ["VIP"],
      note: "Called",
      assignee: "Grace",
    });
    expect(worked.json.data).toMatchObject({ tags: ["vip"], assignee: "Grace", notes: [{ text: "Called" }] });
    await other.make(`/${id}/submissions/${newest.id}/open`);
    expect(await names("q=ada")).toEqual(["Ada Lovelace", "Ada Byron"]);
    expect(await names("tag=vip")).toEqual(["Ada Lovelace"]);
    expect(await names("status=open")).toEqual(["Ada Lovelace"]);
    expect(await names("field=topic:rye")).toEqual(["Ada Lovelace", "Grace Hopper"]);
    expect(await names("from=2026-06-01T09:00:01.000Z&to=2026-06-01T09:00:01.000Z")).toEqual([
      "Grace Hopper",
    ]);
    expect((await other.call("GET", `/${id}/submissions?tag=vip&q=ada`)).status).toBe(422);
    const csv = await other.call("GET", `/${id}/submissions?format=csv`);
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="contact-us.csv"');
    expect(csv.text).toContain("'=1+1");
    const lines = (await other.call("GET", `/${id}/submissions?format=ndjson`)).text.trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(await other.read("/submissions?q=hopper")).toHaveLength(1);
    // The page begins at the bound: it is full, however many newer ones there are.
    const early = await other.read("/submissions?to=2026-06-01T09:00:01.000Z&limit=2");
    expect(early.map(({ contact }: { contact: { name: string } }) => contact.name)).toEqual([
      "Grace Hopper",
      "Ada Byron",
    ]);
    const resent = await other.call("POST", `/${id}/submissions/${newest.id}/resend-notifications`);
    expect(resent.json.data).toEqual({ staged: 0 });
    await other.harness.close();
  });

  it("exports amounts of a version as they were typed, whatever the field is now", async () => {
    const budget = (more: object) => ({ key: "budget", label: "Budget", ...more });
    const id = await shop.form(plain({ fields: [budget({ type: "number" })] }));
    await sent(id, { budget: "500" });
    await shop.call("PATCH", `/${id}`, { fields: [budget({ type: "currency", currency: "GBP" })] });
    await shop.make(`/${id}/publish`);
    await sent(id, { budget: "750.50" });
    const { text } = await shop.call("GET", `/${id}/submissions?format=csv`);
    const cells = text
      .trim()
      .split("\r\n")
      .map((line) => line.split(",").at(-1));
    expect(cells).toEqual(["budget", "750.50", "500"]);
  });

  it("is a store's own", async () => {
    const id = await shop.form(plain());
    const { id: sid } = await sent(id, ada);
    const stranger = await shop.harness.key();
    const answer = await shop.harness.call("GET", `/v1/forms/${id}/submissions/${sid}`, { key: stranger });
    expect(answer.status).toBe(404);
  });
});
