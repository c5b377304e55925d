import { parse } from "csv-parse/sync";
import { z } from "zod";

import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { Naming, Row } from "../rules/map-rows.ts";
import { IMPORT_FIELDS } from "../schema/records.ts";

const ROWS_MAX = 5_000;
const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Rows = z.array(z.record(z.string().max(100), Cell)).max(ROWS_MAX);

/**
 * Rows of an import as column names and strings, or an error about the whole. CSV has a header and may be separated by
 * comma, semicolon or tab.
 */
export function readRows(
  text: string,
  format: "csv" | "json",
): { readonly rows: readonly Row[]; readonly columns: readonly string[] } | { readonly problem: string } {
  if (format === "json") return readJson(text);
  try {
    const rows: unknown = parse(text, {
      columns: true,
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      delimiter: [",", ";", "\t"],
      to: ROWS_MAX + 1,
    });
    return checked(rows);
  } catch (error) {
    return {
      problem: `The CSV cannot be read: ${error instanceof Error ? error.message : "unknown"}`.slice(0, 300),
    };
  }
}

interface Source extends Pick<Naming, "mapping"> {
  readonly text: string;
  readonly format: "csv" | "json";
}

/**
 * `readRows` for imports of any length, with the cells that are read alone: what a thread returns is copied on the event loop, and
 * 240,000 characters can be as many cells.
 */
export const readImportRows = defineWorkerTask({
  id: "reviews.rows",
  size: ({ text }: Source) => text.length,
  run: ({ text, format, mapping }) => {
    const read = readRows(text, format);
    if ("problem" in read) return read;
    const wanted = new Set<string>(IMPORT_FIELDS.map((field) => mapping[field] ?? field));
    const isRead = ([name, cell]: [string, string]): boolean => cell !== "" && wanted.has(name);
    return { ...read, rows: read.rows.map((row) => Object.fromEntries(Object.entries(row).filter(isRead))) };
  },
});

function readJson(text: string): ReturnType<typeof readRows> {
  try {
    return checked(JSON.parse(text));
  } catch {
    return { problem: "The rows are not valid JSON." };
  }
}

function checked(value: unknown): ReturnType<typeof readRows> {
  const rows = Rows.safeParse(value);
  if (!rows.success)
    return { problem: `Expected at most ${ROWS_MAX} rows of strings, numbers and booleans.` };
  const texts = rows.data.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === null ? "" : String(cell)])),
  );
  return { rows: texts, columns: [...new Set(texts.flatMap((row) => Object.keys(row)))] };
}
