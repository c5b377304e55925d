import { z } from "zod";

import { requireRoom } from "../../../core/room.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { conflict, conflictWhen, fail, invalidField, invalidParameter } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, item, raw } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { PUBLISHED_MAX, emitInvalid } from "../services/keep-page.ts";
import { judgeFor, sourceOfPage } from "../services/markup.ts";
import { markups } from "../repository.ts";
import { scriptElement } from "../rules/json-ld.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { JsonLd, Markup, MarkupType } from "../schema/markup.ts";
import { full } from "./parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const MarkupView = withVersion(Markup);

const notValid = conflictWhen("schema_invalid", "It has errors; validate lists them");
const notShown = conflictWhen(
  "schema_not_visible",
  "The page does not contain the values of the markup, or has not been fetched yet",
);

const schemaResource = resource({
  id: "answeros.schemas",
  collection: markups,
  view: MarkupView,
  example: "sch_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listMarkups = schemaResource.list({
  summary: "List structured data of pages, newest first",
  query: z.object({ ...listFields, page_id: Id.optional(), status: Markup.shape.status.optional() }),
  find: (query) => {
    const { page_id: page, status, ...rest } = query;
    if (page !== undefined) {
      if (!/^[A-Za-z0-9_]+$/.test(page)) throw invalidParameter("page_id", "No page with this id.");
      const value = status === undefined ? page : `${page}.${status}`;
      return { ...rest, index: "page", value };
    }
    return status === undefined ? rest : { ...rest, index: "status", value: status };
  },
});

const createMarkup = schemaResource.custom.create({
  summary: "Create structured data for a page",
  description: "It is validated immediately: status is valid or invalid. Publish it separately.",
  body: z.strictObject({ page_id: Id, type: MarkupType, jsonld: JsonLd }),
  errors: [...textErrors, missing, { type: "unprocessable_content", when: "The JSON-LD is too large" }],
  example: {
    body: {
      page_id: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0",
      type: "Product",
      jsonld: {
        "@context": "https://schema.org",
        "@type": "Product",
        name: "Hackney sourdough",
        offers: { "@type": "Offer", price: "4.80", priceCurrency: "GBP" },
      },
    },
  },
  handle: async ({ body }, ctx) => {
    const stored = await createFor(ctx, { ...body, origin: "manual" });
    return created(stored, `/schemas/${stored.id}`);
  },
});

/** Validates JSON-LD for a page and stores it. Throws 404 for an unknown page, 422 above the size limit. */
export async function createFor(
  ctx: Ctx,
  input: Pick<Markup, "page_id" | "type" | "jsonld" | "origin">,
): Promise<Stored<Markup>> {
  refuseLarge(input.jsonld);
  const { source } = await sourceOfPage(ctx.tx, input.page_id);
  const judged = await judgeFor(ctx.tx, input.jsonld, source);
  const markup = ctx.tx.create(markups, {
    ...newResource(ctx.newId("sch"), ctx.nowAt),
    ...input,
    ...judged,
    status: judged.errors.length === 0 ? "valid" : "invalid",
    revision: 1,
    validated_at: ctx.nowAt,
    published_at: null,
  });
  emitInvalid(ctx.tx, markup.value, ctx);
  return markup;
}

const getMarkup = schemaResource.get({ summary: "Show structured data and its findings" });

const updateMarkup = schemaResource.update({
  summary: "Change structured data",
  description:
    "jsonld replaces the whole markup and creates a revision. Published markup remains published only if it is valid " +
    "and matches the page.",
  body: z.strictObject({ type: MarkupType, jsonld: JsonLd }).partial(),
  errors: [...textErrors, notValid],
  example: {
    body: {
      jsonld: {
        "@context": "https://schema.org",
        "@type": "Product",
        name: "Hackney sourdough",
        offers: { "@type": "Offer", price: "4.80", priceCurrency: "GBP" },
      },
    },
  },
  change: async (before, body, ctx) => {
    const jsonld = body.jsonld ?? before.jsonld;
    refuseLarge(jsonld);
    const wasPublished = before.status === "published";
    const after = await judged(ctx, before, { ...mergePatch<Markup>(before, body), jsonld }, 1);
    if (wasPublished && after.errors.length > 0) {
      throw conflict(
        "schema_invalid",
        "Published markup must remain valid. Fix the errors, or unpublish it first.",
      );
    }
    return after;
  },
});

