import { isTestPart } from "../../core/test-clock.ts";
import { safeCell } from "../../lib/safe-cell.ts";
import { defineWorkerTask } from "../../lib/worker-tasks.ts";

type Document = Readonly<Record<string, unknown>>;

/** A line of an export: a document, or a piece of a file. */
type Line =
  | { readonly name: string; readonly document: Document }
  | { readonly name: string; readonly index: number; readonly data: string };

/** Columns of a CSV: each has a cell in each row, and metadata can have other keys in each document. */
export const CSV_COLUMNS_MAX = 1_000;
/** Header of one last column with all further members. */
const MORE = "more_members";

/** What some lines of an export contain: documents by the name of their file (`live/subscriptions.contracts`), and files. */
export interface Outline {
  /** Columns of the CSV, in the order in which documents have them; one more than the limit where there are more. */
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
        addColumns(group.columns, Object.keys(flat(line.document)));
      }
    }
    return {
      groups: Array.from(groups, ([name, { count, columns }]) => ({ name, count, columns: [...columns] })),
      files: [...files],
    };
  },
});

/** Adds columns up to one more than the limit. */
export function addColumns(columns: Set<string>, names: readonly string[]): void {
  for (const name of names) {
    if (columns.size > CSV_COLUMNS_MAX) return;
    columns.add(name);
  }
}

interface ToWrite {
  /** Whole lines. */
  readonly text: string;
  /** Of the documents to write. */
  readonly name: string;
}

/** Writes the documents of a name as in a JSON list that is indented by two spaces. */
export const writeDocuments = defineWorkerTask({
  id: "privacy.documents",
  size: ({ text }: ToWrite) => text.length,
  run({ text, name }) {
    const documents = documentsOf(text, name);
    return documents.length === 0
      ? ""
      : JSON.stringify(documents, null, 2).slice("[\n".length, -"\n]".length);
  },
});

interface RowsToWrite extends ToWrite {
  readonly columns: readonly string[];
  /** Whether documents have further members, for which there is one more column. */
  readonly hasMore: boolean;
  readonly hasHeader: boolean;
}

/** Writes the documents of a name as rows of CSV. */
export const writeRows = defineWorkerTask({
  id: "privacy.rows",
  size: ({ text }: RowsToWrite) => text.length,
  async run({ text, name, columns, hasMore, hasHeader }) {
    const { stringify } = await import("csv-stringify/sync");
    const named = new Set(columns);
    const rows = documentsOf(text, name).map((document) => {
      const row = flat(document);
      const cells = columns.map((column) => cellOf(row[column]));
      return hasMore ? [...cells, otherMembers(row, named)] : cells;
    });
    const header = hasMore ? [...columns, MORE] : [...columns];
    return stringify((hasHeader ? [header, ...rows] : rows).map((cells) => cells.map(safeCell)));
  },
});

function otherMembers(row: Readonly<Record<string, unknown>>, named: ReadonlySet<string>): string {
  const others = Object.entries(row).filter(([column]) => !named.has(column));
  return others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others));
}

const documentsOf = (text: string, name: string): Document[] =>
  readLines(text).flatMap((line) => (line.name === name && "document" in line ? [line.document] : []));

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

/** Members of members as columns, `customer.email`; lists are not taken apart. */
function flat(value: Document, path = ""): Record<string, unknown> {
  const row: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}${name}`;
    if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      Object.assign(row, flat(member as Document, `${at}.`));
    } else row[at] = member ?? null;
  }
  return row;
}

/** The cell is empty where a document lacks the member. */
function cellOf(member: unknown): string {
  if (member === undefined) return "";
  return typeof member === "string" ? member : JSON.stringify(member);
}
