import { giveWay } from "../../../lib/slices.ts";
import type { Aggregate } from "../schema/tracking.ts";

export interface CitationRow {
  readonly domain: string | null;
  readonly url: string | null;
  readonly prompt_id: string | null;
  readonly prompt_version: number | null;
  readonly engine: string | null;
  readonly day: string | null;
  readonly own: boolean | null;
  readonly answers: number;
  readonly of_answers: number;
}

export interface Grouping {
  readonly by: "domain" | "url" | "prompt" | "engine" | "day";
  /** Count only answers that cite this. */
  readonly domain?: string | undefined;
  readonly url?: string | undefined;
}

const NOTHING: Omit<CitationRow, "answers" | "of_answers"> = {
  domain: null,
  url: null,
  prompt_id: null,
  prompt_version: null,
  engine: null,
  day: null,
  own: null,
};

/**
 * Citations in answers, grouped by what is cited or by where it occurred. By domain and URL a row counts the answers
 * citing it,
 * of all in the window; otherwise those citing anything (or the given domain or URL), of all in the group. Grouped
 * with pauses; `key`: for whom.
 */
export async function groupCitations(
  list: readonly Aggregate[],
  grouping: Grouping,
  { ownDomains, key: caller }: { readonly ownDomains: readonly string[]; readonly key: string },
): Promise<CitationRow[]> {
  const isByName = grouping.by === "domain" || grouping.by === "url";
  const rows = new Map<string, CitationRow>();
  const add = (key: string, row: CitationRow): void => {
    const before = rows.get(key);
    rows.set(key, {
      ...row,
      answers: row.answers + (before?.answers ?? 0),
      of_answers: row.of_answers + (before?.of_answers ?? 0),
    });
  };
  const isOwn = (domain: string): boolean =>
    ownDomains.some((own) => domain === own || domain.endsWith(`.${own}`));
  const all = list.reduce((sum, { sums }) => sum + sums.answers, 0);
  for (const aggregate of list) {
    await giveWay(caller);
    const { sums } = aggregate;
    if (isByName) {
      const named = grouping.by === "domain" ? sums.domains : sums.urls;
      for (const [name, { answers }] of Object.entries(named)) {
        const domain = grouping.by === "domain" ? name : new URL(name).hostname.replace(/^www\./, "");
        if (grouping.domain !== undefined && domain !== grouping.domain) continue;
        if (grouping.url !== undefined && name !== grouping.url) continue;
        const url = grouping.by === "url" ? name : null;
        const before = rows.get(name);
        const row = before ?? { ...NOTHING, domain, url, own: isOwn(domain), answers: 0, of_answers: all };
        rows.set(name, { ...row, answers: row.answers + answers });
      }
      continue;
    }
    const { key, ...group } = groupOf(aggregate, grouping.by);
    add(key, { ...NOTHING, ...group, answers: citing(aggregate, grouping), of_answers: sums.answers });
  }
  return [...rows.values()];
}

function groupOf(aggregate: Aggregate, by: "prompt" | "engine" | "day") {
  const { prompt_id, prompt_version, engine, day } = aggregate;
  if (by === "engine") return { key: engine, engine };
  if (by === "day") return { key: day, day };
  return { key: `${prompt_id}.${prompt_version}`, prompt_id, prompt_version };
}

function citing({ sums }: Aggregate, { domain, url }: Grouping): number {
  if (domain !== undefined) return sums.domains[domain]?.answers ?? 0;
  if (url !== undefined) return sums.urls[url]?.answers ?? 0;
  return sums.cited_answers;
}
