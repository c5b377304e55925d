import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Face } from "../../../core/face.ts";
import { linkPage } from "../../../core/link-page.ts";
import type { Page } from "../../../core/page.ts";
import type { MessageKey, MessageValues } from "../../../core/words.ts";
import type { LinkKind } from "../services/mails.ts";
import type { CateringWork } from "../services/work.ts";
import type { Line, Totals } from "../schema/parts.ts";

export const link = (kind: LinkKind) => linkPage(`catering.${kind}`);

/** What a page is made of: the work of the link, and the look and words of the page. */
export interface PageWork extends CateringWork {
  readonly face: Face;
}

/** A whole page without script. Nothing of it may be cached, framed, or sent to the next site. */
export const page = ({ face }: PageWork, { body, ...rest }: Page): Reply<never> =>
  face.page({ ...rest, body: html`<main>${body}</main>` });

/** Says why a link does not lead where it led, or never did. */
export const deadEnd = (
  work: PageWork,
  status: 409 | 410,
  [title, detail]: readonly [title: MessageKey, detail: MessageKey],
  values: MessageValues = {},
): Reply<never> =>
  page(work, {
    status,
    title: work.face.say(title),
    body: html`<h1>${work.face.say(title)}</h1>
      <p class="note bad">${work.face.say(detail, values)}</p>`,
  });

interface Priced {
  readonly lines: readonly Line[];
  readonly totals: Totals;
  readonly currency: string;
}

/** Lines and totals as a table. */
export function priceTable({ money, rate, say }: Face, { lines, totals, currency }: Priced): Html {
  const rows = totals.lines.map(({ amount, line_id: id, quantity }) => {
    const line = lines.find((candidate) => candidate.id === id);
    return html`<tr>
      <td>${line?.title ?? say("table.fee")}</td>
      <td class="n">${quantity === 1 ? null : quantity}</td>
      <td class="n">${money(amount, currency)}</td>
    </tr>`;
  });
  const left = lines.filter((line) => line.optional && !line.selected);
  const vat = totals.tax_included ? "table.vat_included" : "table.vat";
  return html`<table>
      <thead>
        <tr>
          <th>${say("table.description")}</th>
          <th class="n">${say("table.quantity")}</th>
          <th class="n">${say("table.amount")}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
      <tfoot>
        ${totals.taxes
          .filter(({ tax }) => tax > 0)
          .map(
            ({ tax, tax_rate_bps: bps }) =>
              html`<tr>
                <td colspan="2" class="soft">${say(vat, { rate: rate(bps) })}</td>
                <td class="n soft">${money(tax, currency)}</td>
              </tr>`,
          )}
        <tr>
          <td colspan="2">${say("table.total")}</td>
          <td class="n">${money(totals.total, currency)}</td>
        </tr>
      </tfoot>
    </table>
    ${
      left.length === 0
        ? null
        : html`<p class="soft">
            ${say("table.not_included", { titles: left.map(({ title }) => title).join(", ") })}
          </p>`
    }`;
}
