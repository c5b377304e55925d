import type { Shop } from "../../../core/shop.ts";
import { derivedId } from "../../../core/ids.ts";
import { retainedUntil } from "../../../core/retention.ts";
import { toInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Charge } from "../schema/charge.ts";
import type { Invoice, InvoiceItem } from "../schema/invoice.ts";
import type { Contract, Settings } from "../schema.ts";
import { allocate, BPS, mulRatio, sum, taxesOf } from "../../../lib/money.ts";
import { taxesByRate } from "../../../lib/vat.ts";

/** What a document is issued for, and from which store. */
export interface IssueInput {
  readonly now: number;
  readonly shop: Shop | null;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly charge: Charge;
  readonly number: string;
}

export interface Credited {
  readonly id: string;
  readonly amount: number;
  readonly title: "Refund" | "Cancelled";
}

/** A charge has one invoice, and a refund one credit note: their ids follow from what they are for. */
export const invoiceIdOf = (subject: string): string => derivedId("inv", new Uint8Array(), [subject]);

/** Whether a charge is invoiced: it is paid, or asked for by hand. */
export const isInvoiced = ({ amount_due: due, paid_at: paidAt, status }: Charge): boolean =>
  due !== 0 && (paidAt !== null || status === "pending_manual");

/** Whether a charge is paid by goods of other rates of tax, or by a credit of them: an invoice over nothing, which moves tax from rate to rate. */
export const isExchanged = (charge: Charge, shippingRate: number | null): boolean =>
  charge.amount_due === 0 &&
  charge.paid_at !== null &&
  invoiceOf(charge, shippingRate).taxes.some(({ net, tax }) => net !== 0 || tax !== 0);

export const newInvoice = (input: IssueInput, subject = input.charge.id): Invoice => {
  const { charge, contract } = input;
  return {
    ...commonOf(input),
    ...invoiceOf(charge, contract.shipping_tax_rate_bps),
    id: invoiceIdOf(subject),
    kind: "invoice",
    supplied_on: localDateAt(Date.parse(charge.paid_at ?? charge.due_at), contract.timezone),
    refund_id: null,
    invoice_id: null,
    invoice_number: null,
  };
};

/** `before` was credited already. */
export const newCreditNote = (
  input: IssueInput,
  invoice: Invoice,
  { id, amount, title }: Credited,
  before: number,
): Invoice => {
  const common = commonOf(input);
  return {
    ...common,
    ...creditNoteOf(invoice, before, amount, title),
    id: invoiceIdOf(id),
    kind: "credit_note",
    supplied_on: common.issued_on,
    refund_id: title === "Refund" ? id : null,
    invoice_id: invoice.id,
    invoice_number: invoice.number,
  };
};

function commonOf({ charge, contract, now, number, settings, shop }: IssueInput) {
  const nowAt = toInstant(now);
  const today = localDateAt(now, contract.timezone);
  const { id, name, email } = contract.customer;
  return {
    created_at: nowAt,
    updated_at: nowAt,
    number,
    issued_on: today,
    contract_id: contract.id,
    charge_id: charge.id,
    seller: {
      name: shop?.legal_name ?? shop?.name ?? settings.shop_name,
      address: shop?.address ?? "",
      vat_number: shop?.vat_number ?? null,
    },
    customer: { id, name, email, address: contract.delivery?.address ?? "" },
    period: charge.period,
    currency: charge.currency,
    retained_until: retainedUntil(today, settings.invoice_retention_years),
    erasure_due: false,
  };
}

type Amounts = Pick<Invoice, "items" | "taxes" | "net" | "tax" | "total">;

/**
 * The lines of the invoice of a charge. They add up to what is collected: lines, delivery, changes of earlier periods, less
 * the credit that is used. `shippingRate` null: the tax of the delivery follows the goods.
 */
