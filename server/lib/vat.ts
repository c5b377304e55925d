import { sum } from "./money.ts";

/** A line of an invoice: amounts without VAT, its rate and its VAT. */
export interface TaxedItem {
  readonly tax_rate_bps: number;
  readonly net: number;
  readonly tax: number;
}

/** Net amounts and VAT by rate, lowest rate first. */
export function taxesByRate(items: readonly TaxedItem[]): TaxedItem[] {
  const rates = [...new Set(items.map(({ tax_rate_bps: rate }) => rate))].sort((a, b) => a - b);
  return rates.map((rate) => {
    const own = items.filter(({ tax_rate_bps: one }) => one === rate);
    return { tax_rate_bps: rate, net: sum(own.map(({ net }) => net)), tax: sum(own.map(({ tax }) => tax)) };
  });
}
