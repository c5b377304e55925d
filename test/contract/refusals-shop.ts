import { rewrites } from "../../server/engines/answeros/repository.ts";
import { forms, formVersions, versionId } from "../../server/engines/forms/repository.ts";
import type { Form } from "../../server/engines/forms/schema.ts";
import { menus, priceLevels } from "../../server/engines/menus/repository.ts";
import { MENU_LIMITS } from "../../server/engines/menus/schema/limits.ts";
import { reviews } from "../../server/engines/reviews/repository.ts";
import type { Review } from "../../server/engines/reviews/schema.ts";
import { privacyRequests } from "../../server/operations/privacy/schema.ts";
import { PRIVACY_LIMITS } from "../../server/operations/privacy/schema.ts";
import type { Refusal, Scene } from "./scene.ts";

const NOW = "2026-06-01T09:00:00.000Z";

/** As many open privacy requests as a store can have. */
async function fillPrivacy(scene: Scene): Promise<void> {
  const { id } = await scene.post("/v1/account/privacy-requests", {
    type: "export",
    email: "ada@shop.example",
  });
  await scene.copy(privacyRequests, id, PRIVACY_LIMITS.open - 1);
}

const accountRefusals: readonly Refusal[] = [
  [
    "account.privacy-requests.create",
    "limit_reached",
    async (scene) => {
      await fillPrivacy(scene);
      return scene.send("account.privacy-requests.create");
    },
  ],
  [
    "admin.privacy.create",
    "limit_reached",
    async (scene) => {
      await fillPrivacy(scene);
      return scene.send("admin.privacy.create", { body: { store_id: scene.world.key.storeId } });
    },
  ],
  [
    "admin.keys.rotate",
    "customer_not_active",
    async (scene) => {
      const { id, customerId } = scene.world.key;
      await scene.harness.admin("POST", `/api/platform/admin/customers/${customerId}/suspend`);
      return scene.send("admin.keys.rotate", { to: id });
    },
  ],
  [
    "admin.keys.activate",
    "customer_not_active",
    async (scene) => {
      const { customerId } = scene.world.key;
      const key = await scene.harness.admin("POST", "/api/platform/admin/keys", {
        body: { customer_id: customerId, preset: "full", pending: true },
      });
      await scene.harness.admin("POST", `/api/platform/admin/customers/${customerId}/suspend`);
      return scene.send("admin.keys.activate", { to: key.json.data.id });
    },
  ],
];

/** An archived draft, and what else a store says of it. */
async function archivedDraft(scene: Scene, body: string, prepare: (id: string) => Promise<string>) {
  const { id } = await scene.post("/v1/content/drafts", { title: "Bread", body });
  const result = await prepare(id);
  await scene.post(`/v1/content/drafts/${id}/archive`);
  return { id, result };
}

const textRefusals: readonly Refusal[] = [
  [
    "content.generations.apply",
    "not_editable",
    async (scene) => {
      const { id, result } = await archivedDraft(scene, "In order to bake, we wait.", async (draft_id) => {
        const ask = { operation: "rewrite", draft_id, input: { ops: ["drop_filler"] } };
        return (await scene.post("/v1/content/generations", ask)).id;
      });
      return scene.send("content.generations.apply", { to: result, body: { draft_id: id } });
    },
  ],
  [
    "answeros.rewrites.apply",
    "not_editable",
    async (scene) => {
      const { id } = await archivedDraft(scene, "We bake bread.", async (own) => own);
      const to = await scene.edit(rewrites, () => ({
        status: "ready" as const,
        draft_id: id,
        before: "We bake bread.",
        after: "Bread is baked here.",
        unsupported_claims: [],
      }));
      return scene.send("answeros.rewrites.apply", { to });
    },
  ],
];

const upload = async (scene: Scene, change: Partial<Form>): Promise<string> =>
  scene.edit(forms, (value) =>
    value.published_version === null || value.status === "archived" ? null : { ...change },
  );

const formRefusals: readonly Refusal[] = [
  [
    "forms.uploads.create",
    "form_closed",
    async (scene) => scene.send("forms.uploads.create", { to: await upload(scene, { status: "closed" }) }),
  ],
  [
    "forms.uploads.create",
    "form_paused",
    async (scene) => scene.send("forms.uploads.create", { to: await upload(scene, { status: "paused" }) }),
  ],
  [
    "forms.uploads.create",
    "form_not_open",
    async (scene) => {
      const to = await upload(scene, { status: "published" });
      await scene.harness.services.runTx(scene.part, async (tx) => {
        const form = await tx.require(forms, to);
        const version = await tx.require(formVersions, versionId(to, form.value.published_version ?? 0));
        const { content } = version.value;
        const settings = { ...content.settings, opens_at: "2030-01-01T09:00:00.000Z", closes_at: null };
        tx.put(formVersions, version, { ...version.value, content: { ...content, settings } });
      });
      return scene.send("forms.uploads.create", { to });
    },
  ],
];

