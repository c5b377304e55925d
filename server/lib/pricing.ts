import { allocate, mulBps, roundTo, sum, taxesOf, times } from "./money.ts";
import type { TaxGroup } from "./money.ts";

/** Something that is sold: `quantity` times `unit_price`. Weighed goods are priced by the whole gram or millilitre. */
export interface PriceLine {
  readonly id: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly tax_rate_bps: number;
}

/** Something that comes on top of the lines, such as delivery. */
export interface PriceFee {
  readonly id: string;
  readonly amount: number;
  /** Null: its tax follows the goods, apportioned by what the lines cost, as VAT on delivery of mixed goods does. */
  readonly tax_rate_bps: number | null;
}

/**
 * A change of price that was decided elsewhere, as data: discounts, bundles and offers are worked out by callers and handed in.
 * They apply in order, each to what those before it left.
 */
export interface Adjustment {
  /** Comes back in the trace and with each line that it touches. */
  readonly id: string;
  readonly title: string;
  /** Lines it is about; null is all of them. Lines that are not there are ignored. */
  readonly line_ids: readonly string[] | null;
  readonly take:
    /** A share of what the lines cost now. */
    | { readonly kind: "percent"; readonly bps: number }
    /** So much in all, at most what they cost. */
    | { readonly kind: "amount"; readonly amount: number }
    /** The lines together cost so much (a bundle at one price); nothing when they cost less already. */
    | { readonly kind: "fixed"; readonly amount: number }
    /** So much of each line by its id (units that an offer chose), at most what the line costs. */
    | { readonly kind: "each"; readonly amounts: Readonly<Record<string, number>> }
    /** A share of the fees; `line_ids` says nothing here. */
    | { readonly kind: "fees"; readonly bps: number }
    /** So much off the fees together, at most what they come to; `line_ids` says nothing here either. */
    | { readonly kind: "fee_amount"; readonly amount: number };
}

export interface PriceQuestion {
  readonly lines: readonly PriceLine[];
  readonly fees?: readonly PriceFee[];
  readonly adjustments?: readonly Adjustment[];
  /** Whether unit prices and fees already contain the tax. */
  readonly tax_included: boolean;
  /** The total is rounded to a multiple of so many minor units: 5 where the smallest coin is 5. */
  readonly round_total_to?: number;
}

export interface PricedLine extends PriceLine {
  /** Before adjustments. */
  readonly subtotal: number;
  readonly discount: number;
  /** `subtotal - discount`; with its tax inside when prices include it. */
  readonly net: number;
  readonly tax: number;
  readonly adjustments: readonly { readonly id: string; readonly amount: number }[];
}

export interface PricedFee extends PriceFee {
  readonly discount: number;
  readonly tax: number;
}

/** One step of the calculation, in words that a person can follow. `amount` is what it changed the total by. */
export interface PriceStep {
  readonly step: "lines" | "adjustment" | "fees" | "tax" | "rounding";
  readonly id: string | null;
  readonly detail: string;
  readonly amount: number;
}

/** `total = subtotal - discount + fees + (tax unless included) + rounding`, never negative. */
export interface Priced {
  readonly lines: readonly PricedLine[];
  readonly fees: readonly PricedFee[];
  readonly subtotal: number;
  /** Of lines and fees. */
  readonly discount: number;
  /** Before their discount. */
  readonly fee_total: number;
  readonly tax: number;
  readonly tax_included: boolean;
  readonly taxes: readonly TaxGroup[];
  readonly rounding: number;
  readonly total: number;
  readonly trace: readonly PriceStep[];
}

/** The totals of a price, as resources name them: all fees are for shipping. */
export const totalsOf = ({ subtotal, discount, fee_total: shipping, tax, tax_included, total }: Priced) => ({
  subtotal,
  discount,
  shipping,
  tax,
  tax_included,
  total,
});

/**
 * THE price of a list of lines: previews, quotes and real charges all come from here, so they cannot differ.
 * Pure. Everything adds up exactly: discounts are split over lines by largest remainder, tax is worked out per rate and
 * then split. The order of lines changes no total. Throws 422 `amount_out_of_range` beyond 2^53 - 1.
 */
export function price(question: PriceQuestion): Priced {
  const { tax_included: taxIncluded, round_total_to: step = 1 } = question;
  const drafts = question.lines.map(toDraft);
  const fees = (question.fees ?? []).map((fee) => ({ ...fee, discount: 0 }));
  const subtotal = sum(drafts.map((draft) => draft.subtotal));
  const trace: PriceStep[] = [
    { step: "lines", id: null, detail: countOf(drafts.length, "line"), amount: subtotal },
  ];
  for (const adjustment of question.adjustments ?? []) trace.push(applyAdjustment(drafts, fees, adjustment));
  const feeTotal = sum(fees.map((fee) => fee.amount));
  if (fees.length > 0) {
    trace.push({ step: "fees", id: null, detail: countOf(fees.length, "fee"), amount: feeTotal });
  }
  const taxed = addTaxes(drafts, fees, taxIncluded);
  for (const { tax_rate_bps: rate, taxable, tax } of taxed.groups) {
    const detail = `${rate / 100}% on ${taxable}${taxIncluded ? ", included" : ""}`;
    trace.push({ step: "tax", id: null, detail, amount: taxIncluded ? 0 : tax });
  }
  const discount = sum([...drafts, ...fees].map((entry) => entry.discount));
  const exact = sum([subtotal, feeTotal, -discount, taxIncluded ? 0 : taxed.tax]);
  const total = roundTo(exact, step);
  if (total !== exact) {
    trace.push({ step: "rounding", id: null, detail: `To a multiple of ${step}`, amount: total - exact });
  }
  return {
    lines: taxed.lines,
    fees: taxed.fees,
    subtotal,
    discount,
    fee_total: feeTotal,
    tax: taxed.tax,
    tax_included: taxIncluded,
    taxes: taxed.groups,
    rounding: total - exact,
    total,
    trace,
  };
}

