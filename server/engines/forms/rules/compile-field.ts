import { z } from "zod";

import { LocalDate, LocalTime } from "../../../core/schema.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { PATTERNS } from "../data/patterns.ts";
import type { Field } from "../schema/field.ts";
import { Address, isDecoration, takesMany } from "../schema/field.ts";

/**
 * Schema of a normalised answer to a field; null for fields without an answer. Whether it is required is
 * not part of it: that depends on the other answers.
 */
export function compileField(field: Field): z.ZodType | null {
  if (isDecoration(field)) return null;
  switch (field.type) {
    case "email":
      return z.email("Expected an e-mail address such as ada@shop.example.").max(254);
    case "phone":
      return z.string().regex(/^\+[1-9]\d{6,14}$/, "Expected a phone number with its country code.");
    case "url":
      return z
        .url({ protocol: /^https?$/, error: "Expected a web address that starts with https://." })
        .max(2_000);
    case "number":
      return bounded(z.number("Expected a number."), field);
    case "integer":
      return bounded(z.int("Expected a whole number."), field);
    case "currency":
      return bounded(z.int("Expected an amount of money."), field);
    case "rating":
      return bounded(z.int("Expected a whole number."), { min: 1, max: 5, ...field });
    case "scale":
      return bounded(z.int("Expected a whole number."), { min: 0, max: 10, ...field });
    case "date":
      return datesWithin(field);
    case "time":
      return LocalTime;
    case "datetime":
      return z
        .string()
        .regex(DATE_TIME, WHEN)
        .refine((when) => LocalDate.safeParse(when.slice(0, 10)).success, WHEN);
    case "select":
    case "radio":
      return oneOf(field);
    case "multiselect":
    case "checkbox":
      return takesMany(field) ? manyOf(field) : z.boolean("Expected true or false.");
    case "boolean":
    case "consent":
      return z.boolean("Expected true or false.");
    case "file":
      return z
        .array(z.string().max(64))
        .max(field.max_files ?? 1, `Choose at most ${field.max_files ?? 1} files.`);
    case "address":
      return Address;
    case "text":
    case "textarea":
    case "name":
    case "signature":
    case "hidden":
    case "heading":
    case "html":
      return text(field);
  }
}

const WHEN = "Expected a date and time such as 2026-06-19T12:30.";
const DATE_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d$/;
/** Default maximum of characters of a text. */
const CHARS: Readonly<Partial<Record<Field["type"], number>>> = {
  text: 500,
  name: 300,
  signature: 300,
  hidden: 1_000,
};

function text({ type, min_length: least, max_length: most, pattern_id: pattern }: Field): z.ZodType {
  const limit = Math.min(most ?? CHARS[type] ?? FORMS_LIMITS.textChars, FORMS_LIMITS.textChars);
  const base = z
    .string("Expected text.")
    .min(least ?? 0, `Enter at least ${least ?? 0} characters.`)
    .max(limit, `Enter at most ${limit} characters.`);
  if (pattern === undefined) return base;
  const { source, says } = PATTERNS[pattern];
  return base.regex(new RegExp(source), `Expected ${says}.`);
}

function bounded(schema: z.ZodNumber, { min, max, step }: Pick<Field, "min" | "max" | "step">): z.ZodType {
  let made = schema;
  if (typeof min === "number") made = made.min(min, `Must be at least ${min}.`);
  if (typeof max === "number") made = made.max(max, `Must be at most ${max}.`);
  return step === undefined ? made : made.multipleOf(step, `Must be a multiple of ${step}.`);
}

function datesWithin({ min, max }: Field): z.ZodType {
  return z.iso
    .date("Expected a date such as 2026-06-19.")
    .refine((date) => typeof min !== "string" || date >= min, `Must not be before ${min}.`)
    .refine((date) => typeof max !== "string" || date <= max, `Must not be after ${max}.`);
}

function oneOf({ options = [] }: Field): z.ZodType {
  return z.enum(
    options.map(({ value }) => value),
    "Expected one of the options.",
  );
}

function manyOf(field: Field): z.ZodType {
  const { max, min, options = [] } = field;
  const most = typeof max === "number" ? max : options.length;
  const least = typeof min === "number" ? min : 0;
  return z
    .array(oneOf(field))
    .min(least, `Choose at least ${least}.`)
    .max(most, `Choose at most ${most}.`)
    .refine((values) => new Set(values).size === values.length, "Choose each option only once.");
}
