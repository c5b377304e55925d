import { takeTurn } from "../../../core/room.ts";
import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import { accepted, item, list, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { routesOf } from "../../../core/resource.ts";
import { ListQuery, withVersion } from "../../../core/schema.ts";
import { queueInspection, saveArticle } from "../services/articles.ts";
import { readArticleCsv } from "../services/text-tasks.ts";
import { articleMetrics, articles, importRows, inspections, urlImports } from "../repository.ts";
import { decayOf } from "../rules/decay.ts";
import { fittingRows } from "../rules/import-rows.ts";
import { mergeMetrics, summariseMetrics } from "../rules/metrics.ts";
import { Article, ArticleMetrics, Inspection, MetricDay, UrlImport } from "../schema/article.ts";
import type { ImportRow } from "../schema/article.ts";
import { HttpUrl } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { newResource } from "../../../lib/new-resource.ts";

const InspectionView = withVersion(Inspection);
const ImportView = withVersion(UrlImport);
const params = { id: "art_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

const checkResource = routesOf({
  id: "content.checks",
  path: "/articles/:id/checks",
  view: Inspection,
  example: "art_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const createCheck = checkResource.create({
  cost: 10,
  status: 202,
  summary: "Request a check of an article",
  description:
    "A job fetches the page within seconds: public addresses only, at most three redirects, each verified, 2 MB, 10 " +
    "seconds. If a check is already queued, that check is returned.",
  handle: async ({ params: { id } }, { tx, newId, nowAt }) => {
    await tx.require(articles, id);
    await takeTurn(tx, inspections.name);
    const [newest] = (await tx.peekPage(inspections, { index: "article", value: id, limit: 1 })).items;
    const waits = newest !== undefined && newest.value.status === "queued";
    const { value } = waits ? newest : queueInspection(tx, newId("chk"), id, nowAt);
    return accepted(value, `/articles/${id}/checks/${value.id}`);
  },
});

const listChecks = checkResource.list({
  summary: "List the checks of an article, newest first",
  query: ListQuery,
  data: z.array(InspectionView),
  handle: listUnder(articles, inspections, "article"),
});

const getCheck = defineRoute({
  id: "content.checks.get",
  method: "GET",
  path: "/articles/:id/checks/:check_id",
  summary: "Show a check",
  data: InspectionView,
  example: {
    params: { ...params, check_id: "chk_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  handle: async ({ params: { id, check_id: checkId } }, { tx }) => {
    const inspection = await tx.require(inspections, checkId);
    if (inspection.value.article_id !== id) throw fail("not_found", "No check of this article with this id.");
    return item(inspection);
  },
});

const addMetrics = defineRoute({
  id: "content.metrics.add",
  method: "POST",
  path: "/articles/:id/metrics",
  summary: "Upload search metrics of an article by day",
  description:
    "Metrics for a day replace earlier ones; the last 400 days are stored. With at least eight weeks of data, decay " +
    "is detected.",
  body: z.strictObject({ days: z.array(MetricDay).min(1).max(CONTENT_LIMITS.metricDays) }),
  data: withVersion(Article),
  example: {
    params,
    body: { days: [{ date: "2026-05-31", clicks: 12, impressions: 400, position: 4.2 }] },
  },
  handle: async ({ params: { id }, body }, ctx) => {
    const { tx, nowAt } = ctx;
    const tomorrow = ctx.now + DAY_MS;
    const late = body.days.findIndex(({ date }) => fromInstant(`${date}T00:00:00.000Z`) > tomorrow);
    if (late >= 0) throw invalidField(["days", late, "date"], "The day must not be in the future.");
    const before = await tx.require(articles, id);
    const metrics = await tx.get(articleMetrics, id);
    const days = mergeMetrics(metrics?.value.days ?? [], body.days);
    tx.save(articleMetrics, metrics, { id, targets: [], ...metrics?.value, days });
    const decay = decayOf(days);
    if (decay !== null && before.value.decay === null) {
      const data = { article_id: id, pct: decay.pct, since: decay.since };
      tx.emit({ id: ctx.newId("evt"), type: "content.article.decayed", at: nowAt, data });
    }
    const next = { ...before.value, updated_at: nowAt, metrics: summariseMetrics(days), decay };
    return item(await saveArticle(tx, before, next));
  },
});

const getMetrics = defineRoute({
  id: "content.metrics.get",
  method: "GET",
  path: "/articles/:id/metrics",
  summary: "List the search metrics of an article by day",
  data: ArticleMetrics.pick({ id: true, days: true }),
  example: {
    params,
  },
  handle: async ({ params: { id } }, { tx }) => {
    await tx.require(articles, id);
    return ok({ id, days: (await tx.get(articleMetrics, id))?.value.days ?? [] });
  },
});

const importResource = routesOf({
  id: "content.imports",
  path: "/articles/imports",
  view: ImportView,
  example: "imp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const createImport = importResource.create({
  cost: 10,
  status: 202,
  summary: "Track the pages of a sitemap or a CSV file",
  description:
    "CSV requires a header with the column url and optionally keyphrase and title; up to 2,000 rows and 200,000 " +
    "characters. A sitemap can be an index of up to twenty others. Pages that are already tracked do not change.",
  body: z.strictObject({
    sitemap_url: HttpUrl.optional(),
    csv: z.string().min(1).max(CONTENT_LIMITS.importChars).optional(),
    check: z.boolean().default(false).meta({ description: "Also fetch each new page" }),
  }),
  data: UrlImport,
  errors: [...textErrors],
  example: {
    body: { csv: "url,keyphrase\nhttps://crumb.example/blog/rye,rye bread\n" },
  },
  handle: async ({ body }, { tx, newId, nowAt }) => {
    const { sitemap_url: sitemap, csv, check } = body;
    if ((sitemap === undefined) === (csv === undefined)) {
      throw invalidField(["csv"], "Specify either csv or sitemap_url.");
    }
    const rows = csv === undefined ? null : await rowsOf(tx, csv);
    const id = newId("imp");
    if (rows !== null) tx.create(importRows, { id, at: 0, rows: [...rows] });
    const { value } = tx.create(urlImports, {
      ...newResource(id, nowAt),
      kind: csv === undefined ? "sitemap" : "csv",
      sitemap_url: sitemap ?? null,
      status: "queued",
      counts: { rows: rows?.length ?? 0, created: 0, known: 0, refused: 0 },
      errors: [],
      error: null,
      check,
      finished_at: null,
    });
    return accepted(value, `/articles/imports/${id}`);
  },
});

async function rowsOf(tx: Tx, csv: string): Promise<readonly ImportRow[]> {
  const read = await readArticleCsv(tx, csv);
  if (!read.ok) throw invalidField(["csv"], read.detail);
  if (fittingRows(read.rows).length < read.rows.length) {
    throw invalidField(
      ["csv"],
      `The rows exceed ${CONTENT_LIMITS.importBytes} bytes. Split them into several imports.`,
    );
  }
  return read.rows;
}

const listImports = importResource.list({
  summary: "List imports, newest first",
  query: ListQuery,
  handle: async ({ query }, { tx }) => list(await tx.peekPage(urlImports, query)),
});

const getImport = importResource.get({
  summary: "Show the progress of an import",
  handle: async ({ params: { id } }, { tx }) => item(await tx.require(urlImports, id)),
});

/** Static paths first: no article has the id imports. */
export const articleCheckRoutes = [
  createImport,
  listImports,
  getImport,
  createCheck,
  listChecks,
  getCheck,
  addMetrics,
  getMetrics,
];
