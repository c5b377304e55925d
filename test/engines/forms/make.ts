import { wordsIn } from "../../../server/core/words.ts";
import type { ReadOptions } from "../../../server/engines/forms/rules/read-answers.ts";
import { DEFAULT_FORM_SETTINGS } from "../../../server/engines/forms/schema.ts";
import type { FormContent } from "../../../server/engines/forms/schema.ts";
import type { Field } from "../../../server/engines/forms/schema/field.ts";

/** A form with what a test is about; everything else is as plain as it can be. */
export const content = (more: Partial<FormContent> = {}): FormContent => ({
  name: "Quote",
  slug: "quote",
  locales: ["en-GB"],
  fields: [],
  steps: [],
  settings: DEFAULT_FORM_SETTINGS,
  notifications: [],
  autoresponder: { enabled: false, to_field: null, message: "", attach_copy: false },
  consents: [],
  contact: { name: null, email: null, phone: null },
  quote: { enabled: false, mapping: {}, sla_hours: 24, currency: "GBP" },
  agent: { enabled: false, tool_name: null, tool_description: null, autosubmit: false },
  ...more,
});

export const field = (key: string, more: Partial<Field> = {}): Field => ({
  key,
  type: "text",
  label: key,
  required: false,
  ...more,
});

export const options = (...values: string[]) =>
  values.map((value) => ({ value, label: value.toUpperCase() }));

export const how: ReadOptions = {
  extent: "whole",
  unknown: "fault",
  region: "GB",
  key: "sto_a",
  words: wordsIn("en"),
  phone: (text) => (text.startsWith("07") ? `+44${text.slice(1).replaceAll(" ", "")}` : null),
};
