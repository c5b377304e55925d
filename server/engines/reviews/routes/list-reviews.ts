import { invalidParameter } from "../../../lib/errors.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { inSlices } from "../../../lib/slices.ts";
import { reviews } from "../repository.ts";
import type { Filter, Place } from "../rules/pick-places.ts";
import { matches, pickPlaces } from "../rules/pick-places.ts";
import type { Review } from "../schema.ts";

/** Reviews examined per page before a cursor is returned: a selective filter must not read a whole store. */
const LOOKED_AT_MAX = 1_000;

export interface ReviewFilter {
  readonly filter: Filter;
  /** Filters that no index covers. */
  readonly keep: (review: Review) => boolean;
  /** Only reviews created at or after this time. */
  readonly since: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface ReviewPage {
  readonly items: readonly Stored<Review>[];
  readonly next: string | null;
}

/**
 * One page of reviews: reads index ranges one after the other and evaluates the remaining filters per review. A page
 * can have fewer entries than limit, even none, and still have a next page.
 */
export async function findReviews(tx: Tx, filter: ReviewFilter): Promise<ReviewPage> {
  const places = pickPlaces(filter.filter);
  let at = openAt(filter.cursor, places.length);
  const items: Stored<Review>[] = [];
  let looked = 0;
  while (items.length < filter.limit && looked < LOOKED_AT_MAX) {
    const place = places[at.place];
    if (place === undefined) return { items, next: null };
    const { items: read, next } = await tx.peekPage(reviews, {
      ...toIndex(place),
      limit: filter.limit - items.length,
      cursor: at.inner,
    });
    looked += read.length;
    let hasOld = false;
    // Each is parsed: a hundred large ones would keep the event loop from other requests.
    for await (const item of inSlices(read, tx.part)) {
      const { value } = item;
      if (filter.since !== undefined && value.submitted_at < filter.since) hasOld = true;
      else if (matches(value, filter.filter, place) && filter.keep(value)) items.push(item);
    }
    // Ordered by time, newest first: the first one that is too old ends its range.
    const isOver = next === null || (hasOld && place.index !== "helpful");
    at = isOver ? { place: at.place + 1, inner: undefined } : { place: at.place, inner: next };
  }
  const isLast = at.place >= places.length;
  return { items, next: isLast ? null : `${at.place}.${at.inner ?? ""}` };
}

const toIndex = ({ index, value }: Place) => (index === "new" ? {} : { index, value });

function openAt(cursor: string | undefined, places: number): { place: number; inner: string | undefined } {
  if (cursor === undefined) return { place: 0, inner: undefined };
  const [, place = "", inner = ""] = /^(\d)\.(.*)$/s.exec(cursor) ?? [];
  if (place !== "" && Number(place) < places)
    return { place: Number(place), inner: inner === "" ? undefined : inner };
  throw invalidParameter(
    "cursor",
    "`cursor` is not valid for this list. Pass meta.pagination.next_cursor unchanged.",
  );
}
