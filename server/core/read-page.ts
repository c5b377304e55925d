import { conflict } from "../lib/errors.ts";
import { PAGE_LIMIT_MAX } from "../storage/contract.ts";
import type { Page, StoreDriver } from "../storage/contract.ts";
import type { Collection } from "./collection.ts";
import { giveWay, inSlices } from "../lib/slices.ts";
import type { CursorCodec } from "./cursor.ts";
import { LIMITS } from "./limits.ts";
import { DocPage, lookAt } from "./stored.ts";
import type { Stored, StoredPage } from "./stored.ts";

export interface PageQuery {
  /** Index to read. Default: `new`. */
  readonly index?: string;
  /** Value of the index to list; "" lists an index without values, as `new` is. */
  readonly value?: string;
  readonly limit: number;
  /** The page may end early, with the document after which it has about this many bytes. */
  readonly bytes?: number | undefined;
  readonly cursor?: string | undefined;
  /** Order text to begin at, where there is no cursor: an index by date is read from a day on. */
  readonly from?: string | undefined;
  /** Values of the index `by` under all of which a document must be listed too. */
  readonly also?: readonly string[] | undefined;
}

/** Documents that are read for one page with `also`. Beyond them the page ends early, with a cursor. */
const SCAN_MAX = 1_000;
const SCAN_CHUNK = 100;

export interface PageReader {
  readonly store: Pick<StoreDriver, "page">;
  readonly cursors: CursorCodec;
  /** Cursors of pages whose object is known: signing one costs more than the rest of reading such a page. */
  readonly signed: WeakMap<Page, string>;
}

export function readPage<T>(
  deps: PageReader,
  part: string,
  collection: Collection<T>,
  query: PageQuery,
): Promise<StoredPage<T>> {
  return query.also === undefined || query.also.length === 0
    ? readPlain(deps, part, collection, query)
    : readFiltered(deps, part, collection, query);
}

async function readFiltered<T>(
  deps: PageReader,
  part: string,
  collection: Collection<T>,
  { also = [], ...query }: PageQuery,
): Promise<StoredPage<T>> {
  const page = (bounds: Pick<PageQuery, "limit" | "cursor">) =>
    readPlain(deps, part, collection, { ...query, ...bounds });
  const { limit } = query;
  const items: Stored<T>[] = [];
  let { cursor } = query;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += SCAN_CHUNK) {
    const found = await page({ limit: SCAN_CHUNK, cursor });
    // Each is parsed: a thousand large ones would keep the event loop for half a second.
    for await (const [index, item] of inSlices(found.items.entries(), part)) {
      const values = collection.indexes["by"]?.values(lookAt(item)) ?? [];
      if (!also.every((value) => values.includes(value))) continue;
      items.push(item);
      // Read again up to here, for a cursor that leads on from this document.
      if (items.length === limit)
        return { items, limit, next: (await page({ limit: index + 1, cursor })).next };
    }
    if (found.next === null) return { items, limit, next: null };
    cursor = found.next;
  }
  return { items, limit, next: cursor ?? null };
}

async function readPlain<T>(
  deps: PageReader,
  part: string,
  collection: Collection<T>,
  query: PageQuery,
): Promise<StoredPage<T>> {
  const index = query.index ?? "new";
  const value = query.value ?? "";
  const place = `${collection.name}.${index}.${value}`;
  const start = query.from === undefined ? undefined : `${value}@${query.from}`;
  const after = query.cursor === undefined ? start : deps.cursors.open(place, part, query.cursor);
  // Nothing is filed under what no index can name.
  if (value !== "" && !isPlainId(value)) return new DocPage(collection, { items: [] }, query.limit, null);
  const found = await deps.store.page(part, `ix.${collection.name}.${index}`, {
    limit: query.limit,
    ...(query.bytes === undefined ? {} : { bytes: query.bytes }),
    prefix: `${value}@`,
    of: collection.name,
    ...(after === undefined ? {} : { after }),
  });
  let next = found.next === undefined ? null : (deps.signed.get(found) ?? null);
  if (found.next !== undefined && next === null) {
    next = deps.cursors.sign(place, part, found.next);
    deps.signed.set(found, next);
  }
  return new DocPage(collection, found, query.limit, next);
}

