import { z } from "zod";

import { timeOrder } from "../../../kernel/collection.ts";
import { fail, invalidParameter } from "../../../kernel/errors.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import { Instant, listFields, LocalDate } from "../../../kernel/schema.ts";
import type { StoredPage } from "../../../kernel/tx.ts";
import { mergePatch } from "../../../kernel/merge-patch.ts";
import { contentAtStake, editDraft, emitDraft, openDraft } from "../jobs/draft-book.ts";
import { forgetDraft } from "../jobs/forget-draft.ts";
import { freeSlug } from "../jobs/slug-book.ts";
import { drafts, filed, scoreOrder } from "../repository.ts";
import { contentOf, patchSeo } from "../rules/revision-content.ts";
import {
  Body,
  contentFields,
  DraftKind,
  DraftStatus,
  External,
  NO_SEO,
  plainFields,
  Robots,
  Seo,
} from "../schema/draft.ts";
import type { Draft } from "../schema/draft.ts";
import {
  DraftView,
  deskOf,
  gateError,
  IdParams,
  missing,
  notEditable,
  passGate,
  slugTaken,
  stale,
} from "./env.ts";
import { exampleDraft, IDS } from "./examples.ts";

const ListDrafts = z.object({
  ...listFields,
  status: DraftStatus.optional(),
  kind: DraftKind.optional(),
  locale: contentFields.locale.optional(),
  author: z.string().max(120).optional().meta({ description: "author.id" }),
  keyphrase: z.string().max(120).optional().meta({ description: "Focus keyphrase, whatever its case" }),
  tag: z.string().max(60).optional(),
  q: z
    .string()
    .trim()
    .regex(/^[\p{L}\p{N}]{2,60}$/u, "Expected one word of at least two letters.")
    .optional()
    .meta({ description: "One of the first eight words of the title, whatever its case" }),
  planned_from: LocalDate.optional().meta({ description: "Lists what is planned, by day" }),
  planned_to: LocalDate.optional().meta({ description: "The last day" }),
  sort: z.enum(["created_at", "score"]).optional(),
  min_score: z.coerce
    .number()
    .pipe(z.int().min(0).max(100))
    .optional()
    .meta({ description: "Lowest SEO score" }),
  updated_since: Instant.optional().meta({
    description: "Lists what changed then or later, the longest unchanged first",
  }),
});

const listDrafts = defineRoute({
  id: "content.drafts.list",
  method: "GET",
  path: "/drafts",
  summary: "Drafts, newest first",
  description:
    "One of kind, locale, author, keyphrase, tag and q, alone or with status. planned_from and planned_to list what is " +
    "planned, the earliest day first; updated_since lists what changed, the longest unchanged first; sort=score and " +
    "min_score list what is scored as it is now, the lowest SEO score first. None of the three goes with another filter.",
  query: ListDrafts,
  data: z.array(DraftView),
  example: { data: [exampleDraft] },
  handle: async ({ query }, { tx }) => {
    if (query.planned_from !== undefined || query.planned_to !== undefined)
      return list(await planned(query, tx));
    if (query.updated_since !== undefined) return list(await changed(query, query.updated_since, tx));
    if (query.sort === "score" || query.min_score !== undefined) return list(await byScore(query, tx));
    return list(await tx.page(drafts, { ...query, ...indexOf(query) }));
  },
});

type Query = z.output<typeof ListDrafts>;

/** The one value of the index that serves the filters. */
function indexOf({ status, kind, locale, author, keyphrase, q, tag }: Query): {
  index?: string;
  value?: string;
} {
  const named = [
    kind === undefined ? [] : [`kind.${kind}`],
    locale === undefined ? [] : [`locale.${locale.toLowerCase()}`],
    author === undefined ? [] : [`author.${filed(author)}`],
    keyphrase === undefined ? [] : [`keyphrase.${filed(keyphrase)}`],
    tag === undefined ? [] : [`tag.${filed(tag)}`],
    q === undefined ? [] : [`word.${filed(q)}`],
  ].flat();
  if (named.length > 1)
    throw invalidParameter("tag", "Filter by one of kind, locale, author, keyphrase, tag and q.");
  const [filter] = named;
  if (filter !== undefined)
    return { index: "by", value: status === undefined ? filter : `${filter}.${status}` };
  return status === undefined ? {} : { index: "by", value: `status.${status}` };
}

const FACETS = ["status", "kind", "locale", "author", "keyphrase", "tag", "q"] as const;
type Filter = keyof Query;

/** Throws 422 where a list that an index of its own serves is asked for with further filters. */
function refuseOthers(query: Query, by: Filter, others: readonly Filter[]): void {
  if (others.some((name) => query[name] !== undefined))
    throw invalidParameter(by, "Goes with no other filter.");
}