const manyCategories = Array.from(
  { length: MENU_LIMITS.linksPerChange + 1 },
  (_, n) => `cat_01JD8Z5T9QK3M4N5P6R7S8T9${String(n).padStart(2, "0")}`,
);
/** A menu that was never published. */
const newMenu = async (scene: Scene): Promise<string> =>
  (await scene.post("/v1/menus", { title: "Not published" })).id;

const menuRefusals: readonly Refusal[] = [
  [
    "menus.menus.create",
    "too_many_links",
    (scene) => scene.send("menus.menus.create", { body: { category_ids: manyCategories } }),
  ],
  [
    "menus.menus.update",
    "too_many_links",
    async (scene) => {
      const to = await newMenu(scene);
      return scene.send("menus.menus.update", { to, body: { category_ids: manyCategories } });
    },
  ],
  [
    "menus.menus.remove",
    "too_many_links",
    async (scene) => {
      const to = await newMenu(scene);
      await scene.edit(menus, (value) => (value.id === to ? { category_ids: manyCategories } : null));
      return scene.send("menus.menus.remove", { to });
    },
  ],
  [
    "menus.menus.remove",
    "referenced",
    async (scene) => {
      const to = await newMenu(scene);
      await scene.edit(priceLevels, () => ({ menu_id: to }));
      return scene.send("menus.menus.remove", { to });
    },
  ],
];

const review = (change: (value: Review) => Partial<Review>) => (scene: Scene) =>
  scene.edit(reviews, (value) => (value.status === "published" ? { ...change(value) } : null));

/** More of what a store is doing than it can do at once. */
async function repeat(scene: Scene, id: string) {
  for (let n = 0; n < 5; n += 1) await scene.send(id);
  return scene.send(id);
}

const reviewRefusals: readonly Refusal[] = [
  ["reviews.exports.create", "busy", (scene) => repeat(scene, "reviews.exports.create")],
  ["reviews.imports.create", "busy", (scene) => repeat(scene, "reviews.imports.create")],
  [
    "reviews.reviews.add-media",
    "limit_reached",
    async (scene) => {
      const media_hosts = ["cdn.bakery.example"];
      const { key } = scene.world;
      await scene.harness.call("PATCH", "/v1/reviews/settings", { key, body: { media_hosts } });
      const one = {
        type: "image",
        url: "https://cdn.bakery.example/1.jpg",
        alt: "",
        status: "pending",
      } as const;
      const media = Array.from({ length: 10 }, (_, n) => ({ ...one, id: `med_${n}` }));
      return scene.send("reviews.reviews.add-media", { to: await review(() => ({ media }))(scene) });
    },
  ],
  [
    "reviews.reviews.create",
    "media_host_not_allowed",
    (scene) => {
      const media = [{ type: "image", url: "https://elsewhere.example/1.jpg", alt: "" }];
      return scene.send("reviews.reviews.create", { body: { media } });
    },
  ],
  [
    "reviews.reviews.create",
    "review_closed",
    async (scene) => {
      const body = { source: { system: "judgeme", external_id: "77" } };
      const sent = await scene.send("reviews.reviews.create", { body });
      const { id } = sent.json.data;
      await scene.edit(reviews, (value) => (value.id === id ? { status: "withdrawn" as const } : null));
      return scene.send("reviews.reviews.create", { body });
    },
  ],
  [
    "reviews.reviews.update",
    "edit_declined",
    async (scene) => {
      const declined = {
        at: NOW,
        by: "shop",
        key: null,
        rating: 5,
        title: "",
        body: "",
        declined_at: NOW,
      } as const;
      const to = await review(() => ({ edits: [declined] }))(scene);
      return scene.send("reviews.reviews.update", { to, body: { body: "Other words, by the shop." } });
    },
  ],
  [
    "reviews.reviews.vote",
    "not_published",
    async (scene) => {
      const to = await review(() => ({ status: "pending" }))(scene);
      return scene.send("reviews.reviews.vote", { to });
    },
  ],
];

export const shopRefusals = [
  ...accountRefusals,
  ...textRefusals,
  ...formRefusals,
  ...menuRefusals,
  ...reviewRefusals,
];
