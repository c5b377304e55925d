import { z } from "zod";

import { Currency } from "../../../core/schema.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { PATTERN_IDS } from "../data/patterns.ts";
import { Condition } from "./condition.ts";

export const FIELD_TYPES = [
  "text",
  "textarea",
  "email",
  "phone",
  "url",
  "number",
  "integer",
  "currency",
  "date",
  "time",
  "datetime",
  "select",
  "radio",
  "checkbox",
  "multiselect",
  "boolean",
  "rating",
  "scale",
  "file",
  "address",
  "name",
  "consent",
  "hidden",
  "signature",
  "heading",
  "html",
] as const;
const FieldType = z.enum(FIELD_TYPES);
type FieldType = z.output<typeof FieldType>;

export const FieldKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, "Expected a lower-case name such as guest_count.");

const Option = z.strictObject({
  value: z.string().trim().min(1).max(100),
  label: z.string().trim().min(1).max(200),
});

/** File types that a form can accept; all others are refused. */
export const FileKind = z.enum(["png", "jpg", "webp", "gif", "heic", "pdf", "docx", "xlsx", "csv", "txt"]);
export type FileKind = z.output<typeof FileKind>;

/** A bound: a number, or a date for date fields. */
const Bound = z.union([z.number(), z.iso.date()]);

/** A field of a form. Properties that a type does not use are omitted. */
export const Field = z.strictObject({
  key: FieldKey,
  type: FieldType,
  label: z.string().trim().min(1).max(300),
  required: z.boolean(),
  help: z.string().trim().max(1_000).optional(),
  default: z
    .union([z.string().max(1_000), z.number(), z.boolean(), z.array(z.string().max(100)).max(100)])
    .optional(),
  placeholder: z.string().trim().max(200).optional(),
  autocomplete: z
    .string()
    .regex(/^[a-z][a-z0-9 -]{0,60}$/, "Expected autofill tokens such as postal-code.")
    .optional(),
  options: z.array(Option).min(1).max(FORMS_LIMITS.options).optional(),
  min: Bound.optional().meta({ description: "Minimum; a date for date fields" }),
  max: Bound.optional(),
  step: z.number().positive().optional(),
  currency: Currency.optional().meta({
    description: "For a currency field; answers are in minor units. Default: `quote.currency` of the form",
  }),
  min_length: z.int().min(0).max(FORMS_LIMITS.textChars).optional(),
  max_length: z.int().min(1).max(FORMS_LIMITS.textChars).optional(),
  pattern_id: z.enum(PATTERN_IDS).optional().meta({ description: "Predefined patterns only" }),
  accept: z.array(FileKind).min(1).max(10).optional(),
  max_bytes: z.int().min(1).max(FORMS_LIMITS.fileBytes).optional(),
  max_files: z.int().min(1).max(FORMS_LIMITS.files).optional(),
  visible_when: Condition.optional(),
  required_when: Condition.optional(),
  pii: z.enum(["none", "personal", "special"]).optional(),
  prefill_param: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, "Expected a plain parameter name.")
    .optional()
    .meta({ description: "Query parameter of the page's URL that prefills it" }),
  agent_description: z.string().trim().max(500).optional(),
});
export type Field = z.output<typeof Field>;

/** A field in a request. */
export const NewField = Field.extend({ required: z.boolean().default(false) });

/** Fields for display without an answer. */
export const isDecoration = ({ type }: Pick<Field, "type">): boolean => type === "heading" || type === "html";
/** Fields whose answer is a list of option values. */
export const takesMany = ({ type, options }: Pick<Field, "type" | "options">): boolean =>
  type === "multiselect" || (type === "checkbox" && options !== undefined);
/** Fields whose answer is one of the options. */
export const takesOne = ({ type }: Pick<Field, "type">): boolean => type === "select" || type === "radio";

/** Postal address as an answer. */
export const Address = z.strictObject({
  line1: z.string().trim().min(1).max(200),
  line2: z.string().trim().max(200).default(""),
  city: z.string().trim().min(1).max(100),
  region: z.string().trim().max(100).default(""),
  postcode: z.string().trim().min(1).max(20),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "Expected a country code such as GB.")
    .optional(),
});

/** An answer as stored. */
export const Answer = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
  z.record(z.string(), z.string()),
]);
export type Answer = z.output<typeof Answer>;
/** Answers by key of their field. */
export const Answers = z.record(z.string(), Answer);
export type Answers = z.output<typeof Answers>;
