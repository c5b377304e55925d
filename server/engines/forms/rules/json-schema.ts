import { z } from "zod";

import type { FormContent } from "../schema.ts";
import type { Field } from "../schema/field.ts";
import { NO_WORDS, compileField } from "./compile-field.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * A form's answers as JSON Schema 2020-12. `required` lists unconditional fields; conditional ones have
 * `x-visible-when` and `x-required-when`, which JSON Schema cannot express. Written a field at a time: thousands of options take 100 ms.
 */
export function* formJsonSchema(
  { name, fields, steps }: Pick<FormContent, "name" | "fields" | "steps">,
  id: string,
): Generator<undefined, Json> {
  const conditional = new Set(steps.flatMap((step) => (step.visible_when === undefined ? [] : step.fields)));
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const field of fields) {
    yield;
    const schema = compileField(field, NO_WORDS);
    if (schema === null) continue;
    properties[field.key] = describe(field, schema);
    const isAlwaysThere = field.visible_when === undefined && !conditional.has(field.key);
    if (field.required && isAlwaysThere) required.push(field.key);
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: id,
    title: name,
    type: "object",
    properties,
    required,
    additionalProperties: false,
  };
}

function describe(field: Field, schema: z.ZodType): Json {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const text = field.agent_description ?? field.help;
  return {
    ...made,
    title: field.label,
    ...(text === undefined ? {} : { description: text }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.visible_when === undefined ? {} : { "x-visible-when": field.visible_when }),
    ...(field.required_when === undefined ? {} : { "x-required-when": field.required_when }),
  };
}
