import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Harness, TestKey } from "../harness.ts";
import { createHarness } from "../harness.ts";
import { namespaces } from "../../server/registry.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { stageStoreMail } from "../../server/core/store-mail.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { OutgoingMail } from "../../server/mail/transport.ts";
import { createPipeline } from "../support/match.ts";

const DAY_MS = 86_400_000;
const NEW_RECIPIENTS_A_DAY = 20;

let harness: Harness;
let sent: OutgoingMail[];
beforeEach(async () => {
  sent = [];
  harness = await createHarness({
    transport: {
      name: "smtp",
      send: async (mail) => {
        sent.push(mail);
        return { accepted: true, id: mail.id };
      },
    },
  });
});
afterEach(() => harness.close());

const post = (key: TestKey, path: string, body: unknown) => harness.call("POST", path, { key, body });

/** What leaves within a quarter of an hour. */
async function deliver(): Promise<OutgoingMail[]> {
  for (let round = 0; round < 10; round += 1) await harness.services.jobs.run("mail.forward");
  harness.clock.advance(15 * 60_000);
  for (let round = 0; round < 10; round += 1) await harness.services.mail.runDue({ limit: 100 });
  return sent;
}

/** A mail with a link of the platform to follow, written without a route: as jobs write them. */
const write = (key: TestKey, id: string, to: string, mode: "live" | "test" = "live") =>
  createRunTx({ store: harness.services.store, cursors: harness.services.cursors })(
    storePartition(key.storeId, mode),
    (tx) =>
      stageStoreMail(tx, {
        id,
        to,
        template: "catering-rsvp",
        data: {
          page_url: "http://platform.test/api/public/rsvp/x",
          shop_name: "Beans",
          name: "Ada",
          title: "YOU WON A PRIZE: http://prize.example/claim and www.prize.example",
          date: "Tuesday",
        },
        created_at: "2026-06-01T09:00:00.000Z",
      }),
  );

async function invite(key: TestKey, requests: number, people: number) {
  const source = await post(key, "/v1/catering/headcount-sources", {
    kind: "rsvp",
    title: "Lunch",
  });
  const answers = [];
  for (let n = 0; n < requests; n += 1) {
    answers.push(
      await post(key, `/v1/catering/headcount-sources/${source.json.data.id}/invitations`, {
        date: "2026-06-09",
        title: "YOU WON A PRIZE: http://prize.example",
        people: Array.from({ length: people }, (_, at) => ({
          name: "Winner",
          email: `stranger-${n}-${at}@elsewhere.example`,
        })),
      }),
    );
  }
  return answers;
}

