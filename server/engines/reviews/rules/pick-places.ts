import { sha256Hex } from "../../../core/ids.ts";
import type { Review } from "../schema.ts";
import type { Target } from "../schema/parts.ts";

/** Hash of a target as an index value: the store's own id never becomes part of a key. */
export const filedTarget = ({ type, id }: Target): string => `t${sha256Hex(`${type}\0${id}`).slice(0, 24)}`;

/** Filters of a list of reviews that the index covers. */
export interface Filter {
  readonly target?: Target | undefined;
  readonly status?: string | undefined;
  readonly rating?: number | undefined;
  readonly verification?: string | undefined;
  readonly incentive?: string | undefined;
  readonly has_media?: boolean | undefined;
  readonly has_reply?: boolean | undefined;
  readonly locale?: string | undefined;
  readonly sort: "recent" | "helpful" | "rating_desc" | "rating_asc" | "media";
}

/** One range of an index. */
export interface Place {
  readonly index: "new" | "by" | "helpful";
  readonly value: string;
}

/** Index facets of a review by status: rare values are indexed, common ones are not. */
const facetsOf = (review: Review): string[] => [
  `r${review.rating}`,
  `v.${review.verification.level}`,
  `l.${review.locale}`,
  ...(review.incentive.type === "none" ? [] : [`i.${review.incentive.type}`]),
  ...(review.media.length === 0 ? [] : ["m"]),
  ...(review.reply === null ? ["y.no"] : []),
];

/** All values of a review in the index `by`. */
export function filedUnder(review: Review): string[] {
  const target = filedTarget(review.target);
  const places = [review.status, `${review.status}.${target}`];
  return [
    target,
    ...places,
    ...places.flatMap((place) => facetsOf(review).map((facet) => `${place}.${facet}`)),
  ];
}

/**
 * Where to read a list: one range of an index, or several one after the other. Filters that the index does not
 * cover are evaluated per review.
 */
export function pickPlaces(filter: Filter): Place[] {
  const target = filter.target === undefined ? "" : `.${filedTarget(filter.target)}`;
  const facets = wantedFacets(filter);
  const status = statusOf(filter);
  if (status === undefined) {
    return [
      filter.target === undefined ? { index: "new", value: "" } : { index: "by", value: target.slice(1) },
    ];
  }
  const base = `${status}${target}`;
  const under = (facet: string): Place => ({ index: "by", value: `${base}.${facet}` });
  if (filter.sort === "helpful") return [{ index: "helpful", value: `published${target}` }];
  if (filter.sort === "rating_desc") return STARS.map((star) => under(`r${star}`));
  if (filter.sort === "rating_asc") return STARS.toReversed().map((star) => under(`r${star}`));
  // Reviews with media, then the others: `matches` prevents duplicates.
  if (filter.sort === "media") return [under("m"), { index: "by", value: base }];
  const [facet] = facets;
  // Earlier versions stored a tag as it was sent, mostly in lower case: those reviews come after the others.
  if (facet?.startsWith("l.") === true) return [...new Set([facet, facet.toLowerCase()])].map(under);
  return [facet === undefined ? { index: "by", value: base } : under(facet)];
}

const STARS = [5, 4, 3, 2, 1] as const;

/** Index facets for the filter, most selective first. */
function wantedFacets(filter: Filter): string[] {
  const { rating, verification, incentive, has_media: media, has_reply: reply, locale } = filter;
  return [
    ...(incentive === undefined || incentive === "none" ? [] : [`i.${incentive}`]),
    ...(media === true ? ["m"] : []),
    ...(rating === undefined ? [] : [`r${rating}`]),
    ...(reply === false ? ["y.no"] : []),
    ...(verification === undefined ? [] : [`v.${verification}`]),
    ...(locale === undefined ? [] : [`l.${locale}`]),
  ];
}

/** Whether a review matches the whole filter; `place` is the range it was read from. */
export function matches(review: Review, filter: Filter, place: Place): boolean {
  const { status = statusOf(filter), has_media: media, has_reply: reply } = filter;
  const hasMedia = review.media.some(({ status: shown }) => shown !== "rejected");
  const isRepeat = filter.sort === "media" && hasMedia !== place.value.endsWith(".m");
  return (
    !isRepeat &&
    (status === undefined || review.status === status) &&
    (filter.rating === undefined || review.rating === filter.rating) &&
    (filter.verification === undefined || review.verification.level === filter.verification) &&
    (filter.incentive === undefined || review.incentive.type === filter.incentive) &&
    (filter.locale === undefined || review.locale.toLowerCase() === filter.locale.toLowerCase()) &&
    (media === undefined || hasMedia === media) &&
    (reply === undefined || (review.reply !== null) === reply)
  );
}

/** Orders other than by time, and filters other than status and target, default to published reviews. */
function statusOf(filter: Filter): string | undefined {
  const { sort, target: _, status, ...facets } = filter;
  const isPlain = sort === "recent" && FACETS.every((name) => facets[name] === undefined);
  return status ?? (isPlain ? undefined : "published");
}

const FACETS = ["rating", "verification", "incentive", "has_media", "has_reply", "locale"] as const;