function byScore(query: Query, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  const { limit, cursor, min_score: min = 0, sort } = query;
  refuseOthers(query, sort === "score" ? "sort" : "min_score", FACETS);
  if (sort === "created_at") throw invalidParameter("min_score", "Goes with sort=score.");
  return tx.page(drafts, { index: "score", limit, cursor, from: scoreOrder(min) });
}

function changed(query: Query, since: string, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  refuseOthers(query, "updated_since", [...FACETS, "sort", "min_score"]);
  const { limit, cursor } = query;
  return tx.page(drafts, { index: "updated", limit, cursor, from: timeOrder(since) });
}

async function planned(query: Query, tx: Ctx["tx"]): Promise<StoredPage<Draft>> {
  const { planned_from: from, planned_to: to } = query;
  refuseOthers(query, "planned_from", [...FACETS, "updated_since", "sort", "min_score"]);
  const page = await tx.page(drafts, {
    index: "planned",
    limit: query.limit,
    cursor: query.cursor,
    ...(from === undefined ? {} : { from }),
  });
  if (to === undefined) return page;
  const items = page.items.filter(({ value: { planned_for: on } }) => on !== null && on <= to);
  return { items, limit: page.limit, next: items.length < page.items.length ? null : page.next };
}

const CreateDraft = z.strictObject({
  kind: DraftKind.default("post"),
  title: contentFields.title.default(""),
  slug: contentFields.slug.optional().meta({ description: "Made from the title unless given" }),
  locale: contentFields.locale.optional(),
  body_format: contentFields.body_format.default("markdown"),
  body: Body.default(""),
  excerpt: contentFields.excerpt.default(""),
  author: contentFields.author.default(null),
  tags: contentFields.tags.default([]),
  category: contentFields.category.default(null),
  cover: contentFields.cover.default(null),
  seo: z
    .strictObject({ ...Seo.shape, robots: z.strictObject(Robots.shape).partial() })
    .partial()
    .default({}),
  cornerstone: z.boolean().default(false),
  planned_for: plainFields.planned_for.default(null),
  article_id: plainFields.article_id.default(null),
  external: External.nullable().default(null),
  metadata: plainFields.metadata.default({}),
  message: z.string().max(300).default(""),
  source: z.enum(["human", "ai", "import"]).default("human"),
});

const createDraft = defineRoute({
  id: "content.drafts.create",
  method: "POST",
  path: "/drafts",
  status: 201,
  summary: "Write a draft",
  description:
    "The body takes up to 150,000 bytes. It is stored as it is written; what is shown is sanitised.",
  body: CreateDraft,
  data: DraftView,
  errors: [slugTaken],
  example: {
    body: {
      title: exampleDraft.title,
      body: exampleDraft.body,
      author: { id: "ada", name: "Ada Baker" },
      tags: ["bread"],
      seo: { focus_keyphrase: "sourdough starter" },
    },
    data: exampleDraft,
  },
  handle: async ({ body }, ctx) => {
    const desk = await deskOf(ctx);
    const { message, source, seo, ...fields } = body;
    const id = ctx.newId("drf");
    const locale = fields.locale ?? desk.settings.locale;
    const draft: Draft = {
      id,
      created_at: ctx.nowAt,
      updated_at: ctx.nowAt,
      created_by: ctx.caller,
      updated_by: ctx.caller,
      ...fields,
      locale,
      slug: fields.slug ?? (await freeSlug(ctx.tx, id, fields.title, locale)),
      seo: patchSeo(NO_SEO, seo),
      ...UNSEEN,
    };
    const stored = await openDraft(desk, draft, { message, source });
    emitDraft(desk, ctx.newId, "created", stored.value);
    return created(stored, `/drafts/${id}`);
  },
});

/** What nothing has happened to yet. */
const UNSEEN = {
  status: "draft",
  scheduled_at: null,
  published_at: null,
  unpublished_at: null,
  late_seconds: null,
  published_url: null,
  revision: 1,
  pending_revision: null,
  last_revision: 1,
  word_count: 0,
  reading_minutes: 0,
  scores: null,
  ai: { generation_ids: [], share: 0, paragraphs: [], disclosed: false, overrides: [] },
  approvals: [],
  change_requests: [],
} satisfies Partial<Draft>;

const getDraft = defineRoute({
  id: "content.drafts.get",
  method: "GET",
  path: "/drafts/:id",
  summary: "Show a draft",
  params: IdParams,
  data: DraftView,
  errors: [missing],
  example: { params: { id: IDS.draft }, data: exampleDraft },
  handle: async ({ params }, { tx }) => item(await tx.require(drafts, params.id)),
});

