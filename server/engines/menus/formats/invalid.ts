import { fail, invalidField, Problem } from "../../../lib/errors.ts";
import type { Path } from "./losses.ts";

/** 422 for a path in the imported document, the field `data` of the request. */
export const invalid = (path: Path, detail: string): Problem => invalidField(["data", ...path], detail);

/**
 * The results for all entries. Throws 422 with the faults of all that are invalid: the document is read again without them, once and not
 * for each of them.
 */
export function readEntries<T, U>(entries: Iterable<T>, read: (entry: T) => U): U[] {
  const results: U[] = [];
  const problems: Problem[] = [];
  for (const entry of entries) {
    try {
      results.push(read(entry));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error);
    }
  }
  const [first] = problems;
  if (first === undefined) return results;
  if (problems.length === 1) throw first;
  const errors = problems.flatMap(({ options }) => options.errors ?? []);
  throw fail(first.type, `${errors.length} fields are invalid.`, { errors: errors.slice(0, ERRORS_MAX) });
}

const ERRORS_MAX = 100;
