import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Refused } from "../../../core/route.ts";
import type { Reply } from "../../../core/route.ts";
import { createPage } from "../../../core/page.ts";
import type { Page } from "../../../core/page.ts";
import { showMoney } from "../../../lib/show.ts";
import type { Line, Totals } from "../schema/parts.ts";

/** Small, readable on a phone, light and dark, and plain on paper. */
const STYLE = `
:root{color-scheme:light dark;--line:#d9dee5;--soft:#586474;--accent:#0b5cad;--raised:#f5f7f9;--bad:#b3261e;--good:#1a7f4b}
@media(prefers-color-scheme:dark){:root{--line:#333d4a;--soft:#9aa7b6;--accent:#7db8f5;--raised:#1d242d;--bad:#ff9d94;--good:#6cd09a}body{background:#14191f;color:#e6eaf0}}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;margin:0}
main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.soft{color:var(--soft)}.note{padding:.75rem 1rem;border-left:4px solid var(--accent);background:var(--raised)}
.bad{border-color:var(--bad)}.good{border-color:var(--good)}
table{width:100%;border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.45rem .5rem .45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td.n,th.n{text-align:right;padding-right:0;white-space:nowrap}tfoot td{font-weight:600}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.25rem 1rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin:1rem 0 .25rem}label.check{font-weight:400}
input[type=text],input[type=email],input[type=number],select,textarea{width:100%;padding:.65rem .75rem;font:inherit;border:1px solid var(--soft);border-radius:.45rem;background:transparent;color:inherit}
button{font:inherit;font-weight:600;padding:.7rem 1.2rem;margin:1.25rem .5rem 0 0;border:1px solid var(--accent);border-radius:.45rem;background:var(--accent);color:#fff;cursor:pointer}
button.quiet{background:transparent;color:inherit;border-color:var(--soft)}
.pre{white-space:pre-line}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media print{body{background:#fff;color:#000}form,.screen{display:none}main{max-width:none;padding:0}}
`;
const dressed = createPage(STYLE);

/** A whole page without script. Nothing of it may be cached, framed, or sent to the next site. */
export const page = ({ body, ...rest }: Page): Reply<never> =>
  dressed({ ...rest, body: html`<main>${body}</main>` });

/** How every page behind a link shows a person a refusal. */
export const refusal = (refused: Refused): Reply<never> => showRefusal(dressed, refused);

/** Says why a link does not lead where it led, or never did. */
export const deadEnd = (status: 404 | 409 | 410, title: string, detail: string): Reply<never> =>
  page({
    status,
    title,
    body: html`<h1>${title}</h1>
      <p class="note bad">${detail}</p>`,
  });

export const unknownLink = (): Reply<never> =>
  deadEnd(404, "This link is invalid or has expired", "Use the link in your latest mail.");

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
