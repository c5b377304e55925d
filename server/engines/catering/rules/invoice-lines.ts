import { BPS, mulRatio } from "../../../lib/money.ts";
import { taxesByRate } from "../../../lib/vat.ts";
import type { Invoice, InvoiceItem } from "../schema/invoice.ts";
import type { Order } from "../schema/order.ts";
import { taxIn } from "./new-order.ts";

/**
 * What an order is invoiced for, line by line, as a full VAT invoice lists it: unit price and amount without VAT, rate and VAT.
 * Each line bears its share of the discounts. Source: gov.uk/vat-record-keeping/vat-invoices, "What to include".
 */
export function itemsOf(order: Order): InvoiceItem[] {
  if (order.cancellation !== null) return [cancellationItem(order)];
  const { totals, lines, fees } = order;
  const titles = new Map([...lines, ...fees].map(({ id, title }) => [id, title]));
  return totals.lines.flatMap(({ line_id: id, quantity, amount, discount, tax, tax_rate_bps: rate }) => {
    if (rate === null || amount === 0) return [];
    const withoutTax = (value: number, among = 1): number =>
      totals.tax_included ? mulRatio(value, BPS, (BPS + rate) * among) : mulRatio(value, 1, among);
    const net = amount - discount - (totals.tax_included ? tax : 0);
    return [
      {
        title: titles.get(id) ?? order.title,
        quantity,
        unit_price: withoutTax(amount, Math.max(1, quantity)),
        discount: withoutTax(discount),
        tax_rate_bps: rate,
        net,
        tax,
        total: net + tax,
      },
    ];
  });
}

function cancellationItem(order: Order): InvoiceItem {
  const tax = taxIn(order);
  const net = order.total - tax;
  return {
    title: "Cancellation fee",
    quantity: 1,
    unit_price: net,
    discount: 0,
    tax_rate_bps: order.policy.fee_tax_rate_bps,
    net,
    tax,
    total: order.total,
  };
}

/** Net amounts and VAT by rate, lowest rate first. */
export const taxesOfItems = (items: readonly InvoiceItem[]): Invoice["taxes"] => taxesByRate(items);