const PatchDraft = z
  .strictObject({
    ...contentFields,
    ...plainFields,
    seo: z
      .strictObject({
        ...Seo.shape,
        robots: z.strictObject(Robots.shape).partial(),
        og: z
          .strictObject({
            title: z.string().max(300).nullable(),
            description: z.string().max(500).nullable(),
            image: Seo.shape.canonical_url,
          })
          .partial()
          .nullable(),
      })
      .partial(),
    stage: z
      .boolean()
      .meta({ description: "Of a published draft: keep the edit from the site until publish" }),
    message: z.string().max(300),
    ai_disclosed: z.boolean().meta({ description: "Readers are told that an AI took part" }),
  })
  .partial();

const updateDraft = defineRoute({
  id: "content.drafts.update",
  method: "PATCH",
  path: "/drafts/:id",
  summary: "Change a draft",
  description:
    "A merge patch. Whatever changes the content makes a revision; the status changes by actions alone. What was approved " +
    "goes back into review where the shop asks for approvals. A published draft is edited with stage, unless the key " +
    "has content:manage: then the edit is live at once, and has to pass the publish gate.",
  params: IdParams,
  body: PatchDraft,
  data: DraftView,
  errors: [
    missing,
    stale,
    slugTaken,
    notEditable,
    gateError,
    { type: "conflict", code: "pending_revision", when: "A revision is staged beside the live one" },
    { type: "forbidden", when: "A live edit needs content:manage" },
  ],
  example: {
    params: { id: IDS.draft },
    body: { title: "How to keep a sourdough starter", message: "Shorter title" },
    data: { ...exampleDraft, title: "How to keep a sourdough starter", revision: 2, last_revision: 2 },
  },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(drafts, params.id);
    const desk = await deskOf(ctx);
    const { seo, stage = false, message = "", ai_disclosed: disclosed, ...fields } = body;
    const { plain, contentPatch } = partsOf(fields);
    const base = await contentAtStake(ctx.tx, before.value);
    const content = contentOf({ ...mergePatch(base, contentPatch), seo: patchSeo(base.seo, seo ?? {}) });
    const ai = { ...before.value.ai, disclosed: disclosed ?? before.value.ai.disclosed };
    const isLive = before.value.status === "published" && !stage;
    const isEdit = Object.keys(contentPatch).length > 0 || seo !== undefined;
    if (isLive && isEdit && !ctx.scopes.has("content:manage")) {
      throw fail("forbidden", "A live edit needs the scope content:manage. Send stage: true to stage it.");
    }
    const stored = await editDraft(desk, before, {
      content,
      plain: { ...plain, ai },
      stage,
      message,
      source: "human",
    });
    const { status, revision } = stored.value;
    const isChanged = revision !== before.value.revision;
    // What is live, or will be without another look, always holds to the gate.
    if (isChanged && (status === "published" || status === "scheduled")) {
      const scores = await passGate(desk, ctx, stored.value);
      if (scores !== stored.value.scores) {
        return item(ctx.tx.put(drafts, stored, { ...stored.value, scores }));
      }
    }
    return item(stored);
  },
});

/** A patch in its two parts: what is said of the draft, and what makes a revision. */
function partsOf({
  kind,
  planned_for,
  article_id,
  external,
  metadata,
  ...content
}: Omit<Patch, "seo" | "stage" | "message" | "ai_disclosed">) {
  return {
    plain: {
      ...(kind === undefined ? {} : { kind }),
      ...(planned_for === undefined ? {} : { planned_for }),
      ...(article_id === undefined ? {} : { article_id }),
      ...(external === undefined ? {} : { external }),
      ...(metadata === undefined ? {} : { metadata }),
    },
    contentPatch: content,
  };
}

type Patch = z.output<typeof PatchDraft>;

const removeDraft = defineRoute({
  id: "content.drafts.remove",
  method: "DELETE",
  path: "/drafts/:id",
  summary: "Delete a draft or an archived one, with its revisions and scores",
  params: IdParams,
  data: z.null(),
  errors: [
    missing,
    stale,
    { type: "conflict", code: "not_deletable", when: "It is neither a draft nor archived" },
  ],
  example: { params: { id: IDS.draft } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(drafts, params.id);
    if (before.value.status !== "draft" && before.value.status !== "archived") {
      throw fail(
        "conflict",
        `A draft in the state ${before.value.status} is not deleted. Archive it first.`,
        {
          code: "not_deletable",
        },
      );
    }
    await forgetDraft(ctx.tx, before, ctx.nowAt);
    return empty();
  },
});

export const draftRoutes = [listDrafts, createDraft, getDraft, updateDraft, removeDraft];
