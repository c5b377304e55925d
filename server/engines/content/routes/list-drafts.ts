import { z } from "zod";

import { timeOrder } from "../../../core/collection.ts";
import { oneValue, pageWhile } from "../../../core/by-value.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { list } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Instant, listFields, LocalDate } from "../../../core/schema.ts";
import type { PageQuery, StoredPage } from "../../../core/tx.ts";
import { drafts, filed, scoreOrder } from "../repository.ts";
import { contentFields, DraftKind, DraftStatus } from "../schema/draft.ts";
import type { Draft } from "../schema/draft.ts";
import { DraftView } from "./env.ts";

const ListDrafts = z.object({
  ...listFields,
  status: DraftStatus.optional(),
  kind: DraftKind.optional(),
  locale: contentFields.locale.optional(),
  author: z.string().max(120).optional().meta({ description: "author.id" }),
  keyphrase: z.string().max(120).optional().meta({ description: "Focus keyphrase, case-insensitive" }),
  tag: z.string().max(60).optional(),
  q: z
    .string()
    .trim()
    .max(60)
    // Not a pattern of the document: Python's re knows no \p{L}.
    .refine((text) => /^[\p{L}\p{N}]{2,}$/u.test(text), "Expected a single word of at least two letters.")
    .optional()
    .meta({ description: "One of the first eight words of the title, case-insensitive" }),
  planned_from: LocalDate.optional().meta({ description: "Lists planned drafts, by day" }),
  planned_to: LocalDate.optional().meta({ description: "Last day" }),
  sort: z.enum(["created_at", "score"]).optional(),
  min_score: z.coerce
    .number()
    .pipe(z.int().min(0).max(100))
    .optional()
    .meta({ description: "Minimum SEO score" }),
  updated_since: Instant.optional().meta({
    description: "Lists drafts changed at or after this time, least recently changed first",
  }),
});

export const listDrafts = routesOf({ id: "content.drafts", view: DraftView }).list({
  summary: "List drafts, newest first",
  description:
    "Filter by one of kind, locale, author, keyphrase, tag and q, optionally with status. planned_from and " +
    "planned_to list planned drafts, earliest day first; updated_since lists changed drafts, least recently changed " +
    "first; sort=score and min_score list drafts with a current score, lowest SEO score first. These three cannot be " +
    "combined with other filters.",
  query: ListDrafts,
  handle: async ({ query }, { tx }) => {
    if (query.planned_from !== undefined || query.planned_to !== undefined)
      return list(await planned(query, tx));
    if (query.updated_since !== undefined) return list(await changed(query, query.updated_since, tx));
    if (query.sort === "score" || query.min_score !== undefined) return list(await byScore(query, tx));
    return list(await tx.peekPage(drafts, { ...query, ...indexOf(query) }));
  },
});

type Query = z.output<typeof ListDrafts>;

/** The index value for the filters. */
function indexOf({ status, kind, locale, author, keyphrase, q, tag }: Query): {
  index?: string;
  value?: string;
} {
  const filter = oneValue({
    kind: kind && `kind.${kind}`,
    locale: locale && `locale.${locale.toLowerCase()}`,
    author: author && `author.${filed(author)}`,
    keyphrase: keyphrase && `keyphrase.${filed(keyphrase)}`,
    tag: tag && `tag.${filed(tag)}`,
    q: q && `word.${filed(q)}`,
  });
  if (filter !== undefined)
    return { index: "by", value: status === undefined ? filter : `${filter}.${status}` };
  return status === undefined ? {} : { index: "by", value: `status.${status}` };
}

const FACETS = ["status", "kind", "locale", "author", "keyphrase", "tag", "q"] as const;
type Filter = keyof Query;

/** Throws 422 if a list with its own index is combined with other filters. */
function refuseOthers(query: Query, by: Filter, others: readonly Filter[]): void {
  if (others.some((name) => query[name] !== undefined))
    throw invalidParameter(by, "Cannot be combined with other filters.");
}

function byScore(query: Query, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  const { limit, cursor, min_score: min = 0, sort } = query;
  refuseOthers(query, sort === "score" ? "sort" : "min_score", FACETS);
  if (sort === "created_at") throw invalidParameter("min_score", "Requires sort=score.");
  return tx.peekPage(drafts, { index: "score", limit, cursor, from: scoreOrder(min) });
}

function changed(query: Query, since: string, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  refuseOthers(query, "updated_since", [...FACETS, "sort", "min_score"]);
  const { limit, cursor } = query;
  return tx.peekPage(drafts, { index: "updated", limit, cursor, from: timeOrder(since) });
}

async function planned(query: Query, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  const { planned_from: from, planned_to: to } = query;
  refuseOthers(query, "planned_from", [...FACETS, "updated_since", "sort", "min_score"]);
  const { limit, cursor } = query;
  const page: PageQuery = { index: "planned", limit, cursor, from };
  if (to === undefined) return tx.peekPage(drafts, page);
  return pageWhile(tx, drafts, page, ({ planned_for: on }) => on !== null && on <= to);
}