export interface CountQuery extends Pick<PageQuery, "index" | "value"> {
  /** Beyond this number nothing is counted. */
  readonly max: number;
}

/** Reads the entries of the index only: hundreds of large documents would be tens of megabytes. */
export async function countEntries<T>(
  { store }: Pick<PageReader, "store">,
  part: string,
  collection: Collection<T>,
  { index = "new", value = "", max }: CountQuery,
): Promise<number> {
  if (value !== "" && !isPlainId(value)) return 0;
  let count = 0;
  let after: string | undefined;
  do {
    const { items, next } = await store.page(part, `ix.${collection.name}.${index}`, {
      limit: Math.min(max - count, PAGE_LIMIT_MAX),
      prefix: `${value}@`,
      ...(after === undefined ? {} : { after }),
    });
    count += items.length;
    after = next;
  } while (after !== undefined && count < max);
  return count;
}

/** Documents of the first page and of later pages of a whole collection, and bytes of each. */
const ALL_PAGE = { first: 100, max: 500, bytes: 4_000_000 } as const;

type AllQuery = Omit<PageQuery, "limit" | "bytes" | "cursor">;

/**
 * Documents one after another, parsed with pauses. Pages are bounded by their characters, and none of what was parsed is kept here: a
 * caller that keeps parts of the values only has one of them in memory at a time.
 */
export async function* readEach<T>(
  part: string,
  collection: Collection<T>,
  query: AllQuery,
  page: (collection: Collection<T>, query: PageQuery) => Promise<StoredPage<T>>,
): AsyncGenerator<Stored<T>, void, undefined> {
  const { bytes } = ALL_PAGE;
  let cursor: string | undefined;
  let limit: number = ALL_PAGE.first;
  do {
    const { next, unread } = unreadOf(await page(collection, { ...query, limit, bytes, cursor }));
    limit = ALL_PAGE.max;
    cursor = next ?? undefined;
    for (let item = unread.pop(); item !== undefined; item = unread.pop()) {
      const turn = giveWay(part);
      if (turn !== undefined) await turn;
      void item.value;
      yield item;
    }
  } while (cursor !== undefined);
}

/** What is left of a page, the next document last. The page itself would keep each value that was parsed. */
export const unreadOf = <T>({ items, limit, next }: StoredPage<T>) => ({
  limit,
  next,
  unread: items.toReversed(),
});

/** What a caller needs of all documents. */
export async function mapAll<T, U>(
  { part, peekPage }: AllReader,
  collection: Collection<T>,
  query: AllQuery,
  map: (value: T) => U | Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  for await (const { value } of readEach(part, collection, query, peekPage)) {
    results.push(await map(value));
    requireFew(collection, results.length);
  }
  return results;
}

interface AllReader {
  readonly part: string;
  readonly peekPage: <T>(collection: Collection<T>, query: PageQuery) => Promise<StoredPage<T>>;
}

/**
 * All documents, parsed with pauses: every caller reads the values of all of them. What is only looked through is read by `readEach` or
 * `mapAll`, which keep less.
 */
export async function collectAll<T>(
  part: string,
  collection: Collection<T>,
  query: AllQuery,
  page: (collection: Collection<T>, query: PageQuery) => Promise<StoredPage<T>>,
): Promise<Stored<T>[]> {
  const items: Stored<T>[] = [];
  let chars = 0;
  for await (const item of readEach(part, collection, query, page)) {
    items.push(item);
    chars += item.members.length;
    requireFew(collection, items.length);
    if (chars > LIMITS.allChars) throw tooLarge(collection, `${LIMITS.allChars} characters of JSON`);
  }
  return items;
}

function requireFew<T>(collection: Collection<T>, count: number): void {
  if (count > LIMITS.allMax) throw tooLarge(collection, `${LIMITS.allMax} entries`);
}

const tooLarge = <T>({ name }: Collection<T>, max: string) =>
  conflict(
    "collection_too_large",
    `The collection ${name} contains more than ${max}, which is too many to evaluate. Delete or archive what is no longer used.`,
  );

/** Ids come from paths: one that the key grammar forbids cannot exist. */
export const isPlainId = (id: string): boolean =>
  /^[A-Za-z0-9_.~@-]{1,128}$/.test(id) && id !== "." && id !== "..";
