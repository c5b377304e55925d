import type { Sums } from "../schema/tracking.ts";

/** Citations in a prompt's answers, and the share of the own brands. */
export interface Gap {
  readonly answers: number;
  readonly own_mentions: number;
  readonly own_citations: number;
  /** Competing brands, most cited first. */
  readonly competitors: { brand_id: string; cited_answers: number; answers: number }[];
  /** Domains cited there, most cited first, at most ten. */
  readonly domains: { domain: string; answers: number }[];
  /** Answers citing the strongest competitor / answers: the opportunity. */
  readonly opportunity: number;
}

/** The gap of a prompt: null if the store itself is cited, or if no competitor is. */
export function gapOf(sums: Sums, ownIds: ReadonlySet<string>): Gap | null {
  const brands = Object.entries(sums.brands);
  const own = brands.filter(([id]) => ownIds.has(id)).map(([, brand]) => brand);
  const competitors = brands
    .filter(([id, brand]) => !ownIds.has(id) && brand.cited_answers > 0)
    .map(([id, brand]) => ({ brand_id: id, cited_answers: brand.cited_answers, answers: brand.answers }))
    .sort((a, b) => b.cited_answers - a.cited_answers || (a.brand_id < b.brand_id ? -1 : 1));
  const ownCitations = own.reduce((sum, brand) => sum + brand.cited_answers, 0);
  const [strongest] = competitors;
  if (ownCitations > 0 || strongest === undefined || sums.answers === 0) return null;
  return {
    answers: sums.answers,
    own_mentions: own.reduce((sum, brand) => sum + brand.answers, 0),
    own_citations: ownCitations,
    competitors,
    domains: Object.entries(sums.domains)
      .map(([domain, { answers }]) => ({ domain, answers }))
      .sort((a, b) => b.answers - a.answers || (a.domain < b.domain ? -1 : 1))
      .slice(0, 10),
    opportunity: Math.round((strongest.cited_answers / sums.answers) * 1e6) / 1e6,
  };
}
