import { allocate, BPS, mulRatio, sum } from "../../../lib/money.ts";
import type { Contract } from "../schema.ts";
import type { Line } from "../schema/parts.ts";
import type { ChargeMoney } from "./price-cycle.ts";
import { priceLines } from "./price-cycle.ts";
import type { Proration } from "../schema/requests.ts";

export interface Exchange {
  /** Lines until now, and lines from now on. */
  readonly from: readonly Line[];
  readonly to: readonly Line[];
  /** Cycle whose prices hold. */
  readonly cycle: number;
}

/**
 * The money of a charge that collects the difference of a change: one line for each rate of tax, what comes less what goes.
 * A line is negative where goods of its rate are given up for goods of another.
 */
export function adjustmentMoney(
  contract: Contract,
  { from, to, cycle }: Exchange,
  { credit, debit, net }: Pick<Proration, "credit" | "debit" | "net">,
): ChargeMoney {
  const amounts = new Map<number, number>();
  const add = (rate: number, amount: number): void =>
    void amounts.set(rate, sum([amounts.get(rate) ?? 0, amount]));
  for (const [rate, amount] of byRate(contract, to, cycle, debit)) add(rate, amount);
  for (const [rate, amount] of byRate(contract, from, cycle, credit)) add(rate, -amount);
  const lines = [...amounts]
    .filter(([, amount]) => amount !== 0)
    .sort(([a], [b]) => a - b)
    .map(([rate, amount]) => lineOf(rate, amount, contract.tax_included));
  return {
    lines,
    subtotal: sum(lines.map(({ subtotal }) => subtotal)),
    discount: 0,
    shipping: 0,
    tax: sum(lines.map(({ tax }) => tax)),
    tax_included: contract.tax_included,
    total: net,
  };
}

/** Splits an amount, tax included, by the rates of the lines that it is the price of. */
function byRate(
  contract: Contract,
  lines: readonly Line[],
  cycle: number,
  amount: number,
): [number, number][] {
  if (amount === 0) return [];
  const costs = new Map<number, number>();
  for (const { tax_rate_bps: rate, net, tax } of priceLines(contract, lines, cycle).lines) {
    costs.set(rate, sum([costs.get(rate) ?? 0, net, contract.tax_included ? 0 : tax]));
  }
  const rates = [...costs.keys()].sort((a, b) => a - b);
  const shares = allocate(
    amount,
    rates.map((rate) => costs.get(rate) ?? 0),
  );
  return rates.map((rate, at) => [rate, shares[at] ?? 0]);
}

function lineOf(rate: number, amount: number, isIncluded: boolean): ChargeMoney["lines"][number] {
  const tax = mulRatio(amount, rate, BPS + rate);
  const subtotal = isIncluded ? amount : amount - tax;
  return {
    id: `adj_${rate}`,
    product_ref: null,
    variant_ref: null,
    title: ADJUSTMENT_TITLE,
    quantity: 1,
    unit_price: subtotal,
    tax_rate_bps: rate,
    subtotal,
    discount: 0,
    tax,
  };
}

/** What a difference is called on a charge. */
export const ADJUSTMENT_TITLE = "Change in the middle of a cycle";
