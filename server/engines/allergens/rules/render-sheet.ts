import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import type { SheetCell, SheetColumn } from "./fill-sheet.ts";

export interface SheetRow {
  readonly title: string;
  readonly isVerified: boolean;
  readonly cells: readonly SheetCell[];
}

export interface Sheet {
  readonly title: string;
  /** Instant for which it is true. */
  readonly at: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly SheetRow[];
  /** QR code of its public link, as an image; null: there is no link. */
  readonly qr: string | null;
}

/** The allergen sheet for guests, as a page that prints on A4: every cell says in words what it means. */
export const renderSheet = ({ title, at, columns, rows, qr }: Sheet): Html =>
  html`<main>
    ${qr !== null && html`<img class="qr" alt="QR code of this page" src="${qr}" />`}
    <h1>${title}</h1>
    <p>
      Correct at ${at}. "?" means that we do not know: please ask us. If you have an allergy, talk to us
      before you order. This page can be printed; we have it on paper too.
    </p>
    <table>
      <caption>
        Contains: it is in the food. May contain: it may get into the food. –: it is not in the food.
      </caption>
      <thead>
        <tr>
          <th scope="col">Food</th>
          ${columns.map((column): Html => html`<th scope="col">${column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(renderRow)}
      </tbody>
    </table>
  </main>`;

const renderRow = ({ title, isVerified, cells }: SheetRow): Html =>
  html`<tr>
    <th scope="row">${title}${isVerified ? "" : " (not verified: please ask us)"}</th>
    ${cells.map(renderCell)}
  </tr>`;

function renderCell({ contains, may_contain: warned, isKnown }: SheetCell): Html {
  if (contains.length > 0) return html`<td class="C">Contains ${contains.join(", ")}</td>`;
  if (warned.length > 0) return html`<td class="M">May contain ${warned.join(", ")}</td>`;
  return html`<td>${isKnown ? "–" : "?"}</td>`;
}
