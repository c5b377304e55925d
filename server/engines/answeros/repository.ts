import { defineCollection, newestFirst, timeOrder } from "../../core/collection.ts";
import { invertedOrder, sha256Hex } from "../../core/ids.ts";
import { LatestScore, Page, PageContent, Score } from "./schema.ts";
import { CrawlerDay, CrawlerPrints, SiteFile } from "./schema/files.ts";
import { Markup } from "./schema/markup.ts";
import { Question } from "./schema/question.ts";
import { AnswerPrint } from "./schema/question.ts";
import { Rewrite } from "./schema/rewrite.ts";
import { Aggregate, Brand, BrandRevision, Observation, Prompt, Run, Standing } from "./schema/tracking.ts";

/** Indexed under each of the facets, under both together, and under all. */
const facets = (left: string, right: string): string[] => ["all", left, right, `${left}.${right}`];
const padded = (value: number): string => String(value).padStart(4, "0");

export const pages = defineCollection({
  name: "answeros.pages",
  schema: Page,
  indexes: {
    by: { values: ({ page_type: type, status }) => facets(type, status) },
    /** A URL belongs to at most one page, and so does a source. */
    url: {
      values: ({ url, source }) => [
        ...(url === null ? [] : [urlKey(url)]),
        ...(source === null ? [] : [sourceKey(source)]),
      ],
    },
  },
});

export const urlKey = (url: string): string => `u-${sha256Hex(url).slice(0, 40)}`;
export const sourceKey = ({ type, id }: NonNullable<Page["source"]>): string =>
  `s-${sha256Hex(`${type}\0${id}`).slice(0, 40)}`;

export const pageContents = defineCollection({
  name: "answeros.page_contents",
  schema: PageContent,
  unlisted: true,
});

export const scores = defineCollection({
  name: "answeros.scores",
  schema: Score,
  indexes: {
    page: { values: ({ page_id: page }) => [page] },
    by: { values: ({ page_type: type, band }) => facets(type, band).slice(1) },
  },
});

export const latestScores = defineCollection({
  name: "answeros.latest_scores",
  schema: LatestScore,
  unlisted: true,
  indexes: {
    /** Lowest score first. */
    total: {
      values: ({ page_type: type, band }) => facets(type, band),
      order: ({ total, score_id: id }) => `${padded(total)}.${invertedOrder(id)}`,
    },
    /** Largest decrease first. */
    delta: {
      values: ({ page_type: type, band }) => facets(type, band),
      order: ({ delta, score_id: id }) => `${padded(delta + 100)}.${invertedOrder(id)}`,
    },
    recent: {
      values: ({ page_type: type, band }) => facets(type, band),
      order: ({ computed_at: at, score_id: id }) => `${newestFirst(at)}.${invertedOrder(id)}`,
    },
  },
});

/** Pages that contain an answer in FAQ markup. */
export const answerPrints = defineCollection({
  name: "answeros.answer_prints",
  schema: AnswerPrint,
  unlisted: true,
  indexes: { page: { values: ({ page_ids: ids }) => ids } },
});

export const markups = defineCollection({
  name: "answeros.schemas",
  schema: Markup,
  indexes: {
    page: { values: ({ page_id: page, status }) => [page, `${page}.${status}`] },
    status: { values: ({ status }) => [status] },
  },
});

export const questions = defineCollection({
  name: "answeros.questions",
  schema: Question,
  indexes: {
    page: { values: ({ page_id: page }) => (page === null ? [] : [page]) },
    by: {
      values: ({ answer, source }) => facets(answer?.status ?? "open", source),
    },
    priority: {
      values: ({ answer }) => ["all", answer?.status ?? "open"],
      order: ({ priority, id }) => `${priority}.${invertedOrder(id)}`,
    },
  },
});

export const rewrites = defineCollection({
  name: "answeros.rewrites",
  schema: Rewrite,
  indexes: {
    by: {
      values: ({ status, page_id: page, draft_id: draft }) => [
        status,
        ...[page, draft].flatMap((id) => (id === null || !isPlain(id) ? [] : [id, `${id}.${status}`])),
      ],
    },
  },
});
const isPlain = (id: string): boolean => /^[A-Za-z0-9_-]+$/.test(id);

