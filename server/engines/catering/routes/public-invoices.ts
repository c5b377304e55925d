import { linkParams, unknownLink } from "../../../core/link-page.ts";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import type { Reply } from "../../../core/reply.ts";
import { shops } from "../../../core/shop.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { shopName } from "../services/work.ts";
import { invoices } from "../repository.ts";
import type { Face } from "../../../core/face.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { Invoice, InvoiceItem } from "../schema/invoice.ts";
import { onLink } from "./env.ts";
import { deadEnd, link, page } from "./page.ts";
import type { PageWork } from "./page.ts";
import { invoiceTable, sumRow } from "../../../core/invoice-table.ts";

const show = defineOpenRoute({
  id: "public.invoices.show",
  method: "GET",
  path: "/invoices/:token",
  summary: "An invoice to read and to print",
  ...link("invoice"),
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "invoice", token, async (work, [id = ""]) => {
      const stored = await work.tx.get(invoices, id);
      if (stored === null || stored.value.status === "draft") throw unknownLink();
      if (stored.value.status === "void")
        return deadEnd(work, 410, ["catering.void_title", "catering.void_text"]);
      const shop = (await work.tx.get(shops, "shop"))?.value;
      return invoicePage(work, stored.value, shop?.legal_name ?? null);
    }),
});

const SAID: Readonly<Record<Invoice["status"], MessageKey | null>> = {
  draft: null,
  issued: null,
  partially_paid: null,
  paid: "invoice.paid",
  overdue: "invoice.overdue",
  disputed: "invoice.disputed",
  written_off: "invoice.written_off",
  void: null,
};

/** `legalName`: that of the shop, where its profile has one; a full VAT invoice needs it. */
async function invoicePage(
  work: PageWork,
  invoice: Invoice,
  legalName: string | null,
): Promise<Reply<never>> {
  const { face, settings } = work;
  const { date, say } = face;
  const money = (amount: number): string => face.money(amount, invoice.currency);
  const title = say("invoice.title", { number: invoice.number ?? "" });
  const said = SAID[invoice.status];
  const { bill_to: billTo } = invoice;
  const seller = lines(legalName ?? shopName(settings, face), settings.shop_address);
  const buyer = lines(billTo.company, billTo.name, billTo.address);
  const rows = await mapInSlices(invoice.orders, work.tx.part, (order) => orderRows(face, order, money));
  const pos = [...new Set(invoice.orders.flatMap(({ po_number: po }) => (po === null ? [] : [po])))];
  return page(work, {
    title,
    body: html`<p class="pre">${seller}</p>
      ${settings.vat_no === "" ? null : html`<p class="soft">${say("invoice.vat_number", { number: settings.vat_no })}</p>`}
      <h1>${title}</h1>
      ${said === null ? null : html`<p class="note" role="status">${say(said)}</p>`}
      <dl>
        <dt>${say("invoice.to")}</dt>
        <dd class="pre">${buyer}</dd>
        <dt>${say("invoice.issued")}</dt>
        <dd>${invoice.issued_on === null ? "" : date(invoice.issued_on, "full")}</dd>
        <dt>${say("invoice.due")}</dt>
        <dd>${date(invoice.due_on, "full")}</dd>
        ${
          pos.length === 0
            ? null
            : html`<dt>${say("catering.po")}</dt>
                <dd>${pos.join(", ")}</dd>`
        }
      </dl>
      ${invoiceTable(face, {
        title,
        amount: "table.amount",
        rows: rows.flat(),
        sums: [
          softRow(say("invoice.net_total"), money(invoice.net)),
          ...taxesOf(face, invoice).map(({ label, tax }) => softRow(label, money(tax))),
          sumRow(say("table.total"), money(invoice.total)),
          ...(invoice.paid === 0 ? [] : [sumRow(say("invoice.paid_amount"), money(-invoice.paid))]),
          sumRow(say("invoice.to_pay"), money(Math.max(0, invoice.balance))),
        ],
      })}
      <p class="soft">${say("invoice.net_note")}</p>
      ${
        settings.bank_details === "" || invoice.balance <= 0
          ? null
          : html`<h2>${say("invoice.how_to_pay")}</h2>
              <p class="pre">${settings.bank_details}</p>`
      }`,
  });
}

const softRow = (label: string, amount: string): Html =>
  html`<tr>
    <td colspan="4" class="soft">${label}</td>
    <td class="n soft">${amount}</td>
  </tr>`;

/** The texts that are not empty, one on each line. */
const lines = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join("\n");

type Money = (amount: number) => string;

/** An order, its day (the date of supply), and what it consists of. */
function orderRows(face: Face, order: Invoice["orders"][number], money: Money): Html[] {
  const { cost_centre: centre, items, order_number: number, title } = order;
  const { date, say } = face;
  const heads = say("catering.heads", { count: order.heads });
  const about = { number, title, heads, date: date(order.delivered_on, "full"), centre: centre ?? "" };
  const header = html`<tr>
    <td colspan="5" class="soft">
      ${say(centre === null ? "invoice.order" : "invoice.order_centre", about)}
    </td>
  </tr>`;
  // An invoice that an older version issued has no items.
  if (items.length === 0) {
    return [header, sumRow(order.title, money(order.net))];
  }
  return [header, ...items.map((one) => itemRow(face, one, money))];
}

const itemRow = ({ rate, say }: Face, item: InvoiceItem, money: Money): Html =>
  html`<tr>
    <td>
      ${item.title}${item.discount === 0 ? null : html`<br /><span class="soft">${say("invoice.discount", { amount: money(-item.discount) })}</span>`}
    </td>
    <td class="n">${item.quantity}</td>
    <td class="n">${money(item.unit_price)}</td>
    <td class="n">${rate(item.tax_rate_bps)}</td>
    <td class="n">${money(item.net)}</td>
  </tr>`;

const taxesOf = (
  { money, rate, say }: Face,
  { taxes, tax, currency }: Invoice,
): { label: string; tax: number }[] =>
  taxes.length === 0
    ? [{ label: say("table.vat_only"), tax }]
    : taxes.map(({ net, tax: own, tax_rate_bps: bps }) => ({
        label: say("table.vat_on", { rate: rate(bps), net: money(net, currency) }),
        tax: own,
      }));

export const publicInvoiceRoutes = [show];
