import { sum } from "../../../lib/money.ts";
import { taxesByRate } from "../../../lib/vat.ts";
import type { TaxedItem } from "../../../lib/vat.ts";
import type { Contract } from "../schema.ts";
import { sharesOf } from "./new-invoice.ts";

type Taxes = Contract["credit_taxes"];

/** A credit, and its amounts by rates of tax as far as they are known: what was given back for goods takes the tax of those off. */
interface Credit {
  readonly credit: number;
  readonly credit_taxes: TaxedItem[];
}

/** A credit after amounts by rates were added to what is known of it, or, in `less`, removed; that is never more than the credit. */
export function creditOf(
  credit: number,
  taxes: Taxes,
  { add = [], less = [] }: { add?: Taxes; less?: Taxes } = {},
): Credit {
  const gone = less.map(({ tax_rate_bps, net, tax }) => ({ tax_rate_bps, net: 0 - net, tax: 0 - tax }));
  const known = taxesByRate([...(taxes ?? []), ...add, ...gone]);
  const whole = sum(known.map(({ net, tax }) => net + tax));
  const shares = whole <= 0 ? [] : sharesOf(known, Math.min(credit, whole));
  return {
    credit,
    credit_taxes: shares.flatMap(({ tax, total }, at) =>
      total === 0 ? [] : [{ tax_rate_bps: known[at]?.tax_rate_bps ?? 0, net: total - tax, tax }],
    ),
  };
}

/** The credit of a contract without what a charge uses of it. */
export const creditAfter = (
  { credit, credit_taxes: taxes }: Pick<Contract, "credit" | "credit_taxes">,
  used: { readonly credit_applied: number; readonly credit_taxes?: Taxes },
): Credit => creditOf(credit - used.credit_applied, taxes, { less: used.credit_taxes });
