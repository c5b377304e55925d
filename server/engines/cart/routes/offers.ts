import { requireRoom } from "../../../core/room.ts";
import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import { stale } from "../../../core/route.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { codeId, codes, filed, offers } from "../repository.ts";
import { offerStates } from "../rules/offer-state.ts";
import { Code, Offer, OfferClass, offerFields, OfferStatus } from "../schema/offer.ts";
import { badState, liveStatus, requireStatus, tooMany } from "./env.ts";

const OfferView = withVersion(Offer);
const fields = offerFields;
const Create = z.strictObject({
  ...fields,
  trigger: fields.trigger.optional().meta({ description: "Default: `code` with `codes`, else `automatic`" }),
  codes: fields.codes.default([]),
  conditions: fields.conditions.default({ match: "all", rules: [] }),
  priority: fields.priority.default(0),
  exclusive: fields.exclusive.default(false),
  combines_with: fields.combines_with.default([]),
  max_applications_per_cart: fields.max_applications_per_cart.default(null),
  max_uses: fields.max_uses.default(null),
  max_uses_per_customer: fields.max_uses_per_customer.default(null),
  budget: fields.budget.default(null),
  min_spend_after_discounts: fields.min_spend_after_discounts.default(0),
  starts_at: fields.starts_at.default(null),
  ends_at: fields.ends_at.default(null),
  metadata: fields.metadata.default({}),
});
const Patch = z.strictObject(fields).partial();

const offerResource = resource({
  id: "cart.offers",
  collection: offers,
  view: OfferView,
  example: "ofr_01JD8Z5T9QK3M4N5P6R7S8T9V1",
});

const listOffers = offerResource.list({
  summary: "Offers, newest first",
  description: "Filters can be combined. `code`: a code of the offer itself.",
  query: z.object({
    ...listFields,
    class: OfferClass.optional(),
    trigger: Offer.shape.trigger.optional(),
    status: OfferStatus.optional(),
    code: Code.optional(),
  }),
  find: ({ limit, cursor, class: kind, trigger, status, code }) => {
    const filters = [
      code && filed("code", code),
      kind && `class.${kind}`,
      trigger && `trigger.${trigger}`,
      status && `status.${status}`,
    ];
    return byAll(filters, { limit, cursor });
  },
});

const codeTaken = conflictWhen("code_taken", "Another offer has this code");

const createOffer = offerResource.create({
  summary: "Create an offer, as a draft",
  description:
    "Classes apply in the order product, bogo, order, shipping, after bundles. Two offers apply together only when each lists the class of the " +
    "other in combines_with; bundle there means that units of a bundle are reduced further.",
  body: Create,
  errors: [codeTaken],
  example: {
    body: {
      title: "Three croissants for two",
      trigger: "automatic",
      conditions: { match: "all", rules: [{ kind: "channel", any_of: ["web"] }] },
      effect: {
        class: "bogo",
        buy: { filter: { refs: ["croissant"], categories: [], tags: [] }, qty: 2, spend: null },
        get: { filter: { refs: ["croissant"], categories: [], tags: [] }, qty: 1 },
        value: { kind: "free", value: 0 },
        grouping: "cheapest_overall",
        distribution: "reward_only",
        add_reward_suggestion: true,
        exclusive_units: false,
      },
      combines_with: ["order", "shipping"],
    },
  },
  make: async (body, ctx) => {
    const trigger = body.trigger ?? (body.codes.length > 0 ? "code" : "automatic");
    refuseFaults({ ...body, trigger });
    const id = ctx.newId("ofr");
    await refuseTaken(ctx, id, body.codes);
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const offer: Offer = {
      id,
      ...times,
      ...body,
      trigger,
      class: body.effect.class,
      status: "draft",
      revision: 1,
    };
    claimCodes(ctx, offer, []);
    return offer;
  },
});

const getOffer = offerResource.get({ summary: "Show an offer" });

