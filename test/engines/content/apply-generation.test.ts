import { expect, it } from "vitest";

import { newParagraphs } from "../../../server/engines/content/rules/provenance.ts";
import { applyGeneration, replacesBody } from "../../../server/engines/content/rules/apply-generation.ts";
import { sampleContent } from "./samples.ts";
import { DraftContent } from "../../../server/engines/content/schema/draft.ts";
import type { Generation } from "../../../server/engines/content/schema/generation.ts";

const content = { ...DraftContent.parse(sampleContent), body: "Mine.\n\nStays." };
const apply = (
  operation: Generation["operation"],
  output: string,
  items: Generation["items"] = [],
  choice = 0,
) => applyGeneration(content, { operation, output, items }, choice);

it.each([
  ["meta_description", { seo: { ...content.seo, description: "Out" } }],
  ["summarise", { excerpt: "Out" }],
  ["title_suggestions", { title: "Out" }],
  ["outline", { body: "Mine.\n\nStays.\n\nOut" }],
  ["faq", { body: "Mine.\n\nStays.\n\nOut" }],
  ["rewrite", { body: "Out" }],
  ["draft", { body: "Out" }],
] as const)("%s goes where it belongs", (operation, members) => {
  expect(apply(operation, "Out").content).toEqual({ ...content, ...members });
});

it("takes the title that is chosen, and keywords once each", () => {
  expect(apply("title_suggestions", "A\nB", [{ text: "A" }, { text: "B" }], 1).content.title).toBe("B");
  const keywords = apply("keywords", "", [
    { text: "rye" },
    { text: " rye " },
    { text: "" },
    { text: "bread" },
  ]);
  expect(keywords.content.seo.secondary_keyphrases).toEqual(["rye", "bread"]);
});

it("marks paragraphs that are new as the machine's, and those that stayed as one's own", () => {
  const newIn = ({ written: { before, after } }: ReturnType<typeof apply>) => newParagraphs(before, after);
  expect(newIn(apply("rewrite", "Mine.\n\nNew."))).toHaveLength(1);
  expect(newIn(apply("faq", "New."))).toHaveLength(1);
  expect(newIn(apply("summarise", "New."))).toEqual([]);
  expect([replacesBody({ operation: "rewrite" }), replacesBody({ operation: "faq" })]).toEqual([true, false]);
});
