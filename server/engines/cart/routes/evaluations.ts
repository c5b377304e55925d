import type { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { mapAll } from "../../../core/read-page.ts";
import { routesOf } from "../../../core/resource.ts";
import { ok } from "../../../core/reply.ts";
import { textErrors } from "../../../core/text-errors.ts";

import { evaluateCart } from "../services/evaluation-tasks.ts";
import { runsAt, usesOf, usesOfCustomer } from "../services/redeem.ts";
import { situationOf } from "../services/situation.ts";
import { bundles, codeId, codes, offers, readSettings } from "../repository.ts";
import type { Evaluation, OfferRule } from "../rules/evaluate.ts";
import type { BundleTerms } from "../rules/match-bundles.ts";
import { bundleNamesAmount, offerNamesAmount } from "../rules/names-amount.ts";
import { createJudge } from "../rules/judge-conditions.ts";
import { costOf, toLots } from "../rules/lots.ts";
import { createBundleNarrowing } from "../rules/narrow-bundle.ts";
import { createNarrowing } from "../rules/narrow-offer.ts";
import { EvaluationAnswer, EvaluationRequest, SUGGESTIONS_MAX } from "../schema/evaluation.ts";
import type { Offer } from "../schema/offer.ts";
import { CART_LIMITS } from "../schema/parts.ts";
import { totalsOf } from "../../../lib/pricing.ts";

type Body = z.output<typeof EvaluationRequest>;

const LIVE = { index: "by", value: "live" } as const;

const create = routesOf({ id: "cart.evaluations", view: EvaluationAnswer }).create({
  status: 200,
  scope: "read",
  open: "public",
  summary: "Price a cart: bundles, offers, delivery and tax, and why",
  description:
    "Nothing is stored, and no use is counted: POST /redemptions does that when the order is placed. With up to 12 offers all sets that go together " +
    "are compared for the lowest total; trace.mode says whether they were. With a publishable key customer must be null. In another " +
    "currency than the shop's, offers and bundles that name amounts do not apply.",
  body: EvaluationRequest,
  errors: [...textErrors],
  example: {
    body: { lines: [{ id: "1", ref: "croissant", quantity: 3, unit_price: 250 }], channel: "web" },
  },
  async handle({ body }, ctx) {
    refuseFaults(body);
    if (ctx.isPublic) refuseCustomer(body);
    const settings = await readSettings(ctx.tx);
    const situation = await situationOf(ctx, body, settings.timezone);
    const currency = body.currency ?? settings.currency;
    const isForeign = currency !== settings.currency;
    const found = await offersFor(ctx, body, situation, isForeign);
    const result = await evaluateCart(ctx.tx, {
      lines: body.lines,
      shipping: body.shipping,
      currency,
      tax_included: body.tax_included ?? settings.tax_included,
      situation,
      bundles: await bundlesFor(ctx, body, isForeign),
      offers: found.offers,
      unlocked: new Set(found.opened.values()),
      barred: found.barred,
    });
    const suggestions = await suggestionsOf(ctx.tx, result.choice.missing);
    return ok(toAnswer(result, { ...found, currency, suggestions }));
  },
});

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

/** Bundles that run and may match; `isForeign`: in a cart that is not in the shop's currency. */
async function bundlesFor(
  { tx, now }: Ctx,
  { lines, channel }: Body,
  isForeign: boolean,
): Promise<BundleTerms[]> {
  const narrow = createBundleNarrowing(lines);
  const found = await mapAll(tx, bundles, LIVE, (bundle) =>
    runsAt(bundle, now) &&
    bundle.stock !== 0 &&
    !(isForeign && bundleNamesAmount(bundle)) &&
    (bundle.channels.length === 0 || bundle.channels.includes(channel ?? ""))
      ? narrow(bundle)
      : null,
  );
  return found.filter((bundle) => bundle !== null);
}

/** What is kept of an offer: hundreds of them, each a large document, are in memory together until the cart is priced. */
interface Candidate {
  /** Without conditions, which have been judged. */
  readonly rule: OfferRule;
  /** Why it does not apply. */
  readonly bar: string | undefined;
  readonly uses: Pick<Offer, "max_uses" | "max_uses_per_customer" | "budget">;
}

const NO_CONDITIONS: Offer["conditions"] = { match: "all", rules: [] };

/** Returns what is kept of an offer; null for one that does not run. */
function createCandidates(
  { lines }: Body,
  situation: ShopSituation,
  { now, isForeign }: { readonly now: number; readonly isForeign: boolean },
) {
  const judge = createJudge({ ...situation, lines, subtotal: costOf(toLots(lines)) });
  const narrow = createNarrowing(lines);
  return (offer: Offer): Candidate | null => {
    if (!runsAt(offer, now)) return null;
    const { max_uses, max_uses_per_customer, budget } = offer;
    const [unmet] = judge(offer.conditions);
    return {
      rule: narrow({ ...offer, codes: [], conditions: NO_CONDITIONS }),
      bar: isForeign && offerNamesAmount(offer) ? "currency" : unmet && `condition_${unmet}`,
      uses: { max_uses, max_uses_per_customer, budget },
    };
  };
}

type ShopSituation = Awaited<ReturnType<typeof situationOf>>;

/** Offers that run: those that apply by themselves, and those whose code was entered. */
async function offersFor(ctx: Ctx, body: Body, situation: ShopSituation, isForeign: boolean) {
  const { tx, now } = ctx;
  const toCandidate = createCandidates(body, situation, { now, isForeign });
  const running = new Map<string, Candidate>();
  for (const candidate of await mapAll(tx, offers, LIVE, toCandidate))
    if (candidate !== null) running.set(candidate.rule.id, candidate);
  const opened = new Map<string, string>();
  const unknown: { code: string; reason: string }[] = [];
  for (const code of new Set(body.codes)) {
    const stored = await tx.get(codes, codeId(code));
    const offer = stored === null ? null : ((await tx.get(offers, stored.value.offer_id))?.value ?? null);
    const candidate = offer === null ? null : toCandidate(offer);
    if (stored === null || offer === null) unknown.push({ code, reason: "unknown_code" });
    else if (stored.value.used_by !== null) unknown.push({ code, reason: "code_used" });
    else if (candidate === null) unknown.push({ code, reason: "not_active" });
    else {
      running.set(offer.id, candidate);
      opened.set(code, offer.id);
    }
  }
  const { barred, left } = await usesOfAll(ctx, running, body.customer?.id ?? null);
  const rules: OfferRule[] = [];
  for (const [id, { rule, bar }] of running) {
    if (bar !== undefined && !barred.has(id)) barred.set(id, bar);
    const budgetLeft = left.get(id);
    rules.push(budgetLeft === undefined ? rule : { ...rule, budget_left: budgetLeft });
  }
  return { offers: rules, opened, unknown, barred };
}

/** Offers that POST /redemptions would refuse, and why; and what is left of the budgets of the others. */
async function usesOfAll(
  { tx }: Ctx,
  running: ReadonlyMap<string, Candidate>,
  customer: string | null,
): Promise<{ barred: Map<string, string>; left: Map<string, number> }> {
  const barred = new Map<string, string>();
  const left = new Map<string, number>();
  const idsOf = (isLimited: (limits: Candidate["uses"]) => boolean): string[] =>
    [...running].flatMap(([id, { uses: limits }]) => (isLimited(limits) ? [id] : []));
  const used = await usesOf(
    tx,
    idsOf(({ max_uses: max, budget }) => max !== null || budget !== null),
  );
  const personal = idsOf(({ max_uses_per_customer: max }) => max !== null);
  const own = customer === null ? [] : await usesOfCustomer(tx, personal, customer);
  const usedByCustomer = new Map(personal.map((id, at) => [id, own[at] ?? 0]));
  for (const [id, { uses: limits }] of running) {
    const { max_uses: max, max_uses_per_customer: maxOwn, budget } = limits;
    const total = used.get(id);
    if (total !== undefined) {
      const { uses, spent } = total;
      if (max !== null && uses >= max) barred.set(id, "exhausted");
      else if (budget !== null && spent >= budget) barred.set(id, "budget_used_up");
      else if (budget !== null) left.set(id, budget - spent);
    }
    if (maxOwn === null) continue;
    if (customer === null) barred.set(id, "customer_required");
    else if ((usedByCustomer.get(id) ?? 0) >= maxOwn) barred.set(id, "customer_limit");
  }
  return { barred, left };
}

type Answer = z.input<typeof EvaluationAnswer>;

/** The rewards that the cart has room for, with the whole filters of their offers: each is read for it again. */
async function suggestionsOf(
  tx: Ctx["tx"],
  missing: Evaluation["choice"]["missing"],
): Promise<Answer["suggestions"]> {
  const suggestions: Answer["suggestions"] = [];
  for (const { offer_id: id, units } of missing.slice(0, SUGGESTIONS_MAX)) {
    const effect = (await tx.get(offers, id))?.value.effect;
    if (effect?.class !== "bogo") continue;
    suggestions.push({ kind: "add_reward", offer_id: id, units, filter: effect.get.filter });
  }
  return suggestions;
}

interface AnswerInput {
  readonly offers: readonly OfferRule[];
  /** The offer of each code. */
  readonly opened: ReadonlyMap<string, string>;
  readonly unknown: Answer["codes"];
  readonly currency: string;
  readonly suggestions: Answer["suggestions"];
}

function toAnswer(
  { priced, choice, bundles: matches, rejected, pricing_hash }: Evaluation,
  { offers: known, opened, unknown, currency, suggestions }: AnswerInput,
): Answer {
  const reasons = new Map(rejected.map(({ offer_id: id, reason }) => [id, reason]));
  const idle = [...opened].flatMap(([code, id]) => {
    const reason = reasons.get(id);
    return reason === undefined ? [] : [{ code, reason }];
  });
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
    codes: [...unknown, ...idle],
    suggestions,
    trace: { mode: choice.mode, sets: choice.looked, steps: priced.trace.map((step) => ({ ...step })) },
    pricing_hash,
  };
}

export const evaluationRoutes = [create];
