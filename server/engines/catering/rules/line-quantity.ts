import type { Line } from "../schema/parts.ts";

/** So many units at one price. */
export interface Step {
  readonly quantity: number;
  readonly unit_price: number;
}

/** Units of a line for a number of heads. */
export function quantityOf(line: Pick<Line, "type" | "quantity" | "rule">, heads: number): number {
  if (line.quantity !== null) return line.quantity;
  if (line.rule !== null) return Math.max(line.rule.min, Math.ceil(heads / line.rule.per));
  return line.type === "per_head" || line.type === "package" ? heads : 1;
}

/**
 * What a line consists of: one step, or one for each tier that a graduated line reaches. `all_units` prices every unit
 * by the highest tier that the heads reach; `graduated` prices the units between two tiers by the lower one.
 */
export function stepsOf(line: Line, heads: number): Step[] {
  const quantity = quantityOf(line, heads);
  const tiers = [...line.volume_tiers].sort((a, b) => a.from_heads - b.from_heads);
  const reached = tiers.filter(({ from_heads: from }) => from <= heads);
  if (line.tier_mode === "all_units" || reached.length === 0) {
    return [{ quantity, unit_price: reached.at(-1)?.unit_price ?? line.unit_price }];
  }
  const starts = [
    { from: 1, unit_price: line.unit_price },
    ...tiers.map(({ from_heads: from, unit_price: price }) => ({ from, unit_price: price })),
  ];
  return starts
    .map(({ from, unit_price: price }, at) => ({
      quantity: Math.min(quantity + 1, starts[at + 1]?.from ?? Infinity) - from,
      unit_price: price,
    }))
    .filter((step) => step.quantity > 0);
}
