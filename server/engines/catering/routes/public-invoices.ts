import { z } from "zod";

import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { shopName } from "../services/world.ts";
import type { World } from "../services/world.ts";
import { invoices } from "../repository.ts";
import { openToken } from "../rules/link-token.ts";
import { showMoney } from "../../../lib/show.ts";
import { showDate } from "../rules/show.ts";
import type { Invoice } from "../schema/invoice.ts";
import { linkedWorld } from "./env.ts";
import { deadEnd, page, refusal, unknownLink } from "./page.ts";

const Params = z.object({ token: z.string().max(400) });
const params = { token: "c3RvXzAxCmNpdl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

const show = defineOpenRoute({
  id: "public.invoices.show",
  method: "GET",
  path: "/invoices/:token",
  summary: "An invoice to read and to print",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  hidden: true,
  example: { params },
  async handle({ params: { token } }, ctx) {
    const target = openToken(ctx.ports, "invoice", token);
    if (target === null) return unknownLink();
    return ctx.runTx(target.part, async (tx) => {
      const stored = await tx.get(invoices, target.names[0] ?? "");
      if (stored === null || stored.value.status === "draft") return unknownLink();
      if (stored.value.status === "void")
        return deadEnd(410, "This invoice is void", "Do not pay it. A new one is on its way to you.");
      return invoicePage(await linkedWorld(ctx, tx), stored.value);
    });
  },
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

function invoicePage({ settings }: World, invoice: Invoice): Reply<never> {
  const money = (amount: number): string => showMoney(amount, invoice.currency);
  const said = SAID[invoice.status];
  const pos = [...new Set(invoice.orders.flatMap(({ po_number: po }) => (po === null ? [] : [po])))];
  return page({
    title: `Invoice ${invoice.number ?? ""}`,
    body: html`<p class="pre">
        ${[shopName(settings), settings.shop_address].filter((text) => text !== "").join("\n")}
      </p>
      ${settings.vat_no === "" ? null : html`<p class="soft">VAT ${settings.vat_no}</p>`}
      <h1>Invoice ${invoice.number ?? ""}</h1>
      ${said === null ? null : html`<p class="note" role="status">${said}</p>`}
      <dl>
        <dt>To</dt>
        <dd>${[invoice.bill_to.company, invoice.bill_to.name].filter((text) => text !== "").join(", ")}</dd>
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
            <th>Order</th>
            <th>Day</th>
            <th class="n">Guests</th>
            <th class="n">Amount</th>
          </tr>
        </thead>
        <tbody>
          ${invoice.orders.map(
            (line) =>
              html`<tr>
                <td>
                  ${line.order_number}:
                  ${line.title}${line.cost_centre === null ? "" : ` (${line.cost_centre})`}
                </td>
                <td>${showDate(line.delivered_on)}</td>
                <td class="n">${line.heads}</td>
                <td class="n">${money(line.total)}</td>
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <td colspan="3" class="soft">Without VAT</td>
            <td class="n soft">${money(invoice.net)}</td>
          </tr>
          <tr>
            <td colspan="3" class="soft">VAT</td>
            <td class="n soft">${money(invoice.tax)}</td>
          </tr>
          <tr>
            <td colspan="3">Total</td>
            <td class="n">${money(invoice.total)}</td>
          </tr>
          ${
            invoice.paid === 0
              ? null
              : html`<tr>
                  <td colspan="3">Paid</td>
                  <td class="n">${money(-invoice.paid)}</td>
                </tr>`
          }
          <tr>
            <td colspan="3">To pay</td>
            <td class="n">${money(Math.max(0, invoice.balance))}</td>
          </tr>
        </tfoot>
      </table>
      ${
        settings.bank_details === "" || invoice.balance <= 0
          ? null
          : html`<h2>How to pay</h2>
              <p class="pre">${settings.bank_details}</p>`
      }`,
  });
}

export const publicInvoiceRoutes = [show];
