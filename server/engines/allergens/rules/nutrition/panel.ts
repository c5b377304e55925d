import { Big } from "big.js";

import { AU_NZ_PANEL } from "../../data/nutrition/au-nz-panel.ts";
import { CA_PANEL } from "../../data/nutrition/ca-panel.ts";
import { EU_PANEL } from "../../data/nutrition/eu-panel.ts";
import type { ModeId } from "../../data/modes.ts";
import { MICRO_CODES } from "../../data/nutrition/micronutrients.ts";
import type { Panel, PanelRow, Population, Reference } from "../../data/nutrition/panel-types.ts";
import { US_PANEL } from "../../data/nutrition/us-panel.ts";
import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import type { Amounts } from "./amounts.ts";
import { amountOf, fromUg, readAmounts, scaleAmounts } from "./amounts.ts";
import type { BasisFault } from "./basis.ts";
import { rebase } from "./basis.ts";
import { statedEnergy } from "./energy.ts";
import type { Negligible, Rounded } from "./rounding.ts";
import { roundBy } from "./rounding.ts";
import type { ShownRow, PanelView } from "../../schema/nutrition.ts";

export const PANELS: Readonly<Record<ModeId, Panel>> = {
  uk: EU_PANEL,
  eu: EU_PANEL,
  us: US_PANEL,
  ca: CA_PANEL,
  au_nz: AU_NZ_PANEL,
};

export interface PanelQuestion {
  readonly mode: ModeId;
  readonly per: "100" | "portion";
  readonly negligible: Negligible;
  readonly population: Population;
}

export type ShownPanel = Pick<PanelView, "basis" | "rows" | "missing" | "omitted">;

/**
 * A mode's panel of nutrition facts: order, names, rounding and percentages as its law gives them (`Panel.source`).
 * Amounts are brought to the basis exactly and rounded here, last. A fault says what the facts lack for that basis.
 */
export function buildPanel(
  facts: NutritionFacts,
  question: PanelQuestion,
): ShownPanel | { readonly fault: BasisFault } {
  const based = rebase(facts, question.per);
  if ("fault" in based) return based;
  const panel = PANELS[question.mode];
  const amounts = withEnergy(scaleAmounts(readAmounts(facts), based.factor), panel);
  const frame: Frame = { panel, question, amounts };
  const known = panel.rows.flatMap((row) => {
    const amount = rowAmount(amounts, row);
    return amount === null ? [] : [{ row, amount }];
  });
  const isShown = significanceTest(facts, panel);
  const named = new Set(known.map(({ row }) => row.key));
  return {
    basis: `per ${question.per === "portion" ? "portion of " : ""}${based.size.toFixed()} ${based.unit}`,
    rows: known.filter(({ row }) => isShown(row)).map(({ row, amount }) => showRow(row, amount, frame)),
    missing: panel.rows.filter(({ key, isRequired }) => isRequired && !named.has(key)).map(({ key }) => key),
    omitted: known.filter(({ row }) => !isShown(row)).map(({ row }) => row.key),
  };
}

interface Frame {
  readonly panel: Panel;
  readonly question: PanelQuestion;
  readonly amounts: Amounts;
}

function withEnergy(amounts: Amounts, { energy }: Panel): Amounts {
  const { kj, kcal } = statedEnergy(amounts, energy);
  return new Map([
    ...amounts,
    ...(kj === null ? [] : [["energy_kj", kj] as const]),
    ...(kcal === null ? [] : [["energy_kcal", kcal] as const]),
  ]);
}

const MICROS: ReadonlySet<string> = new Set(MICRO_CODES);

/** The amount of a row in its own unit; null when a part of it is not known. */
function rowAmount(amounts: Amounts, { of, less = [], unit }: PanelRow): Big | null {
  if (!of.every((part) => amounts.has(part))) return null;
  const sum = of.reduce((total, part) => total.plus(amountOf(amounts, part)), new Big(0));
  const rest = less.reduce((total, part) => total.minus(amountOf(amounts, part)), sum);
  return unit === "kJ" || unit === "kcal" || !of.every((part) => MICROS.has(part))
    ? rest
    : fromUg(rest, unit);
}

/**
 * FIC Annex XIII part A point 2: a vitamin or mineral is significant from 15 % of its reference per 100 g or 100 ml,
 * 7.5 % per 100 ml of a drink, or 15 % per portion of a package that holds one portion.
 */
function significanceTest(facts: NutritionFacts, { significant }: Panel): (row: PanelRow) => boolean {
  if (significant === null) return () => true;
  const isSingle = facts.portion?.servings_per_pack === 1;
  const based = rebase(facts, isSingle ? "portion" : "100");
  if ("fault" in based) return () => true;
  const amounts = scaleAmounts(readAmounts(facts), based.factor);
  const per100 = facts.is_drink ? significant.per100Drink : significant.per100;
  const share = isSingle ? significant.portion : per100;
  return (row) => {
    const isMicro = row.of.every((part) => MICROS.has(part));
    const amount = rowAmount(amounts, row);
    if (!isMicro || row.reference === undefined || amount === null) return true;
    return amount.gte(new Big(row.reference.adults).times(share));
  };
}

function showRow(row: PanelRow, amount: Big, frame: Frame): ShownRow {
  const { panel, question } = frame;
  const rounded = roundBy(row.rounding, amount, question.negligible);
  const withUnit = (text: string): string => joinUnit(text, panel.units[row.unit], panel.space);
  const percent = percentOf(row.reference, { amount, rounded }, frame);
  return {
    key: row.key,
    label: row.label,
    indent: row.indent,
    value: rounded.value.toNumber(),
    unit: row.unit,
    is_below: rounded.isBelow,
    display: withUnit(rounded.text),
    alternatives: rounded.alternatives.map(withUnit),
    percent: percent === null ? null : percent.value.toNumber(),
    percent_display: percent === null ? null : `${percent.text}%`,
  };
}

/** US labels print 9g, but "less than 1 g" in words; calories there have no unit, and neither has a trace. */
function joinUnit(text: string, unit: string, space: string): string {
  if (text === "trace" || unit === "") return text;
  return `${text}${text.startsWith("less") ? " " : space}${unit}`;
}

/** The share of the daily reference; zero where the amount itself is declared as zero, null where there is none. */
function percentOf(
  reference: Reference | undefined,
  row: { readonly amount: Big; readonly rounded: Rounded },
  { panel, question, amounts }: Frame,
): Rounded | null {
  if (reference === undefined || !panel.percentPer.includes(question.per)) return null;
  const share = shareOf(reference, row, amounts);
  const daily = reference[question.population];
  if (share === null || daily === undefined) return null;
  return roundBy(reference.rounding, share.times(100).div(daily));
}

function shareOf(
  { sum, of }: Reference,
  { amount, rounded }: { readonly amount: Big; readonly rounded: Rounded },
  amounts: Amounts,
): Big | null {
  if (sum === undefined) return of === "declared" || rounded.value.eq(0) ? rounded.value : amount;
  if (!sum.every((part) => amounts.has(part))) return null;
  return sum.reduce((total, part) => total.plus(amountOf(amounts, part)), new Big(0));
}
