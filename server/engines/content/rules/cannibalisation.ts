import type { KeyphraseUse } from "../schema/article.ts";

/** Texts that stand for the same keyphrase, or for two that are almost the same. */
export interface Rivalry {
  /** 1 for the same words, whatever their order and form. */
  readonly similarity: number;
  readonly phrases: readonly string[];
  readonly members: readonly KeyphraseUse[];
}

const SIMILAR = 0.8;

/**
 * Keyphrases with the same set of stems, or sets with a Jaccard index of at least 0.8, between two texts. A draft and the
 * article that it became are one text. The worst first.
 */
export function findRivalries(uses: readonly KeyphraseUse[]): Rivalry[] {
  const sets = new Map<string, KeyphraseUse[]>();
  for (const use of uses) sets.set(use.stem_key, [...(sets.get(use.stem_key) ?? []), use]);
  const groups = [...sets.values()];
  const same = groups.filter((members) => textsIn(members) >= 2).map((members) => toRivalry(1, members));
  return [...same, ...similarGroups(groups)].sort(
    (a, b) => b.similarity - a.similarity || b.members.length - a.members.length,
  );
}

/** Of sets that are alike, at least one of the rarest stems is common: only such pairs are compared. */
function similarGroups(groups: readonly (readonly KeyphraseUse[])[]): Rivalry[] {
  const frequency = new Map<string, number>();
  for (const [first] of groups)
    for (const stem of first?.stems ?? []) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  const byStem = new Map<string, number[]>();
  const found: Rivalry[] = [];
  for (const [at, group] of groups.entries()) {
    const stems = [...(group[0]?.stems ?? [])].sort(
      (a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1),
    );
    const rarest = stems.slice(0, stems.length - Math.ceil(SIMILAR * stems.length) + 1);
    const candidates = new Set(rarest.flatMap((stem) => byStem.get(stem) ?? []));
    for (const other of candidates) {
      const rival = groups[other] ?? [];
      const similarity = jaccard(group[0]?.stems ?? [], rival[0]?.stems ?? []);
      const members = [...rival, ...group];
      if (similarity >= SIMILAR && textsIn(members) >= 2) found.push(toRivalry(similarity, members));
    }
    for (const stem of rarest) byStem.set(stem, [...(byStem.get(stem) ?? []), at]);
  }
  return found;
}

export function jaccard(left: readonly string[], right: readonly string[]): number {
  const there = new Set(left);
  const common = right.filter((stem) => there.has(stem)).length;
  const all = left.length + right.length - common;
  return all === 0 ? 0 : common / all;
}

/** How many texts there are among uses, twins counted once. */
function textsIn(members: readonly KeyphraseUse[]): number {
  const ids = new Set(members.map(({ id }) => id));
  const twins = members.filter(
    ({ kind, twin_id: twin }) => kind === "article" && twin !== null && ids.has(twin),
  );
  return members.length - twins.length;
}

const toRivalry = (similarity: number, members: readonly KeyphraseUse[]): Rivalry => ({
  similarity: Math.round(similarity * 1_000) / 1_000,
  phrases: [...new Set(members.map(({ phrase }) => phrase))],
  members,
});
