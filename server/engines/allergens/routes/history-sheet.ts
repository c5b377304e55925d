import { stringify } from "csv-stringify/sync";
import { z } from "zod";

import { equalSecrets } from "../../../core/ids.ts";
import { giveWay, mapInSlices } from "../../../lib/slices.ts";
import { unreadOf } from "../../../core/read-page.ts";
import { ok, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { safeCell } from "../../../lib/safe-cell.ts";
import { LANGUAGES } from "../data/modes.ts";
import { historyHeads, HISTORY_HEAD, historyOrder, productVersions } from "../repository.ts";
import { labelName } from "../rules/names.ts";
import { faultOf, GENESIS, signedText } from "../rules/history-chain.ts";
import type { ChainFault, Link } from "../rules/history-chain.ts";
import { ProductVersion } from "../schema/history.ts";
import { CSV_STYLE } from "./matrix.ts";
import { storeFace } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import { PAPER } from "../../../core/page.ts";
import { wordsIn } from "../../../core/words.ts";
import type { MessageKey, Words } from "../../../core/words.ts";

const PURPOSE = "allergens.history";
const PAGE = 100;
/** Entries of one sheet. */
const ENTRIES_MAX = 5_000;

const Hash = z.string().regex(/^[0-9a-f]{64}$/, "Expected 64 hexadecimal digits.");
const Row = z.object({
  seq: z.int().meta({ description: "Number of the entry in the history of the store, from 1" }),
  ...ProductVersion.pick({ product_id: true, title: true, revision: true, at: true, change: true }).shape,
  ...ProductVersion.pick({ by: true, note: true, status: true, mode: true }).shape,
  ...ProductVersion.pick({ added: true, removed: true }).shape,
  intact: z
    .boolean()
    .meta({ description: "The entry and all before it on the sheet are stored as they were written" }),
  hash: z.string().meta({ description: "SHA-256 of the entry, which contains the hash of the one before" }),
  signature: z.string().meta({ description: "Signature of the service, for POST /history/verify" }),
});
type Row = z.input<typeof Row>;
const Language = z.enum(LANGUAGES);
const Broken = z
  .object({ seq: z.int(), reason: z.string() })
  .nullable()
  .meta({ description: "The first entry that is not as it was written; null: there is none" });

const getSheet = defineRoute({
  id: "allergens.history.sheet",
  cost: 5,
  method: "GET",
  path: "/history-sheet",
  summary: "Export the history of all products as one signed sheet",
  description:
    "All changes of all products, deleted ones included, the oldest first, as JSON, CSV or a page to print. Each entry " +
    "was chained to the one before when it was written; the chain is checked for each sheet, and `broken` is the first " +
    `entry that was changed, removed or moved since. A sheet has at most ${ENTRIES_MAX} entries: continue with after ` +
    "set to next_after. Keep sheets outside of the service: their signatures prove what the history was.",
  query: z.object({
    format: z.enum(["json", "csv", "html"]).default("json"),
    product_id: Id.optional().meta({ description: "Only the entries of this product" }),
    after: z.coerce
      .number()
      .pipe(z.int().min(0))
      .default(0)
      .meta({ description: "Only entries after this one. Default: from the first" }),
  }),
  data: z.object({
    entries: z.int().meta({ description: "Entries of the whole history" }),
    broken: Broken,
    next_after: z.int().nullable().meta({ description: "Null: the sheet ends with the history" }),
    rows: z.array(Row),
  }),
  otherTypes: ["text/csv", "text/html"],
  async handle({ query }, ctx) {
    const rows: Row[] = [];
    const walked = await walk(ctx.tx, query.after, (entry, intact) => {
      if (query.product_id === undefined || entry.product_id === query.product_id)
        rows.push(toRow(ctx, entry, intact));
      return rows.length < ENTRIES_MAX;
    });
    const { part } = ctx.tx;
    if (query.format === "csv")
      return raw("text/csv; charset=utf-8", await sheetCsv(rows, part), { headers: ATTACHED });
    return query.format === "html"
      ? sheetPage(await storeFace(ctx.tx), { rows, broken: walked.broken }, part)
      : ok({ ...walked, broken: toBroken(walked.broken), rows });
  },
});

const verifySheet = defineRoute({
  id: "allergens.history.verify",
  cost: 5,
  method: "POST",
  path: "/history/verify",
  scope: "read",
  summary: "Verify a row of a history sheet, and the stored history",
  description:
    "genuine: this service issued the row. unchanged: the stored history still has this entry, and all before it as " +
    "they were written. Verify the last row to verify the whole sheet; broken covers the whole history.",
  body: z.strictObject({ seq: z.int().min(1), hash: Hash, signature: z.string().min(1).max(100) }),
  data: z.object({
    genuine: z.boolean(),
    unchanged: z.boolean(),
    entries: z.int().meta({ description: "Entries of the history now" }),
    broken: Broken,
  }),
  example: {
    body: {
      seq: 1,
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      signature: "c3RvXzAxLnNodF8wMS4yZjdwWDFjMG1RM241czh2MGE",
    },
  },
  async handle({ body }, { tx, ports }) {
    let isFound = false;
    const { entries, broken } = await walk(tx, 0, (entry, intact) => {
      if (entry.seq === body.seq) isFound = intact && entry.hash === body.hash;
      return true;
    });
    const signature = ports.sign(PURPOSE, signedText(body));
    const isGenuine = equalSecrets(signature, body.signature);
    return ok({ genuine: isGenuine, unchanged: isFound, entries, broken: toBroken(broken) });
  },
});

interface Walked {
  readonly entries: number;
  readonly broken: { readonly seq: number; readonly reason: ChainFault } | null;
  readonly next_after: number | null;
}

const reasonIn = ({ say }: Words, reason: ChainFault): string => say(`history.fault_${reason}`);

const toBroken = (broken: Walked["broken"]): z.input<typeof Broken> =>
  broken === null ? null : { seq: broken.seq, reason: reasonIn(wordsIn(null), broken.reason) };

/** Walks the history after an entry in order and checks each link, until `visit` returns false. */
async function walk(
  tx: Tx,
  after: number,
  visit: (entry: ProductVersion, intact: boolean) => boolean,
): Promise<Walked> {
  const head: Link = (await tx.get(historyHeads, HISTORY_HEAD))?.value ?? GENESIS;
  let last = GENESIS;
  let broken: Walked["broken"] = null;
  let cursor: string | undefined;
  do {
    // One in memory at a time: each holds a product as it was.
    const { next, unread } = unreadOf(
      await tx.peekPage(productVersions, {
        index: "chain",
        limit: PAGE,
        cursor,
        from: historyOrder(after),
      }),
    );
    for (let stored = unread.pop(); stored !== undefined; stored = unread.pop()) {
      await giveWay(tx.part);
      const { value: entry } = stored;
      const { seq = 0, hash = "" } = entry;
      // Written after the head was read.
      if (seq > head.seq && broken === null) break;
      if (seq <= after) {
        last = { seq, hash };
        continue;
      }
      const expected = last.seq === 0 && after > 0 ? { seq: after, hash: "" } : last;
      const reason = faultOf(entry, expected);
      if (reason !== null) broken ??= { seq: expected.seq + 1, reason };
      last = { seq, hash };
      if (!visit(entry, broken === null)) return { entries: head.seq, broken, next_after: seq };
    }
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  if (last.seq !== head.seq || last.hash !== head.hash) {
    broken ??= { seq: last.seq + 1, reason: "end" };
  }
  return { entries: head.seq, broken, next_after: null };
}

function toRow({ ports }: Pick<Ctx, "ports">, entry: ProductVersion, intact: boolean): Row {
  const { product_id, title, revision, at, change, by, note, status, mode, added, removed } = entry;
  const { seq = 0, hash = "" } = entry;
  const signature = ports.sign(PURPOSE, signedText({ seq, hash }));
  const facts = { seq, product_id, title, revision, at, change, by, note, status, mode, added, removed };
  return { ...facts, intact, hash, signature };
}

const ATTACHED = { "Content-Disposition": 'attachment; filename="allergen-history.csv"' };
const COLUMNS = Object.keys(Row.shape);

/** A row at a time: thousands of them take a fifth of a second. */
async function sheetCsv(rows: readonly Row[], key: string): Promise<string> {
  const lines = await mapInSlices(rows, key, (row) => {
    const cells = Object.values(row).map((cell) =>
      safeCell(Array.isArray(cell) ? cell.join(" ") : String(cell ?? "")),
    );
    return stringify([cells], { ...CSV_STYLE, bom: false });
  });
  return stringify([COLUMNS], CSV_STYLE) + lines.join("");
}

interface Sheet extends Pick<Walked, "broken"> {
  readonly rows: readonly Row[];
}

async function sheetPage(face: Face, { rows, broken }: Sheet, key: string) {
  const { instant, say } = face;
  const language = Language.catch("en").parse(face.locale.slice(0, 2));
  const known = new Map<string, string>();
  const nameOf = (mode: Row["mode"], code: string): string => {
    const name = known.get(`${mode} ${code}`) ?? labelName(code, { mode, locale: language });
    known.set(`${mode} ${code}`, name);
    return name;
  };
  const names = ({ mode }: Row, codes: readonly string[]): string =>
    codes.map((code) => nameOf(mode, code)).join(", ");
  const shown = await mapInSlices(
    rows,
    key,
    (row): Html =>
      html`<tr>
        <th scope="row">${row.seq}</th>
        <td>${row.title}</td>
        <td>${instant(row.at, "UTC")}</td>
        <td>${say(`history.${row.change}`)}</td>
        <td>${row.by ?? ""}</td>
        <td>${say(`matrix.${row.status}`)}</td>
        <td>${names(row, row.added)}</td>
        <td>${names(row, row.removed)}</td>
        <td>${row.note ?? ""}</td>
        <td>${row.intact ? row.hash.slice(0, 12) : say("history.altered")}</td>
      </tr>`,
  );
  const last = rows.at(-1);
  const title = say("history.title");
  const verdict =
    broken === null
      ? say("history.intact")
      : say("history.broken", { seq: broken.seq, reason: reasonIn(face, broken.reason) });
  return face.page({
    ...PAPER,
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p><strong>${verdict}</strong></p>
      <div class="wide" tabindex="0" role="region" aria-label="${title}">
        <table>
          <caption>
            ${say("history.caption", { count: rows.length })}
          </caption>
          <thead>
            <tr>
              ${COLUMNS_SHOWN.map((name): Html => html`<th scope="col">${say(name)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${shown}
          </tbody>
        </table>
      </div>
      <p class="pre">
        ${say("history.last", { hash: last?.hash ?? "–", signature: last?.signature ?? "–" })}
      </p>
      <p>${say("history.verify")}</p>
    </main>`,
  });
}

const COLUMNS_SHOWN: readonly MessageKey[] = [
  "history.number",
  "matrix.product",
  "history.time",
  "history.change",
  "history.by",
  "history.status",
  "history.added",
  "history.removed",
  "history.note",
  "history.hash",
];

export const historySheetRoutes = [getSheet, verifySheet];
