import { stringify } from "csv-stringify/sync";
import { z } from "zod";

import { conflictWhen } from "../../../lib/errors.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { listPieces } from "../../../lib/json-pieces.ts";
import { safeCell } from "../../../lib/safe-cell.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { okInPieces, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { MODES } from "../data/modes.ts";
import type { ModeId as Mode } from "../data/modes.ts";
import { mapAll } from "../../../core/read-page.ts";
import { wordsIn } from "../../../core/words.ts";
import type { Words } from "../../../core/words.ts";
import { isPublished, products } from "../repository.ts";
import { fillMatrixRow } from "../rules/fill-matrix.ts";
import type { MatrixRow } from "../rules/fill-matrix.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { labelName, languageOf } from "../rules/names.ts";
import { codesOfMode } from "../rules/taxonomy.ts";
import { ModeId } from "../schema/ingredient.ts";
import { Status } from "../schema.ts";
import { PAPER, renderPage } from "../../../core/page.ts";
import { ModeQuery } from "./products.ts";
import { openStore } from "./read-products.ts";

const Matrix = z.object({
  mode: ModeId,
  codes: z.array(z.object({ code: z.string(), name: z.string() })),
  rows: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: Status,
      cells: z.record(z.string(), z.enum(["C", "M", "-", "?"])),
    }),
  ),
});

const getMatrix = defineRoute({
  id: "allergens.matrix.get",
  method: "GET",
  path: "/matrix",
  open: "public",
  summary: "All products against all allergens of a mode",
  description:
    "C contains, M may contain, - verified and not declared, ? unknown. As JSON, CSV, or a page to " +
    "print. The whole store at once, up to 2,000 products.",
  query: z.object({ ...ModeQuery.shape, format: z.enum(["json", "csv", "html"]).default("json") }),
  data: Matrix,
  otherTypes: ["text/csv", "text/html"],
  errors: [conflictWhen("collection_too_large", "The store has more than 2,000 products")],
  example: {
    query: { mode: "us" },
  },
  async handle({ query }, { tx, now, isPublic }) {
    // In this order: a change that is no longer pending has reached the products by the time they are read.
    const { current, settings } = await openStore(tx);
    const mode = query.mode ?? settings.default_mode;
    const codes = codesOfMode(mode).map((code) => ({ code, name: labelName(code, { mode, locale: "en" }) }));
    const about = { mode, codes: codes.map(({ code }) => code) };
    const filled = await mapAll(tx, products, {}, async (value) => {
      const read = isPublic && !isPublished(value) ? null : await current(value);
      if (read === null) return null;
      const product = freshen(read.product, read.state.pending, settings.default_mode);
      return fillMatrixRow(product, freshnessOf(read.product, now, read.state), about);
    });
    const shown = filled.filter((row) => row !== null);
    const rows = shown.sort((a, b) =>
      a.title === b.title ? (a.id < b.id ? -1 : 1) : a.title < b.title ? -1 : 1,
    );
    if (query.format === "csv")
      return raw("text/csv; charset=utf-8", await matrixCsv(codes, rows, tx.part), { headers: ATTACHED });
    if (query.format === "html") {
      // As the sheet for guests: a page of two languages would be misread.
      const locale = languageOf(MODES[mode], settings);
      const named = codes.map(({ code }) => ({ code, name: labelName(code, { mode, locale }) }));
      return matrixPage(wordsIn(locale), { mode, codes: named, rows }, tx.part);
    }
    const named = await mapInSlices(rows, tx.part, ({ cells, ...row }) => ({
      ...row,
      cells: Object.fromEntries(codes.map(({ code }, index) => [code, cells[index] ?? "?"])),
    }));
    return okInPieces({ mode, codes }, { rows: listPieces(named) });
  },
});

type Columns = readonly { readonly code: string; readonly name: string }[];

const ATTACHED = { "Content-Disposition": 'attachment; filename="allergen-matrix.csv"' };

/** The mark tags it as UTF-8 for spreadsheets. A line feed alone is no delimiter here, and yet wants quotes. */
export const CSV_STYLE = { record_delimiter: "windows", bom: true, quoted_match: /[\r\n]/ } as const;

/** RFC 4180. What a spreadsheet would run as a formula is led by an apostrophe; "-" alone is a cell of ours. */
async function matrixCsv(codes: Columns, rows: readonly MatrixRow[], key: string): Promise<string> {
  const head = stringify([["id", "title", "status", ...codes.map(({ code }) => code)]], CSV_STYLE);
  const lines = await mapInSlices(rows, key, ({ id, title, status, cells }) =>
    stringify([[id, safeCell(title), status, ...cells]], { ...CSV_STYLE, bom: false }),
  );
  return head + lines.join("");
}

interface MatrixPage {
  readonly mode: Mode;
  readonly codes: Columns;
  readonly rows: readonly MatrixRow[];
}

async function matrixPage({ locale, say }: Words, { mode, codes, rows }: MatrixPage, key: string) {
  const head = codes.map(({ name }): Html => html`<th scope="col">${name}</th>`);
  const shown = { C: say("matrix.contains"), M: say("matrix.may_contain"), "-": "–", "?": "?" } as const;
  const body = await mapInSlices(
    rows,
    key,
    ({ title, status, cells }): Html =>
      html`<tr>
        <th scope="row" class="${status}">
          ${title}${status === "verified" ? "" : ` (${say(`matrix.${status}`)})`}
        </th>
        ${cells.map((cell): Html => html`<td class="${cell === "C" || cell === "M" ? cell : "none"}">${shown[cell]}</td>`)}
      </tr>`,
  );
  const title = say("matrix.title", { mode: say(`matrix.mode_${mode}`) });
  return renderPage({
    ...PAPER,
    title,
    lang: locale,
    body: html`<main>
      <h1>${title}</h1>
      <div class="wide" tabindex="0" role="region" aria-label="${title}">
        <table class="matrix">
          <caption>
            ${say("matrix.legend")}
          </caption>
          <thead>
            <tr>
              <th scope="col">${say("matrix.product")}</th>
              ${head}
            </tr>
          </thead>
          <tbody>
            ${body}
          </tbody>
        </table>
      </div>
    </main>`,
  });
}

export const matrixRoutes = [getMatrix];
