import { defineWorkerTask } from "../../lib/worker-tasks.ts";
import { isTestPart } from "../../core/test-clock.ts";

/** What an export consists of: a JSON document, or a piece of a file, per line, in texts that end anywhere in a line, and what its first page says of it. */
export interface ExportedTexts {
  readonly texts: readonly string[];
  /** Time of all files in it, in epoch milliseconds. */
  readonly doneAtMs: number;
  readonly about: Readonly<Record<string, unknown>>;
}

/** Writes the zip of an export: for each collection its documents as JSON and as CSV, and files; live and test data apart. */
export const writeArchive = defineWorkerTask({
  id: "privacy.archive",
  size: ({ texts }: ExportedTexts) => texts.reduce((sum, { length }) => sum + length, 0),
  run: async ({ texts, doneAtMs, about }) => {
    const { strToU8, zipSync } = await import("fflate");
    const { stringify } = await import("csv-stringify/sync");
    const lines = texts.join("").split("\n");
    const { contents, groups } = readLines(lines.filter((line) => line !== ""));
    const files: Record<string, Uint8Array> = {};
    for (const [name, pieces] of contents) files[name] = new Uint8Array(Buffer.concat(pieces));
    for (const [name, documents] of groups) {
      const rows = documents.map((document) => flat(document));
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      files[`${name}.json`] = strToU8(`${JSON.stringify(documents, null, 2)}\n`);
      files[`${name}.csv`] = strToU8(stringify(rows, { header: true, columns, escape_formulas: true }));
    }
    const documents = Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
    files["about.json"] = strToU8(`${JSON.stringify({ ...about, documents }, null, 2)}\n`);
    return new Uint8Array(zipSync(files, { mtime: doneAtMs }));
  },
});

type Document = Readonly<Record<string, unknown>>;

interface Exported {
  /** Documents by the name of their file, `live/subscriptions.contracts`. */
  readonly groups: Map<string, Document[]>;
  /** Pieces of files by their names. */
  readonly contents: Map<string, Buffer[]>;
}

function readLines(lines: readonly string[]): Exported {
  const groups = new Map<string, Document[]>();
  const contents = new Map<string, Buffer[]>();
  for (const line of lines) {
    const { collection, data, document, file, index, part } = JSON.parse(line);
    const name = `${isTestPart(part) ? "test" : "live"}/${collection}`;
    if (file === undefined) listOf(groups, name).push(document);
    else listOf(contents, `${name}/${file}`)[index] = Buffer.from(data, "base64");
  }
  return { groups, contents };
}

function listOf<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
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
