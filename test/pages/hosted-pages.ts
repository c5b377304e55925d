import { invoices as cateringInvoices, quotes } from "../../server/engines/catering/repository.ts";
import { carts } from "../../server/engines/cart/repository.ts";
import { forms } from "../../server/engines/forms/repository.ts";
import { invitations, reviews } from "../../server/engines/reviews/repository.ts";
import { charges, contracts, invoices } from "../../server/engines/subscriptions/repository.ts";
import { makeToken } from "../../server/core/link-token.ts";
import type { Purpose } from "../../server/core/link-token.ts";
import type { Collection } from "../../server/core/collection.ts";
import { choicesUrl } from "../../server/mail/choices.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";
import { createScene } from "../contract/scene.ts";
import type { Scene } from "../contract/scene.ts";

/** A store with demo data whose pages are in one language, as its customers open them. */
export interface Visit {
  readonly scene: Scene;
  readonly harness: Harness;
  readonly locale: string;
  /** The link of the last mail. */
  readonly mailed: () => string;
  readonly link: (path: string, purpose: Purpose, ...names: readonly string[]) => string;
  /** The first document that qualifies. */
  find<T extends { id: string }>(collection: Collection<T>, is?: (value: T) => boolean): Promise<T>;
  get(url: string): Promise<Answer>;
  /** Sends an HTML form. */
  post(url: string, fields?: Readonly<Record<string, string>>): Promise<Answer>;
}

export async function createVisit(locale: string): Promise<Visit> {
  let mailed = "";
  const harness = await createHarness({
    transport: {
      name: "dev",
      send(mail) {
        mailed = /^https?:\/\/\S+$/m.exec(mail.text)?.[0] ?? mailed;
        return Promise.resolve({ accepted: true, id: mail.id });
      },
    },
  });
  const scene = await createScene(harness);
  const { key } = scene.world;
  await harness.call("PATCH", "/v1/account/store", { key, body: { locale, name: "Demo Bakery & Roastery" } });
  const language = locale.slice(0, 2);
  await harness.call("PATCH", "/v1/allergens/settings", { key, body: { default_mode: "eu", language } });
  const headers = { "accept-language": locale, accept: "text/html" };
  const call = (method: string, url: string, more: object = {}): Promise<Answer> =>
    harness.call(method, url.replace(/^https?:\/\/[^/]+/, ""), { headers, ...more });
  return {
    scene,
    harness,
    locale,
    mailed: () => mailed,
    link: (path, purpose, ...names) =>
      `/api/public/${path}/${makeToken(harness.services.ports, purpose, scene.part, ...names)}`,
    find: (collection, is = () => true) =>
      harness.services.runTx(scene.part, async (tx) => {
        const { items } = await tx.peekPage(collection, { limit: 500 });
        const found = items.find(({ value }) => is(value));
        if (found === undefined) throw new Error(`No document of ${collection.name} qualifies.`);
        return found.value;
      }),
    get: (url) => call("GET", url),
    post: (url, fields = {}) =>
      call("POST", url, {
        body: new URLSearchParams(fields).toString(),
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      }),
  };
}

export type Play = (visit: Visit) => Promise<readonly Answer[]>;

const quoteUrl = ({ link }: Visit, { id, current_version: v }: { id: string; current_version: number }) =>
  link("quotes", "catering.quote", id, String(v));

const quotePages: Play = async (visit) => {
  const answers: Answer[] = [];
  for (const status of ["sent", "viewed", "converted", "declined", "expired"] as const)
    answers.push(
      await visit.get(quoteUrl(visit, await visit.find(quotes, (quote) => quote.status === status))),
    );
  const open = await visit.find(quotes, ({ status }) => status === "sent" || status === "viewed");
  await visit.scene.edit(quotes, ({ id }) => (id === open.id ? { status: "withdrawn" as const } : null));
  answers.push(await visit.get(quoteUrl(visit, open)), await visit.get("/api/public/quotes/none"));
  return answers;
};

const answerQuote: Play = async (visit) => {
  const open = await visit.find(quotes, ({ status }) => status === "sent" || status === "viewed");
  const url = quoteUrl(visit, open);
  const hash = /name="hash" value="([^"]+)"/.exec((await visit.get(url)).text)?.[1] ?? "";
  const accept = { action: "accept", hash };
  return [
    await visit.post(url, accept),
    await visit.post(url, { ...accept, name: "Ada" }),
    await visit.post(url, { ...accept, name: "Ada", email: "ada@office.example" }),
    await visit.post(url, { ...accept, name: "Ada", email: "ada@office.example", agree: "yes" }),
  ];
};

