import { rewrites } from "../../server/engines/answeros/repository.ts";
import { offers } from "../../server/engines/cart/repository.ts";
import { invoices as cateringInvoices } from "../../server/engines/catering/repository.ts";
import { files, forms, quoteRequests } from "../../server/engines/forms/repository.ts";
import { exportJobs, reviews } from "../../server/engines/reviews/repository.ts";
import { charges } from "../../server/engines/subscriptions/repository.ts";
import { recalculations } from "../../server/engines/tiers/repository.ts";
import { privacyRequests } from "../../server/operations/privacy/schema.ts";
import { endpoints as webhookEndpoints } from "../../server/operations/webhooks/collections.ts";
import { operatorPreludes } from "./preludes-operator.ts";
import type { Scene, Target } from "./scene.ts";

/**
 * What has to happen in a store with demo data before the example of a route succeeds there, and to which document it is
 * sent then: an example that deletes something needs something that nothing refers to.
 */
export type Prelude = (scene: Scene) => Promise<Target>;

const LATER = "2026-07-01T09:00:00.000Z";

/** The example goes to what the example of another route creates. */
const created =
  (id: string, body: object = {}): Prelude =>
  async (scene) => ({ to: (await scene.must(id, { body })).id });

/** The example goes to the first document that is brought into a state. */
const privacyRequest =
  (body: object, changes: object = {}): Prelude =>
  async (scene) => {
    const { id } = await scene.must("account.privacy-requests.create", { body });
    return { to: await scene.edit(privacyRequests, (value) => (value.id === id ? changes : null)) };
  };

/** A store of its own in test mode, with a clock if the example is not about its creation. */
const testMode =
  (hasClock: boolean): Prelude =>
  async (scene) => {
    const key = await scene.harness.key({ mode: "test" });
    if (hasClock) await scene.must("account.test-clock.create", { key });
    return { key };
  };

const account: Readonly<Record<string, Prelude>> = {
  "account.deliveries.report": async (scene) => ({
    to: await scene.edit(webhookEndpoints, () => ({ url: "" })),
  }),
  "account.test-clock.advance": testMode(true),
  "account.test-clock.create": testMode(false),
  "account.test-clock.get": testMode(true),
  "account.test-clock.remove": testMode(true),
  "account.test-mail.get": async (scene) => {
    const key = await scene.harness.key({ mode: "test" });
    await scene.must("account.privacy-requests.create", { key, body: { verify: true } });
    const { data } = (await scene.harness.call("GET", "/v1/account/test-mail", { key })).json;
    return { key, to: data[0].id };
  },
  "account.privacy-requests.get": privacyRequest({}),
  "account.privacy-requests.verify": privacyRequest({ verify: true }),
  "account.privacy-requests.reject": privacyRequest({ verify: true }),
  "account.privacy-requests.export": privacyRequest(
    { type: "export" },
    { status: "done", expires_at: LATER },
  ),
};

const archivedDraft: Prelude = async (scene) => {
  const { id } = await scene.must("content.drafts.create");
  await scene.post(`/v1/content/drafts/${id}/archive`);
  return { to: id };
};

const generation: Prelude = async (scene) => {
  const { id: draft_id } = await scene.must("content.drafts.create");
  const { id } = await scene.post("/v1/content/generations", { operation: "title_suggestions", draft_id });
  return { to: id, body: { draft_id } };
};

const texts: Readonly<Record<string, Prelude>> = {
  "answeros.brands.create": async () => ({ body: { name: "Second Bakery", aliases: [], domains: [] } }),
  "answeros.rewrites.apply": async (scene) => {
    const text = { before: "We bake bread.", after: "Bread is baked here.", unsupported_claims: [] };
    const { id: draft_id } = await scene.post("/v1/content/drafts", { title: "Bread", body: text.before });
    return { to: await scene.edit(rewrites, () => ({ ...text, status: "ready" as const, draft_id })) };
  },
  "content.checks.get": async (scene) => {
    const { id, article_id } = await scene.must("content.checks.create");
    return { path: `/v1/content/articles/${article_id}/checks/${id}` };
  },
  "content.drafts.discard": async (scene) => {
    const { key, lists } = scene.world;
    const published = lists.get("/v1/content/drafts")?.find(({ status }) => status === "published");
    const path = `/v1/content/drafts/${String(published?.["id"])}`;
    await scene.harness.call("PATCH", path, { key, body: { title: "Another title", stage: true } });
    return { to: String(published?.["id"]) };
  },
  "content.drafts.restore": archivedDraft,
  "content.generations.get": generation,
  "content.generations.apply": generation,
  "content.imports.get": created("content.imports.create"),
};

const food: Readonly<Record<string, Prelude>> = {
  "allergens.ingredients.remove": created("allergens.ingredients.create"),
  "allergens.sheet.get": async (scene) => {
    await scene.must("allergens.sheet.publish");
    return {};
  },
  "allergens.sheet.withdraw": async (scene) => {
    await scene.must("allergens.sheet.publish");
    return {};
  },
  "delivery.calendars.remove": created("delivery.calendars.create"),
  "delivery.holds.extend": created("delivery.holds.create"),
  "menus.categories.reorder": async ({ world }) => {
    const [menu] = world.lists.get("/v1/menus") ?? [];
    return { body: { menu_id: menu?.["id"], category_ids: menu?.["category_ids"] } };
  },
  "menus.calendars.remove": created("menus.calendars.create"),
  "menus.items.remove": created("menus.items.create", { modifier_groups: [] }),
  "menus.menus.cancel-scheduled": async (scene) => {
    const at = "2026-06-02T09:00:00.000Z";
    await scene.must("menus.menus.publish", { body: { at } });
    return {};
  },
  "menus.menus.remove": created("menus.menus.create"),
  "menus.modifier-groups.remove": created("menus.modifier-groups.create"),
  "menus.modifiers.remove": created("menus.modifiers.create"),
  "menus.release": async (scene) => {
    const { order_reference } = await scene.must("menus.commit");
    return { body: { order_reference } };
  },
  "menus.schedules.remove": created("menus.schedules.create"),
};

