import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { demoContents } from "../../../../server/engines/forms/data/demo-forms.ts";
import { followQuotes, sweepSubmissions } from "../../../../server/engines/forms/jobs.ts";
import { quoteRequests } from "../../../../server/engines/forms/repository.ts";
import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

const quoteForm = demoContents().quote;

let shop: Shop;
let id: string;
beforeAll(async () => {
  shop = await createShop();
  id = await shop.form({ ...quoteForm, settings: { ...quoteForm.settings, captcha: "none" } });
});
afterAll(() => shop.harness.close());

const asked = {
  name: "Ada Byron",
  company: "Analytical Engines",
  email: "ada@office.example",
  phone: "020 7946 0018",
  date: "2026-06-19",
  time: "12:30",
  guests: 40,
  postcode: "E8 3PH",
  food: ["Working lunch"],
  dietary: ["vegan"],
  budget: 60_000,
};
const catering = (method: string, path: string, body?: unknown) =>
  shop.harness.call(method, `/v1/catering${path}`, { key: shop.key, body });
async function request(more: object = {}) {
  const sent = await shop.send(id, { ...asked, ...more });
  if (sent.status !== 201) throw new Error(sent.text);
  return (await shop.read("/quote-requests"))[0];
}

describe("quote requests", () => {
  it("come of a form, are quoted by the kitchen, and go with its quote", async () => {
    const made = await request();
    expect(made).toMatchObject({
      number: 1,
      status: "new",
      customer: {
        name: "Ada Byron",
        email: "ada@office.example",
        phone: "+442079460018",
        company: "Analytical Engines",
      },
      event: { date: "2026-06-19", time: "12:30", guests: 40, postcode: "E8 3PH" },
      items: [{ name: "Working lunch", qty: 1 }],
      budget: { minor: 60_000, currency: "GBP" },
      sla_due_at: "2026-06-02T09:00:10.000Z",
    });
    expect((await shop.make(`/quote-requests/${made.id}/triage`)).status).toBe("triaged");
    const quoted = await shop.make(`/quote-requests/${made.id}/quote`, {
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
    });
    expect(quoted.status).toBe("quoted");
    const { json } = await catering("GET", `/quotes/${quoted.quote_id}`);
    expect(json.data).toMatchObject({
      status: "draft",
      prospect: { email: "ada@office.example", company: "Analytical Engines" },
      headcount: { estimate: 40 },
      event: { date: "2026-06-19", start: "12:30", end: "14:30", site: "E8 3PH" },
      total: 51_800,
      metadata: { quote_request_id: made.id, dietary: "Vegan" },
    });
    await catering("POST", `/quotes/${quoted.quote_id}/send`, {});
    expect(await shop.run(followQuotes)).toEqual({ moved: 0 });
    const current = (await catering("GET", `/quotes/${quoted.quote_id}`)).json.data;
    const answer = await catering("POST", `/quotes/${quoted.quote_id}/accept`, {
      version: current.current_version,
      hash: current.hash,
      name: "Ada Byron",
      email: "ada@office.example",
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await shop.run(followQuotes)).toEqual({ moved: 1 });
    expect((await shop.make(`/quote-requests/${made.id}/convert`)).status).toBe("converted");
    const types = (await shop.events()).filter((type) => type.startsWith("forms.quote_request"));
    expect(types).toEqual(["created", "quoted", "accepted"].map((what) => `forms.quote_request.${what}`));
    const { timeline } = await shop.read(`/quote-requests/${made.id}`);
    expect(timeline.map(({ by, what }: { by: string; what: string }) => `${what} by ${by}`)).toEqual([
      "received by customer",
      "triaged by shop",
      "quoted by shop",
      "accepted by catering",
      "converted by shop",
    ]);
  });

  it("refuse steps that their state does not allow, and quotes of what nobody knows", async () => {
    const made = await request({ name: "Grace" });
    for (const step of ["accept", "convert"]) {
      expect(refusal(await shop.call("POST", `/quote-requests/${made.id}/${step}`))).toBe(
        "409 invalid_transition",
      );
    }
    const declined = await shop.make(`/quote-requests/${made.id}/decline`, { reason: "Full" });
    expect(declined).toMatchObject({ status: "declined", lost_reason: "Full" });
    expect(refusal(await shop.call("PATCH", `/quote-requests/${made.id}`, { message: "x" }))).toBe(
      "409 invalid_transition",
    );
    const noted = await shop.make("/quote-requests", { customer: { name: "By phone" } });
    expect(refusal(await shop.call("POST", `/quote-requests/${noted.id}/quote`))).toBe("409 not_quotable");
    const mended = await shop.call("PATCH", `/quote-requests/${noted.id}`, {
      customer: { ...noted.customer, email: "p@office.example" },
      event: { ...noted.event, date: "2026-07-01", guests: 10 },
    });
    expect(mended.json.data.timeline.at(-1)).toMatchObject({ what: "edited", note: "customer, event" });
    expect((await shop.make(`/quote-requests/${noted.id}/quote`)).status).toBe("quoted");
  });

  it("are listed by status, address and urgency", async () => {
    const numbers = async (query: string) =>
      (await shop.read(`/quote-requests?${query}`)).map(({ number }: { number: number }) => number);
    expect(await numbers("status=declined")).toEqual([2]);
    expect(await numbers("email=ADA@office.example")).toEqual([2, 1]);
    expect(await numbers("open=true")).toEqual([3]);
    expect(await numbers("sort=due")).toEqual([3]);
    expect((await shop.call("GET", "/quote-requests?open=true&sort=due")).status).toBe(422);
  });

  it("have the budget in the currency of its field", async () => {
    const fields = quoteForm.fields.map((field) =>
      field.key === "budget" ? { ...field, currency: "EUR" } : field,
    );
    const settings = { ...quoteForm.settings, captcha: "none" };
    const form = await shop.form({ ...quoteForm, slug: "in-euros", fields, settings });
    expect((await shop.send(form, asked)).status).toBe(201);
    const [newest] = await shop.read("/quote-requests");
    expect(newest.budget).toEqual({ minor: 60_000, currency: "EUR" });
  });

  it("list the labels of what was selected, as people read them", async () => {
    const select = (key: string, type: string) => ({
      key,
      type,
      label: key,
      options: [
        { value: "n1", label: "Nuts, also traces" },
        { value: "40", label: "Up to forty" },
      ],
    });
    const form = await shop.form({
      ...quoteForm,
      slug: "labels",
      settings: { ...quoteForm.settings, captcha: "none" },
      steps: [],
      fields: [
        { key: "email", type: "email", label: "E-mail", required: true },
        ...["diet", "free_of"].map((key) => select(key, "multiselect")),
        ...["dish", "how", "guests"].map((key) => select(key, "select")),
      ],
      quote: {
        ...quoteForm.quote,
        mapping: { dietary: "diet", allergens: "free_of", items: "dish", message: "how", guests: "guests" },
      },
      contact: { name: null, email: "email", phone: null },
      autoresponder: { ...quoteForm.autoresponder, enabled: false },
      agent: { ...quoteForm.agent, enabled: false },
    });
    const data = {
      email: "ada@office.example",
      diet: ["n1"],
      free_of: ["n1", "40"],
      dish: "n1",
      how: "n1",
      guests: "40",
    };
    const sent = await shop.send(form, data);
    expect(sent.status, sent.text).toBe(201);
    expect((await shop.read("/quote-requests"))[0]).toMatchObject({
      dietary: ["Nuts, also traces"],
      allergens: ["Nuts, also traces", "Up to forty"],
      items: [{ name: "Nuts, also traces" }],
      message: "Nuts, also traces",
      event: { guests: 40 },
    });
  });

  it("wait for nobody while their submission is spam, and come back as they were", async () => {
    const step = async (made: { submission_id: string }, action: string) =>
      shop.make(`/${id}/submissions/${made.submission_id}/${action}`);
    const status = async (made: { id: string }): Promise<string> =>
      (await shop.read(`/quote-requests/${made.id}`)).status;
    const open = async (): Promise<number> => (await shop.read("/quote-requests?sort=due")).length;
    const made = await request({ name: "Maybe Spam" });
    const before = await open();
    await shop.make(`/quote-requests/${made.id}/triage`);
    await step(made, "spam");
    expect([await status(made), await open()]).toEqual(["spam", before - 1]);
    expect(refusal(await shop.call("POST", `/quote-requests/${made.id}/triage`))).toBe(
      "409 invalid_transition",
    );
    expect(await shop.read("/quote-requests?status=spam")).toHaveLength(1);
    await step(made, "unspam");
    expect([await status(made), await open()]).toEqual(["triaged", before]);
    await shop.make(`/quote-requests/${made.id}/quote`);
    await step(made, "spam");
    await step(made, "unspam");
    expect(await status(made)).toBe("quoted");
    // What came to an end stays there.
    await shop.make(`/quote-requests/${made.id}/withdraw`);
    await step(made, "spam");
    await step(made, "unspam");
    expect(await status(made)).toBe("withdrawn");
  });

  it("follow what the sender corrects, and keep what the shop has written", async () => {
    const until = new Date(shop.harness.clock.now() + 3_600_000).toISOString();
    const settings = { ...quoteForm.settings, captcha: "none", allow_edit_until: until };
    const form = await shop.form({ ...quoteForm, slug: "editable", settings });
    const { id: sid, resume_token } = (await shop.send(form, asked)).json.data;
    const [made] = await shop.read("/quote-requests");
    const written = {
      items: [{ ref: null, name: "Tea", qty: 2 }],
      event: { ...made.event, postcode: "E8 4AA" },
    };
    await shop.call("PATCH", `/quote-requests/${made.id}`, written);
    const data = { guests: 60, date: "2026-06-26", dietary: ["vegan", "halal"], email: "ada@home.example" };
    const edited = await shop.page("PATCH", `/${form}/submissions/${sid}`, { resume_token, data });
    expect(edited.status, edited.text).toBe(200);
    const request = await shop.read(`/quote-requests/${made.id}`);
    expect(request).toMatchObject({
      customer: { email: "ada@home.example" },
      event: { guests: 60, date: "2026-06-26", postcode: "E8 4AA" },
      dietary: ["Vegan", "Halal"],
      items: [{ name: "Tea", qty: 2 }],
    });
    expect(request.timeline.at(-1)).toMatchObject({ what: "edited", by: "customer" });
  });

  it.each(["erasure", "retention"])("lose who asked with the %s of their submission", async (how) => {
    const settings = { ...quoteForm.settings, captcha: "none", retention_days: 1 };
    const form = await shop.form({ ...quoteForm, slug: how, settings });
    const { id: sid } = (await shop.send(form, { ...asked, message: "Call me" })).json.data;
    const [made] = await shop.read("/quote-requests");
    if (how === "erasure") await shop.call("DELETE", `/${form}/submissions/${sid}`);
    else {
      shop.harness.clock.advance(86_400_000);
      await shop.run(sweepSubmissions);
    }
    const left = await shop.call("GET", `/quote-requests/${made.id}`);
    expect(left.json.data.number).toBe(made.number);
    expect(left.text).not.toMatch(/ada@|Call me|Ada Byron|E8 3PH|vegan/i);
  });

  it("lose who asked when a person is erased", async () => {
    const made = await request({ email: "gone@office.example", message: "Call me" });
    const { version: _, ...value } = made;
    expect(quoteRequests.personal?.subjects(value)).toEqual(["gone@office.example"]);
    const erased = quoteRequests.personal?.erased(value, "gone@office.example");
    expect(JSON.stringify(erased)).not.toMatch(/gone@|Call me|Ada Byron|E8 3PH/);
    expect(() => quoteRequests.schema.parse(erased)).not.toThrow();
  });
});

it("follows the quotes of requests behind one whose quote cannot be read", async () => {
  const [older, newer] = [await request(), await request()];
  for (const { id: one } of [older, newer]) {
    await shop.make(`/quote-requests/${one}/triage`);
    await shop.make(`/quote-requests/${one}/quote`);
  }
  const { quote_id: unreadable } = await shop.read(`/quote-requests/${newer.id}`);
  const { engines } = shop.harness.services.ports;
  const quoteStateOf = async (_: unknown, quoteId: string) => {
    if (quoteId === unreadable) throw new Error("It cannot be read.");
    return { status: "declined" };
  };
  await shop.run(followQuotes, { engines: { ...engines, quoteStateOf } });
  expect((await shop.read(`/quote-requests/${older.id}`)).status).toBe("declined");
  expect((await shop.read(`/quote-requests/${newer.id}`)).status).toBe("quoted");
});
