import { z } from "zod";

import type { Losses, Path } from "./losses.ts";

/**
 * Reports every field of another system's document that the schema here does not contain. Schemas of imports are
 * loose: unknown fields are not refused, but not ignored silently either. Empty values (null, "",
 * [], {}) are not reported.
 */
export function noteUnknownMembers(schema: z.ZodType, value: unknown, losses: Losses, path: Path = []): void {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      noteUnknownMembers(toType(inner.element), item, losses, [...path, index]);
    }
  } else if (inner instanceof z.ZodObject && isObject(value)) {
    noteMembers(inner, value, losses, path);
  } else if (inner instanceof z.ZodRecord && isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      noteUnknownMembers(toType(inner.valueType), item, losses, [...path, key]);
    }
  }
}

function noteMembers(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
  losses: Losses,
  path: Path,
): void {
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field !== undefined) noteUnknownMembers(toType(field), member, losses, [...path, name]);
    else if (!isEmpty(member)) losses.add([...path, name], "This field is not supported.");
  }
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrap(toType(schema.unwrap()));
  }
  return schema;
}

// Zod types the content of a wrapper as its core type; every schema here is created by the classic API, whose class
// this is.
const toType = (schema: unknown): z.ZodType => (schema instanceof z.ZodType ? schema : z.unknown());

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);
