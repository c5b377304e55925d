import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { byValue } from "../../../core/by-value.ts";
import {
  conflict,
  conflictWhen,
  fail,
  invalidField,
  invalidParameter,
  unprocessableWhen,
} from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { accepted, item } from "../../../core/reply.ts";
import { missing } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { sourceOfPage } from "../services/markup.ts";
import { mainHtmlOf } from "../services/page-tasks.ts";
import { rewrites } from "../repository.ts";
import { rewriteStates } from "../rules/page-state.ts";
import { Rewrite, RewriteOps } from "../schema/rewrite.ts";
import { newResource } from "../../../lib/new-resource.ts";

const RewriteView = withVersion(Rewrite);
/** Maximum of characters of a rewritten text. */
const TEXT_MAX = 60_000;

/** What is not known until it is written. */
const QUEUED = {
  provider: null,
  model: null,
  after: null,
  diff: [],
  score_before: null,
  score_after: null,
  unsupported_claims: [],
  status: "queued" as const,
  error: null,
  usage_id: null,
  applied_revision: null,
  decided_at: null,
  decided_reason: null,
};

const rewriteResource = resource({
  id: "answeros.rewrites",
  collection: rewrites,
  view: RewriteView,
  example: "rwr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listRewrites = rewriteResource.list({
  summary: "List rewrites, newest first",
  query: z.object({
    ...listFields,
    page_id: Id.optional(),
    draft_id: Id.optional().meta({ description: "Cannot be combined with page_id" }),
    status: Rewrite.shape.status.optional(),
  }),
  find: (query) => {
    const { page_id: page, draft_id: draft, status, ...rest } = query;
    if (page !== undefined && draft !== undefined)
      throw invalidParameter("draft_id", "Cannot be combined with page_id.");
    const source = page ?? draft;
    if (source !== undefined && !/^[A-Za-z0-9_-]+$/.test(source))
      throw invalidParameter("page_id", "No page with this id.");
    const value = [source, status].filter((part) => part !== undefined).join(".");
    return byValue(value, rest);
  },
});

const createRewrite = rewriteResource.custom.create({
  status: 202,
  summary: "Request a rewrite of a page or a draft",
  description:
    "A job generates it with the AI service to answer questions better: builtin works by rules and offline. The new " +
    "text must not add claims: additional ones are listed in unsupported_claims, and its status is needs_review.",
  body: z.strictObject({
    page_id: Id.optional(),
    draft_id: Id.optional().meta({
      description: "A draft of /v1/content; not needed for a page whose source is a draft",
    }),
    ops: RewriteOps.default(["answer_first", "drop_filler", "split_long"]),
    question: z.string().trim().min(3).max(300).nullable().default(null).meta({
      description: "Questions that the text should answer at the beginning",
    }),
    provider: z.string().min(1).max(60).nullable().default(null),
  }),
  data: Rewrite,
  errors: [
    ...textErrors,
    missing,
    conflictWhen("page_not_read", "The page has not been fetched yet; refresh it"),
    unprocessableWhen("provider_unknown", "No provider with this id is configured"),
    unprocessableWhen("text_too_long", "The text is too long for a rewrite"),
  ],
  example: {
    body: {
      page_id: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0",
      ops: ["answer_first", "drop_filler"],
      question: "How long does sourdough keep?",
    },
  },
  handle: async ({ body }, ctx) => {
    const { page_id: page, draft_id: draft, ops, question, provider } = body;
    if ((page === undefined) === (draft === undefined)) {
      throw invalidField(["page_id"], "Specify either page_id or draft_id.");
    }
    if (provider !== null && !ctx.ports.ai.providers.some(({ id }) => id === provider)) {
      throw invalidField(["provider"], "No provider with this id is configured.", "provider_unknown");
    }
    const target = page === undefined ? await draftText(ctx, draft ?? "") : await pageText(ctx, page);
    if (target.before.length > TEXT_MAX) {
      throw invalidField(["page_id"], `The text can have at most ${TEXT_MAX} characters.`, "text_too_long");
    }
    const stored = ctx.tx.create(rewrites, {
      ...QUEUED,
      ...newResource(ctx.newId("rwr"), ctx.nowAt),
      page_id: page ?? null,
      ...target,
      ops,
      question,
      provider,
    });
    return accepted(stored.value, `/rewrites/${stored.id}`);
  },
});

type Target = Pick<Rewrite, "draft_id" | "before" | "format" | "locale">;

async function draftText({ tx, ports }: Ctx, id: string): Promise<Target> {
  const text = await ports.engines.textOf(tx, { kind: "draft", id });
  if (text === null) throw invalidField(["draft_id"], "No draft with this id.");
  return { draft_id: id, before: text.body, format: text.body_format, locale: text.locale };
}

/**
 * A page whose source is a draft is rewritten as the draft, so that it can be applied; any other as its visible text.
 */
