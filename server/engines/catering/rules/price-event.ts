import { mulBps, mulRatio, sum, times } from "../../../lib/money.ts";
import { price } from "../../../lib/pricing.ts";
import type { Adjustment, PriceFee, PriceLine } from "../../../lib/pricing.ts";
import type { Line, Totals } from "../schema/parts.ts";

export interface EventToPrice {
  readonly lines: readonly Line[];
  readonly heads: number;
  readonly tax_included: boolean;
  /** Fees beyond the lines: surcharges, cancellations. */
  readonly extra?: readonly PriceFee[];
}

/**
 * THE price of an event for a number of heads: quotes, previews, orders and fees for changes all come from here.
 * Discounts come off the food, percentages after amounts; delivery and service charges are fees on top; a percentage
 * of service charge is of the food after discounts. The amounts of the lines add up to the total, with the tax of the lines where prices
 * do not include it. Throws 422 `amount_out_of_range` beyond 2^53 - 1.
 */
export function priceEvent({ lines, heads, tax_included: taxIncluded, extra = [] }: EventToPrice): Totals {
  const chosen = lines.filter((line) => !line.optional || line.selected);
  const food = chosen.filter(({ type }) => !FEES.has(type) && type !== "discount");
  const parts = food.flatMap((line) => partsOf(line, heads));
  const discounts = chosen.filter(({ type }) => type === "discount").map((line) => toAdjustment(line, heads));
  // Amounts first: what a percentage is of does not depend on the order of the lines.
  const adjustments = [...discounts].sort(byKind);
  const feeLines = chosen.filter(({ type }) => FEES.has(type));
  // The goods are priced by themselves only for fees that are a percentage of them.
  const goods = feeLines.some((line) => line.rate_bps !== null)
    ? price({ lines: parts, adjustments, tax_included: taxIncluded }).lines
    : [];
  const net = sum(goods.map((line) => line.net));
  const fees = feeLines.map((line) => toFee(line, heads, net));
  const units = new Map(
    feeLines.map((line) => [line.id, line.rate_bps === null ? quantityOf(line, heads) : 1]),
  );
  const whole = price({ lines: parts, adjustments, fees: [...fees, ...extra], tax_included: taxIncluded });
  return {
    subtotal: whole.subtotal,
    discount: whole.discount,
    fees: whole.fee_total,
    tax: whole.tax,
    tax_included: taxIncluded,
    taxes: whole.taxes.map((group) => ({ ...group })),
    total: whole.total,
    per_head: heads === 0 ? null : mulRatio(whole.total, 1, heads),
    lines: [
      ...food.map((line) => {
        const own = whole.lines.filter(({ id }) => lineOf(id) === line.id);
        return {
          line_id: line.id,
          quantity: sum(own.map((part) => part.quantity)),
          amount: sum(own.map((part) => part.subtotal)),
          discount: sum(own.map((part) => part.discount)),
          tax_rate_bps: line.tax_rate_bps,
          tax: sum(own.map((part) => part.tax)),
        };
      }),
      ...discountLines(discounts, whole.trace),
      ...whole.fees.map((fee) => ({
        line_id: fee.id,
        quantity: units.get(fee.id) ?? 1,
        amount: fee.amount,
        discount: 0,
        tax_rate_bps: fee.tax_rate_bps,
        tax: fee.tax,
      })),
    ],
  };
}

const FEES: ReadonlySet<Line["type"]> = new Set(["delivery", "service_charge"]);

/** A graduated line is priced as one line a step. The step follows a blank, which no id contains. */
const partsOf = (line: Line, heads: number): PriceLine[] =>
  stepsOf(line, heads).map((step, at) => ({
    id: `${line.id} ${at}`,
    quantity: step.quantity,
    unit_price: step.unit_price,
    tax_rate_bps: line.tax_rate_bps,
  }));

const lineOf = (partId: string): string => partId.slice(0, partId.lastIndexOf(" "));

const toAdjustment = (line: Line, heads: number): Adjustment => ({
  id: line.id,
  title: line.title,
  line_ids: null,
  take:
    line.rate_bps === null
      ? { kind: "amount", amount: costOf(line, heads) }
      : { kind: "percent", bps: line.rate_bps },
});

const byKind = (a: Adjustment, b: Adjustment): number =>
  Number(a.take.kind === "percent") - Number(b.take.kind === "percent");

const toFee = (line: Line, heads: number, net: number): PriceFee => ({
  id: line.id,
  amount: line.rate_bps === null ? costOf(line, heads) : mulBps(net, line.rate_bps),
  tax_rate_bps: line.tax_rate_bps,
});

const costOf = (line: Line, heads: number): number =>
  sum(stepsOf(line, heads).map((step) => times(step.unit_price, step.quantity)));

const discountLines = (
  discounts: readonly Adjustment[],
  trace: readonly { readonly id: string | null; readonly amount: number }[],
): Totals["lines"] =>
  discounts.map(({ id }) => ({
    line_id: id,
    quantity: 1,
    amount: trace.find((step) => step.id === id)?.amount ?? 0,
    discount: 0,
    tax_rate_bps: null,
    tax: 0,
  }));

/** So many units at one price. */
interface Step {
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
