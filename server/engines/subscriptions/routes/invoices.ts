import { invoiceIdOf } from "../rules/new-invoice.ts";
import { z } from "zod";

import { readFace, storeFace } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import { LinkParams, linkPage, linkParams, requireLink } from "../../../core/link-page.ts";
import { fail } from "../../../lib/errors.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { resource } from "../../../core/resource.ts";
import type { Reply } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { invoices } from "../repository.ts";
import { ADJUSTMENT_TITLE } from "../rules/adjust.ts";
import { SELF_SERVICE } from "../rules/self-service.ts";
import { Invoice } from "../schema/invoice.ts";
import { invoiceTable, sumRow } from "../../../core/invoice-table.ts";

const EXAMPLE = invoiceIdOf("chg_8NKH5BGKS3KVV80XDF9EKPW05C");

const invoiceResource = resource({
  id: "subscriptions.invoices",
  collection: invoices,
  view: withVersion(Invoice),
  example: EXAMPLE,
});

const listInvoices = invoiceResource.list({
  summary: "List invoices and credit notes, newest first",
  query: z.object({ ...listFields, contract_id: Id.optional(), charge_id: Id.optional() }),
  find: ({ limit, cursor, contract_id: contract, charge_id: charge }) => {
    const value = charge ?? contract;
    return { ...(value === undefined ? {} : { index: "by", value }), limit, cursor };
  },
});

const getInvoice = invoiceResource.get({ summary: "Show an invoice or a credit note" });

const printInvoice = invoiceResource.read("print", {
  summary: "Show an invoice or a credit note as a page to print or to save as PDF",
  data: z.string(),
  rawType: "text/html",
  handle: async ({ params: { id } }, { tx }) =>
    invoicePage(await storeFace(tx), (await tx.require(invoices, id)).value),
});

const showInvoice = defineOpenRoute({
  id: "public.subscriptions.invoice",
  method: "GET",
  path: "/subscriptions/:token/invoices/:invoice_id",
  summary: "An invoice of a contract, for its customer",
  ...linkPage(SELF_SERVICE),
  params: LinkParams.extend({ invoice_id: Id }),
  example: { params: { ...linkParams, invoice_id: EXAMPLE } },
  async handle({ params: { token, invoice_id: id } }, ctx) {
    const { id: contractId, part } = requireLink(ctx, SELF_SERVICE, token);
    return ctx.runTx(part, async (tx) => {
      const invoice = await tx.get(invoices, id);
      if (invoice?.value.contract_id !== contractId)
        throw fail("not_found", "There is no such invoice of this subscription.");
      return invoicePage(await readFace(ctx, tx), invoice.value);
    });
  },
});

/** What an invoice has next to goods, by the title that it is stored under, in the language of the reader. */
const OWN_TITLES: ReadonlyMap<string, Parameters<Face["say"]>[0]> = new Map([
  [ADJUSTMENT_TITLE, "invoice.adjustment"],
  ["Cancelled", "invoice.cancelled"],
  ["Changes of the subscription", "invoice.changes"],
  ["Credit", "invoice.credit"],
  ["Delivery", "invoice.delivery"],
  ["Refund", "invoice.refund"],
]);

function titleIn({ say }: Face, title: string): string {
  const name = OWN_TITLES.get(title);
  return name === undefined ? title : say(name);
}

function invoicePage(face: Face, invoice: Invoice): Reply<never> {
  const { seller, customer, kind, number, items, taxes, currency } = invoice;
  const { date, rate, say } = face;
  const money = (amount: number): string => face.money(amount, currency);
  const isVat = seller.vat_number !== null;
  const invoiceTitle = isVat ? "invoice.vat_title" : "invoice.title";
  const title = say(kind === "credit_note" ? "invoice.credit_note" : invoiceTitle, { number });
  const fact = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return face.page({
    title,
    policy: "form-action 'none'",
    body: html`<main>
      <h1>${title}</h1>
      <div class="parties">
        <div>
          <p class="soft">${say("invoice.from")}</p>
          <strong>${seller.name === "" ? say("shop") : seller.name}</strong>
          <p class="pre">${seller.address}</p>
          ${isVat ? html`<p>${say("invoice.vat_number", { number: seller.vat_number ?? "" })}</p>` : null}
        </div>
        <div>
          <p class="soft">${say("invoice.bill_to")}</p>
          <strong>${customer.name === "" ? customer.email : customer.name}</strong>
          <p class="pre">${customer.address}</p>
        </div>
        <dl>
          ${fact(say("invoice.date"), date(invoice.issued_on))}
          ${fact(say("invoice.supplied"), date(invoice.supplied_on))}
          ${fact(
            say("invoice.period"),
            say("invoice.from_to", { start: date(invoice.period.start), end: date(invoice.period.end) }),
          )}
          ${invoice.invoice_number === null ? null : fact(say("invoice.corrects"), invoice.invoice_number)}
        </dl>
      </div>
      ${invoiceTable(face, {
        title,
        amount: "table.net",
        rows: items.map(
          (item) =>
            html`<tr>
              <td>
                ${titleIn(face, item.title)}${item.discount === 0 ? null : ` (${say("invoice.discount", { amount: money(item.discount) })})`}
              </td>
              <td class="n">${item.quantity}</td>
              <td class="n">${money(item.unit_price)}</td>
              <td class="n">${rate(item.tax_rate_bps)}</td>
              <td class="n">${money(item.net)}</td>
            </tr>`,
        ),
        sums: [
          softRow(say("invoice.net_total"), money(invoice.net)),
          ...taxes.map(({ tax_rate_bps: bps, net, tax }) =>
            softRow(say("table.vat_on", { rate: rate(bps), net: money(net) }), money(tax)),
          ),
          sumRow(say("table.total"), money(invoice.total)),
        ],
      })}
    </main>`,
  });
}

const softRow = (label: string, amount: string): Html =>
  html`<tr>
    <td colspan="4" class="soft">${label}</td>
    <td class="n">${amount}</td>
  </tr>`;

export const invoiceRoutes = [listInvoices, getInvoice, printInvoice];
export const invoiceLinkRoutes = [showInvoice];
