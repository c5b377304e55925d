import { sha256Hex } from "../../../kernel/ids.ts";
import type { Review } from "../schema.ts";
import type { Target } from "../schema/parts.ts";

/** A target as a value of an index: the shop's own id never enters a key. */
export const filedTarget = ({ type, id }: Target): string => `t${sha256Hex(`${type}\0${id}`).slice(0, 24)}`;

/** What a list of reviews can be asked for by index. */
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

/** One stretch of an index. */
export interface Place {
  readonly index: "new" | "by" | "helpful";
  readonly value: string;
}

/** The facets of a review that each status is filed under. */
export const facetsOf = (review: Review): string[] => [
  `r${review.rating}`,
  `v.${review.verification.level}`,
  `i.${review.incentive.type}`,
  `m.${yesNo(review.media.length > 0)}`,
  `y.${yesNo(review.reply !== null)}`,
  `l.${review.locale}`,
];

/** Everything a review is filed under in the index `by`. */
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
 * Where to read a list: one stretch of an index, or several one after the other. Whatever of the filter the index does not
 * tell is looked at in each review.
 */
export function pickPlaces(filter: Filter): Place[] {
  const target = filter.target === undefined ? "" : `.${filedTarget(filter.target)}`;
  const facets = wantedFacets(filter);
  const isSorted = filter.sort !== "recent";
  const status = filter.status ?? (isSorted || facets.length > 0 ? "published" : undefined);
  if (status === undefined) {
    return [
      filter.target === undefined ? { index: "new", value: "" } : { index: "by", value: target.slice(1) },
    ];
  }
  const base = `${status}${target}`;
  const under = (facet: string): Place => ({ index: "by", value: `${base}.${facet}` });
  if (filter.sort === "helpful") return [{ index: "helpful", value: `published${target}` }];
  if (filter.sort === "rating_desc") return STARS.map((star) => under(`r${star}`));
  if (filter.sort === "rating_asc") return [...STARS].reverse().map((star) => under(`r${star}`));
  if (filter.sort === "media") return [under("m.yes"), under("m.no")];
  const [facet] = facets;
  return [facet === undefined ? { index: "by", value: base } : under(facet)];
}

const STARS = [5, 4, 3, 2, 1] as const;

/** Facets that the filter asks for, the rarest kinds first. */
function wantedFacets(filter: Filter): string[] {
  const { rating, verification, incentive, has_media: media, has_reply: reply, locale } = filter;
  return [
    ...(rating === undefined ? [] : [`r${rating}`]),
    ...(incentive === undefined ? [] : [`i.${incentive}`]),
    ...(media === undefined ? [] : [`m.${yesNo(media)}`]),
    ...(verification === undefined ? [] : [`v.${verification}`]),
    ...(reply === undefined ? [] : [`y.${yesNo(reply)}`]),
    ...(locale === undefined ? [] : [`l.${locale}`]),
  ];
}

/** Whether a review is what the filter asks for, all of it. */
export function matches(review: Review, filter: Filter): boolean {
  const own = facetsOf(review);
  const isSorted = filter.sort !== "recent";
  const facets = wantedFacets(filter);
  const status = filter.status ?? (isSorted || facets.length > 0 ? "published" : undefined);
  return (status === undefined || review.status === status) && facets.every((facet) => own.includes(facet));
}

const yesNo = (value: boolean): string => (value ? "yes" : "no");
