import { invalidParameter } from "../lib/errors.ts";
import type { PageQuery } from "./tx.ts";

/**
 * Where a list is read that is asked for by one value at most: in the index `by` under that value, else (nothing or "")
 * in the collection's own order.
 */
export const byValue = (value: string | null | undefined, page: PageQuery): PageQuery =>
  value === undefined || value === null || value === "" ? page : { ...page, index: "by", value };

/**
 * Where a list is read that is asked for by several values of the index `by`: under the first, and only what is also listed under
 * the others. `page` may be of an ordered index, which is then read instead.
 */
export function byAll(filters: readonly (string | false | null | undefined)[], page: PageQuery): PageQuery {
  const set = filters.flatMap((value) => (typeof value === "string" && value !== "" ? [value] : []));
  if (page.index !== undefined) return { ...page, also: set };
  const [value, ...also] = set;
  return value === undefined ? page : { ...page, index: "by", value, also };
}

/** The one value among filters that exclude each other, by parameter; throws 422 where a second one is set. */
export function oneValue(filters: Readonly<Record<string, string | undefined>>): string | undefined {
  const [first, second] = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (second === undefined) return first?.[1];
  const names = Object.keys(filters).join(", ");
  throw invalidParameter(second[0], `Filters cannot be combined on this list. Specify only one of ${names}.`);
}
