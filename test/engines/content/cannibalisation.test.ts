import * as fc from "fast-check";
import { expect, it } from "vitest";

import {
  findRivalries,
  findRivals,
  MEMBERS_MAX,
} from "../../../server/engines/content/rules/cannibalisation.ts";
import type { KeyphraseUse } from "../../../server/engines/content/schema/article.ts";
import { giveWay } from "../../../server/lib/slices.ts";
import { longestOf, TURN_MS } from "../../support/longest-turn.ts";
import { seeded } from "../../seeded.ts";

const use = (id: string, words: string, twin: string | null = null): KeyphraseUse => {
  const stems = words.split(" ");
  const kind = id.startsWith("art") ? "article" : "draft";
  const stem_key = [...new Set(stems)].sort().join("-");
  return {
    id,
    kind,
    title: id,
    url: null,
    phrase: words,
    stems: [...new Set(stems)],
    stem_key,
    is_live: true,
    twin_id: twin,
  };
};
/** The index as it is defined, slowly. */
function jaccard(left: readonly string[], right: readonly string[]): number {
  const common = right.filter((stem) => left.includes(stem)).length;
  return common / (left.length + right.length - common);
}

const noPause = () => undefined;
const named = async (uses: readonly KeyphraseUse[]) =>
  (await findRivalries(uses, noPause)).map(({ similarity, members }) => [
    similarity,
    ...members.map(({ id }) => id).sort(),
  ]);

it("finds the same stems in any order, and sets that overlap by 0.8", async () => {
  expect(await named([use("a", "rye bread"), use("b", "bread rye"), use("c", "rye")])).toEqual([
    [1, "a", "b"],
  ]);
  expect(await named([use("a", "a b c d"), use("b", "a b c d e"), use("c", "a b c")])).toEqual([
    [0.8, "a", "b"],
  ]);
  expect(await named([use("a", "a b c"), use("b", "a b c d")])).toEqual([]);
});

it("takes a draft and its article for one text", async () => {
  expect(await named([use("drf_1", "rye"), use("art_1", "rye", "drf_1")])).toEqual([]);
  expect(await named([use("drf_1", "rye"), use("art_1", "rye", "drf_1"), use("art_2", "rye")])).toEqual([
    [1, "art_1", "art_2", "drf_1"],
  ]);
});

it("finds every pair that comparing all with all finds", async () => {
  const phrase = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), {
    minLength: 1,
    maxLength: 7,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(phrase, { maxLength: 14 }), async (phrases) => {
      const uses = phrases.map((words, at) => use(`d${at}`, words.join(" ")));
      const pairs = new Set<string>();
      for (const a of uses)
        for (const b of uses)
          if (a.id < b.id && jaccard(a.stems, b.stems) >= 0.8) pairs.add(`${a.id} ${b.id}`);
      const found = new Set<string>();
      for (const { members } of await findRivalries(uses, noPause)) {
        for (const a of members) for (const b of members) if (a.id < b.id) found.add(`${a.id} ${b.id}`);
      }
      expect(found).toEqual(pairs);
      const rivals = await findRivals(uses, 20, noPause);
      for (const { id } of uses) {
        const others = uses.filter((other) => pairs.has([id, other.id].sort().join(" ")));
        expect(rivals.get(id) ?? []).toEqual(others.map((other) => other.id).sort());
      }
    }),
    seeded(),
  );
});

it("counts no twin among the rivals of a text, and no more than wanted", async () => {
  const uses = [use("art_1", "rye", "drf_1"), use("art_2", "rye"), use("drf_1", "rye"), use("drf_3", "rye")];
  const rivals = await findRivals(uses, 20, noPause);
  expect(rivals.get("drf_1")).toEqual(["art_2", "drf_3"]);
  expect(rivals.get("art_1")).toEqual(["art_2", "drf_3"]);
  expect(rivals.get("art_2")).toEqual(["art_1", "drf_1", "drf_3"]);
  expect((await findRivals(uses, 2, noPause)).get("drf_1")).toEqual(["art_2", "drf_3"]);
  expect(await findRivals(uses.slice(0, 1), 2, noPause)).toEqual(new Map());
});

// Each of these once made millions of comparisons, lists or both.
const MANY = 5_000;
it.each<[string, (at: number) => string, number]>([
  ["one that all have", () => "rye bread", 1],
  ["nearly one", (at) => `a b c d e f g h i x${at}`, MANY * 10],
  [
    "words out of twenty",
    (at) => [...Array(14).keys()].map((n) => `w${(n * (at % 97) + (at >> 3)) % 20}`).join(" "),
    MANY * 10,
  ],
  [
    "one and its neighbours",
    (at) => (at % 2 === 0 ? "a b c d e f g h i" : `a b c d e f g h i y${at}`),
    MANY * 10,
  ],
])("tells a bounded number where thousands stand for %s", async (_, words, most) => {
  const uses = Array.from({ length: MANY }, (__, at) => use(`art_${at}`, words(at)));
  const rivalries = await findRivalries(uses, noPause);
  expect(rivalries.length).toBeGreaterThan(0);
  expect(rivalries.length).toBeLessThanOrEqual(most);
  expect(Math.max(...rivalries.map(({ members }) => members.length))).toBeLessThanOrEqual(MEMBERS_MAX);
  const rivals = await findRivals(uses, 20, noPause);
  expect(Math.max(...[...rivals.values()].map((ids) => ids.length))).toBeLessThanOrEqual(20);
});

it("compares thousands with pauses", async () => {
  const words = (at: number) =>
    [...Array(14).keys()].map((n) => `w${(n * (at % 97) + (at >> 3)) % 20}`).join(" ");
  const uses = Array.from({ length: MANY }, (_, at) => use(`art_${at}`, words(at)));
  const work = async (): Promise<void> => void (await findRivals(uses, 20, () => giveWay("part")));
  expect(await longestOf(() => undefined, work)).toBeLessThan(2 * TURN_MS);
});
