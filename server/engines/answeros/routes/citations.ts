import { z } from "zod";

import { pageOfMany } from "../../../core/computed-page.ts";
import { values } from "../../../core/reply.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, LocalDate } from "../../../core/schema.ts";
import { brands } from "../repository.ts";
import { groupCitations } from "../rules/group-citations.ts";
import type { CitationRow } from "../rules/group-citations.ts";
import { WindowQuery } from "../schema.ts";
import { Domain } from "../schema/tracking.ts";
import { windowOf } from "./parts.ts";
import { EnginesQuery, readAggregates } from "./read-sums.ts";

const Row = z.strictObject({
  domain: z.string().nullable(),
  url: z.string().nullable(),
  prompt_id: Id.nullable(),
  prompt_version: z.int().nullable(),
  engine: z.string().nullable(),
  day: LocalDate.nullable(),
  own: z.boolean().nullable().meta({ description: "For domains and URLs: whether it belongs to the store" }),
  answers: z
    .int()
    .meta({ description: "Answers that cite it; for prompts, engines and days: answers with any citation" }),
  of_answers: z.int().meta({ description: "All answers of the group or the period" }),
});

const listCitations = routesOf({ id: "answeros.citations", view: Row }).list({
  summary: "List citations in answers",
  description:
    "Grouped by domain (most cited first), URL, prompt version, engine or day. With domain or url, only answers that " +
    "cite it are counted. At most 300 different URLs are recorded per day, engine and topic.",
  query: z.object({
    ...listFields,
    ...WindowQuery,
    ...EnginesQuery,
    domain: Domain.optional(),
    url: z.string().max(1_000).optional(),
    group_by: z.enum(["domain", "url", "prompt", "engine", "day"]).default("domain"),
  }),
  example: {
    query: { from: "2026-05-25", to: "2026-06-01", group_by: "domain" },
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to } = windowOf(query, now);
    const { engine, exclude_engine, domain, url, group_by: by, limit, cursor } = query;
    if (domain !== undefined && url !== undefined)
      throw invalidParameter("url", "Cannot be combined with domain.");
    const kind = by === "prompt" ? "prompt" : "topic";
    const isNeeded = {
      domains: by === "domain" || domain !== undefined,
      urls: by === "url" || url !== undefined,
    };
    const parts = (["domains", "urls"] as const).filter((part) => isNeeded[part]);
    const aggregates = await readAggregates(tx, { kind, engine, exclude_engine, from, to }, parts);
    const own = (await tx.peekAll(brands)).flatMap(({ value }) => (value.own ? value.domains : []));
    const rows = await groupCitations(aggregates, { by, domain, url }, { ownDomains: own, key: tx.part });
    const place = {
      part: tx.part,
      list: `citations.${by}.${from}.${to}.${engine}.${exclude_engine}.${domain}.${url}`,
    };
    const page = await pageOfMany(rows, keyOf, place, { limit, cursor });
    return values(page.items, page);
  },
});

/** Most cited first; ties by name. Days are sorted newest first. */
const keyOf = (row: CitationRow): string => {
  const name = row.url ?? row.domain ?? row.prompt_id ?? row.engine ?? row.day ?? "";
  const rank = row.day === null ? row.answers : Date.parse(row.day) / 86_400_000;
  return `${String(9_999_999 - rank).padStart(7, "0")}.${name}.${row.prompt_version ?? ""}`;
};

export const citationRoutes = [listCitations];
