import { isDeepStrictEqual } from "node:util";

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
  return Tree.parse(withTypeLists(rest));
}

const Tree = z.record(z.string(), z.unknown());

function tidy(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  // The expression behind `date-time` is 300 characters long and says no more than the format does.
  if (schema.format !== undefined) delete schema.pattern;
  // No JSON number beyond these is exact, whatever reads it.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (io === "input") return;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // A response has every member: none is replaced by its default.
  delete schema.default;
}

/**
 * The schema with `anyOf: [{type: "string"}, {type: "null"}]` written as `type: ["string", "null"]`, and a tuple of equal
 * members as a list of that length, at any depth.
 */
function withTypeLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTypeLists);
  if (typeof value !== "object" || value === null) return value;
  const tuple = Tuple.safeParse(value);
  if (tuple.success) {
    const { prefixItems, ...rest } = tuple.data;
    const [first, ...others] = prefixItems;
    const length = { minItems: prefixItems.length, maxItems: prefixItems.length };
    if (others.every((other) => isDeepStrictEqual(other, first))) {
      return { ...rest, ...length, items: withTypeLists(first) };
    }
  }
  const { success, data } = Nullable.safeParse(value);
  if (success) {
    const { anyOf, ...outer } = data;
    const [{ type, enum: values, ...inner }] = anyOf;
    return {
      ...inner,
      ...outer,
      type: [type, "null"],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTypeLists(member)]));
}

const Tuple = z.looseObject({ type: z.literal("array"), prefixItems: z.array(z.unknown()).min(1) });
const Scalar = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean"]),
  enum: z.array(z.unknown()).optional(),
  const: z.never().optional(),
});
const Nullable = z.looseObject({
  anyOf: z.tuple([Scalar, z.strictObject({ type: z.literal("null") })]),
  type: z.never().optional(),
});

export interface ObjectFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
}

/**
 * The parameters of a query or path schema. Values arrive as text and are coerced, so bounds are in the output
 * form, while which of them must be sent is in the input form.
 */
export function toParameterSchemas(schema: z.ZodObject): ObjectFields {
  const input = asFields(toJsonSchema(schema, "input"));
  const output = asFields(toJsonSchema(schema, "output"));
  const properties = Object.entries(input.properties).map(([name, sent]): [string, Json] => {
    const read = output.properties[name] ?? {};
    const isDescribed = "type" in read || "enum" in read || "const" in read;
    return [name, isDescribed ? { ...sent, ...read } : sent];
  });
  return { properties: Object.fromEntries(properties), required: input.required };
}

const Fields = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});
const asFields = (schema: Json): ObjectFields => Fields.parse(schema);

/** Named schemas of `components.schemas`: each shape occurs once, whichever route shows it first. */
export interface SchemaPool {
  /** A reference to the schema under the first name that is free; plain values stay where they are. */
  refer(names: readonly string[], schema: Json): Json;
  /** Whether a schema that `refer` returned has an example: the first value offered becomes it. */
  showExample(schema: unknown, value: unknown): boolean;
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
      return { $ref: `${SCHEMAS}${name}` };
    },
    showExample(schema, value) {
      const { $ref } = Reference.catch({ $ref: "" }).parse(schema);
      const name = $ref.slice(SCHEMAS.length);
      const target = schemas[name];
      if (target === undefined || value === undefined) return false;
      if (!("example" in target)) schemas[name] = { ...target, example: value };
      return true;
    },
  };
}

const SCHEMAS = "#/components/schemas/";
const Reference = z.object({ $ref: z.string() });

/** A schema with its inner definitions as components, since a document has one place for references. */
function place(name: string, { $defs, ...schema }: Json): Record<string, Json> {
  const moved = JSON.stringify({ [name]: schema, ...prefixed(name, $defs) })
    .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`)
    .replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`);
  return z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(moved));
}

const prefixed = (name: string, definitions: unknown): Json =>
  Object.fromEntries(Object.entries(definitions ?? {}).map(([key, value]) => [`${name}.${key}`, value]));
