import type { Doc, PageOptions } from "./contract.ts";

/** The name of a page in memory. */
export const nameOf = (
  part: string,
  coll: string,
  { of = "", limit, bytes = 0, prefix = "", after = "" }: PageOptions,
): string => `${part}:${coll}:${of}:${limit}:${bytes}:${prefix}:${after}`;

/** Memory of a document in addition to its texts. */
const OVERHEAD_CHARS = 200;

/** Characters that documents take in memory. */
export const charsOf = (docs: readonly (Doc | null)[]): number =>
  docs.reduce(
    (sum, doc) => sum + (doc === null ? 0 : doc.key.length + doc.value.length) + OVERHEAD_CHARS,
    OVERHEAD_CHARS,
  );
