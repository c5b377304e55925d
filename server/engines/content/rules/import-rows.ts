import type { ImportRow } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";

/** The first rows of an import that fit into one document, limited by count and bytes. */
export function fittingRows(rows: readonly ImportRow[]): readonly ImportRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return at >= CONTENT_LIMITS.importRows || bytes > CONTENT_LIMITS.importBytes;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
