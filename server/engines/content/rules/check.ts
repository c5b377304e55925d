import type { Check, CheckId } from "../schema/score.ts";

/**
 * The 28 checks with their weights, which add up to 100. Sources: thresholds of published analysers; the weights are
 * our own.
 */
export const WEIGHTS: Readonly<Record<CheckId, number>> = {
  k1: 8,
  k2: 5,
  k3: 6,
  k4: 4,
  k5: 4,
  k6: 4,
  k7: 3,
  k8: 2,
  s1: 6,
  s2: 2,
  s3: 2,
  s4: 4,
  s5: 3,
  s6: 3,
  s7: 2,
  s8: 2,
  m1: 6,
  m2: 6,
  m3: 2,
  m4: 4,
  l1: 4,
  l2: 3,
  l3: 3,
  r1: 4,
  r2: 3,
  r3: 2,
  r4: 2,
  r5: 1,
};

export type Finding = Omit<Check, "weight" | "fix"> & { readonly fix: string };

/** A result with its weight; a good or inapplicable one has no recommendation. */
export const toCheck = ({ id, name, status, value, threshold, fix }: Finding): Check => ({
  id,
  name,
  status,
  value,
  threshold,
  weight: WEIGHTS[id],
  fix: status === "good" || status === "na" ? null : fix,
});

/** Two decimals, for display. */
export const round2 = (value: number): number => Math.round(value * 100) / 100;

/** A share as whole and tenths of a percent. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 10;