async function pageText(ctx: Ctx, id: string): Promise<Target> {
  const { page, source: content } = await sourceOfPage(ctx.tx, id);
  const { source, locale } = page.value;
  if (source?.type === "draft") {
    const text = await ctx.ports.engines.textOf(ctx.tx, { kind: "draft", id: source.id });
    if (text !== null) return { draft_id: source.id, before: text.body, format: text.body_format, locale };
  }
  if (content === null) {
    throw conflict("page_not_read", "The page has not been fetched yet. Refresh it first.");
  }
  return { draft_id: null, before: await mainHtmlOf(ctx.tx, content), format: "html", locale };
}

const getRewrite = rewriteResource.get({ summary: "Show a rewrite and its changes" });

const notOpen = conflictWhen("invalid_transition", "It is not ready yet, or has already been decided");

const applyRewrite = rewriteResource.action("apply", {
  summary: "Apply a rewrite to its draft",
  description:
    "Creates a revision of the draft of /v1/content; on a published draft it is staged until it is published. " +
    "Unsupported claims require accept_claims with a reason and the scope answeros:manage; the draft records who " +
    "accepted them.",
  body: z.strictObject({
    accept_claims: z.boolean().default(false),
    reason: z.string().trim().min(3).max(500).nullable().default(null),
  }),
  errors: [
    ...textErrors,
    notOpen,
    conflictWhen(
      "unsupported_claims",
      "It contains claims that its source does not support and that are not accepted",
    ),
    conflictWhen("no_draft", "It does not belong to a draft; change the page at its source"),
    conflictWhen("draft_changed", "The draft has changed since the rewrite"),
    conflictWhen("not_editable", "The draft is archived or scheduled"),
    { type: "forbidden", when: "Accepting claims requires answeros:manage" },
  ],
  example: {
    body: {},
  },
  handle: async ({ params, body }, ctx) => {
    const before = await openOne(ctx, params.id);
    if (before.value.status === "needs_review" && (!body.accept_claims || body.reason === null)) {
      throw conflict(
        "unsupported_claims",
        "The text contains claims that its source does not support: see unsupported_claims. Reject the rewrite, or " +
          "accept the claims with a reason.",
      );
    }
    if (before.value.status === "needs_review" && !ctx.scopes.has("answeros:manage")) {
      throw fail("forbidden", "Accepting claims requires the scope answeros:manage.");
    }
    const revision = await revise(ctx, before.value, body.reason);
    return item(
      decide(ctx, before, { status: "applied", applied_revision: revision, decided_reason: body.reason }),
    );
  },
});

async function revise(
  { tx, ports, caller, nowAt }: Ctx,
  rewrite: Rewrite,
  reason: string | null,
): Promise<number> {
  const { draft_id: id, after, before } = rewrite;
  if (id === null || after === null) {
    throw conflict("no_draft", "The rewrite does not belong to a draft. Change the page at its source.");
  }
  const now = await ports.engines.textOf(tx, { kind: "draft", id });
  if (now === null || now.body !== before) {
    throw conflict("draft_changed", "The draft has changed since the rewrite. Request a new rewrite.");
  }
  const message = `Rewritten for answers: ${rewrite.ops.join(", ")}`;
  const by = caller ?? "answeros";
  const { length: claims } = rewrite.unsupported_claims;
  const revised = await ports.engines.reviseDraft(tx, {
    draft_id: id,
    body: after,
    message,
    source: "ai",
    override: claims === 0 || reason === null ? undefined : { id: rewrite.id, reason, claims },
    by,
    now_at: nowAt,
  });
  if (revised === null) throw conflict("draft_changed", "The draft no longer exists.");
  return revised.revision;
}

const rejectRewrite = rewriteResource.action("reject", {
  summary: "Reject a rewrite",
  body: z.strictObject({ reason: z.string().trim().min(3).max(500).nullable().default(null) }),
  errors: [notOpen],
  example: {
    body: { reason: "It reads like a leaflet." },
  },
  handle: async ({ params, body }, ctx) => {
    const before = await openOne(ctx, params.id);
    return item(decide(ctx, before, { status: "rejected", decided_reason: body.reason }));
  },
});

/** A rewrite that is ready and undecided; throws 404 and 409. */
async function openOne({ tx }: Ctx, id: string): Promise<Stored<Rewrite>> {
  const before = await tx.require(rewrites, id);
  const { status } = before.value;
  if (rewriteStates.allows("apply", status)) return before;
  throw conflict("invalid_transition", `A rewrite with status \`${status}\` does not allow this action.`);
}

const decide = ({ tx, nowAt }: Ctx, before: Stored<Rewrite>, change: Partial<Rewrite>): Stored<Rewrite> =>
  tx.put(rewrites, before, { ...before.value, ...change, decided_at: nowAt, updated_at: nowAt });

export const rewriteRoutes = [listRewrites, createRewrite, getRewrite, applyRewrite, rejectRewrite];
