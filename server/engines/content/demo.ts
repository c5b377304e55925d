import { DAY_MS, toInstant } from "../../lib/instant.ts";
import type { Budget } from "../../core/ai-ledger.ts";
import { createNewId, derivedId } from "../../core/ids.ts";
import { addDays } from "../../lib/local-time.ts";
import { FIRST_LOAF, GLUTEN, RYE, STARTER, SUMMER, TOOLS } from "./data/demo-blog.ts";
import { DEMO_FACTS } from "./data/demo-facts.ts";
import type { DemoFacts } from "./data/demo-facts.ts";
import { newArticle } from "./services/articles.ts";
import { postOf } from "./services/drafts.ts";
import { DEFAULT_SETTINGS, revisionId, scoreId, siteId, slugId, stemKey } from "./repository.ts";
import { decayOf } from "./rules/decay.ts";
import { summariseMetrics } from "./rules/metrics.ts";
import { postUrl } from "./rules/post-url.ts";
import { hashContent } from "./rules/revision-content.ts";
import { bandOf, judge, keyphraseDensity, readabilityScore, seoScore } from "./rules/seo-score.ts";
import { recommendedCount } from "../../lib/text/keyphrase.ts";
import type { Article, KeyphraseUse, MetricDay } from "./schema/article.ts";
import type { Draft, DraftContent, Revision, Settings, Site, SlugHold } from "./schema/draft.ts";
import type { Score } from "./schema/score.ts";
import { SCORE_VERSION } from "./schema.ts";
import { newResource } from "../../lib/new-resource.ts";

/** A demo text and its progress. Ages are days before now; negative ones are in the future. */
interface DemoText {
  readonly name: keyof typeof DEMO_FACTS;
  readonly content: DraftContent;
  readonly status: Draft["status"];
  readonly age: number;
  readonly publishedAge?: number;
  readonly planned?: number;
}

const TEXTS: readonly DemoText[] = [
  { name: "STARTER", content: STARTER, status: "published", age: 64, publishedAge: 60 },
  { name: "FIRST_LOAF", content: FIRST_LOAF, status: "published", age: 35, publishedAge: 31 },
  { name: "RYE", content: RYE, status: "published", age: 12, publishedAge: 9 },
  { name: "SUMMER", content: SUMMER, status: "scheduled", age: 5, publishedAge: -3, planned: -3 },
  { name: "GLUTEN", content: GLUTEN, status: "in_review", age: 2, planned: -10 },
  { name: "TOOLS", content: TOOLS, status: "draft", age: 1, planned: -17 },
];

const SITE = "https://crumb.example";

/** Ids of the demo drafts: the same in every run, and in order of creation, as lists show them. */
const DRAFT_IDS = makeIds();

function makeIds(): ReadonlyMap<string, string> {
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const newId = createNewId(clock, { next: () => 0.25, bytes: (count) => new Uint8Array(count) });
  return new Map(TEXTS.map(({ name }) => [name, newId("drf")]));
}

const draftId = (name: string): string => DRAFT_IDS.get(name) ?? "";

