import { z } from "zod";

import { LocalDate, urlUpTo } from "../../../core/schema.ts";
import type { Words } from "../../../core/words.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { PATTERNS } from "../data/patterns.ts";
import type { Field } from "../schema/field.ts";
import { Address, isDecoration, takesMany } from "../schema/field.ts";

/** Words of the faults: those of the form's language. */
export type FaultWords = Pick<Words, "say" | "money" | "date">;

/** For a schema that is not shown to anybody. */
export const NO_WORDS: FaultWords = { say: (key) => key, money: String, date: String };

/**
 * Schema of a normalised answer to a field; null for fields without an answer. Whether it is required is
 * not part of it: that depends on the other answers.
 */
export function compileField(field: Field, words: FaultWords): z.ZodType | null {
  if (isDecoration(field)) return null;
  const { say } = words;
  switch (field.type) {
    case "email":
      return z.email(say("form.fault_email")).max(254);
    case "phone":
      return z.string().regex(/^\+[1-9]\d{6,14}$/, say("form.fault_phone"));
    case "url":
      return urlUpTo(2_000, { protocol: /^https?$/, error: say("form.fault_url") }, say("form.fault_url"));
    case "number":
      return bounded(z.number(say("form.fault_number")), field, words);
    case "integer":
      return bounded(z.int(say("form.fault_integer")), field, words);
    case "currency":
      return bounded(z.int(say("form.fault_amount")), field, words);
    case "rating":
      return bounded(z.int(say("form.fault_integer")), { min: 1, max: 5, ...field }, words);
    case "scale":
      return bounded(z.int(say("form.fault_integer")), { min: 0, max: 10, ...field }, words);
    case "date":
      return datesWithin(field, words);
    case "time":
      return z.string(say("form.fault_time")).regex(TIME, say("form.fault_time"));
    case "datetime":
      return z
        .string(say("form.fault_datetime"))
        .regex(DATE_TIME, say("form.fault_datetime"))
        .refine((when) => LocalDate.safeParse(when.slice(0, 10)).success, say("form.fault_datetime"));
    case "select":
    case "radio":
      return oneOf(field, words);
    case "multiselect":
    case "checkbox":
      return takesMany(field) ? manyOf(field, words) : z.boolean(say("form.fault_unreadable"));
    case "boolean":
    case "consent":
      return z.boolean(say("form.fault_unreadable"));
    case "file":
      return z
        .array(z.string().max(64))
        .max(field.max_files ?? 1, say("form.fault_files_max", { count: field.max_files ?? 1 }));
    case "address":
      return Address;
    case "text":
    case "textarea":
    case "name":
    case "signature":
    case "hidden":
    case "heading":
    case "html":
      return text(field, words);
  }
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const DATE_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d$/;
/** Default maximum of characters of a text. */
const CHARS: Readonly<Partial<Record<Field["type"], number>>> = {
  text: 500,
  name: 300,
  signature: 300,
  hidden: 1_000,
};

function text(
  { type, min_length: least, max_length: most, pattern_id: pattern }: Field,
  { say }: FaultWords,
): z.ZodType {
  const limit = Math.min(most ?? CHARS[type] ?? FORMS_LIMITS.textChars, FORMS_LIMITS.textChars);
  const base = z
    .string(say("form.fault_text"))
    .min(least ?? 0, say("form.fault_chars_min", { count: least ?? 0 }))
    .max(limit, say("form.fault_chars_max", { count: limit }));
  return pattern === undefined
    ? base
    : base.regex(new RegExp(PATTERNS[pattern]), say(`form.fault_pattern_${pattern}`));
}

function bounded(
  schema: z.ZodNumber,
  { currency, max, min, step, type }: Field,
  { money, say }: FaultWords,
): z.ZodType {
  // Amounts are in minor units.
  const shown = (value: number): string | number =>
    type === "currency" && currency !== undefined ? money(value, currency) : value;
  let made = schema;
  if (typeof min === "number") made = made.min(min, say("form.fault_min", { min: shown(min) }));
  if (typeof max === "number") made = made.max(max, say("form.fault_max", { max: shown(max) }));
  return step === undefined ? made : made.multipleOf(step, say("form.fault_step", { step: shown(step) }));
}

function datesWithin({ min, max }: Field, { date: show, say }: FaultWords): z.ZodType {
  const from = typeof min === "string" ? min : "";
  const until = typeof max === "string" ? max : "";
  return z.iso
    .date(say("form.fault_date"))
    .refine((date) => date >= from, from === "" ? {} : say("form.fault_date_min", { date: show(from) }))
    .refine(
      (date) => until === "" || date <= until,
      until === "" ? {} : say("form.fault_date_max", { date: show(until) }),
    );
}

function oneOf({ options = [] }: Field, { say }: FaultWords): z.ZodType {
  return z.enum(
    options.map(({ value }) => value),
    say("form.fault_option"),
  );
}

function manyOf(field: Field, words: FaultWords): z.ZodType {
  const { max, min, options = [] } = field;
  const { say } = words;
  const most = typeof max === "number" ? max : options.length;
  const least = typeof min === "number" ? min : 0;
  return z
    .array(oneOf(field, words))
    .min(least, say("form.fault_choose_min", { count: least }))
    .max(most, say("form.fault_choose_max", { count: most }))
    .refine((values) => new Set(values).size === values.length, say("form.fault_once"));
}
