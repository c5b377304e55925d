import * as fc from "fast-check";

import { follow, listOf, memberOf, treeOf } from "./document.ts";
import type { Tree } from "./document.ts";

// Values that a schema of the document allows, and values that are a little beside it.

/** Deeper values are cut: a recursive schema (conditions in conditions) has no end of its own. */
const DEPTH_MAX = 5;
/** Longer texts and lists are the business of the tests of limits. */
const LENGTH_MAX = 40;
const ITEMS_MAX = 3;

/** Values of a schema; `root` is the document that its references are in. */
export function arbitraryOf(root: unknown, schema: unknown, depth = 0): fc.Arbitrary<unknown> {
  // A schema that requires itself has no value.
  if (depth > 2 * DEPTH_MAX) return fc.constant(null);
  const tree = treeOf(follow(root, schema));
  const values = listOf(tree["enum"]);
  if (values.length > 0) return fc.constantFrom(...values);
  if ("const" in tree) return fc.constant(tree["const"]);
  const branches = [...listOf(tree["anyOf"]), ...listOf(tree["oneOf"])];
  if (branches.length > 0) {
    const shallow = depth < DEPTH_MAX ? branches : branches.filter((branch) => isNull(branch));
    return fc.oneof(
      ...(shallow.length > 0 ? shallow : branches.slice(0, 1)).map((branch) =>
        arbitraryOf(root, branch, depth + 1),
      ),
    );
  }
  const types = typesOf(tree);
  return types.length === 1
    ? ofType(root, types[0] ?? "object", tree, depth)
    : fc.oneof(...types.map((type) => ofType(root, type, tree, depth)));
}

const isNull = (schema: unknown): boolean => memberOf(schema, "type") === "null";

function typesOf(schema: Tree): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  return "properties" in schema ? ["object"] : ["string", "integer", "boolean", "null"];
}

function ofType(root: unknown, type: string, schema: Tree, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case "object":
      return ofObject(root, schema, depth);
    case "array":
      return ofArray(root, schema, depth);
    case "integer":
    case "number":
      return ofNumber(type, schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return ofString(schema);
  }
}

function ofObject(root: unknown, schema: Tree, depth: number): fc.Arbitrary<unknown> {
  const required = listOf(schema["required"]).map(String);
  const members = Object.entries(treeOf(schema["properties"])).filter(
    ([name]) => depth < DEPTH_MAX || required.includes(name),
  );
  if (members.length === 0 && typeof schema["additionalProperties"] === "object") {
    const { propertyNames, additionalProperties } = schema;
    const names = arbitraryOf(
      root,
      propertyNames ?? { type: "string", minLength: 1, maxLength: 12 },
      depth + 1,
    );
    return fc.dictionary(names.map(String), arbitraryOf(root, additionalProperties, depth + 1), {
      maxKeys: ITEMS_MAX,
    });
  }
  const arbitraries = Object.fromEntries(
    members.map(([name, member]) => [name, arbitraryOf(root, member, depth + 1)]),
  );
  return fc.record(arbitraries, { requiredKeys: required.filter((name) => name in arbitraries) });
}

function ofArray(root: unknown, schema: Tree, depth: number): fc.Arbitrary<unknown> {
  const places = listOf(schema["prefixItems"]);
  if (places.length > 0) return fc.tuple(...places.map((place) => arbitraryOf(root, place, depth + 1)));
  const minLength = Number(schema["minItems"] ?? 0);
  const most = depth < DEPTH_MAX ? Math.min(Number(schema["maxItems"] ?? ITEMS_MAX), ITEMS_MAX) : 0;
  return fc.array(arbitraryOf(root, schema["items"] ?? {}, depth + 1), {
    minLength,
    maxLength: Math.max(minLength, most),
  });
}

function ofNumber(type: string, schema: Tree): fc.Arbitrary<number> {
  const above = schema["exclusiveMinimum"];
  const below = schema["exclusiveMaximum"];
  const min = Number(schema["minimum"] ?? (above === undefined ? -1e6 : Number(above) + 1));
  const max = Math.max(min, Number(schema["maximum"] ?? (below === undefined ? 1e9 : Number(below) - 1)));
  const near = fc.constantFrom(min, max, ...[0, 1, 2].filter((value) => value >= min && value <= max));
  return type === "integer"
    ? fc.oneof(
        near,
        fc.integer({
          min: Math.ceil(Math.max(min, -(2 ** 31))),
          max: Math.floor(Math.min(max, 2 ** 31 - 1)),
        }),
      )
    : fc.oneof(near, fc.double({ min, max, noNaN: true }));
}

const DATES = ["2026-06-01", "2026-06-15", "2024-02-29", "2027-01-01"];
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  "date-time": [
    "2026-06-01T09:00:00Z",
    "2026-06-02T12:30:00.5+02:00",
    "2025-12-31T23:59:60Z",
    "2030-01-01T00:00:00.000Z",
  ],
  date: DATES,
  email: ["ada@shop.example", "o'brien+tag@example.co.uk"],
  uri: ["https://shop.example/", "https://shop.example/a?b=c#d"],
};

function ofString(schema: Tree): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const minLength = Number(schema["minLength"] ?? 0);
  const maxLength = Math.max(minLength, Math.min(Number(schema["maxLength"] ?? LENGTH_MAX), LENGTH_MAX));
  const known = FORMATS[String(format)];
  if (known !== undefined) return fc.constantFrom(...known);
  if (typeof pattern === "string") {
    return fc
      .stringMatching(new RegExp(pattern, "u"), { size: "small" })
      .filter((text) => text.length <= Number(schema["maxLength"] ?? Infinity) && text.length >= minLength);
  }
  return fc.oneof(
    fc.string({ minLength, maxLength, unit: "grapheme" }),
    fc.string({ minLength, maxLength, unit: "grapheme-ascii" }),
  );
}

/** A value with one of its parts, at any depth, replaced by something that probably does not belong there. */
export const spoilt = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.array(fc.nat({ max: 30 }), { maxLength: 4 }), strange)
    .map(([path, replacement]) => replaced(value, path, replacement));

const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    0,
    -1,
    1.5,
    1e21,
    true,
    [],
    {},
    "__proto__",
    "\u{0}",
    "\u{d800}",
    "2026-02-30",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

function replaced(value: unknown, [step, ...rest]: readonly number[], replacement: unknown): unknown {
  if (step === undefined || typeof value !== "object" || value === null) return replacement;
  const entries = Object.entries(value);
  if (entries.length === 0) return replacement;
  const changed = entries.map(([name, member], index): [string, unknown] => [
    name,
    index === step % entries.length ? replaced(member, rest, replacement) : member,
  ]);
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}
