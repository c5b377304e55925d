import { z } from "zod";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { inSlices } from "../../../lib/slices.ts";
import type { ProductVerdict } from "../../../core/known-allergens.ts";
import { mapAll } from "../../../core/read-page.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { affinityDocs, affinityId, exposureId, exposures, readSettings, upsells } from "../repository.ts";
import { createJudge } from "../rules/judge-conditions.ts";
import type { Judge } from "../rules/judge-conditions.ts";
import { costOf, toLots } from "../rules/lots.ts";
import { situationOf } from "../services/situation.ts";
import type { Suggestion } from "../rules/rank-upsells.ts";
import { candidatesOf, whyNotSuggest, wornOutRefs } from "../rules/rank-upsells.ts";
import { refuseCustomer } from "./evaluations.ts";
import { CustomerInput } from "../schema/evaluation.ts";
import { CART_LIMITS, Channel, LineInput, Ref, UnitValue } from "../schema/parts.ts";
import type { Affinity } from "../schema/upsell.ts";
import { Placement, Upsell, upsellFields } from "../schema/upsell.ts";
import { newResource } from "../../../lib/new-resource.ts";

const UpsellView = withVersion(Upsell);
const fields = upsellFields;
const Create = z.strictObject({
  ...fields,
  when: fields.when.default({ match: "all", rules: [] }),
  source: fields.source.default("refs"),
  refs: fields.refs.default([]),
  out_of_stock: fields.out_of_stock.default([]),
  margin_weights: fields.margin_weights.default([]),
  discount: fields.discount.default(null),
  cap: fields.cap.default(3),
  rank: fields.rank.default(0),
  active: fields.active.default(true),
  metadata: fields.metadata.default({}),
});

const upsellResource = resource({
  id: "cart.upsells",
  collection: upsells,
  view: UpsellView,
  example: "ups_01JD8Z5T9QK3M4N5P6R7S8T9V8",
});

const listUpsells = upsellResource.list({ summary: "Upsells, newest first" });

const createUpsell = upsellResource.create({
  summary: "Create an upsell: what to suggest, where and when",
  body: Create,
  example: { body: { title: "Something to spread", placement: "cart", refs: ["butter", "jam"] } },
  make: (body, ctx) => {
    const id = ctx.newId("ups");
    return { ...newResource(id, ctx.nowAt), ...body };
  },
});

const getUpsell = upsellResource.get({ summary: "Show an upsell" });

const updateUpsell = upsellResource.update({
  summary: "Change an upsell",
  body: z.strictObject(fields).partial(),
  example: { body: { cap: 2 } },
  change: (before, body) => mergePatch(before, body),
});

const codesOf = z.array(z.string().min(1).max(60)).max(50).default([]);
const SuggestRequest = z.strictObject({
  placement: Placement,
  lines: z.array(LineInput).max(CART_LIMITS.lines),
  customer: CustomerInput.nullable().default(null),
  allergens: codesOf.meta({ description: "Allergens that the customer declares" }),
  diets: codesOf.meta({ description: "Diets that a suggestion must suit" }),
  outcode: z.string().trim().toUpperCase().max(8).nullable().default(null),
  channel: Channel.nullable().default(null),
});

/** Suggestions, and products that are left out, in one answer. */
const SUGGESTIONS_MAX = 1_000;

const suggest = defineRoute({
  id: "cart.upsells.suggest",
  method: "POST",
  path: "/upsells/suggestions",
  scope: "read",
  open: "public",
  summary: "What to suggest for a cart",
  description:
    "Left out is what is in the cart, out of stock, was shown more than five times in 30 days without being taken, or does not suit the allergens and " +
    "diets of the customer; what the allergens engine does not know counts as unsuitable. With a publishable key customer must be null. Lists at most " +
    `${SUGGESTIONS_MAX} of each kind.`,
  body: SuggestRequest,
  data: z.object({
    suggestions: z.array(
      z.object({
        ref: Ref,
        upsell_id: Id,
        score: z.number(),
        reason: z.string(),
        discount: UnitValue.nullable(),
      }),
    ),
    left_out: z.array(z.object({ ref: Ref, reason: z.string() })),
  }),
  example: {
    body: {
      placement: "cart",
      lines: [{ id: "1", ref: "sourdough", quantity: 1, unit_price: 420 }],
      allergens: ["milk"],
    },
  },
  async handle({ body }, ctx) {
    if (ctx.isPublic) refuseCustomer(body);
    return ok(await suggestionsFor(ctx, body));
  },
});