const updateOffer = offerResource.update({
  summary: "Change an offer",
  description:
    "The terms of an active offer cannot be changed: pause it first; the change becomes its next revision. Title and metadata can always be changed.",
  body: Patch,
  errors: [badState, codeTaken],
  example: {
    body: { metadata: { team: "spring" } },
  },
  change: async (before, body, ctx) => {
    const { title: _, metadata: __, ...terms } = body;
    const isTerms = Object.keys(terms).length > 0;
    requireStatus(before.status, offerStates.from(isTerms ? "change_terms" : "change"), "changed");
    const merged = mergePatch(before, body);
    refuseFaults(merged);
    await refuseTaken(ctx, before.id, merged.codes);
    const next: Offer = {
      ...merged,
      class: merged.effect.class,
      status: before.status === "scheduled" ? liveStatus(merged, ctx.now) : before.status,
      revision: before.revision + (isTerms && before.status !== "draft" ? 1 : 0),
      updated_at: ctx.nowAt,
    };
    await releaseCodes(ctx, before, next.codes);
    claimCodes(ctx, next, before.codes);
    return next;
  },
});

type Verb = "activate" | "pause" | "archive";

const action = (verb: Verb, summary: string) =>
  offerResource.action(verb, {
    summary,
    errors: verb === "activate" ? [stale, badState, tooMany] : [stale, badState],
    async handle({ params: { id } }, ctx) {
      const stored = await ctx.current(offers, id);
      const status = await nextStatus(ctx, verb, stored.value);
      // Another offer can have them then, such as that of the next year.
      if (verb === "archive") await releaseCodes(ctx, stored.value, []);
      return item(ctx.tx.put(offers, stored, { ...stored.value, status, updated_at: ctx.nowAt }));
    },
  });

const LIVE_MAX = 500;

async function nextStatus({ tx, now }: Ctx, verb: Verb, offer: Offer): Promise<Offer["status"]> {
  if (verb === "pause") {
    requireStatus(offer.status, offerStates.from("pause"), "paused");
    return "paused";
  }
  if (verb === "archive") {
    requireStatus(offer.status, offerStates.from("archive"), "archived");
    return "archived";
  }
  requireStatus(offer.status, offerStates.from("activate"), "activated");
  if (offer.trigger === "automatic") {
    await requireRoom(tx, offers, { index: "by", value: "live", max: LIVE_MAX, noun: "active offers" });
  }
  if (offer.ends_at !== null && fromInstant(offer.ends_at) <= now) {
    throw conflict("invalid_transition", "`ends_at` of the offer has passed. Set a later `ends_at` first.");
  }
  return liveStatus(offer, now);
}

type Terms = Pick<Offer, "trigger" | "codes" | "effect" | "starts_at" | "ends_at">;

function refuseFaults({ trigger, codes: own, starts_at: from, ends_at: to }: Terms): void {
  if (trigger === "automatic" && own.length > 0) {
    throw invalidField(
      ["codes"],
      "An offer with `trigger: automatic` cannot have codes. Send `trigger: code`.",
    );
  }
  if (new Set(own).size < own.length)
    throw invalidField(["codes"], "A code is listed twice. Remove the duplicate.");
  if (from !== null && to !== null && to <= from)
    throw invalidField(["ends_at"], "`ends_at` must be later than `starts_at`.");
}

async function refuseTaken({ tx }: Ctx, id: string, own: readonly string[]): Promise<void> {
  for (const code of own) {
    const taken = await tx.get(codes, codeId(code));
    if (taken === null || taken.value.offer_id === id) continue;
    throw conflict("code_taken", `Another offer has the code ${code}.`);
  }
}

/** An offer's own codes hold their place among all codes; unlike made ones they work more than once. */
function claimCodes({ tx, nowAt }: Ctx, offer: Offer, had: readonly string[]): void {
  for (const code of offer.codes.filter((one) => !had.includes(one))) {
    const times = { created_at: nowAt, updated_at: nowAt };
    tx.create(codes, { id: codeId(code), ...times, offer_id: offer.id, code, batch_id: null, used_by: null });
  }
}

async function releaseCodes({ tx }: Ctx, before: Offer, kept: readonly string[]): Promise<void> {
  for (const code of before.codes.filter((one) => !kept.includes(one))) {
    const stored = await tx.get(codes, codeId(code));
    if (stored !== null) tx.remove(codes, stored);
  }
}

export const offerRoutes = [
  listOffers,
  createOffer,
  getOffer,
  updateOffer,
  action("activate", "Activate an offer; one that starts later is scheduled until then"),
  action("pause", "Pause an offer"),
  action("archive", "Archive an offer"),
];
