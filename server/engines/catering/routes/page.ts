import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/route.ts";
import { showLeave } from "../../../core/page.ts";
import { linkPages } from "../../../core/link-page.ts";
import type { Page } from "../../../core/page.ts";
import { showMoney } from "../../../lib/show.ts";
import type { Line, Totals } from "../schema/parts.ts";

const { link, page: dressed } = linkPages();
export { link };

/** A whole page without script. Nothing of it may be cached, framed, or sent to the next site. */
export const page = ({ body, ...rest }: Page): Reply<never> =>
  dressed({ ...rest, body: html`<main>${body}</main>` });

/** Sends the browser to the page on which a deposit is paid. */
export const leavePage = (url: string): Reply<never> => showLeave(dressed, url);

/** Says why a link does not lead where it led, or never did. */
export const deadEnd = (status: 409 | 410, title: string, detail: string): Reply<never> =>
  page({
    status,
    title,
    body: html`<h1>${title}</h1>
      <p class="note bad">${detail}</p>`,
  });

interface Priced {
  readonly lines: readonly Line[];
  readonly totals: Totals;
  readonly currency: string;
}

/** Lines and totals as a table. */
export function priceTable({ lines, totals, currency }: Priced, totalLabel = "Total"): Html {
  const money = (amount: number): string => showMoney(amount, currency);
  const rows = totals.lines.map(({ amount, line_id: id, quantity }) => {
    const line = lines.find((candidate) => candidate.id === id);
    return html`<tr>
      <td>${line?.title ?? "Fee"}</td>
      <td class="n">${quantity === 1 ? null : quantity}</td>
      <td class="n">${money(amount)}</td>
    </tr>`;
  });
  const left = lines.filter((line) => line.optional && !line.selected);
  return html`<table>
      <thead>
        <tr>
          <th>Description</th>
          <th class="n">Quantity</th>
          <th class="n">Amount</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
      <tfoot>
        ${totals.taxes
          .filter(({ tax }) => tax > 0)
          .map(
            ({ tax, tax_rate_bps: rate }) =>
              html`<tr>
                <td colspan="2" class="soft">VAT ${rate / 100}%${totals.tax_included ? ", included" : ""}</td>
                <td class="n soft">${money(tax)}</td>
              </tr>`,
          )}
        <tr>
          <td colspan="2">${totalLabel}</td>
          <td class="n">${money(totals.total)}</td>
        </tr>
      </tfoot>
    </table>
    ${
      left.length === 0
        ? null
        : html`<p class="soft">Not included: ${left.map(({ title }) => title).join(", ")}.</p>`
    }`;
}
