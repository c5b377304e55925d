import { isTestPart } from "../../core/test-clock.ts";
import { defineWorkerTask } from "../../lib/worker-tasks.ts";

type Document = Readonly<Record<string, unknown>>;

/** A line of an export: a document, or a piece of a file. */
type Line =
  | { readonly name: string; readonly document: Document }
  | { readonly name: string; readonly index: number; readonly data: string };

/** What some lines of an export contain: documents by the name of their file (`live/subscriptions.contracts`), and files. */
export interface Outline {
  /** Columns of the CSV, in the order in which documents have them. */
  readonly groups: readonly {
    readonly name: string;
    readonly count: number;
    readonly columns: readonly string[];
  }[];
  readonly files: readonly string[];
}

/** Reads what whole lines contain. */
export const outlineLines = defineWorkerTask({
  id: "privacy.outline",
  size: (text: string) => text.length,
  run(text): Outline {
    const groups = new Map<string, { count: number; readonly columns: Set<string> }>();
    const files = new Set<string>();
    for (const line of readLines(text)) {
      if ("data" in line) files.add(line.name);
      else {
        const group = groups.get(line.name) ?? { count: 0, columns: new Set() };
        groups.set(line.name, group);
        group.count += 1;
        for (const column of Object.keys(flat(line.document))) group.columns.add(column);
      }
    }
    return {
      groups: Array.from(groups, ([name, { count, columns }]) => ({ name, count, columns: [...columns] })),
      files: [...files],
    };
  },
});

interface ToWrite {
  /** Whole lines. */
  readonly text: string;
  /** Of the documents to write. */
  readonly name: string;
  /** Of the CSV; null for the elements of a JSON list. */
  readonly columns: readonly string[] | null;
}

/** Writes the documents of a name: rows of CSV without a header, or JSON as in a list that is indented by two spaces. */
export const writeDocuments = defineWorkerTask({
  id: "privacy.documents",
  size: ({ text }: ToWrite) => text.length,
  async run({ text, name, columns }) {
    const documents = readLines(text).flatMap((line) =>
      line.name === name && "document" in line ? [line.document] : [],
    );
    if (documents.length === 0) return "";
    if (columns === null) return JSON.stringify(documents, null, 2).slice("[\n".length, -"\n]".length);
    const { stringify } = await import("csv-stringify/sync");
    const rows = documents.map((document) => flat(document));
    return stringify(rows, { columns: [...columns], escape_formulas: true });
  },
});

/** The pieces of a file in some lines, in base64. */
export function piecesOf(text: string, name: string): { readonly index: number; readonly data: string }[] {
  return readLines(text).flatMap((line) => (line.name === name && "data" in line ? [line] : []));
}

function readLines(text: string): Line[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const { collection, data, document, file, index, part } = JSON.parse(line);
    const name = `${isTestPart(part) ? "test" : "live"}/${collection}`;
    return file === undefined ? { name, document } : { name: `${name}/${file}`, index, data };
  });
}

/** Members of members as columns, `customer.email`; lists stay JSON. */
function flat(value: Document, path = ""): Record<string, string> {
  const row: Record<string, string> = {};
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}${name}`;
    if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      Object.assign(row, flat(member as Document, `${at}.`));
    } else row[at] = typeof member === "string" ? member : JSON.stringify(member ?? null);
  }
  return row;
}
