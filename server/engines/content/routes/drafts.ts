import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { conflict, conflictWhen, fail } from "../../../lib/errors.ts";
import { created, empty, item } from "../../../core/reply.ts";
import { resource } from "../../../core/resource.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { contentAtStake, editDraft, emitDraft, openDraft } from "../services/drafts.ts";
import { forgetDraft } from "../services/forget-draft.ts";
import { freeSlug } from "../services/slugs.ts";
import { drafts } from "../repository.ts";
import { contentOf, patchSeo } from "../rules/revision-content.ts";
import {
  Body,
  contentFields,
  DraftKind,
  External,
  NO_SEO,
  plainFields,
  Robots,
  Seo,
} from "../schema/draft.ts";
import type { Draft } from "../schema/draft.ts";
import { DraftView, deskOf, gateError, notEditable, passGate, slugTaken } from "./env.ts";
import { listDrafts } from "./list-drafts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const CreateDraft = z.strictObject({
  kind: DraftKind.default("post"),
  title: contentFields.title.default(""),
  slug: contentFields.slug.optional().meta({ description: "Default: derived from the title" }),
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

export const draftResource = resource({
  id: "content.drafts",
  collection: drafts,
  view: DraftView,
  example: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const createDraft = draftResource.custom.create({
  summary: "Create a draft",
  description: "The body can have up to 150,000 bytes. It is stored unchanged; output is sanitised.",
  body: CreateDraft,
  errors: [...textErrors, slugTaken],
  example: {
    body: {
      title: "How we keep a sourdough starter",
      body: "Feed your sourdough starter daily. Keep it warm.",
      author: { id: "ada", name: "Ada Baker" },
      tags: ["bread"],
      seo: { focus_keyphrase: "sourdough starter" },
    },
  },
  handle: async ({ body }, ctx) => {
    const work = await deskOf(ctx);
    const { message, source, seo, ...fields } = body;
    const id = ctx.newId("drf");
    const locale = fields.locale ?? work.settings.locale;
    const draft: Draft = {
      ...newResource(id, ctx.nowAt),
      created_by: ctx.caller,
      updated_by: ctx.caller,
      ...fields,
      locale,
      slug: fields.slug ?? (await freeSlug(ctx.tx, id, fields.title, locale)),
      seo: patchSeo(NO_SEO, seo),
      ...UNSEEN,
    };
    const stored = await openDraft(work, draft, { message, source });
    emitDraft(work, ctx.newId, "created", stored.value);
    return created(stored, `/drafts/${id}`);
  },
});

/** Initial values of a draft. */
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

const getDraft = draftResource.get({ summary: "Show a draft" });

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
      .meta({ description: "For a published draft: do not show the edit on the site until it is published" }),
    message: z.string().max(300),
    ai_disclosed: z.boolean().meta({ description: "Whether readers are informed of AI involvement" }),
  })
  .partial();

const updateDraft = draftResource.custom.update({
  summary: "Change a draft",
  description:
    "A JSON merge patch. A change of the content creates a revision; the status changes by actions only. Approved " +
    "content returns to review if the store requires approvals. A published draft is edited with stage; a key with " +
    "content:manage can edit it live, in which case the publishing checks must pass.",
  body: PatchDraft,
  errors: [
    ...textErrors,
    slugTaken,
    notEditable,
    gateError,
    conflictWhen("pending_revision", "A revision is staged"),
    { type: "forbidden", when: "A live edit requires content:manage" },
  ],
  example: { body: { title: "How to keep a sourdough starter", message: "Shorter title" } },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(drafts, params.id);
    const work = await deskOf(ctx);
    const { seo, stage = false, message = "", ai_disclosed: disclosed, ...fields } = body;
    const { plain, contentPatch } = partsOf(fields);
    const base = await contentAtStake(ctx.tx, before.value);
    const content = contentOf({ ...mergePatch(base, contentPatch), seo: patchSeo(base.seo, seo ?? {}) });
    const ai = { ...before.value.ai, disclosed: disclosed ?? before.value.ai.disclosed };
    const isLive = before.value.status === "published" && !stage;
    const isShown =
      ai.disclosed !== before.value.ai.disclosed || (plain.kind ?? before.value.kind) !== before.value.kind;
    const isEdit = Object.keys(contentPatch).length > 0 || seo !== undefined || isShown;
    if (isLive && isEdit && !ctx.scopes.has("content:manage")) {
      throw fail(
        "forbidden",
        "A live edit requires the scope content:manage. Set `stage` to true to stage it instead.",
      );
    }
    const stored = await editDraft(work, before, {
      content,
      plain: { ...plain, ai },
      stage,
      message,
      source: "human",
    });
    const { status, revision } = stored.value;
    const isChanged = revision !== before.value.revision;
    // Content that is live, or goes live without another check, must always pass the publishing checks.
    if (isChanged && (status === "published" || status === "scheduled")) {
      const scores = await passGate(work, ctx, stored.value);
      if (scores !== stored.value.scores) {
        return item(ctx.tx.put(drafts, stored, { ...stored.value, scores }));
      }
    }
    return item(stored);
  },
});

/** A patch in two parts: fields of the draft, and fields that create a revision. */
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

const removeDraft = draftResource.custom.remove({
  summary: "Delete a draft or an archived one, with its revisions and scores",
  errors: [conflictWhen("not_deletable", "It is neither a draft nor archived")],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(drafts, params.id);
    if (before.value.status !== "draft" && before.value.status !== "archived") {
      throw conflict(
        "not_deletable",
        `A draft with status \`${before.value.status}\` cannot be deleted. Archive it first.`,
      );
    }
    await forgetDraft(ctx.tx, before, ctx.nowAt);
    return empty();
  },
});

export const draftRoutes = [listDrafts, createDraft, getDraft, updateDraft, removeDraft];
