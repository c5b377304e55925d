import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { scoreJudgedText } from "../../../server/engines/answeros/services/page-tasks.ts";
import * as texts from "../../../server/engines/content/data/demo-blog.ts";
import { DEMO_FACTS } from "../../../server/engines/content/data/demo-facts.ts";
import { demoContent } from "../../../server/engines/content/demo.ts";
import { judgeText, submissionOf } from "../../../server/engines/content/services/judge.ts";
import { useOf } from "../../../server/engines/content/services/keyphrases.ts";
import { Article, ArticleMetrics, KeyphraseUse } from "../../../server/engines/content/schema/article.ts";
import {
  Draft,
  DraftContent,
  Post,
  Revision,
  SlugHold,
} from "../../../server/engines/content/schema/draft.ts";
import { Score } from "../../../server/engines/content/schema/score.ts";
import { toSafeHtml } from "../../../server/lib/text/read.ts";

const INSTANTS = ["2026-06-01T09:00:00Z", "2026-12-31T23:30:00Z", "2028-02-29T12:00:00Z"];

describe.each(INSTANTS)("demoContent at %s", (instant) => {
  const now = Date.parse(instant);
  const demo = demoContent(now);

  it("is the same each time", () => expect(demoContent(now)).toEqual(demo));

  it("fits the schemas, each id once", () => {
    const check = (schema: z.ZodType, documents: readonly { id: string }[]): void => {
      for (const document of documents) expect(schema.parse(document)).toEqual(document);
      expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
    };
    check(Draft, demo.drafts);
    check(Revision, demo.revisions);
    check(SlugHold, demo.slugs);
    check(Post, demo.posts);
    check(Score, demo.scores);
    check(KeyphraseUse, demo.keyphrases);
    check(Article, demo.articles);
    check(ArticleMetrics, demo.metrics);
  });

  it("shows posts, a schedule, a review and an article that lost its readers", () => {
    const states = demo.drafts.map(({ status }) => status);
    for (const state of ["published", "scheduled", "in_review", "draft"]) expect(states).toContain(state);
    expect(demo.articles.map(({ decay }) => decay !== null)).toEqual([true, false]);
    for (const { published_at: at } of demo.posts) expect(Date.parse(at)).toBeLessThanOrEqual(now);
    for (const { scheduled_at: at } of demo.drafts)
      if (at !== null) expect(Date.parse(at)).toBeGreaterThan(now);
  });

  it("knows the stems of its keyphrases", async () => {
    for (const { phrase, stems, stem_key, ...about } of demo.keyphrases) {
      expect(await useOf(phrase, "en-GB", about)).toEqual({ ...about, phrase, stems, stem_key });
    }
  });
});

describe("the demo texts", () => {
  it.each(Object.entries(texts))(
    "%s says what its facts say, and is shown as it is written",
    async (name, content) => {
      expect(DraftContent.parse(content)).toEqual(content);
      expect(await toSafeHtml({ body: content.body, format: "html" })).toBe(content.body);
      const neighbours = { usedElsewhere: () => Promise.resolve(0), brokenLinks: () => Promise.resolve(0) };
      const url = `https://crumb.example/blog/${content.slug}`;
      const { facts, judged } = await judgeText("demo", submissionOf("post", content, url), neighbours);
      const kept = Object.entries(DEMO_FACTS).find(([key]) => key === name)?.[1];
      expect(facts).toEqual(kept?.facts);
      expect(judged.counts).toEqual(kept?.counts);
      const { title, locale, body_format, body, seo } = content;
      const { title: seo_title, description, canonical_url, robots } = seo;
      const text = { title, seo_title, description, locale, body_format, body, canonical_url, robots };
      const now = Date.parse("2026-06-01T09:00:00.000Z");
      expect(
        await scoreJudgedText("demo", { text: { ...text, updated_at: "2026-06-01T09:00:00.000Z" }, now }),
      ).toBe(kept?.aeo);
    },
  );
});
