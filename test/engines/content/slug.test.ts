import { expect, it } from "vitest";

import { transliterate } from "../../../server/engines/content/services/slugs.ts";
import { cutSlug, slugCandidates } from "../../../server/engines/content/services/slugs.ts";
import { Slug } from "../../../server/engines/content/schema/draft.ts";

const ID = "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0";

it.each([
  ["Ærø Bread", "aero-bread"],
  ["How we keep a Sourdough starter!", "how-we-keep-a-sourdough-starter"],
  ["Crème brûlée & café", "creme-brulee-and-cafe"],
  ["寿司", ""],
])("writes %s as %j", async (title, slug) => expect(await transliterate(title)).toBe(slug));

it("cuts at a word where it can", () => {
  expect(cutSlug("a".repeat(80))).toBe("a".repeat(75));
  expect(cutSlug(`${"word-".repeat(14)}longer-end`)).toBe("word-".repeat(14).slice(0, -1));
  expect(cutSlug("short")).toBe("short");
});

it("has candidates that are slugs, the last one with part of the id", () => {
  for (const base of ["bread", "x".repeat(75), `${"ab-".repeat(24)}abc`]) {
    const all = slugCandidates(base, ID);
    for (const slug of all) expect(Slug.safeParse(slug).error, slug).toBeUndefined();
    expect(new Set(all).size).toBe(all.length);
    expect(all.at(-1)).toMatch(/6r7s8t9v0$/);
  }
  expect(slugCandidates("", ID)).toEqual(["p6r7s8t9v0"]);
});
