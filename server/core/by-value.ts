import type { PageQuery } from "./tx.ts";

/**
 * Where a list is read that is asked for by one value at most: in the index `by` under that value, else (nothing or "")
 * in the collection's own order.
 */
export const byValue = (value: string | null | undefined, page: PageQuery): PageQuery =>
  value === undefined || value === null || value === "" ? page : { ...page, index: "by", value };
