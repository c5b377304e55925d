import { giveWay } from "../../../lib/slices.ts";
import type { StoredPage } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { createRecent } from "../../../lib/recent.ts";
import { ANSWER_COLUMNS_MAX, answerColumns, csvHead, csvRow, ndjsonRow } from "../rules/write-export.ts";
import type { FieldsByKey } from "../rules/write-export.ts";
import type { Field } from "../schema/field.ts";
import { phoneShower } from "./phone.ts";
import type { Submission } from "../schema/submission.ts";

interface Source {
  readonly part: string;
  readonly fields: readonly Field[];
  /** The fields of a version. */
  readonly readFields: (version: number) => Promise<readonly Field[]>;
  readonly readPage: (page: {
    readonly cursor: string | undefined;
    readonly limit: number;
  }) => Promise<StoredPage<Submission>>;
}

/** Characters that are sent at once. */
const CHUNK_CHARS = 65_536;

/**
 * The submissions as a file, written line by line as its reader takes it: no export occupies the event loop or memory as a whole. The
 * columns of a table are read first, since older versions of the form may have had others.
 */
export async function exportSubmissions(
  format: "csv" | "ndjson",
  source: Source,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const columns = format === "csv" ? answerColumns(source.fields, await keysOf(source)) : [];
  const showPhone = await phoneShower(source.fields);
  const fieldsOf = versionsOf(source);
  const encoder = new TextEncoder();
  const rows = rowsOf(source);
  let head = format === "csv" ? csvHead(columns) : "";
  return new ReadableStream(
    {
      async pull(controller) {
        let text = head;
        head = "";
        while (text.length < CHUNK_CHARS) {
          const { value: row, done } = await rows.next();
          if (done === true) {
            if (text !== "") controller.enqueue(encoder.encode(text));
            return controller.close();
          }
          text +=
            format === "csv"
              ? csvRow(columns, row, { showPhone, fields: await fieldsOf(row.form_version) })
              : ndjsonRow(row);
        }
        controller.enqueue(encoder.encode(text));
      },
      cancel: async () => void (await rows.return(undefined)),
    },
    // What is written ahead would not be charged to the customer.
    { highWaterMark: 0 },
  );
}

/** Versions whose fields are remembered: submissions are listed by time, and so mostly by version. */
const VERSIONS_KEPT = 4;

/** Reads the fields of each version once. */
function versionsOf({ readFields }: Source): (version: number) => Promise<FieldsByKey> {
  const known = createRecent<FieldsByKey>(VERSIONS_KEPT);
  return async (version) => {
    const before = known.get(String(version));
    if (before !== undefined) return before;
    const fields = await readFields(version);
    const made = new Map(fields.map(({ currency, key, type }) => [key, { currency, type }]));
    known.keep(String(version), made);
    return made;
  };
}

/** The keys of the answers, newest submissions first; of those beyond the columns only some. */
async function keysOf(source: Source): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { data } of rowsOf(source)) {
    for (const key of Object.keys(data)) keys.add(key);
    if (keys.size > ANSWER_COLUMNS_MAX) break;
  }
  return keys;
}

/** Submissions that are read at a time, and characters of them. */
const PAGE = { first: 10, max: 50, chars: 1_000_000 } as const;

async function* rowsOf({ part, readPage }: Source): AsyncGenerator<Submission, undefined> {
  let left: number = FORMS_LIMITS.exportRows;
  let limit: number = PAGE.first;
  let cursor: string | undefined;
  do {
    const { items, next } = await readPage({ cursor, limit });
    let chars = 0;
    for (const item of items.slice(0, left)) {
      await giveWay(part);
      chars += item.members.length;
      yield item.value;
    }
    left -= items.length;
    limit = Math.min(PAGE.max, Math.max(1, Math.floor((PAGE.chars * items.length) / Math.max(1, chars))));
    cursor = next ?? undefined;
  } while (cursor !== undefined && left > 0);
  return undefined;
}
