import { daysBetween } from "../../../lib/local-time.ts";
import { mulBps, mulRatio, sum, times } from "../../../lib/money.ts";
import { price, totalsOf } from "../../../lib/pricing.ts";
import type { Adjustment, Priced, PriceLine } from "../../../lib/pricing.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";
import type { Discount, Line, Period, PriceStep } from "../schema/parts.ts";
import { boundary, cyclePeriod } from "./cycle-dates.ts";

/** What of a contract makes a price: a draft in a preview has the same. */
export type Priceable = Pick<
  Contract,
  | "lines"
  | "overrides"
  | "pending_change"
  | "billing"
  | "price_adjustments"
  | "discounts"
  | "shipping_price"
  | "shipping_tax_rate_bps"
  | "tax_included"
>;

/** Money members of a charge. */
export type ChargeMoney = Pick<
  Charge,
  "lines" | "subtotal" | "discount" | "shipping" | "tax" | "tax_included" | "total"
>;

export interface CyclePrice {
  readonly period: Period;
  readonly money: ChargeMoney;
  readonly trace: Priced["trace"];
}

/** THE price of a cycle: what a preview shows and what the worker charges. */
export function priceCycle(contract: Priceable, index: number): CyclePrice {
  const period = cyclePeriod(contract, index);
  const lines = linesAt(contract, index);
  const stepped = applySteps(lines, contract.price_adjustments, index);
  const ask = (more: readonly Adjustment[]): Priced =>
    price({
      lines: stepped.lines,
      fees: feesOf(contract),
      adjustments: [...stepped.adjustments, ...discountsAt(contract.discounts, index), ...more],
      tax_included: contract.tax_included,
    });
  const whole = ask([]);
  const part = partOfCycle(contract, index, period, whole);
  const priced = part.length === 0 ? whole : ask(part);
  return { period, money: toMoney(priced, lines), trace: priced.trace };
}

/** Lines of a cycle: edited for it alone, changed from it on, or the contract's. */
export function linesAt(
  { lines, overrides, pending_change: change }: Pick<Contract, "lines" | "overrides" | "pending_change">,
  index: number,
): readonly Line[] {
  const own = overrides[String(index)]?.lines ?? null;
  if (own !== null) return own;
  return change !== null && change.lines !== null && index >= change.at_cycle ? change.lines : lines;
}

/** What the lines of a contract cost per cycle, delivery aside, tax included: what a change of them is worth. */
export const linesTotal = (contract: Priceable, lines: readonly Line[], index: number): number =>
  priceLines(contract, lines, index).total;

/** Lines at the prices of a cycle, or of the part of one that comes before the first anchored date; delivery aside. */
export function priceLines(contract: Priceable, lines: readonly Line[], index: number): Priced {
  const stepped = applySteps(lines, contract.price_adjustments, index);
  const ask = (more: readonly Adjustment[]): Priced =>
    price({
      lines: stepped.lines,
      adjustments: [...stepped.adjustments, ...discountsAt(contract.discounts, index), ...more],
      tax_included: contract.tax_included,
    });
  const whole = ask([]);
  const part = partOfCycle(contract, index, cyclePeriod(contract, index), whole);
  return part.length === 0 ? whole : ask(part);
}

/** The step that holds at a cycle: the latest that has begun. */
const stepAt = (steps: readonly PriceStep[], index: number): PriceStep | undefined =>
  [...steps].sort((a, b) => b.after_cycle - a.after_cycle).find(({ after_cycle: from }) => index >= from);

function applySteps(
  lines: readonly Line[],
  steps: readonly PriceStep[],
  index: number,
): { lines: PriceLine[]; adjustments: Adjustment[] } {
  const step = stepAt(steps, index);
  const plain = lines.map(toPriceLine);
  if (step === undefined) return { lines: plain, adjustments: [] };
  if (step.kind === "fixed") {
    return { lines: plain.map((line) => ({ ...line, unit_price: step.value })), adjustments: [] };
  }
  const id = `step_${step.after_cycle}`;
  const title = `Price from cycle ${step.after_cycle}`;
  const amounts = plain.map(({ id: lineId, quantity, unit_price: unit }) => {
    const off =
      step.kind === "percent" ? mulBps(unit, Math.min(10_000, step.value)) : Math.min(unit, step.value);
    return [lineId, times(off, quantity)] as const;
  });
  const take = { kind: "each" as const, amounts: Object.fromEntries(amounts) };
  return { lines: plain, adjustments: [{ id, title, line_ids: null, take }] };
}

const toPriceLine = ({ id, quantity, unit_price, tax_rate_bps }: Line): PriceLine => ({
  id,
  quantity,
  unit_price,
  tax_rate_bps,
});

function discountsAt(discounts: readonly Discount[], index: number): Adjustment[] {
  const holds = ({ from_cycle: from, cycles }: Discount): boolean =>
    index >= from && (cycles === null || index < from + cycles);
  return discounts.filter(holds).map(({ id, title, kind, value, line_ids }) => ({
    id,
    title,
    line_ids,
    take:
      kind === "percent"
        ? { kind, bps: Math.min(10_000, value) }
        : kind === "shipping"
          ? { kind: "fees" as const, bps: Math.min(10_000, value) }
          : { kind, amount: value },
  }));
}

const feesOf = ({ shipping_price: amount, shipping_tax_rate_bps: rate }: Priceable) =>
  amount === 0 ? [] : [{ id: "shipping", amount, tax_rate_bps: rate }];

/** The days before the first anchored date cost their share of the cycle that they are a part of, or nothing. */
function partOfCycle(contract: Priceable, index: number, period: Period, whole: Priced): Adjustment[] {
  const { billing } = contract;
  if (index !== 0 || billing.stub_start === null || billing.anchor_index !== 1) return [];
  const id = "first_period";
  if (billing.first_period === "free") {
    return [
      {
        id,
        title: "The days before the first cycle are free",
        line_ids: null,
        take: { kind: "percent", bps: 10_000 },
      },
      { id, title: "And so is their delivery", line_ids: null, take: { kind: "fees", bps: 10_000 } },
    ];
  }
  if (billing.first_period !== "prorate") return [];
  const days = daysBetween(period.start, period.end);
  const wholeDays = daysBetween(boundary(billing, 0), period.end);
  const cost = sum(whole.lines.map(({ net }) => net));
  const amount = mulRatio(cost, days, wholeDays);
  return [{ id, title: `${days} of ${wholeDays} days`, line_ids: null, take: { kind: "fixed", amount } }];
}

function toMoney(priced: Priced, lines: readonly Line[]): ChargeMoney {
  const byId = new Map(lines.map((line) => [line.id, line]));
  return {
    lines: priced.lines.map((line) => ({
      id: line.id,
      product_ref: byId.get(line.id)?.product_ref ?? null,
      variant_ref: byId.get(line.id)?.variant_ref ?? null,
      title: byId.get(line.id)?.title ?? line.id,
      quantity: line.quantity,
      unit_price: line.unit_price,
      tax_rate_bps: line.tax_rate_bps,
      subtotal: line.subtotal,
      discount: line.discount,
      tax: line.tax,
    })),
    ...totalsOf(priced),
  };
}
