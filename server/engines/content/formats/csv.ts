import { parse } from "csv-parse/sync";

import type { ImportRow } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";

export type ReadRows =
  | { readonly ok: true; readonly rows: readonly ImportRow[] }
  | { readonly ok: false; readonly detail: string };

const NAMES: Readonly<Record<string, keyof ImportRow>> = {
  url: "url",
  page: "url",
  address: "url",
  keyphrase: "keyphrase",
  focus_keyphrase: "keyphrase",
  keyword: "keyphrase",
  title: "title",
};

/** Parses CSV with a header that contains `url` and optionally `keyphrase` and `title`. */
export function readArticleRows(csv: string): ReadRows {
  let lines: string[][];
  try {
    lines = parse(csv, { bom: true, skip_empty_lines: true, relax_column_count: true, trim: true });
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : "The file is not valid CSV." };
  }
  const [header = [], ...rows] = lines;
  const columns = header.map((name) => NAMES[name.toLowerCase().replaceAll(/[\s-]+/g, "_")]);
  if (!columns.includes("url"))
    return { ok: false, detail: "The first line must contain the column names, including url." };
  if (rows.length > CONTENT_LIMITS.importRows) {
    return {
      ok: false,
      detail: `At most ${CONTENT_LIMITS.importRows} rows can be imported at once; the file has ${rows.length}. Split it.`,
    };
  }
  const cell = (row: readonly string[], name: keyof ImportRow): string | null =>
    row[columns.indexOf(name)] || null;
  return {
    ok: true,
    rows: rows.map((row) => ({
      url: cell(row, "url") ?? "",
      keyphrase: columns.includes("keyphrase") ? (cell(row, "keyphrase")?.slice(0, 120) ?? null) : null,
      title: columns.includes("title") ? (cell(row, "title")?.slice(0, 300) ?? null) : null,
    })),
  };
}