export function invoiceOf(charge: Charge, shippingRate: number | null): Amounts {
  const lines = charge.lines.map((line) => lineItem(charge, line));
  const items = [...lines, ...shippingItems(charge, lines, shippingRate), ...carriedItems(charge, lines)];
  return toAmounts([...items, ...creditItems(items, charge)]);
}

/**
 * The lines of a credit note over `amount`, by rates of the invoice. `before` was credited already: shares are taken of the
 * running sum, so that credit notes over the whole invoice equal it at every rate.
 */
export function creditNoteOf(invoice: Amounts, before: number, amount: number, title: string): Amounts {
  const [was, is] = [before, before + amount].map((sumSoFar) => sharesOf(invoice.taxes, sumSoFar));
  const items = invoice.taxes.flatMap(({ tax_rate_bps: rate }, at) => {
    const total = (is?.[at]?.total ?? 0) - (was?.[at]?.total ?? 0);
    const tax = (is?.[at]?.tax ?? 0) - (was?.[at]?.tax ?? 0);
    return total === 0 && tax === 0 ? [] : [itemOf(title, rate, tax - total, -tax)];
  });
  return toAmounts(items);
}

/** Of amounts by rates, those of a part of their sum. */
export function sharesOf(
  groups: Invoice["taxes"],
  amount: number,
): { readonly total: number; readonly tax: number }[] {
  const gross = groups.map(({ net, tax }) => net + tax);
  return sharesByGross(gross, amount).map((total, at) => {
    const whole = gross[at] ?? 0;
    const { tax = 0 } = groups[at] ?? {};
    return {
      total,
      tax: whole === 0 ? 0 : mulRatio(Math.abs(total), Math.abs(tax), Math.abs(whole)) * Math.sign(tax),
    };
  });
}

/** Splits an amount; where goods of one rate were given up for those of another, what was given up comes back in the same measure. */
function sharesByGross(gross: readonly number[], amount: number): number[] {
  const whole = sum(gross);
  if (whole <= 0 || gross.every((part) => part >= 0))
    return allocate(
      amount,
      gross.map((part) => Math.max(0, part)),
    );
  const back = gross.map((part) => (part < 0 ? mulRatio(part, amount, whole) : 0));
  const rest = allocate(
    amount - sum(back),
    gross.map((part) => Math.max(0, part)),
  );
  return rest.map((part, at) => part + (back[at] ?? 0));
}

function toAmounts(items: readonly InvoiceItem[]): Amounts {
  const [net, tax] = [sum(items.map((item) => item.net)), sum(items.map((item) => item.tax))];
  return { items: [...items], taxes: taxesByRate(items), net, tax, total: net + tax };
}

const itemOf = (title: string, rate: number, net: number, tax: number): InvoiceItem => ({
  title,
  quantity: 1,
  unit_price: net,
  discount: 0,
  tax_rate_bps: rate,
  net,
  tax,
  total: net + tax,
});

function lineItem({ tax_included: included }: Charge, line: Charge["lines"][number]): InvoiceItem {
  const { title, quantity, tax_rate_bps: rate, subtotal, discount, tax } = line;
  const cost = subtotal - discount;
  const net = included ? cost - tax : cost;
  const withoutTax = (amount: number, among = 1): number => {
    const size = mulRatio(Math.abs(amount), BPS, (included ? BPS + rate : BPS) * among);
    return amount < 0 ? -size : size;
  };
  return {
    title,
    quantity,
    unit_price: withoutTax(subtotal, Math.max(1, quantity)),
    discount: withoutTax(discount),
    tax_rate_bps: rate,
    net,
    tax,
    total: net + tax,
  };
}