describe("a new customer's mail", () => {
  it("to strangers by invitations ends with the day's budget, and the caller is told so", async () => {
    const key = await harness.key({ plan: "free" });
    const answers = await invite(key, 12, 50);
    expect((await deliver()).length).toBeLessThanOrEqual(NEW_RECIPIENTS_A_DAY);
    expect(answers.every(({ status }) => status === 429)).toBe(true);
    const { error } = answers[0]?.json ?? {};
    expect(error.detail).toBe(
      "This request needs 30 mails to new recipients, but only 20 of the budget of 20 mails to new recipients per day remain. Ask the operator to trust this account, or choose a paid plan. For an import, turn off `send_mail` in the settings. Retry in 86400 seconds.",
    );
    expect(sent).toEqual([]);
  });

  it("is bounded however small the requests are", async () => {
    const key = await harness.key({ plan: "free" });
    const answers = await invite(key, 30, 1);
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: NEW_RECIPIENTS_A_DAY }, () => 200),
      ...Array.from({ length: 30 - NEW_RECIPIENTS_A_DAY }, () => 429),
    ]);
    expect((await deliver()).length).toBe(NEW_RECIPIENTS_A_DAY);
    const refused = (await invite(key, 1, 1))[0];
    expect(refused?.status).toBe(429);
    const wait = refused?.headers.get("retry-after");
    expect(Number(wait)).toBeGreaterThan(0);
    expect(refused?.json.error.detail).toBe(
      `The budget of 20 mails to new recipients per day is exhausted. It renews at 2026-06-02T09:00:00.000Z. Ask the operator to trust this account, or choose a paid plan. For an import, turn off \`send_mail\` in the settings. Retry in ${wait} seconds.`,
    );
  });

  it("is not sent by an import of contracts with `send_mail` off, which the budget then does not end", async () => {
    const key = await harness.key({ plan: "free" });
    const create = async (n: number) => {
      const customer = { id: `c${n}`, email: `reader-${n}@elsewhere.example`, name: "Reader" };
      const lines = [{ product_ref: "loaf", title: "Loaf", quantity: 1, unit_price: 500 }];
      const body = { customer, lines, interval: { unit: "month", count: 1 }, start_date: "2026-07-01" };
      return (await post(key, "/v1/subscriptions/contracts", body)).status;
    };
    const statuses = [];
    for (let n = 0; n < 21; n += 1) statuses.push(await create(n));
    expect(statuses).toEqual([...Array.from({ length: NEW_RECIPIENTS_A_DAY }, () => 201), 429]);
    const path = "/v1/subscriptions/settings";
    await harness.call("PATCH", path, { key, body: { send_mail: false } });
    for (let n = 21; n < 31; n += 1) expect(await create(n)).toBe(201);
  });

  it("that jobs write waits for the next day instead of being lost", async () => {
    const key = await harness.key({ plan: "free" });
    for (let n = 0; n < 25; n += 1) await write(key, `ltr_${n}`, `s${n}@elsewhere.example`);
    expect((await deliver()).length).toBe(NEW_RECIPIENTS_A_DAY);
    harness.clock.advance(DAY_MS);
    expect((await deliver()).length).toBe(25);
  });

  it("caused by visitors waits at half of the budget, without refusing visitors or the shop", async () => {
    const key = await harness.key({ plan: "free" });
    const form = await post(key, "/v1/forms", {
      name: "Ask us",
      fields: [{ key: "email", type: "email", label: "E-mail", required: true }],
      notifications: [{ to: ["dev1@shop.test"] }],
      autoresponder: { enabled: true, to_field: "email", message: "Thank you" },
    });
    const path = `/v1/forms/${form.json.data.id}`;
    await post(key, `${path}/publish`, {});
    const ask = (n: number) =>
      post(key, `${path}/submissions`, { data: { email: `visitor-${n}@elsewhere.example` } });
    const answers = [];
    for (let n = 0; n < 25; n += 1) answers.push((await ask(n)).status);
    expect(new Set(answers)).toEqual(new Set([201]));
    const receipts = () => sent.filter(({ to }) => to.startsWith("visitor-"));
    await deliver();
    expect(receipts()).toHaveLength(NEW_RECIPIENTS_A_DAY / 2);
    expect(sent).toHaveLength(NEW_RECIPIENTS_A_DAY / 2 + 25);
    const invited = await invite(key, NEW_RECIPIENTS_A_DAY / 2 + 1, 1);
    expect(invited.map(({ status }) => status)).toEqual([
      ...Array.from({ length: NEW_RECIPIENTS_A_DAY / 2 }, () => 200),
      429,
    ]);
    await deliver();
    expect(sent).toHaveLength(NEW_RECIPIENTS_A_DAY + 25);
    harness.clock.advance(DAY_MS);
    await deliver();
    expect(receipts()).toHaveLength(NEW_RECIPIENTS_A_DAY);
  });

  it("caused by one address of visitors waits at a quarter of what visitors have", async () => {
    const key = await harness.key({ plan: "free" });
    const form = await post(key, "/v1/forms", {
      name: "Ask us",
      fields: [{ key: "email", type: "email", label: "E-mail", required: true }],
      autoresponder: { enabled: true, to_field: "email", message: "Thank you" },
      settings: { captcha: "none" },
    });
    const path = `/v1/forms/${form.json.data.id}`;
    await post(key, `${path}/publish`, {});
    const handle = createPipeline(harness.services, namespaces);
    const pub = await harness.key({
      customer_id: key.customerId,
      store_id: key.storeId,
      kind: "publishable",
      scopes: ["forms:submit"],
    });
    const ask = async (to: string, peer: string): Promise<number> => {
      const { token } = (await harness.call("POST", `${path}/tokens`, { key: pub })).json.data;
      harness.clock.advance(60_000);
      const body = JSON.stringify({ data: { email: `${to}@elsewhere.example` }, token });
      const headers: Record<string, string> = {
        authorization: `Bearer ${pub.plaintext}`,
        "content-type": "application/json",
        "content-length": String(body.length),
      };
      const { status } = await handle({
        method: "POST",
        target: `${path}/submissions`,
        header: (name) => headers[name],
        stream: () => new ReadableStream<Uint8Array>(),
        body: () => Promise.resolve(new TextEncoder().encode(body)),
        signal: () => new AbortController().signal,
        peer,
      });
      return status;
    };
    const to = (name: string) => sent.filter((mail) => mail.to.startsWith(name));
    for (let n = 0; n < 9; n += 1) expect(await ask(`many-${n}`, "93.184.216.70")).toBe(201);
    expect(await ask("other", "93.184.216.71")).toBe(201);
    // An address of a private network is that of a proxy, behind which all visitors are.
    for (let n = 0; n < 9; n += 1) expect(await ask(`private-${n}`, "10.0.0.7")).toBe(201);
    await deliver();
    expect([to("many"), to("other"), to("private")].map(({ length }) => length)).toEqual([5, 1, 4]);
    harness.clock.advance(DAY_MS);
    await deliver();
    expect([to("many"), to("other"), to("private")].map(({ length }) => length)).toEqual([9, 1, 9]);
  });

  it("to one mailbox is bounded for all customers together: who signs up often cannot fill a stranger's", async () => {
    const customers = await Promise.all([1, 2, 3].map(() => harness.key({ plan: "free" })));
    for (const [at, key] of customers.entries())
      for (let n = 0; n < 15; n += 1) await write(key, `ltr_${at}_${n}`, `v.ictim+${at}@gmail.com`);
    const [, other] = customers;
    if (other !== undefined) await write(other, "ltr_other", "other@elsewhere.example");
    const paid = await harness.key({ plan: "starter" });
    for (let n = 0; n < 3; n += 1) await write(paid, `ltr_paid_${n}`, "victim@gmail.com");
    const counts = (mails: OutgoingMail[]) => [
      mails.filter(({ to }) => to.startsWith("v.")).length,
      mails.filter(({ to }) => !to.startsWith("v.")).length,
    ];
    expect(counts(await deliver())).toEqual([30, 4]);
    // None is lost: they wait, as where a customer's own budget is used up.
    harness.clock.advance(DAY_MS);
    expect(counts(await deliver())).toEqual([45, 4]);
  });

  it("to an address that visitors type is bounded as well, whatever the plan", async () => {
    const key = await harness.key({ plan: "scale" });
    const forms = [];
    for (let n = 0; n < 4; n += 1) {
      const form = await post(key, "/v1/forms", {
        name: `Ask us ${n}`,
        fields: [{ key: "email", type: "email", label: "E-mail", required: true }],
        autoresponder: { enabled: true, to_field: "email", message: "Thank you" },
      });
      forms.push(form.json.data.id);
      await post(key, `/v1/forms/${form.json.data.id}/publish`, {});
    }
    for (let hour = 0; hour < 10; hour += 1) {
      for (const id of forms)
        await post(key, `/v1/forms/${id}/submissions`, { data: { email: "victim@elsewhere.example" } });
      harness.clock.advance(61 * 60_000);
    }
    expect((await deliver()).length).toBe(30);
  });

  it("to the address that signed up needs no budget", async () => {
    const key = await harness.key({ plan: "free" });
    for (let n = 0; n < 25; n += 1) await write(key, `ltr_${n}`, "dev1@shop.test");
    expect((await deliver()).length).toBe(25);
  });

  it("is free of the budget once the operator trusts the customer, or on a paid plan", async () => {
    const trusted = await harness.key({ plan: "free" });
    const path = `/api/platform/admin/customers/${trusted.customerId}`;
    expect((await harness.admin("POST", `${path}/trust`)).json.data.trusted_at).not.toBeNull();
    const paid = await harness.key({ plan: "starter" });
    for (let n = 0; n < 25; n += 1) {
      await write(trusted, `ltr_${n}`, `s${n}@elsewhere.example`);
      await write(paid, `ltr_${n}`, `s${n}@elsewhere.example`);
    }
    expect((await deliver()).length).toBe(50);
    expect((await harness.admin("POST", `${path}/distrust`)).json.data.trusted_at).toBeNull();
    await invite(trusted, 1, 50);
    expect((await deliver()).length).toBe(50);
  });

  it("by private replies is bounded as well, and names no link of the shop's choice", async () => {
    const key = await harness.key({ plan: "free" });
    const statuses = [];
    for (let n = 0; n < 30; n += 1) {
      const review = await post(key, "/v1/reviews", {
        target: { type: "product", id: `p${n}` },
        rating: 5,
        title: "Good",
        body: "The crust sings when it comes out of the bag, and the crumb is open.",
        incentive: { type: "none" },
        author: { display_name: "Ada" },
        email: `stranger-${n}@elsewhere.example`,
      });
      expect(review.status).toBe(201);
      const body = { body: "YOU WON http://prize.example/claim now" };
      statuses.push((await post(key, `/v1/reviews/${review.json.data.id}/private-replies`, body)).status);
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
    expect((await deliver()).length).toBe(NEW_RECIPIENTS_A_DAY);
    for (const { html, text } of sent) {
      expect(html).not.toMatch(/prize\.example/);
      expect(text).not.toMatch(/prize\.example/);
    }
  });
});

