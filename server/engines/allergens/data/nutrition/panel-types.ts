import type { AmountKey } from "../../rules/nutrition/amounts.ts";
import type { Nutrient } from "./nutrients.ts";
import type { RoundingTable } from "../../rules/nutrition/rounding.ts";
import type { EnergyRule } from "./energy-factors.ts";
import type { MassUnit } from "./micronutrients.ts";

/** Which table of daily values counts; only the US panel has a second. */
export type Population = "adults" | "children_1_to_3";

/** Which amount a percentage is of: the exact one, or the one that was rounded for the label. */
export type PercentOf = "exact" | "declared";

export interface Reference {
  /** Daily reference by population, in the unit of the row. */
  readonly adults: string;
  readonly children_1_to_3?: string;
  readonly of: PercentOf;
  readonly rounding: RoundingTable;
  /** Amounts whose sum the percentage is of, where that is not the row's own. */
  readonly sum?: readonly Nutrient[];
}

/** One row of a panel. Its amount is the sum of `of` without `less`; unknown when one of `of` is. */
export interface PanelRow {
  readonly key: string;
  readonly label: string;
  readonly indent: 0 | 1 | 2;
  readonly of: readonly AmountKey[];
  readonly less?: readonly Nutrient[];
  readonly unit: "kJ" | "kcal" | MassUnit;
  /** The panel of the mode must have it: it is reported as missing when it is not known. */
  readonly isRequired: boolean;
  readonly rounding: RoundingTable;
  readonly reference?: Reference;
}

/** A row of one amount, required and on the outermost level if `rest` does not specify otherwise. */
export const row = (
  amount: AmountKey,
  label: string,
  rest: Pick<PanelRow, "unit" | "rounding"> & Partial<PanelRow>,
): PanelRow => ({ key: amount, label, indent: 0, of: [amount], isRequired: true, ...rest });

/** Rounds by the first band that the amount is in; a last zero is not printed. */
export const bands = (...bands: RoundingTable["bands"]): RoundingTable => ({ keepZeros: false, bands });

/** Rounding of a percentage of a daily reference. */
export const WHOLE_PERCENT = bands({ show: { step: "1" } });

/** A mode's nutrition panel: what it shows, in which order, how rounded and against what. */
export interface Panel {
  readonly source: string;
  /** The basis that the panel's law prints when nothing else is asked for. */
  readonly per: "100" | "portion";
  readonly energy: EnergyRule;
  readonly rows: readonly PanelRow[];
  /** Bases for which the mode shows percentages. */
  readonly percentPer: readonly ("100" | "portion")[];
  readonly percentName: string;
  /** Text that accompanies the percentages. */
  readonly percentNote: string | null;
  /** Space between a number and its unit. */
  readonly space: "" | " ";
  readonly units: Readonly<Record<PanelRow["unit"], string>>;
  /** Share of the reference below which a vitamin or mineral may not be declared; null = no such rule. */
  readonly significant: {
    readonly per100: string;
    readonly per100Drink: string;
    readonly portion: string;
  } | null;
}
