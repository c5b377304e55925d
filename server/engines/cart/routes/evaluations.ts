import type { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { ok } from "../../../core/route.ts";
import { textErrors } from "../../../core/text-errors.ts";

import { evaluateCart } from "../services/evaluation-tasks.ts";
import { runsAt, usesOf, usesOfCustomer } from "../services/redeem.ts";
import { situationOf } from "../services/situation.ts";
import { bundles, codeId, codes, offers, readSettings } from "../repository.ts";
import type { Evaluation, OfferRule } from "../rules/evaluate.ts";
import type { BundleTerms } from "../rules/match-bundles.ts";
import { createNarrowing } from "../rules/narrow-offer.ts";
import type { Bundle } from "../schema.ts";
import { EvaluationAnswer, EvaluationRequest } from "../schema/evaluation.ts";
import type { Offer } from "../schema/offer.ts";
import { CART_LIMITS } from "../schema/parts.ts";
import { totalsOf } from "../../../lib/pricing.ts";

type Body = z.output<typeof EvaluationRequest>;

const create = routesOf({ id: "cart.evaluations", view: EvaluationAnswer }).create({
  status: 200,
  scope: "read",
  open: "public",
  summary: "Price a cart: bundles, offers, delivery and tax, and why",
  description:
    "Nothing is stored, and no use is counted: POST /redemptions does that when the order is placed. With up to 12 offers all sets that go together " +
    "are compared for the lowest total; trace.mode says whether they were. With a publishable key customer must be null.",
  body: EvaluationRequest,
  errors: [...textErrors],
  example: {
    body: { lines: [{ id: "1", ref: "croissant", quantity: 3, unit_price: 250 }], channel: "web" },
  },
  async handle({ body }, ctx) {
    refuseFaults(body);
    if (ctx.isPublic) refuseCustomer(body);
    const settings = await readSettings(ctx.tx);
    const found = await offersFor(ctx, body);
    const live = (await ctx.tx.peekAll(bundles, { index: "by", value: "live" })).map(({ value }) => value);
    const channel = body.channel;
    const narrowed = await mapInSlices(found.offers, ctx.tx.part, createNarrowing(body.lines));
    const result = await evaluateCart(ctx.tx, {
      lines: body.lines,
      shipping: body.shipping,
      currency: body.currency ?? settings.currency,
      tax_included: body.tax_included ?? settings.tax_included,
      situation: await situationOf(ctx, body, settings.timezone),
      bundles: live
        .filter(
          (bundle) =>
            runsAt(bundle, ctx.now) &&
            bundle.stock !== 0 &&
            (bundle.channels.length === 0 || bundle.channels.includes(channel ?? "")),
        )
        .map(termsOf),
      ...found,
      offers: narrowed,
    });
    return ok(toAnswer(result, found.offers, body.currency ?? settings.currency, found.unknown));
  },
});

/** A bundle without its metadata, the large part on which its price does not depend. */
const termsOf = ({ metadata: _metadata, ...terms }: Bundle): BundleTerms => terms;

/** What a customer may pay less for is nobody else's business, and a page cannot prove who its visitor is. */
export function refuseCustomer({ customer }: { readonly customer: unknown }): void {
  if (customer !== null) throw invalidField(["customer"], "Must be null with a publishable key.");
}

function refuseFaults({ lines }: Body): void {
  const seen = new Set<string>();
  for (const [at, { id }] of lines.entries()) {
    if (seen.has(id)) throw invalidField(["lines", at, "id"], "Another line has this id.");
    seen.add(id);
  }
  if (lines.reduce((sum, { quantity }) => sum + quantity, 0) > CART_LIMITS.units) {
    throw invalidField(["lines"], `A cart has ${CART_LIMITS.units} units at most.`);
  }
}

/** Offers that run: those that apply by themselves, and those whose code was entered. */
async function offersFor(ctx: Ctx, body: Body) {
  const { tx, now } = ctx;
  const known = new Map(
    (await tx.peekAll(offers, { index: "by", value: "live" })).map(({ id, value }) => [id, value]),
  );
  const unlocked = new Set<string>();
  const unknown: { code: string; reason: string }[] = [];
  for (const code of new Set(body.codes)) {
    const stored = await tx.get(codes, codeId(code));
    const offer = stored === null ? null : ((await tx.get(offers, stored.value.offer_id))?.value ?? null);
    if (stored === null || offer === null) unknown.push({ code, reason: "unknown_code" });
    else if (stored.value.used_by !== null) unknown.push({ code, reason: "code_used" });
    else if (!runsAt(offer, now)) unknown.push({ code, reason: "not_active" });
    else {
      known.set(offer.id, offer);
      unlocked.add(offer.id);
    }
  }
  const running = [...known.values()].filter((offer) => runsAt(offer, now));
  const uses = await usesOfAll(ctx, running, body.customer?.id ?? null);
  const left = (offer: Offer): OfferRule => {
    const budgetLeft = uses.left.get(offer.id);
    return budgetLeft === undefined ? offer : { ...offer, budget_left: budgetLeft };
  };
  return { offers: running.map(left), unlocked, unknown, barred: uses.barred };
}

/** Offers that POST /redemptions would refuse, and why; and what is left of the budgets of the others. */
async function usesOfAll(
  { tx }: Ctx,
  running: readonly Offer[],
  customer: string | null,
): Promise<{ barred: Map<string, string>; left: Map<string, number> }> {
  const barred = new Map<string, string>();
  const left = new Map<string, number>();
  for (const { id, max_uses: max, max_uses_per_customer: maxOwn, budget } of running) {
    if (max !== null || budget !== null) {
      const { uses, spent } = await usesOf(tx, id);
      if (max !== null && uses >= max) barred.set(id, "exhausted");
      else if (budget !== null && spent >= budget) barred.set(id, "budget_used_up");
      else if (budget !== null) left.set(id, budget - spent);
    }
    if (maxOwn === null) continue;
    if (customer === null) barred.set(id, "customer_required");
    else if ((await usesOfCustomer(tx, id, customer)) >= maxOwn) barred.set(id, "customer_limit");
  }
  return { barred, left };
}

function toAnswer(
  { priced, choice, bundles: matches, rejected, pricing_hash }: Evaluation,
  known: readonly OfferRule[],
  currency: string,
  refusedCodes: readonly { code: string; reason: string }[],
): z.input<typeof EvaluationAnswer> {
  const units = new Map(choice.applied.map(({ offer_id: id, units: own }) => [id, own]));
  const byId = new Map(known.map((offer) => [offer.id, offer]));
  return {
    currency,
    lines: priced.lines.map((line) => ({
      id: line.id,
      quantity: line.quantity,
      unit_price: line.unit_price,
      subtotal: line.subtotal,
      discount: line.discount,
      total: line.net,
      tax: line.tax,
      per_unit: { amount: Math.floor(line.net / line.quantity), odd_units: line.net % line.quantity },
      allocations: line.adjustments.map(({ id, amount }) => ({
        source_id: id,
        amount,
        units: units.get(id)?.get(line.id) ?? null,
      })),
    })),
    shipping:
      priced.fees[0] === undefined
        ? null
        : { amount: priced.fees[0].amount, discount: priced.fees[0].discount, tax: priced.fees[0].tax },
    totals: totalsOf(priced),
    taxes: priced.taxes.map((group) => ({ ...group })),
    bundles: matches.map((match) => ({ ...match, parts: match.parts.map((part) => ({ ...part })) })),
    applied: choice.applied.map(({ offer_id: id, saving }) => ({
      offer_id: id,
      title: byId.get(id)?.title ?? "",
      class: byId.get(id)?.class ?? "order",
      saving,
    })),
    rejected: rejected.map((one) => ({ ...one })),
    codes: refusedCodes.map((one) => ({ ...one })),
    suggestions: choice.missing.flatMap(({ offer_id: id, units: count }) => {
      const effect = byId.get(id)?.effect;
      return effect?.class === "bogo"
        ? [{ kind: "add_reward" as const, offer_id: id, units: count, filter: effect.get.filter }]
        : [];
    }),
    trace: { mode: choice.mode, sets: choice.looked, steps: priced.trace.map((step) => ({ ...step })) },
    pricing_hash,
  };
}

export const evaluationRoutes = [create];
