import * as fc from "fast-check";
import { expect, it } from "vitest";

import { findRivalries, jaccard } from "../../../server/engines/content/rules/cannibalisation.ts";
import type { KeyphraseUse } from "../../../server/engines/content/schema/article.ts";
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
const named = (uses: readonly KeyphraseUse[]) =>
  findRivalries(uses).map(({ similarity, members }) => [similarity, ...members.map(({ id }) => id).sort()]);

it("finds the same stems in any order, and sets that overlap by 0.8", () => {
  expect(named([use("a", "rye bread"), use("b", "bread rye"), use("c", "rye")])).toEqual([[1, "a", "b"]]);
  expect(named([use("a", "a b c d"), use("b", "a b c d e"), use("c", "a b c")])).toEqual([[0.8, "a", "b"]]);
  expect(named([use("a", "a b c"), use("b", "a b c d")])).toEqual([]);
});

it("takes a draft and its article for one text", () => {
  expect(named([use("drf_1", "rye"), use("art_1", "rye", "drf_1")])).toEqual([]);
  expect(named([use("drf_1", "rye"), use("art_1", "rye", "drf_1"), use("art_2", "rye")])).toEqual([
    [1, "art_1", "art_2", "drf_1"],
  ]);
});

it("finds every pair that comparing all with all finds", () => {
  const phrase = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), {
    minLength: 1,
    maxLength: 7,
  });
  fc.assert(
    fc.property(fc.array(phrase, { maxLength: 14 }), (phrases) => {
      const uses = phrases.map((words, at) => use(`d${at}`, words.join(" ")));
      const pairs = new Set<string>();
      for (const a of uses)
        for (const b of uses)
          if (a.id < b.id && jaccard(a.stems, b.stems) >= 0.8) pairs.add(`${a.id} ${b.id}`);
      const found = new Set<string>();
      for (const { members } of findRivalries(uses)) {
        for (const a of members) for (const b of members) if (a.id < b.id) found.add(`${a.id} ${b.id}`);
      }
      expect(found).toEqual(pairs);
    }),
    seeded(),
  );
});