export const brands = defineCollection({ name: "answeros.brands", schema: Brand });
export const brandRevisions = defineCollection({
  name: "answeros.brand_revision",
  schema: BrandRevision,
  unlisted: true,
});

export const prompts = defineCollection({
  name: "answeros.prompts",
  schema: Prompt,
  indexes: {
    by: { values: ({ topic, active }) => facets(`t-${topic}`, active ? "active" : "inactive") },
    due: {
      values: ({ next_run_at: at, active }) => (at === null || !active ? [] : [""]),
      order: ({ next_run_at: at }) => timeOrder(at ?? ""),
    },
  },
});

export const runs = defineCollection({
  name: "answeros.runs",
  schema: Run,
  indexes: {
    by: { values: ({ prompt_id: prompt, status }) => facets(prompt, status).slice(1) },
    queue: {
      values: ({ status }) => (status === "queued" ? [""] : []),
      order: ({ not_before: at, created_at: made }) => timeOrder(at ?? made),
    },
  },
});

export const observations = defineCollection({
  name: "answeros.observations",
  schema: Observation,
  unlisted: true,
  indexes: {
    time: { values: ({ engine }) => ["all", `e-${engine}`], order: ({ at }) => newestFirst(at) },
    prompt: { values: ({ prompt_id: prompt }) => [prompt], order: ({ at }) => newestFirst(at) },
    /** Key of an aggregate of a prompt. */
    cell: { values: (observation) => [promptCellId(observation)] },
  },
});

export const standings = defineCollection({
  name: "answeros.standings",
  schema: Standing,
  unlisted: true,
});

export const aggregates = defineCollection({
  name: "answeros.aggregates",
  schema: Aggregate,
  unlisted: true,
  indexes: {
    /** By day, newest last, so that a window can be read from its first day on. */
    topic: {
      values: ({ kind, engine, topic }) => (kind === "topic" ? facets(`e-${engine}`, `t-${topic}`) : []),
      order: ({ day }) => day,
    },
    prompt: {
      values: ({ kind, prompt_id: prompt, engine }) =>
        kind === "prompt" && prompt !== null ? facets(`e-${engine}`, prompt) : [],
      order: ({ day }) => day,
    },
    /** Those computed with the oldest brands first. */
    version: {
      values: ({ kind }) => [kind],
      order: ({ extraction_version: version }) => String(version).padStart(9, "0"),
    },
    /** Key of an aggregate of a topic. */
    part: {
      values: (aggregate) => (aggregate.kind === "prompt" ? [topicCellId(aggregate)] : []),
      order: ({ id }) => id,
    },
  },
});

interface CellOf {
  readonly prompt_id: string;
  readonly prompt_version: number;
  readonly engine: string;
  readonly topic: string;
  readonly at: string;
}

/** Citation status of a prompt version per engine. */
export const standingId = ({
  prompt_id: prompt,
  prompt_version: version,
  engine,
}: Omit<CellOf, "topic" | "at">) => `stg_${sha256Hex([prompt, version, engine].join("\0")).slice(0, 32)}`;

const cellId = (parts: readonly string[]): string => `agg_${sha256Hex(parts.join("\0")).slice(0, 32)}`;

/** The aggregate of a prompt version, engine, topic and UTC day. */
export const promptCellId = ({
  prompt_id: prompt,
  prompt_version: version,
  engine,
  topic,
  at,
}: CellOf): string => cellId(["prompt", prompt, String(version), engine, topic, at.slice(0, 10)]);

/** The aggregate of a topic, engine and UTC day. */
export const topicCellId = ({ engine, topic, day }: Pick<Aggregate, "engine" | "topic" | "day">): string =>
  cellId(["topic", engine, topic, day]);

export const siteFiles = defineCollection({ name: "answeros.files", schema: SiteFile, unlisted: true });

/** Sort key of a day, newest first. */
export const dayOrder = (date: string): string => newestFirst(`${date}T00:00:00.000Z`);

export const crawlerDays = defineCollection({
  name: "answeros.crawler_days",
  schema: CrawlerDay,
  unlisted: true,
  indexes: {
    day: { values: ({ bot }) => ["all", bot], order: ({ date }) => dayOrder(date) },
  },
});

export const crawlerPrints = defineCollection({
  name: "answeros.crawler_prints",
  schema: CrawlerPrints,
  unlisted: true,
});