async function suggestionsFor(ctx: Ctx, body: z.output<typeof SuggestRequest>) {
  const { tx, now } = ctx;
  const { lines } = body;
  const cart = new Set(lines.map(({ ref }) => ref));
  const { timezone } = await readSettings(tx);
  const situation = { ...(await situationOf(ctx, body, timezone)), lines, subtotal: costOf(toLots(lines)) };
  const open = await openUpsells(ctx, body, createJudge(situation));
  const found = open.some(({ source }) => source === "auto") ? await readAffinities(ctx, [...cart]) : [];
  const customer = body.customer?.id ?? null;
  const exposure =
    customer === null ? null : ((await tx.get(exposures, exposureId(customer)))?.value ?? null);
  const audience = {
    cart,
    wornOut: wornOutRefs(exposure, now),
  };
  const suggestions = new Map<string, Suggestion & { discount: Upsell["discount"] }>();
  const leftOut = new Map<string, { ref: string; reason: string }>();
  const isFull = (): boolean => suggestions.size >= SUGGESTIONS_MAX && leftOut.size >= SUGGESTIONS_MAX;
  for (let from = 0; from < open.length && !isFull(); from += UPSELLS_AT_ONCE) {
    const candidates: { upsell: Upsell; own: Suggestion[] }[] = [];
    const ids = open.slice(from, from + UPSELLS_AT_ONCE).map(({ id }) => id);
    for await (const stored of inSlices(await tx.getAll(upsells, ids), tx.part))
      if (stored !== null)
        candidates.push({ upsell: stored.value, own: candidatesOf(stored.value, cart, found) });
    const judged = await judgedOf(ctx, body, candidates);
    for await (const { upsell, own } of inSlices(candidates, tx.part)) {
      const outOfStock = new Set(upsell.out_of_stock);
      let left = upsell.cap;
      for (const candidate of own) {
        const { ref } = candidate;
        if (suggestions.has(ref)) continue;
        const reason = whyNotSuggest(ref, outOfStock, { ...audience, judged });
        if (reason !== null) {
          if (leftOut.size < SUGGESTIONS_MAX || leftOut.has(ref)) leftOut.set(ref, { ref, reason });
        } else if (left > 0 && suggestions.size < SUGGESTIONS_MAX) {
          suggestions.set(ref, { ...candidate, discount: upsell.discount });
          left -= 1;
        }
      }
    }
  }
  return { suggestions: [...suggestions.values()], left_out: [...leftOut.values()] };
}

/** Upsells whose conditions hold, in their order. What else they are is read again: all of them are too large to be in memory together. */
async function openUpsells(
  { tx }: Ctx,
  { placement }: Pick<Upsell, "placement">,
  judge: Judge,
): Promise<Pick<Upsell, "id" | "rank" | "source">[]> {
  const placed = await mapAll(tx, upsells, placedAt(placement), ({ id, rank, source, when }) =>
    judge(when).length === 0 ? { id, rank, source } : null,
  );
  return placed
    .filter((upsell) => upsell !== null)
    .toSorted((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1));
}

const placedAt = (placement: Upsell["placement"]) => ({ index: "placed", value: placement });

/** Upsells that are in memory together. */
const UPSELLS_AT_ONCE = 10;

/** References whose allergens are read at once. */
const REFS_AT_ONCE = 200;

/** Whether some candidates suit the customer; null where everything does. */
async function judgedOf(
  { tx, now, ports }: Ctx,
  { allergens: avoid, diets }: Pick<z.output<typeof SuggestRequest>, "allergens" | "diets">,
  candidates: readonly { readonly own: readonly Suggestion[] }[],
): Promise<ReadonlyMap<string, ProductVerdict> | null> {
  if (avoid.length === 0 && diets.length === 0) return null;
  const judged = new Map<string, ProductVerdict>();
  const refs = [...new Set(candidates.flatMap(({ own }) => own.map(({ ref }) => ref)))];
  for (let from = 0; from < refs.length; from += REFS_AT_ONCE) {
    const some = refs.slice(from, from + REFS_AT_ONCE);
    for (const entry of await ports.engines.judgeProducts(tx, some, { avoid, diets, now }))
      judged.set(...entry);
  }
  return judged;
}

const REFS_LOOKED_UP = 50;

async function readAffinities({ tx }: Ctx, cart: readonly string[]): Promise<Affinity[]> {
  const found: Affinity[] = [];
  for (const ref of cart.slice(0, REFS_LOOKED_UP)) {
    const stored = await tx.get(affinityDocs, affinityId(ref));
    if (stored !== null) found.push(stored.value);
  }
  return found;
}

const noteEvent = defineRoute({
  id: "cart.upsells.note",
  method: "POST",
  path: "/upsells/events",
  summary: "Record suggestions shown to or accepted by a customer",
  body: z.strictObject({
    customer_id: Ref,
    type: z.enum(["shown", "accepted"]),
    refs: z.array(Ref).min(1).max(20),
  }),
  data: z.object({ noted: z.int() }),
  example: { body: { customer_id: "ada", type: "shown", refs: ["jam"] } },
  async handle({ body }, { tx, nowAt }) {
    const id = exposureId(body.customer_id);
    const stored = await tx.get(exposures, id);
    const before = stored?.value ?? { id, shown: [], accepted: [] };
    const more = body.refs.map((ref) => ({ ref, at: nowAt }));
    const next =
      body.type === "shown"
        ? { ...before, shown: [...before.shown, ...more].slice(-300) }
        : { ...before, accepted: [...before.accepted, ...more].slice(-100) };
    tx.save(exposures, stored, next);
    return ok({ noted: more.length });
  },
});

export const upsellRoutes = [suggest, noteEvent, listUpsells, createUpsell, getUpsell, updateUpsell];
