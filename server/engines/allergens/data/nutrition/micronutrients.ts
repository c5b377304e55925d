/** Vitamins and minerals that some mode has a reference value for, in the order of FIC Annex XIII part A, then choline. */
export const MICRO_CODES = [
  "vitamin_a",
  "vitamin_d",
  "vitamin_e",
  "vitamin_k",
  "vitamin_c",
  "thiamin",
  "riboflavin",
  "niacin",
  "vitamin_b6",
  "folic_acid",
  "vitamin_b12",
  "biotin",
  "pantothenic_acid",
  "potassium",
  "chloride",
  "calcium",
  "phosphorus",
  "magnesium",
  "iron",
  "zinc",
  "copper",
  "manganese",
  "fluoride",
  "selenium",
  "chromium",
  "molybdenum",
  "iodine",
  "choline",
] as const;
export type MicroCode = (typeof MICRO_CODES)[number];

export type MassUnit = "g" | "mg" | "ug";

/** A vitamin or mineral as one mode prints it. */
export interface MicroLine {
  readonly code: MicroCode;
  readonly label: string;
  readonly unit: MassUnit;
  /** Daily reference of adults, in `unit`; null where the mode sets none. */
  readonly reference: string | null;
}