type Draft = Omit<PricedLine, "tax" | "discount" | "net" | "adjustments"> & {
  discount: number;
  readonly adjustments: { readonly id: string; readonly amount: number }[];
};
type FeeDraft = PriceFee & { discount: number };

const toDraft = (line: PriceLine): Draft => ({
  ...line,
  subtotal: times(line.unit_price, line.quantity),
  discount: 0,
  adjustments: [],
});

const costOf = ({ subtotal, discount }: Draft): number => subtotal - discount;

/** Takes an adjustment off the lines or fees it is about, and returns what it came to. */
function applyAdjustment(
  drafts: readonly Draft[],
  fees: readonly FeeDraft[],
  adjustment: Adjustment,
): PriceStep {
  const { id, title, take, line_ids: lineIds } = adjustment;
  const targets = lineIds === null ? drafts : drafts.filter((draft) => lineIds.includes(draft.id));
  const taken =
    take.kind === "fees" || take.kind === "fee_amount"
      ? takeOffFees(fees, take)
      : takeOffLines(targets, id, take);
  return { step: "adjustment", id, detail: title, amount: taken === 0 ? 0 : -taken };
}

type FeeTake = Extract<Adjustment["take"], { kind: "fees" | "fee_amount" }>;
type LineTake = Exclude<Adjustment["take"], FeeTake>;

function takeOffFees(fees: readonly FeeDraft[], take: FeeTake): number {
  const left = fees.map((fee) => fee.amount - fee.discount);
  const cost = sum(left);
  const taken = take.kind === "fees" ? mulBps(cost, take.bps) : Math.min(cost, take.amount);
  for (const [at, share] of allocate(taken, left).entries()) {
    const fee = fees[at];
    if (fee !== undefined) fee.discount += share;
  }
  return taken;
}

function takeOffLines(targets: readonly Draft[], id: string, take: LineTake): number {
  const costs = targets.map(costOf);
  const shares =
    take.kind === "each"
      ? targets.map((draft, at) => Math.min(take.amounts[draft.id] ?? 0, costs[at] ?? 0))
      : allocate(wholeOf(take, sum(costs)), costs);
  for (const [at, amount] of shares.entries()) {
    const draft = targets[at];
    if (draft === undefined || amount === 0) continue;
    draft.discount += amount;
    draft.adjustments.push({ id, amount });
  }
  return sum(shares);
}

/** What an adjustment takes off lines that cost so much together: never more than that. */
function wholeOf(take: Exclude<LineTake, { kind: "each" }>, cost: number): number {
  if (take.kind === "percent") return Math.min(cost, mulBps(cost, take.bps));
  return take.kind === "amount" ? Math.min(cost, take.amount) : Math.max(0, cost - take.amount);
}

/** Splits each fee whose tax follows the goods over the lines, and works out the tax of all parts together. */
function addTaxes(drafts: readonly Draft[], fees: readonly FeeDraft[], included: boolean) {
  const costs = drafts.map(costOf);
  const lineParts = drafts.map((draft, at) => ({ amount: costs[at] ?? 0, tax_rate_bps: draft.tax_rate_bps }));
  const feeParts = fees.flatMap((fee, feeAt) =>
    partsOfFee(fee, drafts, costs).map((part) => ({ ...part, feeAt })),
  );
  const { parts, groups, total } = taxesOf([...lineParts, ...feeParts], included);
  const feeTaxes = fees.map((_, feeAt) =>
    sum(feeParts.flatMap((part, at) => (part.feeAt === feeAt ? [parts[drafts.length + at] ?? 0] : []))),
  );
  return {
    lines: drafts.map((draft, at): PricedLine => ({ ...draft, net: costOf(draft), tax: parts[at] ?? 0 })),
    fees: fees.map((fee, at): PricedFee => ({ ...fee, tax: feeTaxes[at] ?? 0 })),
    groups,
    tax: total,
  };
}

function partsOfFee(fee: FeeDraft, drafts: readonly Draft[], costs: readonly number[]) {
  const left = fee.amount - fee.discount;
  if (fee.tax_rate_bps !== null) return [{ amount: left, tax_rate_bps: fee.tax_rate_bps }];
  // Without goods there is nothing to follow: such a fee bears no tax.
  if (drafts.length === 0) return [{ amount: left, tax_rate_bps: 0 }];
  // By rate, not by line: splitting a line must not move a penny from one rate to another.
  const byRate = new Map<number, number>();
  for (const [at, { tax_rate_bps: rate }] of drafts.entries()) {
    byRate.set(rate, sum([byRate.get(rate) ?? 0, costs[at] ?? 0]));
  }
  const rates = [...byRate.keys()].sort((a, b) => a - b);
  const shares = allocate(
    left,
    rates.map((rate) => byRate.get(rate) ?? 0),
  );
  return rates.map((rate, at) => ({ amount: shares[at] ?? 0, tax_rate_bps: rate }));
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
