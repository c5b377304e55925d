import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import type { MessageKey, Words } from "./words.ts";

/** The table of an invoice: its items with five cells each, and the sums below them. */
export const invoiceTable = (
  { say }: Words,
  table: {
    readonly title: string;
    /** Heading of the last column. */
    readonly amount: MessageKey;
    readonly rows: readonly Html[];
    readonly sums: readonly Html[];
  },
): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${table.title}">
    <table>
      <thead>
        <tr>
          <th>${say("table.description")}</th>
          <th class="n">${say("table.quantity")}</th>
          <th class="n">${say("table.unit_price")}</th>
          <th class="n">${say("table.vat_rate")}</th>
          <th class="n">${say(table.amount)}</th>
        </tr>
      </thead>
      <tbody>
        ${table.rows}
      </tbody>
      <tfoot>
        ${table.sums}
      </tfoot>
    </table>
  </div>`;

/** One of the sums. */
export const sumRow = (label: string, amount: string): Html =>
  html`<tr>
    <td colspan="4">${label}</td>
    <td class="n">${amount}</td>
  </tr>`;