/** The document validated with the current rules and page. */
async function judged(ctx: Ctx, before: Markup, value: Markup, revisions: 0 | 1): Promise<Markup> {
  const { source } = await sourceOfPage(ctx.tx, value.page_id);
  const judgement = await judgeFor(ctx.tx, value.jsonld, source);
  const isFine = judgement.errors.length === 0;
  const wasPublished = before.status === "published";
  return {
    ...value,
    ...judgement,
    status: !isFine ? "invalid" : wasPublished ? "published" : "valid",
    published_at: isFine && wasPublished ? before.published_at : null,
    revision: value.revision + revisions,
    validated_at: ctx.nowAt,
    updated_at: ctx.nowAt,
  };
}

const removeMarkup = schemaResource.remove({ summary: "Delete structured data" });

const validateStored = defineRoute({
  id: "answeros.schemas.revalidate",
  method: "POST",
  path: "/schemas/:id/validate",
  summary: "Validate structured data with the current rules and page",
  description:
    "Published markup that has become invalid is unpublished, and answeros.schema.invalid is emitted.",
  data: MarkupView,
  errors: [...textErrors],
  example: { params: { id: "sch_01JD8Z5T9QK3M4N5P6R7S8T9V1" } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.tx.require(markups, params.id);
    const after = await judged(ctx, before.value, before.value, 0);
    if (before.value.status !== "invalid") emitInvalid(ctx.tx, after, ctx);
    return item(ctx.tx.put(markups, before, after));
  },
});

const publishMarkup = schemaResource.action("publish", {
  scope: "manage",
  summary: "Publish structured data",
  description:
    "Requires valid markup that contains nothing that the page does not show. Publishing twice has no further effect.",
  errors: [...textErrors, notValid, notShown, full],
  handle: async ({ params }, ctx) => {
    const before = await ctx.tx.require(markups, params.id);
    if (before.value.status === "published") return item(before);
    const after = await judged(ctx, before.value, before.value, 0);
    if (!after.parity.checked || after.parity.missing.length > 0) {
      const detail = after.parity.checked
        ? `The page does not contain the values of ${after.parity.missing.map(({ path }) => path).join(", ")}. Change the ` +
          "page or the markup."
        : "The page has not been fetched yet. Refresh it first.";
      throw conflict("schema_not_visible", detail);
    }
    const [first] = after.errors;
    if (first !== undefined) {
      throw conflict(
        "schema_invalid",
        `The markup has ${after.errors.length} errors. The first is at ${first.path}: ${first.message}`,
      );
    }
    await requireRoom(ctx.tx, markups, {
      index: "page",
      value: `${before.value.page_id}.published`,
      max: PUBLISHED_MAX,
      noun: "published schemas of a page",
    });
    return item(ctx.tx.put(markups, before, { ...after, status: "published", published_at: ctx.nowAt }));
  },
});

const unpublishMarkup = schemaResource.action("unpublish", {
  scope: "manage",
  summary: "Unpublish structured data",
  description: "Takes effect immediately. Unpublishing twice has no further effect.",
  handle: async ({ params }, ctx) => {
    const before = await ctx.tx.require(markups, params.id);
    if (before.value.status !== "published") return item(before);
    return item(
      ctx.tx.put(markups, before, {
        ...before.value,
        status: "valid",
        published_at: null,
        updated_at: ctx.nowAt,
      }),
    );
  },
});

const scriptOf = schemaResource.read("script", {
  open: "public",
  summary: "Show published structured data as a script element",
  description:
    `A complete \`<script type="application/ld+json">\` element that can be embedded in the page unchanged: characters ` +
    "that could end the element are escaped. 404 if it is not published.",
  data: z.string(),
  rawType: "text/html; charset=utf-8",
  example: { params: { id: "sch_01JD8Z5T9QK3M4N5P6R7S8T9V1" } },
  handle: async ({ params }, { tx }) => {
    const { value } = await tx.require(markups, params.id);
    if (value.status !== "published") throw fail("not_found", "No such resource.");
    return raw("text/html; charset=utf-8", `${scriptElement(value.jsonld)}\n`, {
      headers: {
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Cache-Control": "public, max-age=300",
      },
    });
  },
});

function refuseLarge(jsonld: unknown): void {
  if (JSON.stringify(jsonld).length <= ANSWEROS_LIMITS.jsonLdChars) return;
  throw invalidField(["jsonld"], `The JSON-LD can have at most ${ANSWEROS_LIMITS.jsonLdChars} characters.`);
}

export const schemaRoutes = [
  listMarkups,
  createMarkup,
  getMarkup,
  updateMarkup,
  removeMarkup,
  validateStored,
  publishMarkup,
  unpublishMarkup,
  scriptOf,
];
