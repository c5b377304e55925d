import { invalidParameter } from "../lib/errors.ts";
import { giveWay } from "../lib/slices.ts";
import { sha256Base64Url } from "./ids.ts";

/** Where a computed list lives: a cursor of one store or list is not taken by another. */
export interface Place {
  /** Partition of the store. */
  readonly part: string;
  /** Name of the list. */
  readonly list: string;
}

/** One page of a computed list. */
export interface Paged<R> {
  readonly items: readonly R[];
  readonly limit: number;
  readonly next: string | null;
}

/**
 * One page of rows that are worked out, not stored. `keyOf` orders them, each key once; the cursor names the key of
 * the last row that was served, so that a row which goes away in between does no harm.
 */
export function pageOf<R>(
  rows: readonly R[],
  keyOf: (row: R) => string,
  place: Place,
  query: { readonly limit: number; readonly cursor?: string | undefined },
): Paged<R> {
  const after = openCursor(place, query.cursor);
  const sorted = rows
    .map((row) => ({ row, key: keyOf(row) }))
    .filter(({ key }) => after === null || key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const items = sorted.slice(0, query.limit);
  const last = items.at(-1);
  const next = sorted.length > items.length && last !== undefined ? signCursor(place, last.key) : null;
  return { items: items.map(({ row }) => row), limit: query.limit, next };
}

/** The same of many rows, found with pauses: to sort hundreds of thousands takes a second. */
export async function pageOfMany<R>(
  rows: Iterable<R>,
  keyOf: (row: R) => string,
  place: Place,
  query: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Paged<R>> {
  const after = openCursor(place, query.cursor);
  const count = query.limit + 1;
  let first: { readonly row: R; readonly key: string }[] = [];
  const cut = (): void => {
    first = first.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, count);
  };
  for (const row of rows) {
    await giveWay(place.part);
    const key = keyOf(row);
    if (after === null || key > after) first.push({ row, key });
    if (first.length > 4 * count) cut();
  }
  cut();
  return pageOf(
    first.map(({ row }) => row),
    keyOf,
    place,
    query,
  );
}

const SEAL_CHARS = 16;

/** The signature is no secret: a cursor holds only a place in a list that its reader sees anyway. It catches mix-ups. */
export const signCursor = ({ part, list }: Place, key: string): string =>
  sha256Base64Url(`${part}\0${list}\0${key}`).slice(0, SEAL_CHARS) +
  Buffer.from(key, "utf8").toString("base64url");

/** The key in a cursor; null without one. Throws 422 for what this list never gave out. */
export function openCursor(place: Place, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const key = Buffer.from(cursor.slice(SEAL_CHARS), "base64url").toString("utf8");
  if (key !== "" && signCursor(place, key) === cursor) return key;
  throw invalidParameter(
    "cursor",
    "Invalid cursor for this list. Pass meta.pagination.next_cursor unchanged.",
  );
}
