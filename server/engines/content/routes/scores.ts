import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import type { JudgedText } from "../../../core/ports.ts";
import { item, ok } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { LanguageTag, ListQuery, withVersion } from "../../../core/schema.ts";
import { hashSubmission, judgeText } from "../services/judge.ts";
import type { Submission } from "../services/read-submission.ts";
import { scoreDraft, scoresOf } from "../services/score-draft.ts";
import { drafts, scores } from "../repository.ts";
import { meanOfNine, pointsOf, readingPenalty } from "../rules/parity.ts";
import { keyphraseDensity } from "../rules/seo-score.ts";
import { Body, BodyFormat, DraftKind, HttpUrl, Robots, Seo } from "../schema/draft.ts";
import { Analysis, Score } from "../schema/score.ts";
import { deskOf } from "./env.ts";
import { textErrors } from "../../../core/text-errors.ts";

const ScoreView = withVersion(Score);

const scoreResource = routesOf({
  id: "content.scores",
  path: "/drafts/:id/scores",
  view: ScoreView,
  example: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const createScore = scoreResource.create({
  status: 200,
  cost: 10,
  scope: "read",
  summary: "Score the latest revision of a draft",
  description:
    "A score belongs to a revision and a version of the rules and never changes; repeating the request returns the " +
    "same score. Each check has its value, threshold, weight and recommendation.",
  errors: [...textErrors],
  handle: async ({ params: { id } }, ctx) => {
    const before = await ctx.tx.require(drafts, id);
    const stored = await scoreDraft(await deskOf(ctx), ctx.ports.engines, before.value);
    const shown = scoresOf(before.value, stored);
    if (shown?.id !== before.value.scores?.id) ctx.tx.put(drafts, before, { ...before.value, scores: shown });
    return item(stored);
  },
});

const listScores = scoreResource.list({
  summary: "List the scores of a draft, newest first",
  query: ListQuery,
  handle: listUnder(drafts, scores, "draft"),
});

const AnalysisRequest = z.strictObject({
  title: z.string().trim().max(300).default(""),
  body: Body,
  format: BodyFormat.default("markdown"),
  locale: LanguageTag.default("en-GB"),
  slug: z.string().max(300).default(""),
  url: HttpUrl.nullable()
    .default(null)
    .meta({ description: "URL of the page: distinguishes internal from outbound links" }),
  kind: DraftKind.default("post").meta({ description: "Decides how long the text should be" }),
  cornerstone: z.boolean().default(false),
  seo: z
    .strictObject({
      title: Seo.shape.title,
      description: Seo.shape.description,
      focus_keyphrase: Seo.shape.focus_keyphrase,
      canonical_url: Seo.shape.canonical_url,
      robots: z.strictObject(Robots.shape).partial(),
    })
    .partial()
    .default({}),
});

const analyse = routesOf({ id: "content.analyses", view: Analysis }).create({
  status: 200,
  cost: 10,
  scope: "read",
  summary: "Score a text without storing it",
  description:
    "Runs the same checks as for drafts, except those that need the store's data (competing texts, broken links). " +
    "The body can have up to 150,000 bytes.",
  body: AnalysisRequest,
  errors: [...textErrors],
  example: {
    body: {
      title: "Sourdough bread delivery in London | Crumb",
      body: "Our sourdough is baked every morning.",
    },
  },
  handle: async ({ body }, { tx, ports, now, nowAt }) => {
    const submission = submissionOf(body);
    const { judged, facts } = await judgeText(tx, submission, null);
    const density = keyphraseDensity(facts);
    return ok({
      input_hash: hashSubmission(submission),
      ...judged,
      aeo: await ports.engines.aeoOf(tx, textOf(body, submission, nowAt), { now }),
      parity: {
        mean_of_nine: meanOfNine(pointsOf(judged.checks, density)),
        reading_penalty: readingPenalty(
          judged.checks.filter(({ id }) => id.startsWith("r") || id === "s4" || id === "s5"),
          facts.language,
        ),
      },
    });
  },
});

const submissionOf = (body: z.output<typeof AnalysisRequest>): Submission => ({
  body: body.body,
  format: body.format,
  locale: body.locale,
  url: body.url,
  seoTitle: body.seo.title ?? body.title,
  description: body.seo.description ?? "",
  slug: body.slug,
  kind: body.kind,
  cornerstone: body.cornerstone,
  keyphrase: body.seo.focus_keyphrase ?? null,
  robots: {
    noindex: body.seo.robots?.noindex ?? false,
    nosnippet: body.seo.robots?.nosnippet ?? false,
    max_snippet: body.seo.robots?.max_snippet ?? null,
  },
  canonical: body.seo.canonical_url ?? null,
});

/** The text as scored by other engines: the newest version. */
const textOf = (
  { title, seo }: z.output<typeof AnalysisRequest>,
  { locale, format, body, canonical, robots }: Submission,
  nowAt: string,
): JudgedText => ({
  title,
  seo_title: seo.title ?? null,
  description: seo.description ?? null,
  locale,
  body_format: format,
  body,
  canonical_url: canonical,
  robots,
  updated_at: nowAt,
});

export const scoreRoutes = [createScore, listScores, analyse];
