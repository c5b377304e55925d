import { sha256Hex } from "../../../core/ids.ts";
import { price } from "../../../lib/pricing.ts";
import type { Adjustment, Priced } from "../../../lib/pricing.ts";
import type { Offer } from "../schema/offer.ts";
import type { LineInput } from "../schema/parts.ts";
import type { Applied, OfferTerms } from "./apply-offer.ts";
import type { Choice } from "./choose-offers.ts";
import { chooseOffers } from "./choose-offers.ts";
import type { Judge, Situation } from "./judge-conditions.ts";
import { createJudge } from "./judge-conditions.ts";
import { compareText, costOf, toLots } from "./lots.ts";
import type { BundleMatch, BundleTerms } from "./match-bundles.ts";
import { matchBundles } from "./match-bundles.ts";

export type OfferRule = OfferTerms & Pick<Offer, "trigger" | "codes" | "conditions" | "revision">;

export interface Question {
  readonly lines: readonly LineInput[];
  /** Before offers; null when the delivery is not known yet. */
  readonly shipping: { readonly amount: number; readonly tax_rate_bps: number | null } | null;
  readonly currency: string;
  readonly tax_included: boolean;
  readonly situation: Omit<Situation, "lines" | "subtotal">;
  readonly bundles: readonly BundleTerms[];
  readonly offers: readonly OfferRule[];
  /** Offers whose code was entered. */
  readonly unlocked: ReadonlySet<string>;
  /** Offers that cannot be used any more, and why. */
  readonly barred?: ReadonlyMap<string, string>;
}

export interface Evaluation {
  readonly priced: Priced;
  readonly choice: Choice;
  readonly bundles: readonly BundleMatch[];
  readonly rejected: readonly { readonly offer_id: string; readonly reason: string }[];
  readonly pricing_hash: string;
}

/**
 * THE price of a cart: bundles, then offers, worked out as adjustments and handed to the pricing function that all
 * engines share. Pure; the order of lines and codes changes no total.
 */
export function evaluate(question: Question): Evaluation {
  const { shipping } = question;
  // Odd pennies go by the order of the lines: in one order whatever the caller's, each line has the same price.
  const lines = [...question.lines].sort((a, b) => compareText(a.id, b.id));
  const start = toLots(lines);
  const situation: Situation = { ...question.situation, lines, subtotal: costOf(start) };
  const judge = createJudge(situation);
  const matched = matchBundles(start, question.bundles);
  const refused: { offer_id: string; reason: string }[] = [];
  const candidates = question.offers.filter((offer) => {
    const reason = refusalOf(question, offer, judge);
    if (reason !== null) refused.push({ offer_id: offer.id, reason });
    return reason === null;
  });
  const running = { lots: matched.lots, shipping: shipping?.amount ?? 0, before: situation.subtotal };
  const choice = chooseOffers(running, candidates);
  const titles = new Map(question.offers.map(({ id, title }) => [id, title]));
  const priced = price({
    lines: lines.map(({ id, quantity, unit_price, tax_rate_bps }) => ({
      id,
      quantity,
      unit_price,
      tax_rate_bps,
    })),
    fees: shipping === null ? [] : [{ id: "shipping", ...shipping }],
    adjustments: [
      ...bundleAdjustments(matched.matches, lines),
      ...choice.applied.map((applied) => offerAdjustment(applied, titles.get(applied.offer_id) ?? "")),
    ],
    tax_included: question.tax_included,
  });
  const rejected = [...refused, ...choice.rejected].sort((a, b) => compareText(a.offer_id, b.offer_id));
  const byId = new Map(priced.lines.map((line) => [line.id, line]));
  const inOrder = question.lines.flatMap(({ id }) => byId.get(id) ?? []);
  return {
    priced: { ...priced, lines: inOrder },
    choice,
    bundles: matched.matches,
    rejected,
    pricing_hash: hashOf(question, choice, priced),
  };
}

/** Why an offer is not even tried; null when it is. An offer whose code was not entered is not mentioned. */
function refusalOf({ unlocked, barred }: Question, offer: OfferRule, judge: Judge): string | null {
  if (offer.trigger === "code" && !unlocked.has(offer.id)) return "code_missing";
  const bar = barred?.get(offer.id);
  if (bar !== undefined) return bar;
  const [unmet] = judge(offer.conditions);
  return unmet === undefined ? null : `condition_${unmet}`;
}

/** One adjustment for each bundle: what its units cost less than on their own. */
function bundleAdjustments(matches: readonly BundleMatch[], lines: readonly LineInput[]): Adjustment[] {
  const units = new Map(lines.map(({ id, unit_price: unit }) => [id, unit]));
  const byBundle = new Map<string, { title: string; amounts: Map<string, number> }>();
  for (const { bundle_id: id, title, parts } of matches) {
    const entry = byBundle.get(id) ?? { title, amounts: new Map<string, number>() };
    byBundle.set(id, entry);
    for (const { line_id: line, quantity, price: paid } of parts) {
      const saved = (units.get(line) ?? 0) * quantity - paid;
      entry.amounts.set(line, (entry.amounts.get(line) ?? 0) + saved);
    }
  }
  return [...byBundle].map(([id, { title, amounts }]) => each(id, title, amounts));
}

const each = (id: string, title: string, amounts: ReadonlyMap<string, number>): Adjustment => ({
  id,
  title,
  line_ids: [...amounts.keys()],
  take: { kind: "each", amounts: Object.fromEntries(amounts) },
});

const offerAdjustment = ({ offer_id: id, lines, shipping }: Applied, title: string): Adjustment =>
  shipping > 0
    ? { id, title, line_ids: null, take: { kind: "fee_amount", amount: shipping } }
    : each(id, title, lines);

/** The same cart under the same terms has the same hash, whatever the order of its lines. */
function hashOf(question: Question, { applied }: Choice, priced: Priced): string {
  const byId = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
    [...items].sort((a, b) => compareText(a.id, b.id));
  const text = JSON.stringify([
    question.currency,
    question.tax_included,
    byId(question.lines).map(({ id, ref, quantity, unit_price: unit, tax_rate_bps: rate }) => [
      id,
      ref,
      quantity,
      unit,
      rate,
    ]),
    question.shipping === null ? null : [question.shipping.amount, question.shipping.tax_rate_bps],
    byId(question.offers.filter(({ id }) => applied.some((one) => one.offer_id === id))).map(
      ({ id, revision }) => [id, revision],
    ),
    byId(priced.lines).map(({ id, net }) => [id, net]),
    priced.total,
  ]);
  return sha256Hex(text).slice(0, 40);
}
