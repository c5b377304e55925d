import { setImmediate } from "node:timers/promises";

import type { StoredPage } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { answerColumns, csvHead, csvRows, ndjsonRows } from "../rules/write-export.ts";
import type { Field } from "../schema/field.ts";
import { phoneShower } from "./phone.ts";
import type { Submission } from "../schema/submission.ts";

type ReadPage = (cursor: string | undefined) => Promise<StoredPage<Submission>>;

/**
 * The submissions as a file, written page by page as its reader takes it: no export occupies the event loop or memory as a whole. The
 * columns of a table are read first, since older versions of the form may have had others.
 */
export async function exportSubmissions(
  format: "csv" | "ndjson",
  { fields, readPage }: { readonly fields: readonly Field[]; readonly readPage: ReadPage },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  let columns = answerColumns(fields, []);
  if (format === "csv") {
    for await (const rows of pagesOf(readPage)) {
      const known = new Set(columns.map(({ key }) => key));
      columns = [...columns, ...answerColumns([], rows).filter(({ key }) => !known.has(key))];
    }
  }
  const showPhone = await phoneShower(fields);
  const encoder = new TextEncoder();
  const pages = pagesOf(readPage);
  let head = format === "csv" ? csvHead(columns) : "";
  return new ReadableStream({
    async pull(controller) {
      const { value: rows, done } = await pages.next();
      const text =
        done === true ? "" : format === "csv" ? csvRows(columns, rows, showPhone) : ndjsonRows(rows);
      if (head + text !== "") controller.enqueue(encoder.encode(head + text));
      head = "";
      if (done === true) controller.close();
    },
    cancel: async () => void (await pages.return(undefined)),
  });
}

async function* pagesOf(readPage: ReadPage): AsyncGenerator<readonly Submission[], undefined> {
  let left = FORMS_LIMITS.exportRows;
  let cursor: string | undefined;
  do {
    const { items, next } = await readPage(cursor);
    yield items.slice(0, left).map(({ value }) => value);
    left -= items.length;
    cursor = next ?? undefined;
    // Other requests go on between two pages.
    await setImmediate();
  } while (cursor !== undefined && left > 0);
  return undefined;
}
