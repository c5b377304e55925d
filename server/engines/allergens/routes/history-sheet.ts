import { stringify } from "csv-stringify/sync";
import { z } from "zod";

import { equalSecrets } from "../../../core/ids.ts";
import type { Ctx } from "../../../core/route.ts";
import { defineRoute, ok, raw } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { fail } from "../../../lib/errors.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { productVersions } from "../repository.ts";
import { chain, signedText } from "../rules/history-chain.ts";
import type { Chained } from "../rules/history-chain.ts";
import { ProductVersion } from "../schema.ts";
import { exampleProduct } from "./examples.ts";
import { filedId, missing } from "./history.ts";
import { CSV_STYLE, guardFormula } from "./matrix.ts";
import { PAPER, renderPage } from "../../../core/page.ts";
import { ProductParams } from "./products.ts";

const PURPOSE = "allergens.history";
const PAGE = 500;
/** Entries of one sheet. */
const ENTRIES_MAX = 5_000;

const Row = z.object({
  ...ProductVersion.pick({ revision: true, at: true, change: true, by: true, note: true, title: true }).shape,
  ...ProductVersion.pick({ status: true, mode: true, added: true, removed: true }).shape,
  hash: z
    .string()
    .meta({ description: "SHA-256 over this and all earlier entries, with the product as each left it" }),
  signature: z
    .string()
    .meta({ description: "Signature of the service, for POST /products/{id}/history/verify" }),
});
type Row = z.input<typeof Row>;
const exampleRow: Row = {
  revision: 1,
  at: "2026-06-01T09:00:00.000Z",
  change: "created",
  by: "Priya, kitchen manager",
  note: null,
  title: exampleProduct.title,
  status: "unverified",
  mode: "uk",
  added: ["milk", "wheat"],
  removed: [],
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  signature: "c3RvXzAxLnNodF8wMS4yZjdwWDFjMG1RM241czh2MGE",
};

const getSheet = defineRoute({
  id: "allergens.history.sheet",
  cost: 5,
  method: "GET",
  path: "/products/:id/history-sheet",
  summary: "Export the history of a product as one signed sheet",
  description:
    "All changes, the oldest first, as JSON, CSV or a page to print. Each row has the hash of all rows up to it and a " +
    "signature: a sheet on file proves later that the history was not rewritten.",
  params: ProductParams,
  query: z.object({ format: z.enum(["json", "csv", "html"]).default("json") }),
  data: z.object({ product_id: Id, rows: z.array(Row) }),
  otherTypes: ["text/csv", "text/html"],
  errors: [missing],
  example: { params: { id: exampleProduct.id }, data: { product_id: exampleProduct.id, rows: [exampleRow] } },
  async handle({ params, query }, ctx) {
    const rows = signedRows(ctx, params.id, await readChain(ctx.tx, params.id));
    if (query.format === "csv") return raw("text/csv; charset=utf-8", sheetCsv(rows), { headers: ATTACHED });
    return query.format === "html" ? sheetPage(rows) : ok({ product_id: params.id, rows });
  },
});

const verifySheet = defineRoute({
  id: "allergens.history.verify",
  cost: 5,
  method: "POST",
  path: "/products/:id/history/verify",
  scope: "read",
  summary: "Verify a row of a history sheet",
  description:
    "genuine: this service issued the row for this product. unchanged: the stored history still has the same entries " +
    "up to it. Verify the last row to verify the whole sheet.",
  params: ProductParams,
  body: z.strictObject({
    entries: z.int().min(1).max(ENTRIES_MAX).meta({ description: "Number of the row in the sheet, from 1" }),
    hash: z.string().regex(/^[0-9a-f]{64}$/, "Expected 64 hexadecimal digits."),
    signature: z.string().min(1).max(100),
  }),
  data: z.object({
    genuine: z.boolean(),
    unchanged: z.boolean(),
    entries: z.int().meta({ description: "Entries of the history now" }),
  }),
  errors: [missing],
  example: {
    params: { id: exampleProduct.id },
    body: { entries: 1, hash: exampleRow.hash, signature: exampleRow.signature },
    data: { genuine: true, unchanged: true, entries: 1 },
  },
  async handle({ params, body }, { tx, ports }) {
    const chained = await readChain(tx, params.id);
    const signature = ports.sign(PURPOSE, signedText(params.id, body.entries, body.hash));
    return ok({
      genuine: equalSecrets(signature, body.signature),
      unchanged: chained[body.entries - 1]?.hash === body.hash,
      entries: chained.length,
    });
  },
});

async function readChain(tx: Tx, productId: string): Promise<Chained<ProductVersion>[]> {
  const versions: ProductVersion[] = [];
  let cursor: string | undefined;
  do {
    const query = { index: "product", value: filedId(productId), limit: PAGE, cursor };
    const page = await tx.peekPage(productVersions, query);
    versions.push(...page.items.map(({ value }) => value));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && versions.length < ENTRIES_MAX);
  if (versions.length === 0) throw fail("not_found", "No product with this id.");
  return chain(versions.sort((a, b) => a.revision - b.revision));
}

const signedRows = (
  { ports }: Pick<Ctx, "ports">,
  productId: string,
  chained: readonly Chained<ProductVersion>[],
): Row[] =>
  chained.map(({ entry, hash }, index) => {
    const { revision, at, change, by, note, title, status, mode, added, removed } = entry;
    const signature = ports.sign(PURPOSE, signedText(productId, index + 1, hash));
    return { revision, at, change, by, note, title, status, mode, added, removed, hash, signature };
  });

const ATTACHED = { "Content-Disposition": 'attachment; filename="allergen-history.csv"' };
const COLUMNS = Object.keys(exampleRow);

const sheetCsv = (rows: readonly Row[]): string =>
  stringify(
    [
      COLUMNS,
      ...rows.map((row) =>
        Object.values(row).map((cell) =>
          guardFormula(Array.isArray(cell) ? cell.join(" ") : String(cell ?? "")),
        ),
      ),
    ],
    CSV_STYLE,
  );

function sheetPage(rows: readonly Row[]) {
  const last = rows.at(-1);
  return renderPage({
    ...PAPER,
    title: `History of ${last?.title ?? ""}`,
    lang: "en",
    body: html`<h1>History of ${last?.title ?? ""}</h1>
      <table>
        <caption>
          ${rows.length} entries, the oldest first. Times are UTC.
        </caption>
        <thead>
          <tr>
            ${["No.", "Time", "Change", "By", "Status", "Added", "Removed", "Note", "Hash"].map(
              (name): Html => html`<th scope="col">${name}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row, index): Html =>
              html`<tr>
                <th scope="row">${index + 1}</th>
                <td>${row.at}</td>
                <td>${row.change.replaceAll("_", " ")}</td>
                <td>${row.by ?? ""}</td>
                <td>${row.status}</td>
                <td>${row.added.join(", ")}</td>
                <td>${row.removed.join(", ")}</td>
                <td>${row.note ?? ""}</td>
                <td>${row.hash.slice(0, 12)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p>
        Hash of all entries: ${last?.hash ?? ""}<br />Signature: ${last?.signature ?? ""}<br />Each hash
        covers all entries up to it. Verify the last one with POST /v1/allergens/products/{id}/history/verify.
      </p>`,
  });
}

export const historySheetRoutes = [getSheet, verifySheet];
