import { z } from "zod";

/** A JSON Schema (draft 2020-12), or any other object of the OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The schema of what is sent (`input`: bodies and queries) or of what is answered (`output`).
 * Answers stay open for members that come later; what a request may hold is as closed as its zod schema.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    // A transform has no JSON Schema; its place is left open.
    unrepresentable: "any",
    override: ({ jsonSchema }) => tidy(jsonSchema, io),
  });
  const { $schema: _, ...rest } = made;
  return rest;
}

function tidy(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  // The expression behind `date-time` is 300 characters long and says no more than the format does.
  if (schema.format !== undefined) delete schema.pattern;
  if (io === "input") return;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

export interface ObjectFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

/**
 * The parameters of a query or path schema. Values arrive as text and are coerced, so bounds stand in the output
 * form, while which of them must be sent stands in the input form.
 */
export function toParameterSchemas(schema: z.ZodObject): ObjectFields {
  const input = asFields(toJsonSchema(schema, "input"));
  const output = asFields(toJsonSchema(schema, "output"));
  const properties = Object.entries(input.properties).map(([name, sent]): [string, Json] => {
    const read = output.properties[name] ?? {};
    const isTold = "type" in read || "enum" in read || "const" in read;
    return [name, isTold ? { ...sent, ...read } : sent];
  });
  return { properties: Object.fromEntries(properties), required: input.required };
}

const Fields = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});
const asFields = (schema: Json): ObjectFields => Fields.parse(schema);

/** Named schemas of `components.schemas`: the same shape is told once, whichever route shows it first. */
export interface SchemaPool {
  /** A reference to the schema under the first name that is free; plain values stay where they are. */
  refer(names: readonly string[], schema: Json): Json;
  readonly schemas: Readonly<Record<string, Json>>;
}

export function createSchemaPool(shared: Readonly<Record<string, Json>>): SchemaPool {
  const schemas: Record<string, Json> = { ...shared };
  const nameByText = new Map<string, string>();
  return {
    schemas,
    refer(names, schema) {
      if (!("properties" in schema || "oneOf" in schema || "anyOf" in schema)) return schema;
      const text = JSON.stringify(schema);
      const name = nameByText.get(text) ?? names.find((candidate) => !(candidate in schemas));
      if (name === undefined) throw new Error(`No unused schema name for ${names.join(", ")}.`);
      if (!nameByText.has(text)) {
        nameByText.set(text, name);
        Object.assign(schemas, place(name, schema));
      }
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

/** A schema with its inner definitions as components, since a document has one place for references. */
function place(name: string, { $defs, ...schema }: Json): Record<string, Json> {
  const moved = JSON.stringify({ [name]: schema, ...prefixed(name, $defs) })
    .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`)
    .replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`);
  return z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(moved));
}

const prefixed = (name: string, definitions: unknown): Json =>
  Object.fromEntries(Object.entries(definitions ?? {}).map(([key, value]) => [`${name}.${key}`, value]));
