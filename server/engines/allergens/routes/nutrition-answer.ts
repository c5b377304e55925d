import type { z } from "zod";

import type { Problem } from "../../../lib/errors.ts";
import { fail, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { ModeId } from "../data/modes.ts";
import type { NutritionFacts, NutritionWarning, panelFields, PanelView } from "../schema/nutrition.ts";
import type { BasisFault } from "../rules/nutrition/basis.ts";
import { findFactWarnings } from "../rules/nutrition/check-facts.ts";
import { buildPanel, PANELS } from "../rules/nutrition/panel.ts";

export type PanelWish = { readonly [K in keyof typeof panelFields]?: z.output<(typeof panelFields)[K]> };

/**
 * The panel that is asked for, with the notes that belong to it.
 * Throws 422 `density_required` or `portion_required` where the facts do not reach the basis.
 */
export function answerPanel(
  facts: NutritionFacts,
  wish: PanelWish & { readonly mode: ModeId },
  place: FactsPlace,
): PanelView {
  const panel = PANELS[wish.mode];
  const { per = panel.per, negligible = "less_than", population = "adults" } = wish;
  const shown = buildPanel(facts, { mode: wish.mode, per, negligible, population });
  if ("fault" in shown) throw basisProblem(shown.fault, place);
  const hasPercent = shown.rows.some(({ percent }) => percent !== null);
  return {
    mode: wish.mode,
    per,
    basis: shown.basis,
    source: panel.source,
    percent_name: panel.percentName,
    percent_note: hasPercent ? panel.percentNote : null,
    rows: shown.rows,
    missing: shown.missing,
    omitted: shown.omitted,
  };
}

const FAULTS: Readonly<Record<BasisFault, { readonly member: string; readonly detail: string }>> = {
  density_required: {
    member: "density_g_per_ml",
    detail: "Needed to go from grams to millilitres or back: 1 ml does not weigh 1 g of everything.",
  },
  portion_required: { member: "portion", detail: "Needed for figures per portion: give its size and unit." },
};

/** Where the facts of an answer come from: a member of the body, or a stored product that the body or path names. */
export type FactsPlace =
  | { readonly from: "body"; readonly path: readonly (string | number)[] }
  | { readonly from: "named_product" }
  | { readonly from: "path_product" };

/** 422 for facts that lack a member: it names the member, or what the request says of the product that lacks it. */
export function factsProblem(
  place: FactsPlace,
  { member, detail, code }: { readonly member: string; readonly detail: string; readonly code: string },
): Problem {
  if (place.from === "body") return invalidField([...place.path, member], detail, code);
  const lacking = `The product's nutrition facts have no ${member}. ${detail}`;
  if (place.from === "named_product") return invalidField(["product_id"], lacking, code);
  return fail("unprocessable_content", "1 parameter is invalid.", {
    code,
    errors: [{ parameter: "per", detail: `${lacking} Or ask for per=100.` }],
  });
}

/** 422 for facts that cannot be brought to the basis in question. */
export const basisProblem = (fault: BasisFault, place: FactsPlace): Problem =>
  factsProblem(place, { ...FAULTS[fault], code: fault });

export const basisErrors = [
  unprocessableWhen(
    "density_required",
    "The answer is per volume and the facts per weight, or the reverse, and no density is given",
  ),
  unprocessableWhen("portion_required", "The answer is per portion and the facts have none"),
] as const;

export const warningsOf = (facts: NutritionFacts): NutritionWarning[] =>
  findFactWarnings(facts).map(({ path, code, detail }) => ({ field: path.join("."), code, detail }));