describe("every mail of a store", () => {
  const linkOf = ({ text }: OutgoingMail): string =>
    /http:\/\/platform\.test(\/api\/public\/mail\/\S+)/.exec(text)?.[1] ?? "";
  const press = (path: string, body: Record<string, string>) =>
    harness.call("POST", path, {
      body: new URLSearchParams(body).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  it("names its sender and its reason, and shows what the sender typed without links", async () => {
    const key = await harness.key({ identifier: "beans" });
    await write(key, "ltr_1", "ada@shop.example");
    const [mail] = await deliver();
    for (const part of [mail?.text ?? "", mail?.html ?? ""]) {
      expect(part).toMatch(/store\s+["“&](quot;)?beans/);
      expect(part.replaceAll(/\s+/g, " ")).toContain("You receive this email because the store invited you");
      expect(part).not.toMatch(/https?:\/\/prize|www\.prize|prize\.example/);
    }
    expect(linkOf(mail ?? sent[0]!)).not.toBe("");
  });

  it("stops with one click of a mail program (RFC 8058)", async () => {
    const key = await harness.key();
    await write(key, "ltr_1", "ada@shop.example");
    const [mail] = await deliver();
    expect(mail?.unsubscribeUrl).toContain("/api/public/mail/");
    const path = new URL(mail?.unsubscribeUrl ?? "").pathname;
    expect((await press(path, { "List-Unsubscribe": "One-Click" })).status).toBe(200);
    await write(key, "ltr_2", "Ada@shop.example");
    await write(key, "ltr_3", "ben@shop.example");
    await deliver();
    expect(sent.map(({ to }) => to)).toEqual(["ada@shop.example", "ben@shop.example"]);
    const other = await harness.key();
    await write(other, "ltr_4", "ada@shop.example");
    expect((await deliver()).length).toBe(3);
  });

  it("stops in all stores after a complaint, until the operator lifts it", async () => {
    const [key, other] = [await harness.key(), await harness.key()];
    await write(key, "ltr_1", "ada@shop.example");
    const path = linkOf((await deliver())[0] ?? sent[0]!);
    const page = await harness.call("GET", path);
    expect(page.text).toContain("Report");
    expect((await press(path, { action: "report" })).status).toBe(200);
    await write(other, "ltr_2", "ada@shop.example");
    expect((await deliver()).length).toBe(1);
    const lift = { address: "ada@shop.example", suppressed: false };
    expect((await harness.admin("POST", "/api/platform/admin/mail/suppress", { body: lift })).status).toBe(
      200,
    );
    await write(other, "ltr_3", "ada@shop.example");
    expect((await deliver()).length).toBe(2);
  });

  it("cannot be reported by a store for its readers, with the links of its test mail", async () => {
    const [key, other] = [await harness.key({ mode: "test" }), await harness.key()];
    await write(key, "ltr_1", "victim@shop.example", "test");
    const [mail] = (await harness.call("GET", "/v1/account/test-mail", { key })).json.data;
    expect((await press(linkOf(mail), { action: "report" })).status).toBe(200);
    await write(other, "ltr_2", "victim@shop.example");
    expect((await deliver()).map(({ to }) => to)).toEqual(["victim@shop.example"]);
  });

  it("shows in its sender's name that the service sends it, and no address of somebody else", async () => {
    const key = await harness.key({ identifier: "beans" });
    const name = "service@bank.example\u200b \u202ebank";
    expect((await harness.call("PATCH", "/v1/account/store", { key, body: { name } })).status).toBe(200);
    await write(key, "ltr_1", "ada@shop.example");
    await deliver();
    await write(key, "ltr_2", "ben@shop.example");
    await harness.call("PATCH", "/v1/account/store", { key, body: { name: null } });
    await deliver();
    expect(sent.map(({ from }) => from)).toEqual([
      '"service at bank.example bank via localhost" <no-reply@localhost>',
      '"beans via localhost" <no-reply@localhost>',
    ]);
  });

  it("costs no budget of new recipients once its reader said that it is welcome", async () => {
    const key = await harness.key({ plan: "free" });
    await write(key, "ltr_0", "ada@shop.example");
    const path = linkOf((await deliver())[0] ?? sent[0]!);
    await press(path, { action: "welcome" });
    for (let n = 1; n <= 30; n += 1) await write(key, `ltr_${n}`, "ada@shop.example");
    expect((await deliver()).length).toBe(31);
  });

  it("has a link that is good for its own store and address alone", async () => {
    expect((await harness.call("GET", "/api/public/mail/bm90LW1hZGU.c2VhbA")).status).toBe(404);
  });
});
