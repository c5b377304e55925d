import { expect, it } from "vitest";

import { aiShare, paragraphHashes } from "../../../server/engines/content/rules/provenance.ts";

it("counts the words of paragraphs that are still as they were applied", () => {
  const hashes = paragraphHashes("One two.\n\nThree four five.");
  expect(hashes).toHaveLength(2);
  expect(aiShare("One two.\n\nMy own words here.", hashes)).toBeCloseTo(2 / 6, 3);
  expect(aiShare("One  two.\n\n\nThree four\nfive.", hashes)).toBe(1);
  expect(aiShare("One two, edited.", hashes)).toBe(0);
  expect(aiShare("", hashes)).toBe(0);
});