/** Delivery: the rest of the charge's amounts and tax after its lines. */
function shippingItems(charge: Charge, lines: readonly InvoiceItem[], own: number | null): InvoiceItem[] {
  const cost = charge.shipping - (charge.discount - sum(charge.lines.map(({ discount }) => discount)));
  const tax = charge.tax - sum(lines.map((line) => line.tax));
  if (cost === 0 && tax === 0) return [];
  const total = charge.tax_included ? cost : cost + tax;
  const rates = taxesByRate(lines).filter(({ net, tax: part }) => net + part > 0);
  const [only] = rates;
  if (own !== null || rates.length < 2) {
    return [
      itemOf("Delivery", own ?? only?.tax_rate_bps ?? rateOf(total - tax, tax, lines), total - tax, tax),
    ];
  }
  const parts = allocate(
    cost,
    rates.map(({ net, tax: part }) => (charge.tax_included ? net + part : net)),
  ).map((amount, at) => ({ amount, tax_rate_bps: rates[at]?.tax_rate_bps ?? 0 }));
  // The tax of a rate is rounded once, with the goods, as the price was.
  const goods = charge.lines.map(({ subtotal, discount, tax_rate_bps }) => ({
    amount: subtotal - discount,
    tax_rate_bps,
  }));
  const expected = taxesOf([...goods, ...parts], charge.tax_included).parts.slice(goods.length);
  const taxes = sum(expected) === 0 ? parts.map(() => 0) : allocate(tax, expected);
  return parts.map(({ amount, tax_rate_bps: rate }, at) => {
    const share = taxes[at] ?? 0;
    return itemOf("Delivery", rate, charge.tax_included ? amount - share : amount, share);
  });
}

/** Changes of earlier periods. Of those that were stored without their rates only the sum of their tax is known. */
function carriedItems(
  { carried, carried_tax: tax, carried_taxes: taxes = [] }: Charge,
  lines: readonly InvoiceItem[],
): InvoiceItem[] {
  const [net, rest] = [
    carried - tax - sum(taxes.map((one) => one.net)),
    tax - sum(taxes.map((one) => one.tax)),
  ];
  const known = taxes.map((one) => [one.tax_rate_bps, one.net, one.tax] as const);
  return [...known, [rateOf(net, rest, lines), net, rest] as const]
    .filter(([, own, ownTax]) => own !== 0 || ownTax !== 0)
    .map((one) => itemOf("Changes of the subscription", ...one));
}

/** What is due of a charge, or another part of what it comes to before its credit, by rates of tax. */
export function partByRate(charge: Charge, shippingRate: number | null, amount: number): Invoice["taxes"] {
  if (amount === charge.amount_due) return invoiceOf(charge, shippingRate).taxes;
  const whole = invoiceOf({ ...charge, credit_applied: 0, credit_taxes: [] }, shippingRate);
  return creditNoteOf(whole, 0, amount, "").taxes.map((group) => ({
    ...group,
    net: 0 - group.net,
    tax: 0 - group.tax,
  }));
}

/** The rate of a line that fits an amount and its tax, else the one that results. */
function rateOf(net: number, tax: number, lines: readonly InvoiceItem[]): number {
  const fits = lines.find(({ tax_rate_bps: rate }) => Math.abs((net * rate) / BPS - tax) <= 1);
  const actual = net <= 0 ? 0 : Math.min(BPS, Math.max(0, Math.round((tax * BPS) / net)));
  return fits?.tax_rate_bps ?? actual;
}

/** What changes gave back takes the tax of its own rates off; any other credit that of the rest of the invoice. */
function creditItems(
  items: readonly InvoiceItem[],
  { credit_applied, credit_taxes = [] }: Charge,
): InvoiceItem[] {
  const known = credit_taxes.map(({ tax_rate_bps, net, tax }) =>
    itemOf("Credit", tax_rate_bps, 0 - net, 0 - tax),
  );
  const rest = credit_applied + sum(known.map(({ total }) => total));
  if (rest === 0) return known;
  const groups = taxesByRate([...items, ...known]);
  const others = sharesOf(groups, rest).flatMap(({ total, tax }, at) =>
    total === 0 ? [] : [itemOf("Credit", groups[at]?.tax_rate_bps ?? 0, tax - total, -tax)],
  );
  return [...known, ...others];
}