const waiting = {
  status: "awaiting_approval" as const,
  approval: {
    approver_email: "grace@office.example",
    reason: "above_amount" as const,
    decided_at: null,
    decision: null,
  },
};
const approvalUrl = async (visit: Visit): Promise<string> => {
  const id = await visit.scene.edit(quotes, ({ status }) => (status === "sent" ? waiting : null));
  const { current_version: v } = await visit.find(quotes, (quote) => quote.id === id);
  return visit.link("approvals", "catering.approval", id, String(v));
};

const groupUrl = async ({ link, scene }: Visit): Promise<string> => {
  const source = scene.world.lists.get("/v1/catering/headcount-sources")?.find(({ kind }) => kind === "rsvp");
  return link("group-rsvp", "catering.group", String(source?.["id"]), "2026-06-16");
};
const PERSON = { person: "psn_01JD8Z5T9QK3M4N5P6R7S8T9V0", name: "Ada", email: "" };
const rsvpUrl = async (visit: Visit): Promise<string> => {
  const { text } = await visit.post(await groupUrl(visit), { ...PERSON, action: "accept", guests: "1" });
  return /\/api\/public\/rsvp\/[^"]+/.exec(text)?.[0] ?? "";
};

const STATES = ["active", "past_due", "paused", "trialing", "cancelled"] as const;
const portalOf = async (visit: Visit, status: (typeof STATES)[number]): Promise<string> => {
  const { id } = await visit.find(contracts, (contract) => contract.status === status);
  return visit.link("subscriptions", "subscriptions.self-service", id);
};

const reviewUrl = async (visit: Visit): Promise<string> => {
  const id = await visit.scene.edit(invitations, ({ status }) =>
    status === "sent" ? { locale: visit.locale, expires_at: null } : null,
  );
  return visit.link("reviews", "reviews.invitation", id);
};
/** A visitor's review that waits for its author to confirm the address. */
async function unconfirmed({ harness, scene }: Visit): Promise<string> {
  const { customerId: customer_id, storeId: store_id } = scene.world.key;
  const key = await harness.key({
    kind: "publishable",
    scopes: ["reviews:submit"],
    customer_id,
    store_id,
  });
  const { id } = await scene.must("reviews.reviews.create", {
    key,
    body: { email: "ada@office.example", author: { display_name: "Ada" } },
  });
  return id;
}
const edited = (visit: Visit): Promise<string> =>
  visit.scene.edit(reviews, ({ body, rating, title }) => ({
    edited: true,
    edits: [
      {
        at: "2026-06-01T09:00:00.000Z",
        by: "shop" as const,
        key: null,
        rating,
        title,
        body,
        declined_at: null,
      },
    ],
  }));

const formUrl = async ({ locale, scene }: Visit, more: object = {}): Promise<string> => {
  const { id } = await scene.must("forms.forms.create", {
    body: {
      name: "Blumen",
      slug: "blumen",
      locales: [locale],
      fields: [
        ...["text", "email", "phone", "number", "integer", "date", "time", "url", "checkbox", "address"].map(
          (type) => ({ key: `k_${type}`, type, label: `Feld ${type}`, required: true }),
        ),
        { key: "k_currency", type: "currency", label: "Feld", currency: "EUR", required: true },
        { key: "k_yes", type: "boolean", label: "Feld", required: true },
        { key: "k_file", type: "file", label: "Feld" },
      ].filter(({ type }) => type !== "boolean"),
      consents: [{ key: "privacy", text: "Ja", required: true, version: "1" }],
      settings: { captcha: "none" },
      ...more,
    },
  });
  await scene.post(`/v1/forms/${id}/publish`);
  return `/api/public/forms/${scene.part}.${id}`;
};
const steps = {
  slug: "schritte",
  fields: [
    { key: "a", type: "text", label: "Eins", required: true },
    { key: "b", type: "file", label: "Zwei" },
  ],
  steps: [
    { key: "x", title: "Erstens", fields: ["a"] },
    { key: "y", title: "Zweitens", fields: ["b"] },
  ],
  settings: { captcha: "none", allow_partial: true },
};
const hiddenFields = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? "",
      /value="([^"]*)"/.exec(input)?.[1] ?? "",
    ]),
  );

const privacyUrl = async ({ link, scene }: Visit, type: string): Promise<string> => {
  const { id } = await scene.must("account.privacy-requests.create", { body: { type } });
  return link("privacy", "privacy.confirm", id);
};

const signUp = (visit: Visit): Promise<Answer> =>
  visit.post("/signup", { email: "ada@office.example", storeIdentifier: "ada-shop" });
