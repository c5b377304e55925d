import { linkParams, unknownLink } from "../../../core/link-page.ts";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/route.ts";
import { shops } from "../../../core/shop.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { shopName } from "../services/world.ts";
import type { World } from "../services/world.ts";
import { invoices } from "../repository.ts";
import { showMoney } from "../../../lib/show.ts";
import { showDate, showHeads, showRate } from "../rules/show.ts";
import type { Invoice, InvoiceItem } from "../schema/invoice.ts";
import { onLink } from "./env.ts";
import { deadEnd, link, page } from "./page.ts";

const show = defineOpenRoute({
  id: "public.invoices.show",
  method: "GET",
  path: "/invoices/:token",
  summary: "An invoice to read and to print",
  ...link,
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "invoice", token, async (world, [id = ""]) => {
      const stored = await world.tx.get(invoices, id);
      if (stored === null || stored.value.status === "draft") throw unknownLink();
      if (stored.value.status === "void")
        return deadEnd(410, "This invoice is void", "Do not pay it. A new one is on its way to you.");
      const shop = (await world.tx.get(shops, "shop"))?.value;
      return invoicePage(world, stored.value, shop?.legal_name ?? null);
    }),
});

const SAID: Readonly<Record<Invoice["status"], string | null>> = {
  draft: null,
  issued: null,
  partially_paid: null,
  paid: "Paid. Thank you.",
  overdue: "This invoice is overdue.",
  disputed: "This invoice is in dispute.",
  written_off: "Nothing is left to be paid.",
  void: null,
};

/** `legalName`: that of the shop, where its profile has one; a full VAT invoice needs it. */
function invoicePage({ settings }: World, invoice: Invoice, legalName: string | null): Reply<never> {
  const money = (amount: number): string => showMoney(amount, invoice.currency);
  const said = SAID[invoice.status];
  const pos = [...new Set(invoice.orders.flatMap(({ po_number: po }) => (po === null ? [] : [po])))];
  return page({
    title: `Invoice ${invoice.number ?? ""}`,
    body: html`<p class="pre">
        ${[legalName ?? shopName(settings), settings.shop_address].filter((text) => text !== "").join("\n")}
      </p>
      ${settings.vat_no === "" ? null : html`<p class="soft">VAT ${settings.vat_no}</p>`}
      <h1>Invoice ${invoice.number ?? ""}</h1>
      ${said === null ? null : html`<p class="note" role="status">${said}</p>`}
      <dl>
        <dt>To</dt>
        <dd class="pre">
          ${[invoice.bill_to.company, invoice.bill_to.name, invoice.bill_to.address].filter((text) => text !== "").join("\n")}
        </dd>
        <dt>Issued</dt>
        <dd>${invoice.issued_on === null ? "" : showDate(invoice.issued_on)}</dd>
        <dt>Due</dt>
        <dd>${showDate(invoice.due_on)}</dd>
        ${
          pos.length === 0
            ? null
            : html`<dt>Purchase order</dt>
                <dd>${pos.join(", ")}</dd>`
        }
      </dl>
      <table>
        <thead>
          <tr>
            <th>Description</th>
            <th class="n">Quantity</th>
            <th class="n">Unit price</th>
            <th class="n">VAT rate</th>
            <th class="n">Amount</th>
          </tr>
        </thead>
        <tbody>
          ${invoice.orders.flatMap((order) => orderRows(order, money))}
        </tbody>
        <tfoot>
          <tr>
            <td colspan="4" class="soft">Total excluding VAT</td>
            <td class="n soft">${money(invoice.net)}</td>
          </tr>
          ${taxesOf(invoice).map(
            ({ label, tax }) =>
              html`<tr>
                <td colspan="4" class="soft">${label}</td>
                <td class="n soft">${money(tax)}</td>
              </tr>`,
          )}
          <tr>
            <td colspan="4">Total</td>
            <td class="n">${money(invoice.total)}</td>
          </tr>
          ${
            invoice.paid === 0
              ? null
              : html`<tr>
                  <td colspan="4">Paid</td>
                  <td class="n">${money(-invoice.paid)}</td>
                </tr>`
          }
          <tr>
            <td colspan="4">To pay</td>
            <td class="n">${money(Math.max(0, invoice.balance))}</td>
          </tr>
        </tfoot>
      </table>
      <p class="soft">Unit prices and amounts exclude VAT. Unit prices are rounded.</p>
      ${
        settings.bank_details === "" || invoice.balance <= 0
          ? null
          : html`<h2>How to pay</h2>
              <p class="pre">${settings.bank_details}</p>`
      }`,
  });
}

type Money = (amount: number) => string;

/** An order, its day (the date of supply), and what it consists of. */
function orderRows(order: Invoice["orders"][number], money: Money): Html[] {
  const { cost_centre: centre, heads, items, order_number: number } = order;
  const header = html`<tr>
    <td colspan="5" class="soft">
      Order ${number}: ${order.title}${centre === null ? "" : ` (${centre})`},
      ${showDate(order.delivered_on)}, ${showHeads(heads)}
    </td>
  </tr>`;
  // An invoice that an older version issued has no items.
  if (items.length === 0) {
    return [
      header,
      html`<tr>
        <td colspan="4">${order.title}</td>
        <td class="n">${money(order.net)}</td>
      </tr>`,
    ];
  }
  return [header, ...items.map((one) => itemRow(one, money))];
}

const itemRow = (item: InvoiceItem, money: Money): Html =>
  html`<tr>
    <td>
      ${item.title}${item.discount === 0 ? null : html`<br /><span class="soft">Discount ${money(-item.discount)}</span>`}
    </td>
    <td class="n">${item.quantity}</td>
    <td class="n">${money(item.unit_price)}</td>
    <td class="n">${showRate(item.tax_rate_bps)}</td>
    <td class="n">${money(item.net)}</td>
  </tr>`;

const taxesOf = ({ taxes, tax, currency }: Invoice): { label: string; tax: number }[] =>
  taxes.length === 0
    ? [{ label: "VAT", tax }]
    : taxes.map(({ net, tax: own, tax_rate_bps: rate }) => ({
        label: `VAT ${showRate(rate)} on ${showMoney(net, currency)}`,
        tax: own,
      }));

export const publicInvoiceRoutes = [show];