/** The demo blog at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoContent(now: number) {
  const nowAt = toInstant(now);
  const settings: Settings = {
    ...DEFAULT_SETTINGS,
    title: "The Crumb blog",
    description: "Bread, and how to bake it at home.",
    site_url: SITE,
    updated_at: nowAt,
  };
  const made = TEXTS.map((text) => ({ text, draft: draftOf(text, settings, now) }));
  const live = made.filter(({ draft }) => draft.status === "published");
  const tracked = live
    .slice(0, 2)
    .map(({ text, draft }, at) => articleOf(draft, text, { settings, now, at }));
  return {
    settings,
    drafts: made.map(({ draft }) => draft),
    revisions: made.map(({ draft }) => revisionOf(draft)),
    slugs: made.map(({ draft }) => slugOf(draft)),
    posts: live.map(({ draft }) => postOf(draft, draft.published_at ?? nowAt, draft.published_at ?? nowAt)),
    bodies: live.map(({ draft }) => ({ id: draft.id, html: draft.body })),
    scores: live.map(({ text, draft }) => scoreOf(text, draft)),
    keyphrases: [...made.map(({ draft }) => useOf(draft)), ...tracked.map(({ use }) => use)],
    articles: tracked.map(({ article }) => article),
    metrics: tracked.map(({ metrics }) => metrics),
    budgets: [demoBudget(nowAt)],
    sites: [siteOf(settings, nowAt)],
  };
}

const siteOf = ({ post_path }: Settings, at: string): Site => ({
  ...newResource(siteId(SITE, post_path), at),
  site_url: SITE,
  post_path,
});

function draftOf(
  { name, content, status, age, publishedAge, planned }: DemoText,
  settings: Settings,
  now: number,
): Draft {
  const { counts } = DEMO_FACTS[name];
  const createdAt = toInstant(now - age * DAY_MS);
  const isLive = status === "published";
  const publishedAt = publishedAge === undefined ? null : toInstant(now - publishedAge * DAY_MS);
  const draft: Draft = {
    id: draftId(name),
    created_at: createdAt,
    updated_at: isLive ? (publishedAt ?? createdAt) : createdAt,
    created_by: null,
    updated_by: null,
    kind: "post",
    planned_for: planned === undefined ? null : addDays(toInstant(now).slice(0, 10), -planned),
    article_id: null,
    external: null,
    metadata: {},
    status,
    ...content,
    scheduled_at: status === "scheduled" ? publishedAt : null,
    published_at: isLive ? publishedAt : null,
    unpublished_at: null,
    late_seconds: null,
    published_url: isLive ? postUrl(settings, content.slug) : null,
    revision: 1,
    pending_revision: null,
    last_revision: 1,
    word_count: counts.words,
    reading_minutes: counts.reading_minutes,
    scores: null,
    ai: { generation_ids: [], share: 0, paragraphs: [], disclosed: false, overrides: [] },
    approvals: [],
    change_requests: [],
  };
  if (!isLive) return draft;
  const { seo, readability } = judged(DEMO_FACTS[name]);
  const { aeo } = DEMO_FACTS[name];
  const id = scoreId(draft.id, 1, SCORE_VERSION);
  const base = { version: SCORE_VERSION, revision: 1, computed_at: draft.updated_at };
  return { ...draft, scores: { id, seo, readability, aeo, ...base } };
}

function judged({ facts }: DemoFacts) {
  const checks = judge(facts);
  return {
    checks,
    seo: seoScore(facts, checks),
    readability: readabilityScore(facts, checks),
  };
}

function scoreOf({ name }: DemoText, draft: Draft): Score {
  const facts: DemoFacts = DEMO_FACTS[name];
  const { checks, seo, readability } = judged(facts);
  const { keyphrase, words } = facts.facts;
  const range = recommendedCount(words, keyphrase?.length ?? 1);
  return {
    ...newResource(scoreId(draft.id, 1, SCORE_VERSION), draft.updated_at),
    draft_id: draft.id,
    revision: 1,
    score_version: SCORE_VERSION,
    text_model: facts.text_model,
    icu: facts.icu,
    locale: facts.locale,
    seo,
    seo_band: bandOf(seo),
    readability,
    readability_band: readability === null ? null : bandOf(readability),
    aeo: facts.aeo,
    checks,
    formulas: facts.formulas,
    counts: facts.counts,
    keyphrase:
      keyphrase === null
        ? null
        : {
            count: keyphrase.count,
            density: Math.round(100 * (keyphraseDensity(facts.facts) ?? 0)) / 100,
            recommended_min: range.min,
            recommended_max: range.max,
          },
  };
}

const revisionOf = (draft: Draft): Revision => {
  const content = TEXTS.find(({ name }) => draftId(name) === draft.id)?.content ?? STARTER;
  return {
    ...newResource(revisionId(draft.id, 1), draft.created_at),
    draft_id: draft.id,
    number: 1,
    hash: hashContent(content),
    author: null,
    message: "",
    source: "human",
    word_count: draft.word_count,
    content,
  };
};

const slugOf = ({ id, slug, locale, created_at: at }: Draft): SlugHold => ({
  ...newResource(slugId(locale, slug), at),
  slug,
  locale,
  draft_id: id,
  moved_to: null,
});

/** Stems of the demo keyphrases, as returned by the English stemmer. */
const STEMS: Readonly<Record<string, readonly string[]>> = {
  "sourdough starter": ["sourdough", "starter"],
  "first sourdough loaf": ["first", "sourdough", "loaf"],
  "rye bread": ["rye", "bread"],
  "picnic bread": ["picnic", "bread"],
  "gluten free baking": ["gluten", "free", "bake"],
  "bread baking tools": ["bread", "bake", "tool"],
};