const verifyUrl = async (visit: Visit): Promise<string> => {
  await signUp(visit);
  await visit.harness.services.mail.runDue({ limit: 10 });
  return visit.mailed();
};
const mailUrl = ({ harness, scene }: Visit): string =>
  choicesUrl(harness.services.ports, scene.part, "ada@office.example");
const unsubscribe = { "List-Unsubscribe": "One-Click" };
const owned =
  (path: (visit: Visit) => Promise<string> | string): Play =>
  async (visit) => [await visit.harness.call("GET", await path(visit), { key: visit.scene.world.key })];

/** How each page that a store's customers or staff read comes about, in the states that it has. */
export const hostedPages: Readonly<Record<string, Play>> = {
  "allergens.products.label": owned(
    ({ scene }) =>
      `/v1/allergens/products/${String(scene.world.lists.get("/v1/allergens/products")?.[0]?.["id"])}/label?format=html`,
  ),
  "allergens.history.sheet": owned(() => "/v1/allergens/history-sheet?format=html"),
  "allergens.matrix.get": owned(() => "/v1/allergens/matrix?format=html"),
  "subscriptions.invoices.print": owned(
    async (visit) => `/v1/subscriptions/invoices/${(await visit.find(invoices)).id}/print`,
  ),
  "public.allergens.sheet": async (visit) => {
    const { url } = await visit.scene.must("allergens.sheet.publish", { body: { title: "Allergene" } });
    return [await visit.get(url)];
  },
  "public.subscriptions.show": async (visit) => {
    const answers = [];
    for (const status of STATES) answers.push(await visit.get(await portalOf(visit, status)));
    for (const status of ["requires_action", "exhausted", "refunded"] as const) {
      await visit.scene.edit(charges, (charge) => (charge.status === "succeeded" ? { status } : null));
      answers.push(await visit.get(await portalOf(visit, "active")));
    }
    return answers;
  },
  "public.subscriptions.act": async (visit) => {
    const url = await portalOf(visit, "active");
    const answers = [];
    for (const action of [
      "skip",
      "pause",
      "resume",
      "pay_now",
      "pay_with",
      "change_address",
      "cancel",
      "keep",
    ])
      answers.push(await visit.post(url, { action }));
    return answers;
  },
  "public.subscriptions.invoice": async (visit) => {
    const { id, contract_id: contract } = await visit.find(invoices);
    return [
      await visit.get(
        `${visit.link("subscriptions", "subscriptions.self-service", contract)}/invoices/${id}`,
      ),
    ];
  },
  "public.quotes.show": quotePages,
  "public.quotes.answer": answerQuote,
  "public.approvals.show": async (visit) => [await visit.get(await approvalUrl(visit))],
  "public.approvals.decide": async (visit) => {
    const url = await approvalUrl(visit);
    return [await visit.post(url, { action: "reject" }), await visit.post(url, { action: "approve" })];
  },
  "public.rsvp.show": async (visit) => [await visit.get(await rsvpUrl(visit))],
  "public.rsvp.answer": async (visit) => {
    const url = await rsvpUrl(visit);
    return [
      await visit.post(url, { action: "decline" }),
      await visit.post(url, { action: "accept", guests: "99" }),
    ];
  },
  "public.group-rsvp.show": async (visit) => [await visit.get(await groupUrl(visit))],
  "public.group-rsvp.answer": async (visit) => {
    const url = await groupUrl(visit);
    return [
      await visit.post(url, { ...PERSON, name: "", action: "accept" }),
      await visit.post(url, { ...PERSON, email: "x", action: "accept" }),
      await visit.post(url, { ...PERSON, action: "accept", guests: "1" }),
    ];
  },
  "public.invoices.show": async (visit) => {
    const { id } = await visit.find(cateringInvoices);
    const url = visit.link("invoices", "catering.invoice", id);
    const answers = [];
    for (const status of ["issued", "overdue", "disputed", "paid", "written_off", "void"] as const) {
      await visit.scene.edit(cateringInvoices, (invoice) => (invoice.id === id ? { status } : null));
      answers.push(await visit.get(url));
    }
    return answers;
  },
  "public.carts.show": async (visit) => [
    await visit.get(visit.link("carts", "cart.restore", (await visit.find(carts)).id)),
  ],
  "public.unsubscribe.show": async (visit) => [
    await visit.get(visit.link("unsubscribe", "cart.unsubscribe", "sup_x")),
  ],
  "public.unsubscribe.act": async (visit) => [
    await visit.post(visit.link("unsubscribe", "cart.unsubscribe", "sup_x"), unsubscribe),
  ],
  "public.reviews.unsubscribe": async (visit) => [
    await visit.get(visit.link("reviews/unsubscribe", "reviews.unsubscribe", "sup_x")),
  ],
  "public.reviews.unsubscribe-now": async (visit) => [
    await visit.post(visit.link("reviews/unsubscribe", "reviews.unsubscribe", "sup_x"), unsubscribe),
  ],
  "public.reviews.confirm": async (visit) => [
    await visit.get(visit.link("reviews/confirm", "reviews.confirm", await unconfirmed(visit))),
  ],
  "public.reviews.confirm-now": async (visit) => [
    await visit.post(visit.link("reviews/confirm", "reviews.confirm", await unconfirmed(visit))),
  ],
  "public.reviews.edit": async (visit) => [
    await visit.get(visit.link("reviews/edits", "reviews.edit", await edited(visit))),
    await visit.get(visit.link("reviews/edits", "reviews.edit", "none")),
  ],
  "public.reviews.edit-decline": async (visit) => [
    await visit.post(visit.link("reviews/edits", "reviews.edit", await edited(visit))),
  ],
  "public.reviews.gallery": async (visit) => {
    const { target } = await visit.find(reviews, ({ status }) => status === "published");
    const { part } = visit.scene;
    return [await visit.get(`/api/public/stores/${part}/reviews/${target.type}/${target.id}`)];
  },
  "public.reviews.show": async (visit) => [
    await visit.get(await reviewUrl(visit)),
    await visit.get(visit.link("reviews", "reviews.invitation", "none")),
  ],
  "public.reviews.submit": async (visit) => {
    const url = await reviewUrl(visit);
    return [
      await visit.post(url, { item: "0", rating: "9" }),
      await visit.post(url, { item: "0", rating: "5", body: "Gut." }),
    ];
  },
  "public.forms.show": async (visit) => {
    const url = await formUrl(visit);
    const first = await visit.get(url);
    const closed = await visit.scene.edit(forms, ({ id }) =>
      url.endsWith(id) ? { status: "paused" as const } : null,
    );
    return [
      first,
      await visit.get(`/api/public/forms/${visit.scene.part}.${closed}`),
      await visit.get("/api/public/forms/none"),
      await visit.get(`${await formUrl(visit, steps)}?resume=none`),
    ];
  },
  "public.forms.send": async (visit) => {
    const url = await formUrl(visit);
    const blank = hiddenFields((await visit.get(url)).text);
    visit.harness.clock.advance(60_000);
    const simple = await formUrl(visit, { ...steps, steps: [], settings: { captcha: "none" } });
    const fields = hiddenFields((await visit.get(simple)).text);
    visit.harness.clock.advance(60_000);
    return [
      await visit.post(url, blank),
      await visit.post(url, { ...blank, k_email: "x", k_number: "x", k_date: "x", k_url: "x", k_phone: "x" }),
      await visit.post(simple, { ...fields, a: "Ja", consents: "privacy" }),
    ];
  },
  "public.forms.step": async (visit) => {
    const url = await formUrl(visit, steps);
    const fields = hiddenFields((await visit.get(url)).text);
    visit.harness.clock.advance(60_000);
    return [
      await visit.post(`${url}/steps`, { ...fields, _to: "next" }),
      await visit.post(`${url}/steps`, { ...fields, a: "Ja", _go: "next" }),
    ];
  },
  "public.privacy.show": async (visit) => [
    await visit.get(await privacyUrl(visit, "export")),
    await visit.get(await privacyUrl(visit, "erase")),
  ],
  "public.privacy.confirm": async (visit) => {
    const url = await privacyUrl(visit, "export");
    const answer = await visit.post(url);
    return [answer, await visit.get(url)];
  },
  "public.mail.show": async (visit) => [await visit.get(mailUrl(visit))],
  "public.mail.choose": async (visit) => {
    const answers = [];
    for (const choice of ["welcome", "stop", "report"])
      answers.push(await visit.post(mailUrl(visit), { action: choice }));
    return answers;
  },
  "pages.signup.show": async (visit) => [await visit.get("/signup")],
  "pages.signup.submit": async (visit) => [
    await visit.post("/signup", { email: "x", storeIdentifier: "?" }),
    await signUp(visit),
  ],
  "signup.verify.open": async (visit) => [
    await visit.get(await verifyUrl(visit)),
    await visit.get("/api/platform/verify?token=none"),
  ],
  "signup.verify.confirm": async (visit) => [await visit.post(await verifyUrl(visit))],
};
