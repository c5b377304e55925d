import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import type { Words } from "../../../core/words.ts";
import type { SheetCell, SheetColumn } from "./fill-sheet.ts";

export interface SheetRow {
  readonly title: string;
  readonly isVerified: boolean;
  readonly cells: readonly SheetCell[];
}

export interface Sheet {
  readonly title: string;
  /** When it was true, as guests read it. */
  readonly at: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly Html[];
  /** QR code of its public link, as an image; null: there is no link. */
  readonly qr: string | null;
}

/** The allergen sheet for guests, as a page that prints on A4: every cell says in words what it means. */
export const renderSheet = ({ say }: Pick<Words, "say">, { title, at, columns, rows, qr }: Sheet): Html =>
  html`<main>
    ${qr !== null && html`<img class="qr" alt="${say("sheet.qr")}" src="${qr}" />`}
    <h1>${title}</h1>
    <p>${say("sheet.note", { at })}</p>
    <div class="wide" tabindex="0" role="region" aria-label="${title}">
      <table>
        <caption>
          ${say("sheet.legend")}
        </caption>
        <thead>
          <tr>
            <th scope="col">${say("sheet.food")}</th>
            ${columns.map((column): Html => html`<th scope="col">${column.title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </main>`;

/** One row of the sheet, apart: a shop may have thousands of products. */
export const renderSheetRow = ({ say }: Pick<Words, "say">, { title, isVerified, cells }: SheetRow): Html =>
  html`<tr>
    <th scope="row">${isVerified ? title : say("sheet.unverified", { title })}</th>
    ${cells.map((cell) => renderCell(say, cell))}
  </tr>`;

function renderCell(say: Words["say"], { contains, may_contain: warned, isKnown }: SheetCell): Html {
  if (contains.length > 0)
    return html`<td class="C">${say("sheet.contains", { names: contains.join(", ") })}</td>`;
  if (warned.length > 0)
    return html`<td class="M">${say("sheet.may_contain", { names: warned.join(", ") })}</td>`;
  return html`<td>${isKnown ? "–" : "?"}</td>`;
}
