import type { z } from "zod";

import type { Problem } from "../../../kernel/errors.ts";
import { invalidField } from "../../../kernel/errors.ts";
import type { ModeId } from "../data/modes.ts";
import type { NutritionFacts, NutritionWarning, panelFields, PanelView } from "../schema/nutrition.ts";
import type { BasisFault } from "../rules/nutrition/basis.ts";
import { findFactWarnings } from "../rules/nutrition/check-facts.ts";
import { buildPanel, PANELS } from "../rules/nutrition/panel.ts";

export type PanelWish = { readonly [K in keyof typeof panelFields]?: z.output<(typeof panelFields)[K]> };

/**
 * The panel that is asked for, with the notes that belong to it.
 * Throws 422 `density_required` or `portion_required` where the facts do not reach the basis; `at` is the place of
 * the facts in the request.
 */
export function answerPanel(
  facts: NutritionFacts,
  wish: PanelWish & { readonly mode: ModeId },
  at: readonly (string | number)[] = [],
): PanelView {
  const panel = PANELS[wish.mode];
  const { per = panel.per, negligible = "less_than", population = "adults" } = wish;
  const shown = buildPanel(facts, { mode: wish.mode, per, negligible, population });
  if ("fault" in shown) throw basisProblem(shown.fault, at);
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

/** 422 for facts that cannot be brought to the basis in question. */
export const basisProblem = (fault: BasisFault, at: readonly (string | number)[]): Problem =>
  invalidField([...at, FAULTS[fault].member], FAULTS[fault].detail, fault);

export const basisErrors = [
  {
    type: "unprocessable_content",
    code: "density_required",
    when: "The answer is per volume and the facts per weight, or the reverse, and no density is given",
  },
  {
    type: "unprocessable_content",
    code: "portion_required",
    when: "The answer is per portion and the facts name none",
  },
] as const;

export const warningsOf = (facts: NutritionFacts): NutritionWarning[] =>
  findFactWarnings(facts).map(({ path, code, detail }) => ({ field: path.join("."), code, detail }));
