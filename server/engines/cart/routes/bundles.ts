import { requireRoom } from "../../../core/room.ts";
import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { conflict, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import { stale } from "../../../core/route.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { emit } from "../services/cart-change.ts";
import { bundles, filed, refsOf } from "../repository.ts";
import { bundleStates } from "../rules/offer-state.ts";
import { Bundle, bundleFields, BundleStatus } from "../schema.ts";
import { CART_LIMITS, Ref } from "../schema/parts.ts";
import { badState, liveStatus, requireStatus, tooMany } from "./env.ts";

const BundleView = withVersion(Bundle);
const fields = bundleFields;
const Create = z.strictObject({
  ...fields,
  components: fields.components.default([]),
  groups: fields.groups.default([]),
  tiers: fields.tiers.default([]),
  pricing: fields.pricing.default({ kind: "sum", value: 0 }),
  auto_apply: fields.auto_apply.default(true),
  subscribable: fields.subscribable.default(false),
  starts_at: fields.starts_at.default(null),
  ends_at: fields.ends_at.default(null),
  channels: fields.channels.default([]),
  metadata: fields.metadata.default({}),
});
const Patch = z.strictObject(fields).partial();
type Fields = Omit<z.output<typeof Create>, never>;

const Query = z.object({
  ...listFields,
  status: BundleStatus.optional(),
  type: Bundle.shape.type.optional(),
  contains_ref: Ref.optional(),
  in_stock: z.literal("true").optional().meta({ description: "Those that are not known to be out of stock" }),
});

export const bundleResource = resource({
  id: "cart.bundles",
  collection: bundles,
  view: BundleView,
  example: "bdl_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listBundles = bundleResource.list({
  summary: "Bundles, newest first",
  description: "Filters can be combined.",
  query: Query,
  find: ({ limit, cursor, status, type, contains_ref: ref, in_stock: stock }) => {
    const filters = [
      ref && filed("ref", ref),
      stock && "in_stock",
      type && `type.${type}`,
      status && `status.${status}`,
    ];
    return byAll(filters, { limit, cursor });
  },
});

const LIVE_MAX = 500;

const createBundle = bundleResource.create({
  summary: "Create a bundle, as a draft",
  description:
    "fixed takes its components; mix_match takes pick_min to pick_max units of each group, the dearest first; tiered reduces each unit of " +
    "its components by the highest tier that they reach together. There is no bundle inside a bundle.",
  body: Create,
  example: {
    body: {
      title: "Breakfast for two",
      type: "fixed",
      components: [
        { ref: "croissant", qty: 2 },
        { ref: "coffee", qty: 2 },
      ],
      pricing: { kind: "fixed_price", value: 950 },
    },
  },
  make: (body, ctx) => {
    refuseFaults(body);
    const id = ctx.newId("bdl");
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const bundle: Bundle = { id, ...times, ...body, stock: stockOf(body), status: "draft" };
    return bundle;
  },
});

const getBundle = bundleResource.get({ summary: "Show a bundle" });

const updateBundle = bundleResource.update({
  summary: "Change a bundle",
  description:
    "Of an active bundle only the title, the stock of components, the end and the metadata: pause it for the rest.",
  body: Patch,
  errors: [badState],
  example: {
    body: { metadata: { season: "summer" } },
  },
  change: (before, body, ctx) => {
    const next = mergePatch(before, body);
    if (before.status === "active" && termsOf(next) !== termsOf(before)) {
      throw conflict("invalid_transition", "The terms of an active bundle do not change. Pause it first.");
    }
    requireStatus(before.status, bundleStates.from("change"), "changed");
    refuseFaults(next);
    refuseManyRefs(before, next);
    const stock = stockOf(next);
    if (stock === 0 && before.stock !== 0)
      emit(ctx.tx, ctx, { id: before.id }, { type: "bundle.unavailable" });
    const status = before.status === "scheduled" ? liveStatus(next, ctx.now) : before.status;
    return { ...next, stock, status };
  },
});

const action = (verb: "activate" | "pause" | "archive", summary: string, description = "") =>
  bundleResource.action(verb, {
    summary,
    description,
    errors: verb === "activate" ? [stale, badState, tooMany] : [stale, badState],
    async handle({ params: { id } }, ctx) {
      const stored = await ctx.current(bundles, id);
      const status = await nextStatus(ctx, verb, stored.value);
      return item(ctx.tx.put(bundles, stored, { ...stored.value, status, updated_at: ctx.nowAt }));
    },
  });

async function nextStatus(
  { tx, now }: Ctx,
  verb: "activate" | "pause" | "archive",
  bundle: Bundle,
): Promise<Bundle["status"]> {
  if (verb === "pause") {
    requireStatus(bundle.status, bundleStates.from("pause"), "paused");
    return "paused";
  }
  if (verb === "archive") {
    requireStatus(bundle.status, bundleStates.from("archive"), "archived");
    return "archived";
  }
  requireStatus(bundle.status, bundleStates.from("activate"), "activated");
  await requireRoom(tx, bundles, { index: "by", value: "live", max: LIVE_MAX, noun: "active bundles" });
  if (bundle.ends_at !== null && fromInstant(bundle.ends_at) <= now) {
    throw conflict("invalid_transition", "It has ended already. Give it a later ends_at first.");
  }
  return liveStatus(bundle, now);
}

const TERMS = [
  "type",
  "groups",
  "pricing",
  "tiers",
  "auto_apply",
  "subscribable",
  "channels",
  "starts_at",
] as const;

const termsOf = (bundle: Bundle): string =>
  JSON.stringify([bundle.components.map(({ ref, qty }) => [ref, qty]), ...TERMS.map((term) => bundle[term])]);

/** How often a bundle can be sold; null where the stock of a component is not known. */
function stockOf({ type, components }: Pick<Fields, "type" | "components">): number | null {
  if (type !== "fixed") return null;
  const counts = components.map(({ qty, stock }) =>
    typeof stock === "number" ? Math.floor(stock / qty) : null,
  );
  const known = counts.filter((count) => count !== null);
  if (known.includes(0)) return 0;
  return known.length < counts.length || known.length === 0 ? null : Math.min(...known);
}

function refuseFaults({
  type,
  components,
  groups,
  pricing,
  tiers,
  starts_at: from,
  ends_at: to,
}: Fields): void {
  if (type === "fixed" && components.length === 0) {
    throw invalidField(["components"], "A fixed bundle has components.");
  }
  if (type === "mix_match" && groups.length === 0)
    throw invalidField(["groups"], "A mix-and-match bundle has groups.");
  if (type === "tiered" && (tiers.length === 0 || refsOf({ components, groups }).length === 0)) {
    throw invalidField(["tiers"], "A tiered bundle has tiers, and components that they count.");
  }
  const named = groups.flatMap(({ refs }) => refs);
  if (new Set(named).size < named.length) {
    throw invalidField(["groups"], "A reference can be in one group only.");
  }
  if (refsOf({ components, groups }).length > CART_LIMITS.bundleRefs) {
    throw invalidField(["groups"], `A bundle has at most ${CART_LIMITS.bundleRefs} different references.`);
  }
  const tooMuch = [pricing, ...tiers].findIndex(
    ({ kind, value }) => kind === "percent_off" && value > 10_000,
  );
  if (tooMuch >= 0) {
    const path = tooMuch === 0 ? ["pricing", "value"] : ["tiers", tooMuch - 1, "value"];
    throw invalidField(path, "A percentage is given in basis points, 10000 at most.");
  }
  if (from !== null && to !== null && to <= from)
    throw invalidField(["ends_at"], "Must not be earlier than `starts_at`.");
}

/** One commit removes what no longer holds from the index, and adds the rest. */
function refuseManyRefs(before: Bundle, next: Bundle): void {
  const [old, refs] = [new Set(refsOf(before)), new Set(refsOf(next))];
  const changed =
    [...old].filter((ref) => !refs.has(ref)).length + [...refs].filter((ref) => !old.has(ref)).length;
  if (changed > CART_LIMITS.bundleRefs) {
    const detail = `${changed} references would be added or removed. Change at most ${CART_LIMITS.bundleRefs} at a time.`;
    throw invalidField(["groups"], detail);
  }
}

export const bundleRoutes = [
  listBundles,
  createBundle,
  getBundle,
  updateBundle,
  action("activate", "Let a bundle apply", "One that starts later is scheduled until then."),
  action("pause", "Stop a bundle for now"),
  action("archive", "Archive a bundle permanently"),
];
