import { defineWorkerTask } from "../../lib/worker-tasks.ts";
import { isTestPart } from "../../core/test-clock.ts";

/** What an export consists of: a JSON document per line, in texts that end anywhere in a line, and what its first page says of it. */
export interface ExportedTexts {
  readonly texts: readonly string[];
  /** Time of all files in it, in epoch milliseconds. */
  readonly doneAtMs: number;
  readonly about: Readonly<Record<string, unknown>>;
}

/** Writes the zip of an export: for each collection its documents as JSON and as CSV, live and test data apart. */
export const writeArchive = defineWorkerTask({
  id: "privacy.archive",
  size: ({ texts }: ExportedTexts) => texts.reduce((sum, { length }) => sum + length, 0),
  run: async ({ texts, doneAtMs, about }) => {
    const { strToU8, zipSync } = await import("fflate");
    const { stringify } = await import("csv-stringify/sync");
    const lines = texts.join("").split("\n");
    const groups = groupsOf(lines.filter((line) => line !== ""));
    const files: Record<string, Uint8Array> = {};
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

/** Documents by the name of their file, `live/subscriptions.contracts`. */
function groupsOf(lines: readonly string[]): Map<string, Document[]> {
  const groups = new Map<string, Document[]>();
  for (const line of lines) {
    const { part, collection, document } = JSON.parse(line);
    const name = `${isTestPart(part) ? "test" : "live"}/${collection}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [document]);
    else group.push(document);
  }
  return groups;
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
