import { expect, it } from "vitest";

import { seoFacts } from "../../../server/engines/content/rules/seo-facts.ts";
import { keyphraseOf } from "../../../server/lib/text/keyphrase.ts";
import { readText } from "../../../server/lib/text/read.ts";
import { readingMinutes } from "../../../server/lib/text/readability.ts";

const BODY = `Our sourdough starter is fed daily. It is warm.

## Feed the starters

However, it was eaten by the cat. It sleeps.

It wakes.

#### Too deep

![A sourdough starter](a.jpg) ![](b.jpg)

See [our shop](/shop) and [a source](https://elsewhere.example/x).
`;

const factsOf = async (body: string, more: object = {}) => {
  const text = await readText({
    body,
    format: "markdown",
    locale: "en-GB",
    base_url: "https://crumb.example/blog/x",
  });
  return seoFacts(text, {
    seoTitle: "Sourdough starter care",
    titlePx: 210,
    description: "How to feed a sourdough starter.",
    slug: "feed-a-starter",
    kind: "post",
    cornerstone: false,
    isIndexable: true,
    isSnippetAllowed: true,
    canonical: "own",
    keyphrase: keyphraseOf("sourdough starter", text.language),
    usedElsewhere: 0,
    brokenLinks: 0,
    ...more,
  });
};

it("gathers what the checks rest on", async () => {
  const facts = await factsOf(BODY);
  expect(facts.keyphrase).toMatchObject({
    length: 2,
    count: 1,
    title: { hasAll: true, startsInFirstHalf: true },
    introduction: "sentence",
    subheadings: { all: 1, reflecting: 1 },
    descriptionSentences: 1,
    inSlug: 1,
    images: { all: 2, withAlt: 1, reflecting: 1 },
  });
  expect(facts.structure).toMatchObject({
    h1: 0,
    skipsLevel: true,
    subheadings: 2,
    images: 2,
    imagesWithAlt: 1,
  });
  expect(facts.links).toEqual({
    internal: { all: 1, followed: 1 },
    outbound: { all: 1, followed: 1 },
    broken: 0,
  });
  expect(facts.reading).toMatchObject({ passiveSentences: 2, sameStart: 2 });
});

it("finds a phrase that is spread over the introduction", async () => {
  expect((await factsOf("Our starter lives. It is sourdough.")).keyphrase?.introduction).toBe("paragraph");
  expect((await factsOf("Bread is good.")).keyphrase?.introduction).toBe("none");
  expect((await factsOf("Bread.\n\nOur sourdough starter lives.")).keyphrase?.introduction).toBe("paragraph");
});

it("knows an H1 after an H2 for no skipped level", async () => {
  expect((await factsOf("## A\n\n### B\n\n## C")).structure.skipsLevel).toBe(false);
  expect((await factsOf("### A")).structure.skipsLevel).toBe(false);
  expect((await factsOf("# A\n\n### B")).structure.skipsLevel).toBe(true);
});

it.each([
  [345, 2],
  [1140, 5],
  [1141, 6],
])("A11: %i English words take %i minutes", (words, minutes) =>
  expect(readingMinutes(words, "en")).toBe(minutes),
);
