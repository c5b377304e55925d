import type { BrandSums, Extraction, Observation, Sums } from "../schema/tracking.ts";
import { ownsDomain } from "./read-answer.ts";
import type { TrackedBrand } from "./read-answer.ts";

/** URLs and domains recorded in the sums of one day; others are only counted. */
export const NAMED_MAX = 300;

/** Empty sums. */
export const noSums = (): Sums => ({
  answers: 0,
  cited_answers: 0,
  pairs: 0,
  branded_answers: 0,
  mentions: 0,
  pawc_answers: 0,
  brands: {},
  domains: {},
  urls: {},
  urls_left_out: 0,
});

export const noBrandSums = (): BrandSums => ({
  answers: 0,
  mentions: 0,
  first: 0,
  order_sum: 0,
  positive: 0,
  neutral: 0,
  cited_answers: 0,
  cited_pairs: 0,
  appearances: 0,
  mention_quality: 0,
  citation_quality: 0,
  pawc: 0,
});

type Read = Pick<Extraction, "mentions" | "pawc">;

/** The sums of one answer with its extracted mentions. */
export function sumsOf(
  { citations }: Pick<Observation, "citations">,
  { mentions, pawc }: Read,
  brands: readonly TrackedBrand[],
): Sums {
  const domains = [...new Set(citations.map(({ domain }) => domain))];
  const urls = [...new Set(citations.map(({ url }) => url))];
  const shares = new Map(Object.entries(pawc ?? {}));
  const shareOf = (domain: string): number => shares.get(domain) ?? 0;
  return {
    answers: 1,
    cited_answers: domains.length > 0 ? 1 : 0,
    pairs: domains.length,
    branded_answers: mentions.length > 0 ? 1 : 0,
    mentions: mentions.reduce((sum, { count }) => sum + count, 0),
    pawc_answers: pawc === null ? 0 : 1,
    brands: Object.fromEntries(
      brands.flatMap((brand) => {
        const own = domains.filter((domain) => ownsDomain(brand, domain));
        const mention = mentions.find(({ brand_id: id }) => id === brand.id);
        if (mention === undefined && own.length === 0) return [];
        const position = Math.min(
          ...citations.filter(({ domain }) => own.includes(domain)).map((citation) => citation.position),
        );
        const cited = { pairs: own.length, position, share: sumBy(own, shareOf) };
        return [[brand.id, brandSums(mention, cited)] as const];
      }),
    ),
    domains: Object.fromEntries(
      domains.map((domain) => [
        domain,
        {
          answers: 1,
          citations: citations.filter((citation) => citation.domain === domain).length,
          pawc: shareOf(domain),
        },
      ]),
    ),
    urls: Object.fromEntries(urls.map((url) => [url, { answers: 1 }])),
    urls_left_out: 0,
  };
}

function brandSums(
  mention: Read["mentions"][number] | undefined,
  { pairs, position, share }: { readonly pairs: number; readonly position: number; readonly share: number },
): BrandSums {
  return {
    answers: mention === undefined ? 0 : 1,
    mentions: mention?.count ?? 0,
    first: mention?.order === 1 ? 1 : 0,
    order_sum: mention?.order ?? 0,
    positive: mention?.sentiment === "positive" ? 1 : 0,
    neutral: mention?.sentiment === "neutral" ? 1 : 0,
    cited_answers: pairs > 0 ? 1 : 0,
    cited_pairs: pairs,
    appearances: 1,
    mention_quality: mention === undefined ? 0 : 1 / mention.order,
    citation_quality: pairs === 0 ? 0 : 1 / position,
    pawc: share,
  };
}

/** The total of both; neither is changed. Beyond `NAMED_MAX`, the least cited URLs and domains are dropped. */
export function addSums(left: Sums, right: Sums): Sums {
  const { brands, domains, urls, ...counts } = left;
  const { brands: moreBrands, domains: moreDomains, urls: moreUrls, ...moreCounts } = right;
  const allUrls = merged(urls, moreUrls);
  const kept = mostCited(allUrls, NAMED_MAX);
  const dropped = Object.keys(allUrls).length - Object.keys(kept).length;
  const total = added(counts, moreCounts);
  return {
    ...total,
    brands: merged(brands, moreBrands),
    domains: mostCited(merged(domains, moreDomains), NAMED_MAX),
    urls: kept,
    urls_left_out: total.urls_left_out + dropped,
  };
}

/** The sums of two objects of numbers, by member. */
const added = <K extends string>(
  left: Readonly<Record<K, number>>,
  right: Readonly<Record<K, number>>,
): Record<K, number> => {
  const sums: Record<K, number> = { ...left };
  for (const name in right) sums[name] += right[name];
  return sums;
};

function merged<K extends string>(
  left: Readonly<Record<string, Record<K, number>>>,
  right: Readonly<Record<string, Record<K, number>>>,
): Record<string, Record<K, number>> {
  const all = new Map(Object.entries(left));
  for (const [name, value] of Object.entries(right)) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : added(before, value));
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mostCited<V extends { readonly answers: number }>(
  all: Record<string, V>,
  max: number,
): Record<string, V> {
  const entries = Object.entries(all);
  if (entries.length <= max) return all;
  return Object.fromEntries(
    entries
      .sort(([a, left], [b, right]) => right.answers - left.answers || (a < b ? -1 : 1))
      .slice(0, max)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const sumBy = (items: readonly string[], valueOf: (item: string) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);
