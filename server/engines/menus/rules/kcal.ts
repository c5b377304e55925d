import type { Kcal } from "../schema/parts.ts";
import type { DeclaredOf } from "./line-allergens.ts";
import type { Settings } from "../schema/settings.ts";

/** A part of a dish whose energy counts: null if unknown. */
export interface KcalPart {
  readonly kcal: Kcal | null;
  readonly quantity: number;
  /** Share of a portion: 0.5 for half a pizza. */
  readonly scale: number;
}

/** The energy of an item or modifier: its own, else that of a portion of its product. */
export function energyOfPart(
  { kcal, product_id: productId }: { readonly kcal: Kcal | null; readonly product_id: string | null },
  declaredOf: DeclaredOf,
): Kcal | null {
  if (kcal !== null || productId === null) return kcal;
  const portion = declaredOf(productId)?.kcal ?? null;
  return portion === null ? null : { min: portion, max: null };
}

/**
 * Energy of a dish: its base and its modifiers together, ranges by their bounds. An unknown part makes the sum
 * unknown, since an incomplete figure is wrong.
 */
export function sumKcal(parts: readonly KcalPart[]): Kcal | null {
  let min = 0;
  let max = 0;
  for (const { kcal, quantity, scale } of parts) {
    if (quantity === 0) continue;
    if (kcal === null) return null;
    min += kcal.min * quantity * scale;
    max += (kcal.max ?? kcal.min) * quantity * scale;
  }
  return { min: Math.round(min), max: Math.round(max) === Math.round(min) ? null : Math.round(max) };
}

export type Labelling = Settings["kcal_labelling"];

/** `540 kcal`, `480–610 kcal`; rounded in the US. Null if the energy is unknown. */
export function kcalText(kcal: Kcal | null, labelling: Labelling): string | null {
  if (kcal === null) return null;
  const round = labelling === "us" ? roundUs : (value: number) => value;
  const [min, max] = [round(kcal.min), round(kcal.max ?? kcal.min)];
  const unit = labelling === "us" ? "Calories" : "kcal";
  return min === max ? `${min} ${unit}` : `${min}–${max} ${unit}`;
}

/** 21 CFR 101.9(c)(1): below 5 is 0, up to 50 the nearest 5, above it the nearest 10; rounded half up. */
export function roundUs(kcal: number): number {
  if (kcal < 5) return 0;
  return kcal <= 50 ? Math.round(kcal / 5) * 5 : Math.round(kcal / 10) * 10;
}

/**
 * The statement of daily needs that a menu with energy must contain: in England if it is not for children (SI 2021/909, reg. 5), in the
 * United States (21 CFR 101.11(b)(2)(i)(B)) always.
 */
export function kcalStatement(labelling: Labelling, audience: "all" | "children"): string | null {
  if (labelling === "us")
    return "2,000 calories a day is used for general nutrition advice, but calorie needs vary.";
  return labelling === "england" && audience === "all" ? "adults need around 2000 kcal a day" : null;
}
