import { z } from "zod";

import { mapPage } from "../../../core/map-page.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { created, ok } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, withVersion } from "../../../core/schema.ts";
import { judgeFor, sourceOfPage } from "../services/markup.ts";
import { draftMarkup } from "../services/page-tasks.ts";
import { questions } from "../repository.ts";
import { parseMarkup } from "../rules/validate-markup.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { Markup, MarkupFindings, MarkupType, Parity } from "../schema/markup.ts";
import type { MarkupType as Type } from "../schema/markup.ts";
import type { PageType } from "../schema.ts";
import { createFor } from "./schemas.ts";

/** The best matching type for a page. */
const USUAL: Readonly<Record<PageType, Type>> = {
  product: "Product",
  recipe: "Recipe",
  article: "Article",
  local_business: "LocalBusiness",
  faq: "FAQPage",
  qa: "QAPage",
  catering: "Product",
  menu: "Product",
  other: "Other",
};

const generateSchema = defineRoute({
  id: "answeros.schemas.generate",
  method: "POST",
  path: "/schemas/generate",
  status: 201,
  summary: "Generate structured data from a page",
  description:
    "Uses only what the page shows, and for FAQPage and QAPage its approved answers. What the type requires but is " +
    "missing is listed in errors: complete the page or the markup.",
  body: z.strictObject({
    page_id: Id,
    type: MarkupType.optional().meta({ description: "Default: the type that matches the page" }),
  }),
  data: withVersion(Markup),
  errors: [
    ...textErrors,
    missing,
    conflictWhen("page_not_read", "The page has not been fetched yet; refresh it"),
  ],
  example: { body: { page_id: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0", type: "Product" } },
  handle: async ({ body }, ctx) => {
    const { page, source } = await sourceOfPage(ctx.tx, body.page_id);
    if (source === null) {
      throw conflict("page_not_read", "The page has not been fetched yet. Refresh it first.");
    }
    const asked = { index: "page", value: page.id, limit: 100 };
    const { items: related } = await mapPage(ctx.tx, questions, asked, ({ value: { text, answer } }) =>
      answer?.status === "approved" ? [{ text, answer: answer.text }] : [],
    );
    const type = body.type ?? USUAL[page.value.page_type];
    const about = {
      url: page.value.url,
      entity: page.value.entity,
      questions: related.flat(),
      date_published: page.value.meta?.date_published ?? null,
      date_modified: page.value.meta?.date_modified ?? null,
    };
    const jsonld = await draftMarkup(ctx.tx, { type, page: source, about });
    const stored = await createFor(ctx, { page_id: page.id, type, jsonld, origin: "generated" });
    return created(stored, `/schemas/${stored.id}`);
  },
});

const Findings = z.strictObject({
  valid: z.boolean(),
  errors: MarkupFindings,
  warnings: MarkupFindings,
  parity: Parity,
  rules_as_of: z.string(),
});

const validateSchema = defineRoute({
  id: "answeros.schemas.validate",
  method: "POST",
  path: "/schemas/validate",
  scope: "read",
  summary: "Validate JSON-LD without storing it",
  description: "With page_id, the markup is also compared with that page.",
  body: z.strictObject({
    jsonld: z
      .string()
      .min(1)
      .max(ANSWEROS_LIMITS.jsonLdChars)
      .meta({ description: "Content of the script element" }),
    page_id: Id.optional(),
  }),
  data: Findings,
  errors: [...textErrors, missing],
  example: {
    body: { jsonld: '{"@context":"https://schema.org","@type":"Product","name":"Rye loaf"}' },
  },
  handle: async ({ body }, { tx }) => {
    const page = body.page_id === undefined ? null : (await sourceOfPage(tx, body.page_id)).source;
    const parsed = parseMarkup(body.jsonld);
    if (parsed === null) {
      const rest = await judgeFor(tx, {}, null);
      const error = {
        path: "",
        code: "bad_json" as const,
        severity: "error" as const,
        message: "Must be a JSON object or list of objects.",
      };
      return ok({
        valid: false,
        errors: [error],
        warnings: [],
        parity: rest.parity,
        rules_as_of: rest.rules_as_of,
      });
    }
    const judged = await judgeFor(tx, parsed, page);
    return ok({ valid: judged.errors.length === 0, ...judged });
  },
});

export const schemaToolRoutes = [generateSchema, validateSchema];