const form: Readonly<Record<string, Prelude>> = {
  "forms.files.get": async (scene) => {
    const { id } = await scene.must("forms.uploads.create", { to: await fileForm(scene) });
    await scene.harness.services.runTx(scene.part, async (tx) => {
      const file = await tx.require(files, id);
      tx.put(files, file, { ...file.value, state: "attached" });
    });
    return { to: id };
  },
  "forms.forms.delete": created("forms.forms.create"),
  "forms.forms.resume": async (scene) => ({
    to: await scene.edit(forms, ({ status }) =>
      status === "published" ? { status: "paused" as const } : null,
    ),
  }),
  "forms.quote-requests.accept": async (scene) => ({
    to: await scene.edit(quoteRequests, () => ({ status: "quoted" as const })),
  }),
  "forms.quote-requests.convert": async (scene) => ({
    to: await scene.edit(quoteRequests, () => ({ status: "accepted" as const })),
  }),
  "forms.submissions.unspam": async (scene) => {
    await scene.must("forms.submissions.spam");
    return {};
  },
  "forms.uploads.create": async (scene) => ({ to: await fileForm(scene) }),
};

/** A published form with a field for files. */
async function fileForm(scene: Scene): Promise<string> {
  const fields = [{ key: "photo", type: "file", label: "Photo" }];
  const { id } = await scene.must("forms.forms.create", { body: { fields, slug: "files" } });
  await scene.post(`/v1/forms/${id}/publish`);
  return id;
}

const exported =
  (format: "csv" | "json"): Prelude =>
  async (scene) => {
    const { id } = await scene.must("reviews.exports.create", { body: { format } });
    await scene.edit(exportJobs, (value) => (value.id === id ? { state: "done" as const } : null));
    return { to: id };
  };

const review: Readonly<Record<string, Prelude>> = {
  "reviews.exports.csv": exported("csv"),
  "reviews.exports.get": exported("csv"),
  "reviews.exports.ndjson": exported("json"),
  "reviews.imports.get": created("reviews.imports.create"),
  "reviews.reviews.decide-media": async (scene) => {
    const one = { id: "med_1", type: "image", url: "https://cdn.bakery.example/1.jpg", alt: "" } as const;
    const id = await scene.edit(reviews, () => ({ media: [{ ...one, status: "pending" as const }] }));
    return { path: `/v1/reviews/${id}/media/med_1/status` };
  },
  "reviews.reviews.unspam": async (scene) => {
    await scene.must("reviews.reviews.spam");
    return {};
  },
  "reviews.reviews.withdraw": async (scene) => {
    const { id, author_token } = await scene.must("reviews.reviews.create");
    return { to: id, body: { author_token } };
  },
};

const money: Readonly<Record<string, Prelude>> = {
  "cart.code-batches.get": async (scene) => {
    const to = await scene.edit(offers, () => ({ trigger: "code" as const, status: "active" as const }));
    return { to: (await scene.must("cart.offers.codes.create", { to })).id };
  },
  "cart.offers.activate": async (scene) => ({
    to: await scene.edit(offers, () => ({ status: "paused" as const, ends_at: null })),
  }),
  "catering.headcount-sources.refresh": created("catering.headcount-sources.create", {
    kind: "calendar_upload",
  }),
  "catering.invoices.issue": async (scene) => ({
    to: await scene.edit(cateringInvoices, () => ({ status: "draft" as const })),
  }),
  "catering.invoices.resolve": async (scene) => ({
    to: await scene.edit(cateringInvoices, () => ({ status: "disputed" as const })),
  }),
  "catering.quotes.accept": async (scene) => {
    const { id } = await scene.must("catering.quotes.create");
    const { current_version: version, hash } = await scene.post(`/v1/catering/quotes/${id}/send`);
    return { to: id, body: { version, hash } };
  },
  "catering.quotes.versions": async (scene) => {
    const { id } = await scene.must("catering.quotes.create");
    await scene.post(`/v1/catering/quotes/${id}/send`);
    return { path: `/v1/catering/quotes/${id}/versions/1` };
  },
  "subscriptions.charges.settle": async (scene) => ({
    to: await scene.edit(charges, ({ attempts: [attempt] }) =>
      attempt === undefined
        ? null
        : { status: "unknown" as const, attempts: [{ ...attempt, state: "unknown" as const }] },
    ),
  }),
  "subscriptions.contracts.uncancel": async (scene) => {
    const active = scene.world.lists
      .get("/v1/subscriptions/contracts")
      ?.find(({ status }) => status === "active");
    const to = String(active?.["id"]);
    await scene.post(`/v1/subscriptions/contracts/${to}/cancel`, {
      at: "cycle_end",
      reason_code: "too_expensive",
    });
    return { to };
  },
  "tiers.customers.overrides.remove": async (scene) => {
    const { id, overrides } = await scene.must("tiers.customers.overrides.create");
    return { path: `/v1/tiers/customers/${id}/overrides/${overrides.at(-1).id}` };
  },
  "tiers.recalculations.rollback": async (scene) => ({
    to: await scene.edit(recalculations, () => ({ status: "applied" as const, rollback_until: LATER })),
  }),
};

export const preludes: Readonly<Record<string, Prelude>> = {
  ...account,
  ...texts,
  ...food,
  ...form,
  ...review,
  ...money,
  ...operatorPreludes,
};
