import { expect, it } from "vitest";

import { structureChecks } from "../../../server/engines/content/rules/structure-checks.ts";
import { factsWith } from "./facts.ts";

it.each([
  ["s1", "whole", { words: 300 }, "good"],
  ["s1", "whole", { words: 299 }, "ok"],
  ["s1", "whole", { words: 250 }, "ok"],
  ["s1", "whole", { words: 249 }, "bad"],
  ["s1", "whole", { words: 900, cornerstone: true }, "good"],
  ["s1", "whole", { words: 899, cornerstone: true }, "ok"],
  ["s1", "whole", { words: 400, cornerstone: true }, "ok"],
  ["s1", "whole", { words: 399, cornerstone: true }, "bad"],
  ["s2", "structure", { h1: 1 }, "good"],
  ["s2", "structure", { h1: 2 }, "bad"],
  ["s3", "structure", { skipsLevel: true }, "bad"],
  ["s4", "structure", { longestSection: 300 }, "good"],
  ["s4", "structure", { longestSection: 301 }, "ok"],
  ["s4", "structure", { longestSection: 350 }, "ok"],
  ["s4", "structure", { longestSection: 351 }, "bad"],
  ["s4", "structure", { subheadings: 0, longestSection: 301 }, "bad"],
  ["s5", "structure", { longestParagraph: 150 }, "good"],
  ["s5", "structure", { longestParagraph: 151 }, "ok"],
  ["s5", "structure", { longestParagraph: 200 }, "ok"],
  ["s5", "structure", { longestParagraph: 201 }, "bad"],
  ["s6", "structure", { images: 1 }, "good"],
  ["s6", "structure", { images: 0 }, "bad"],
  ["s7", "structure", { images: 0 }, "na"],
  ["s7", "structure", { images: 5, imagesWithAlt: 5 }, "good"],
  ["s7", "structure", { images: 5, imagesWithAlt: 4 }, "ok"],
  ["s7", "structure", { images: 5, imagesWithAlt: 3 }, "bad"],
  ["s8", "whole", { words: 1_000 }, "na"],
  ["s8", "whole", { words: 1_001 }, "good"],
  ["s8", "structure", { hasListOrTable: false }, "bad"],
] as const)("%s with %s %j is %s", (id, part, members, status) => {
  const check = structureChecks(factsWith(part, members)).find((one) => one.id === id);
  expect(check?.status).toBe(status);
  expect(check?.fix === null).toBe(status === "good" || status === "na");
});

it("s4 lets a short text be undivided", () => {
  const facts = factsWith("structure", { subheadings: 0, longestSection: 300 });
  expect(structureChecks({ ...facts, words: 300 }).find(({ id }) => id === "s4")?.status).toBe("good");
});
