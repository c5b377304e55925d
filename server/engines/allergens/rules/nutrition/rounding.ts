import { Big } from "big.js";

/** How an amount of one band is shown. `lessThan` prints "<limit"; `otherwise` is what prints when that is not wanted. */
export type Show =
  | { readonly zero: true }
  | { readonly step: string }
  | { readonly figures: number }
  | { readonly lessThan: string; readonly otherwise: Show; readonly word: string };

/**
 * One band of a rounding table, in ascending order: amounts `under` a bound, `upTo` and including it, or all the rest.
 * `also` is what the rule allows as an alternative.
 */
export interface Band {
  readonly under?: string;
  readonly upTo?: string;
  readonly show: Show;
  readonly also?: readonly Show[];
}

export interface RoundingTable {
  readonly bands: readonly Band[];
  /** Whether 0.30 keeps its last zero (the EU prints to a fixed place) or loses it. */
  readonly keepZeros: boolean;
}

/** What to print for an amount too small to count, where the rule leaves a choice. */
export type Negligible = "less_than" | "zero" | "trace";

export interface Rounded {
  readonly value: Big;
  /** The amount is below `value`, not equal to it. */
  readonly isBelow: boolean;
  /** Without the unit. */
  readonly text: string;
  /** Other texts that the rule allows for the same amount. */
  readonly alternatives: readonly string[];
}

/**
 * Rounds one amount by a table, half away from zero, as every nutrition rule says "to the nearest".
 * The result never falls when the amount rises. A number that rounds into the next band is printed as that band
 * prints it (9.96 → "10"), but never rounded twice.
 */
export function roundBy(table: RoundingTable, amount: Big, negligible: Negligible = "less_than"): Rounded {
  const band = bandOf(table, amount);
  const main = showAmount(table, amount, band.show, negligible);
  const others = (band.also ?? []).map((show) => showAmount(table, amount, show, negligible).text);
  return { ...main, alternatives: [...new Set(others)].filter((text) => text !== main.text) };
}

function showAmount(
  table: RoundingTable,
  amount: Big,
  show: Show,
  negligible: Negligible,
): Omit<Rounded, "alternatives"> {
  if (amount.eq(0) || "zero" in show) return { value: new Big(0), isBelow: false, text: "0" };
  if ("step" in show) return exactly(table, toNearest(amount, show.step), show.step);
  if ("figures" in show) {
    const value = amount.prec(show.figures, Big.roundHalfUp);
    return { value, isBelow: false, text: value.toFixed() };
  }
  if (negligible === "zero") return showAmount(table, amount, show.otherwise, negligible);
  const text = negligible === "trace" ? "trace" : `${show.word}${show.lessThan}`;
  return { value: new Big(show.lessThan), isBelow: true, text };
}

/** The nearest multiple of a step, ties away from zero. */
export const toNearest = (amount: Big, step: string): Big =>
  amount.div(step).round(0, Big.roundHalfUp).times(step);

function exactly(table: RoundingTable, value: Big, step: string): Omit<Rounded, "alternatives"> {
  if (!table.keepZeros) return { value, isBelow: false, text: value.toFixed() };
  const landed = bandOf(table, value).show;
  const fits = "step" in landed && value.mod(landed.step).eq(0);
  return { value, isBelow: false, text: value.toFixed(placesOf(fits ? landed.step : step)) };
}

function bandOf({ bands }: RoundingTable, amount: Big): Band {
  const band = bands.find(({ under, upTo }) => {
    if (under !== undefined) return amount.lt(under);
    return upTo === undefined || amount.lte(upTo);
  });
  if (band === undefined) throw new Error("A rounding table ends with a band for all the rest.");
  return band;
}

/** Decimal places of a step: 0.01 → 2. */
const placesOf = (step: string): number => step.split(".")[1]?.length ?? 0;
