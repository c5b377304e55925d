import { expect, it } from "vitest";

import { contentOf, hashContent, patchSeo } from "../../../server/engines/content/rules/revision-content.ts";
import { sampleContent } from "./samples.ts";
import { DraftContent, NO_SEO } from "../../../server/engines/content/schema/draft.ts";

const content = DraftContent.parse(sampleContent);

it("gives equal content an equal hash, in whatever order its members stand", () => {
  const reversed = DraftContent.parse(Object.fromEntries(Object.entries(content).toReversed()));
  expect(hashContent(reversed)).toBe(hashContent(content));
  expect(hashContent({ ...content, body: `${content.body} ` })).not.toBe(hashContent(content));
  expect(hashContent({ ...content, tags: ["b", "a"] })).not.toBe(
    hashContent({ ...content, tags: ["a", "b"] }),
  );
});

it("takes what a revision holds out of anything wider", () => {
  expect(contentOf(Object.assign({ id: "drf_1", status: "draft" }, content))).toEqual(content);
});

it("merges a patch of seo, robots and og in turn", () => {
  const patched = patchSeo(NO_SEO, {
    title: "T",
    robots: { noindex: true },
    og: { image: "https://a.example/i.png" },
  });
  expect(patched).toEqual({
    ...NO_SEO,
    title: "T",
    robots: { ...NO_SEO.robots, noindex: true },
    og: { title: null, description: null, image: "https://a.example/i.png" },
  });
  expect(patchSeo(patched, { title: null, og: null })).toMatchObject({
    title: null,
    og: null,
    robots: { noindex: true },
  });
  expect(patchSeo(patched, {})).toEqual(patched);
});
