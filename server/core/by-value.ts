import { invalidParameter } from "../lib/errors.ts";
import { giveWay } from "../lib/slices.ts";
import type { Collection } from "./collection.ts";
import { list } from "./reply.ts";
import type { Ctx } from "./route.ts";
import { lookAt } from "./stored.ts";
import type { PageQuery, Stored, StoredPage, Tx } from "./tx.ts";

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

/** A page of an ordered index that ends where `isWithin` is false: beyond the last day or instant that was asked for. */
export async function pageWhile<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  query: PageQuery,
  isWithin: (value: T) => boolean,
): Promise<StoredPage<T>> {
  const page = await tx.peekPage(collection, query);
  const items: Stored<T>[] = [];
  for (const item of page.items) {
    await giveWay(tx.part);
    if (isWithin(lookAt(item))) items.push(item);
  }
  return items.length === page.items.length ? page : { items, limit: query.limit, next: null };
}

/** Handler of a list below a document: what an index lists under its id. 404 if the document does not exist. */
export const listUnder =
  <P extends { id: string }, T extends { id: string }>(
    parents: Collection<P>,
    collection: Collection<T>,
    index: string,
  ) =>
  async ({ params: { id }, query }: Below, { tx }: Ctx) => {
    await tx.require(parents, id);
    return list(await tx.peekPage(collection, { ...query, index, value: id }));
  };

interface Below {
  readonly params: { readonly id: string };
  readonly query: PageQuery;
}
