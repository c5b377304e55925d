import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";

export const MARKUP_TYPES = [
  "Product",
  "Recipe",
  "Article",
  "LocalBusiness",
  "FAQPage",
  "QAPage",
  "BreadcrumbList",
  "Other",
] as const;
export const MarkupType = z.enum(MARKUP_TYPES);
export type MarkupType = z.output<typeof MarkupType>;

export const MarkupFinding = z.strictObject({
  path: z
    .string()
    .meta({ description: "Path in the JSON-LD, as in /offers/price; empty for the whole markup" }),
  code: z.enum([
    "bad_json",
    "too_large",
    "unknown_type",
    "missing_required",
    "missing_recommended",
    "wrong_type",
    "rating_out_of_range",
    "relative_url",
    "bad_date",
    "bad_number",
    "not_visible",
    "ended_feature",
  ]),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
});
export type MarkupFinding = z.output<typeof MarkupFinding>;

/** Findings of each kind that are stored and returned: a short markup can have tens of thousands. */
export const FINDINGS_MAX = 100;

export const MarkupFindings = z
  .array(MarkupFinding)
  .meta({ description: `The first ${FINDINGS_MAX} findings of this kind` });

export const Parity = z.strictObject({
  checked: z.boolean().meta({ description: "False if there is no page text to compare with" }),
  missing: z
    .array(z.strictObject({ path: z.string(), value: z.string() }))
    .meta({ description: `The first ${FINDINGS_MAX} values that the page does not contain` }),
});
export type Parity = z.output<typeof Parity>;

export const JsonLd = z.record(z.string(), z.unknown());

export const Markup = z.strictObject({
  ...resourceFields,
  page_id: Id,
  type: MarkupType,
  jsonld: JsonLd,
  status: z.enum(["draft", "valid", "invalid", "published"]),
  errors: MarkupFindings,
  warnings: MarkupFindings,
  parity: Parity,
  rules_as_of: z.string().meta({ description: "Date of the rule table used for validation" }),
  origin: z.enum(["generated", "manual"]),
  revision: z.int().positive(),
  validated_at: Instant.nullable(),
  published_at: Instant.nullable(),
});
export type Markup = z.output<typeof Markup>;
