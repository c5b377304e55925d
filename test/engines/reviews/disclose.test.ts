import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import {
  disclosureOf,
  englishDisclosure,
  mergeDisclosures,
  withDisclosure,
} from "../../../server/engines/reviews/rules/disclose.ts";
import { INCENTIVE_TYPES, RELATIONSHIPS } from "../../../server/engines/reviews/schema/parts.ts";

it("says everything but nothing", () => {
  for (const type of INCENTIVE_TYPES) {
    for (const relationship of RELATIONSHIPS) {
      const disclosure = englishDisclosure({ type, note: "" }, relationship);
      const parts = (type === "none" ? 0 : 1) + (relationship === "none" ? 0 : 1);
      expect(disclosure?.split(". ").length ?? 0, `${type} ${relationship}`).toBe(parts);
    }
  }
});

it.each(["en", "de", "fr"] as const)(
  "has the same sentences on pages and in the element: %s",
  async (language) => {
    const source = await readFile("server/site/elements/client/sf-reviews.js", "utf8");
    for (const type of INCENTIVE_TYPES)
      if (type !== "none")
        expect(source).toContain(`${type}: "${disclosureOf(wordsIn(language), { type }, "none")}"`);
    for (const relationship of RELATIONSHIPS)
      if (relationship !== "none")
        expect(source).toContain(
          `${relationship}: "${disclosureOf(wordsIn(language), { type: "none" }, relationship)}"`,
        );
  },
);

it("stands before the words", () => {
  expect(withDisclosure("Good.", "Offered a coupon.")).toBe("[Offered a coupon.] Good.");
  expect(withDisclosure("Good.", null)).toBe("Good.");
});

it("is never taken back by a later version of the same review", () => {
  const plain = { incentive: { type: "none", note: "" }, relationship: "none" } as const;
  const told = { incentive: { type: "coupon", note: "" }, relationship: "employee" } as const;
  const other = { incentive: { type: "points", note: "" }, relationship: "family" } as const;
  expect(mergeDisclosures(null, plain)).toEqual(plain);
  expect(mergeDisclosures(told, plain)).toEqual(told);
  expect(mergeDisclosures(told, other)).toEqual(other);
  expect(mergeDisclosures(plain, told)).toEqual(told);
});
