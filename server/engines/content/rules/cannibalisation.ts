import type { KeyphraseUse } from "../schema/article.ts";

/** Texts with the same keyphrase, or with two that are almost the same. */
export interface Rivalry {
  /** 1 for the same words, in any order and form. */
  readonly similarity: number;
  readonly phrases: readonly string[];
  /** At most `MEMBERS_MAX` of them. */
  readonly members: readonly KeyphraseUse[];
}

/** Called before each set of stems is compared: what it returns is waited for. */
export type Pause = () => Promise<void> | undefined;

/** Maximum of reported texts per group. */
export const MEMBERS_MAX = 50;
/** Bounds of the search: groups per set of stems, and candidates per set. The rarest stems are compared first. */
const RIVALS_MAX = 10;
const LOOKED_AT_MAX = 200;

/**
 * Keyphrases with the same set of stems, or sets with a Jaccard index of at least 0.8, in two texts. A draft and the
 * article that tracks it are one text. In no order: there can be ten times as many as texts. With thousands of similar texts, not every
 * pair is reported.
 */
export async function findRivalries(uses: readonly KeyphraseUse[], pause: Pause): Promise<Rivalry[]> {
  const groups = await groupsOf(uses, pause);
  const found: Rivalry[] = [];
  for (const { members, texts } of groups) {
    await pause();
    if (texts >= 2) found.push(toRivalry(1, members.slice(0, MEMBERS_MAX)));
  }
  for (const { left, right, similarity } of await pairsOf(groups, pause)) {
    await pause();
    const members = [left, right].flatMap(({ members }) => members.slice(0, MEMBERS_MAX / 2));
    found.push(toRivalry(similarity, members));
  }
  return found;
}

/** For each text the ids of competing texts, at most a fixed number, ascending. */
export async function findRivals(
  uses: readonly KeyphraseUse[],
  most: number,
  pause: Pause,
): Promise<Map<string, string[]>> {
  const groups = await groupsOf(uses, pause);
  // Two more than needed: the text itself and its twin may be among them.
  const idsOf = new Map(groups.map((group) => [group, firstIds(group.members, most + 2)]));
  const near = new Map(groups.map((group) => [group, group.texts >= 2 ? [...(idsOf.get(group) ?? [])] : []]));
  for (const { left, right } of await pairsOf(groups, pause)) {
    near.get(left)?.push(...(idsOf.get(right) ?? []));
    near.get(right)?.push(...(idsOf.get(left) ?? []));
  }
  const rivals = new Map<string, string[]>();
  for (const [{ members }, ids] of near) {
    if (ids.length === 0) continue;
    const nearest = ids.sort().slice(0, most + 2);
    const twinOf = new Map(members.map(({ id, twin_id: twin }) => [twin, id]));
    for (const { id, twin_id: twin } of members) {
      const others = nearest.filter((other) => other !== id && other !== twin && other !== twinOf.get(id));
      rivals.set(id, others.slice(0, most));
    }
  }
  return rivals;
}

const firstIds = (members: readonly KeyphraseUse[], most: number): string[] =>
  members
    .map(({ id }) => id)
    .sort()
    .slice(0, most);

/** Texts with the same set of stems. */
interface Group {
  readonly members: readonly KeyphraseUse[];
  readonly texts: number;
  /** Its stems as numbers, rarest first: 0 is the rarest of all. */
  readonly stems: readonly number[];
}

async function groupsOf(uses: readonly KeyphraseUse[], pause: Pause): Promise<Group[]> {
  const byKey = new Map<string, KeyphraseUse[]>();
  for (const use of uses) {
    const group = byKey.get(use.stem_key);
    if (group === undefined) byKey.set(use.stem_key, [use]);
    else group.push(use);
  }
  const sets = [...byKey.values()];
  const frequency = new Map<string, number>();
  for (const [first] of sets) {
    await pause();
    for (const stem of first?.stems ?? []) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  }
  const rarest = [...frequency].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  const rank = new Map(rarest.map(([stem], at) => [stem, at]));
  const groups: Group[] = [];
  for (const members of sets) {
    await pause();
    const stems = (members[0]?.stems ?? []).map((stem) => rank.get(stem) ?? 0).sort((a, b) => a - b);
    groups.push({ members, texts: textsIn(members), stems });
  }
  return groups;
}

interface Pair {
  readonly left: Group;
  readonly right: Group;
  readonly similarity: number;
}

/** Similar sets share at least one of the rarest stems: only such pairs are compared, and of those a bounded number. */
async function pairsOf(groups: readonly Group[], pause: Pause): Promise<Pair[]> {
  const byStem = new Map<number, Group[]>();
  const pairs: Pair[] = [];
  for (const group of groups) {
    await pause();
    const { stems } = group;
    const rarest = stems.slice(0, stems.length - Math.ceil((4 * stems.length) / 5) + 1);
    let rivals = 0;
    for (const other of candidates(byStem, rarest)) {
      if (rivals === RIVALS_MAX) break;
      const similarity = similarityOf(other.stems, stems);
      if (similarity === null || !areTwo(other, group)) continue;
      pairs.push({ left: other, right: group, similarity });
      rivals += 1;
    }
    for (const stem of rarest) {
      const groups = byStem.get(stem);
      if (groups === undefined) byStem.set(stem, [group]);
      else groups.push(group);
    }
  }
  return pairs;
}

function candidates(byStem: ReadonlyMap<number, readonly Group[]>, rarest: readonly number[]): Set<Group> {
  const candidates = new Set<Group>();
  let left = LOOKED_AT_MAX;
  for (const stem of rarest) {
    for (const group of (byStem.get(stem) ?? []).slice(0, left)) {
      candidates.add(group);
      left -= 1;
    }
  }
  return candidates;
}

/**
 * The Jaccard index of two ascending sets; null below 0.8. Computed with integers, as 4/5 has no exact binary
 * fraction.
 */
function similarityOf(a: readonly number[], b: readonly number[]): number | null {
  if (5 * Math.min(a.length, b.length) < 4 * Math.max(a.length, b.length)) return null;
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) common += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  const all = a.length + b.length - common;
  return 5 * common >= 4 * all ? common / all : null;
}

const areTwo = (a: Group, b: Group): boolean =>
  a.texts >= 2 || b.texts >= 2 || textsIn([...a.members, ...b.members]) >= 2;

/** Number of different texts; a draft and its article count once. */
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