function useOf(draft: Draft): KeyphraseUse {
  const phrase = draft.seo.focus_keyphrase ?? "";
  const stems = [...(STEMS[phrase] ?? [])];
  return {
    id: draft.id,
    kind: "draft",
    title: draft.title,
    url: draft.published_url,
    phrase,
    stems,
    stem_key: stemKey(stems),
    is_live: draft.status === "published",
    twin_id: draft.article_id,
  };
}

/** Weeks of search metrics: the first article has lost clicks, the second one gains them. */
const WEEKS = 12;
const CLICKS = [
  [22, 25, 31, 34, 33, 30, 24, 19, 15, 12, 11, 9],
  [2, 3, 4, 6, 7, 9, 10, 12, 13, 13, 15, 16],
] as const;

function articleOf(
  draft: Draft,
  { name }: DemoText,
  { settings, now, at }: { readonly settings: Settings; readonly now: number; readonly at: number },
) {
  const nowAt = toInstant(now);
  const url = draft.published_url ?? SITE;
  const days = daysOf(now, CLICKS[at] ?? CLICKS[0]);
  const { seo, readability } = judged(DEMO_FACTS[name]);
  const base = newArticle(
    {
      url,
      title: draft.title,
      source: "draft",
      focus_keyphrase: draft.seo.focus_keyphrase,
      locale: draft.locale,
      metadata: {},
      draft_id: draft.id,
    },
    settings,
    toInstant(now - WEEKS * 7 * DAY_MS),
  );
  const checkedAt = toInstant(now - DAY_MS);
  const article: Article = {
    ...base,
    updated_at: nowAt,
    last_check: {
      at: checkedAt,
      http_status: 200,
      hash: null,
      word_count: draft.word_count,
      indexable: true,
      canonical: url,
    },
    scores: { seo, readability, technical: 100, version: SCORE_VERSION, computed_at: checkedAt },
    score_history: [1, 8, 15, 22].map((age) => ({
      at: toInstant(now - age * DAY_MS),
      seo: seo - Math.floor(age / 8) * 3,
      technical: age > 10 ? 88 : 100,
      version: SCORE_VERSION,
    })),
    metrics: summariseMetrics(days),
    decay: decayOf(days),
    links: { internal_out: 1, internal_in: 1, broken: 0 },
  };
  const use: KeyphraseUse = {
    ...useOf(draft),
    id: article.id,
    kind: "article",
    url,
    is_live: true,
    twin_id: draft.id,
  };
  return { article, use, metrics: { id: article.id, targets: [], days } };
}

function daysOf(now: number, weeks: readonly number[]): MetricDay[] {
  const last = addDays(toInstant(now).slice(0, 10), -1);
  return weeks.flatMap((clicks, week) =>
    Array.from({ length: 7 }, (_, day): MetricDay => {
      const share = Math.floor(clicks / 7) + (day < clicks % 7 ? 1 : 0);
      return {
        date: addDays(last, (week - weeks.length) * 7 + day + 1),
        clicks: share,
        impressions: 40 + share * 18,
        ctr: null,
        position: 6.5,
      };
    }),
  );
}

const demoBudget = (nowAt: string): Budget => ({
  ...newResource(derivedId("bud", new Uint8Array(), ["demo blog", "month"]), nowAt),
  name: "Texts of the month",
  limit_micros: 5_000_000,
  limit_tokens: null,
  period: "month",
  time_zone: "Europe/London",
  soft_pct: 80,
  on_exceed: "fallback_builtin",
  key_id: null,
  engine: null,
  model: null,
  active: true,
});
