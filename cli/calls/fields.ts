import type { JsonSchema } from "../../server/openapi/manifest.ts";
import { usageError } from "../terminal/exit.ts";
import type { FormFile } from "./multipart.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

export type Schema = JsonSchema;

/** One `name=value` of the command line. */
export interface FieldText {
  /** `a`, `a.b` or `a[]`. */
  readonly name: string;
  readonly value: string;
  /** `-f`: a string whatever the schema is. */
  readonly raw: boolean;
  /** The file of `@path`; `value` is its text. */
  readonly file?: FormFile | undefined;
}

type Built = { [name: string]: unknown };

const NAME = /^([^.[\]]+)(?:\.([^.[\]]+))?(\[\])?$/;

/** Splits `name=value`. */
export function splitField(text: string, flag: string): readonly [name: string, value: string] {
  const mark = text.indexOf("=");
  if (mark < 1)
    throw usageError(`${flag} ${JSON.stringify(text)} is not name=value.`, `${flag} postcode='SW1A 1AA'`);
  return [text.slice(0, mark), text.slice(mark + 1)];
}

/** The JSON object with these fields; the schema decides whether `12345` is a number. */
export function toBody(fields: readonly FieldText[], schema: Schema | null): Built {
  const body: Built = Object.create(null);
  for (const { name, value, raw } of fields) {
    const { first, second, isItem } = splitName(name);
    const outer = schema === null ? null : propertyOf(schema, first, schema);
    const holder = second === undefined ? body : holderOf(body, first);
    const inner = second === undefined ? outer : outer && propertyOf(outer, second, schema);
    const key = second ?? first;
    if (!isItem) {
      holder[key] = raw ? value : typed(value, inner, schema);
      continue;
    }
    const items = inner === null ? null : asSchema(resolveRef(inner, schema).items);
    const before = holder[key];
    holder[key] = [...(Array.isArray(before) ? before : []), raw ? value : typed(value, items, schema)];
  }
  return body;
}

/** The query parameters with these fields. They are sent as text; the server parses them by the same schema. */
export function toQuery(fields: readonly FieldText[]): Record<string, string> {
  const query: Record<string, string> = {};
  for (const { name, value } of fields) {
    if (/[.[\]]/.test(name))
      throw usageError(`${name} cannot be a query parameter. Query parameters cannot be nested.`);
    query[name] = value;
  }
  return query;
}

/** Top-level names of the fields. */
export const fieldNames = (fields: readonly FieldText[]): string[] =>
  fields.map(({ name }) => splitName(name).first);

/** Top-level property names of a schema. */
export function propertyNames(schema: Schema | null): string[] {
  if (schema === null) return [];
  return variants(schema, schema).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

/** The JSON types a schema allows; empty if it does not restrict them. */
export function typesOf(schema: Schema, root: Schema | null): ReadonlySet<string> {
  return new Set(
    variants(schema, root).flatMap(({ type, const: constant, enum: choices }) => {
      if (type !== undefined) return type;
      return [constant, ...(choices ?? [])].flatMap((value) =>
        value === undefined ? [] : [jsonType(value)],
      );
    }),
  );
}

/** The property `name` of an object schema, in any of its alternatives. */
export function propertyOf(schema: Schema, name: string, root: Schema | null): Schema | null {
  const found = variants(schema, root).flatMap(({ properties, additionalProperties }): Schema[] => {
    const own =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const property = asSchema(own);
    return property === null ? [] : [property];
  });
  return found.length > 1 ? { anyOf: found } : (found[0] ?? null);
}

/** `12345` for a postcode is text and for an amount a number. Text that does not match is sent as it is; the server validates it. */
function typed(text: string, schema: Schema | null, root: Schema | null): unknown {
  const types = schema === null ? new Set<string>() : typesOf(schema, root);
  if (types.size === 0) return guess(text);
  if (text === "null" && types.has("null")) return null;
  if (types.has("string")) return text;
  if ((types.has("integer") || types.has("number")) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if ((types.has("object") || types.has("array")) && /^[[{]/.test(text)) return parseJson(text) ?? text;
  return text;
}

/** Without a schema, as in other tools: true, false, null and integers are not strings. */
function guess(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return parseJson(text);
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function splitName(name: string): { first: string; second: string | undefined; isItem: boolean } {
  const [, first = "", second, brackets] = NAME.exec(name) ?? [];
  if (first === "") {
    throw usageError(
      `The field ${JSON.stringify(name)} is nested too deeply. Pass the body as a file.`,
      "--input file.json",
    );
  }
  return { first, second, isItem: brackets !== undefined };
}

function holderOf(body: Built, name: string): Built {
  const made: Built = Object.create(null);
  const before = body[name];
  if (typeof before === "object" && before !== null && !Array.isArray(before)) Object.assign(made, before);
  body[name] = made;
  return made;
}

/** A schema and its alternatives, with references resolved. */
function variants(schema: Schema, root: Schema | null): Schema[] {
  const resolved = resolveRef(schema, root);
  const nested = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])];
  return [resolved, ...nested.flatMap((variant) => variants(asSchema(variant) ?? {}, root))];
}

function resolveRef(schema: Schema, root: Schema | null): Schema {
  const name = schema.$ref?.replace("#/$defs/", "");
  if (name === undefined || root === null) return schema;
  return asSchema(root.$defs?.[name]) ?? (schema.$ref === "#" ? root : {});
}

function asSchema(value: unknown): Schema | null {
  // The generator's own output: an object here is a schema.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : null;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "number" ? "number" : typeof value;
}
