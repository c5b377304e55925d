import type { Json } from "./schemas.ts";

/** What a part of the document is; it decides which of its members are parts in turn. */
export type Part =
  | "paths"
  | "item"
  | "operation"
  | "parameters"
  | "parameter"
  | "body"
  | "responses"
  | "response"
  | "content"
  | "media"
  | "schemas"
  | "schema";
type Pools = "schemas" | "responses" | "parameters";

const POOL: Readonly<Partial<Record<Part, Pools>>> = {
  schema: "schemas",
  response: "responses",
  parameter: "parameters",
};

/** Kind of each member by its name; `*` stands for any other. */
const MEMBERS: Readonly<Record<Part, Readonly<Record<string, Part>>>> = {
  paths: { "*": "item" },
  item: { parameters: "parameters", "*": "operation" },
  operation: { parameters: "parameters", requestBody: "body", responses: "responses" },
  parameters: { "*": "parameter" },
  parameter: { schema: "schema" },
  responses: { "*": "response" },
  body: { content: "content" },
  response: { content: "content" },
  content: { "*": "media" },
  media: { schema: "schema" },
  schemas: { "*": "schema" },
  schema: {
    properties: "schemas",
    patternProperties: "schemas",
    anyOf: "schemas",
    oneOf: "schemas",
    allOf: "schemas",
    prefixItems: "schemas",
    items: "schema",
    additionalProperties: "schema",
    not: "schema",
  },
};

/** A shorter part is easier to read in place than under a name that was derived from a place. */
const CHARS_MIN = 45;

export interface Shareable {
  readonly paths: Json;
  readonly webhooks: Json;
  readonly schemas: Json;
  readonly responses: Json;
  readonly parameters: Json;
}

/**
 * The same document with equal responses, parameters and inner schemas written once, as components: dereferenced, it is
 * what it was. Schemas that differ in their description or default alone are one component, with these next to the reference.
 * Names come from the place where a part is met first, so the same routes give the same names.
 */
export function shareParts(document: Shareable): Shareable {
  const steps = sharePartsSteps(document);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of one path or schema. */
export function* sharePartsSteps({
  paths,
  webhooks,
  ...components
}: Shareable): Generator<undefined, Shareable> {
  const counts = new Map<string, number>();
  const count = (kind: Part, value: unknown): unknown => {
    const text = textOf(kind, value);
    const times = counts.get(text) ?? 0;
    counts.set(text, times + 1);
    // What is inside an equal part is inside the one component: it counts once.
    if (times > 0 && POOL[kind] !== undefined && text.length >= CHARS_MIN) return value;
    const noted = kind === "schema" ? withoutNotes(value) : null;
    if (noted === null) mapMembers(kind, value, count);
    else count(kind, noted.rest);
    return value;
  };

  const pools = {
    schemas: { ...components.schemas },
    responses: { ...components.responses },
    parameters: { ...components.parameters },
  };
  const named = (kind: Part, parts: Json) =>
    Object.entries(parts).map(([name, part]) => [textOf(kind, part), name] as const);
  const names = new Map([
    ...named("schema", components.schemas),
    ...named("parameter", components.parameters),
  ]);
  const rewrite = (kind: Part, value: unknown, place: readonly string[]): unknown => {
    const pool = POOL[kind];
    const inside = (at: readonly string[]) =>
      mapMembers(kind, value, (part, member, key) => rewrite(part, member, [...at, key]));
    if (pool === undefined || isReference(value)) return inside(place);
    const text = textOf(kind, value);
    let name = names.get(text);
    if (name === undefined) {
      name = freeName(nameOf(pool, value, place), pools[pool]);
      const isShared = isWorth(text.length - pool.length, referenceTo(pool, name), counts.get(text) ?? 0);
      if (isShared) {
        names.set(text, name);
        pools[pool][name] = null;
      }
      const at = isShared ? [name] : place;
      const noted = kind === "schema" ? withoutNotes(value) : null;
      const rest = noted === null ? null : rewrite(kind, noted.rest, at);
      const own = isReference(rest) ? { ...rest, ...noted?.notes } : inside(at);
      if (!isShared) return own;
      pools[pool][name] = own;
    }
    return referenceTo(pool, name);
  };

  for (const [kind, roots] of [
    ["item", { ...paths, ...webhooks }],
    ["schema", components.schemas],
  ] as const) {
    for (const root of Object.values(roots)) {
      count(kind, root);
      yield;
    }
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    pools.schemas[name] = rewriteRoot(rewrite, schema, [name]);
    yield;
  }
  const shared: Record<"paths" | "webhooks", Record<string, unknown>> = { paths: {}, webhooks: {} };
  for (const [into, items] of [
    [shared.paths, paths],
    [shared.webhooks, webhooks],
  ] as const) {
    for (const [path, item] of Object.entries(items)) {
      into[path] = rewrite("item", item, [path]);
      yield;
    }
  }
  return { ...shared, ...pools };
}

const referenceTo = (pool: Pools, name: string): Json => ({ $ref: `#/components/${pool}/${name}` });

export const isReference = (value: unknown): value is Json & { readonly $ref: string } =>
  typeof value === "object" && value !== null && "$ref" in value && typeof value.$ref === "string";

/** What a schema says for people or for absent values, which may differ where the values are the same. */
const NOTES = new Set(["description", "default"]);

/** A schema with its notes apart; null for one that has none. */
function withoutNotes(schema: unknown): { readonly rest: Json; readonly notes: Json } | null {
  const pairs = Object.entries(Object(schema));
  const notes = pairs.filter(([name]) => NOTES.has(name));
  const rest = pairs.filter(([name]) => !NOTES.has(name));
  return notes.length === 0 ? null : { rest: Object.fromEntries(rest), notes: Object.fromEntries(notes) };
}

/** Whether a part of so many characters that occurs so many times is shorter as a component. */
function isWorth(chars: number, reference: Json, times: number): boolean {
  const referenceChars = JSON.stringify(reference).length;
  return chars >= CHARS_MIN && times * referenceChars + chars + referenceChars < times * chars;
}

type Rewrite = (kind: Part, value: unknown, place: readonly string[]) => unknown;

/** A root stays where it is, whatever equals it. */
const rewriteRoot = (rewrite: Rewrite, root: unknown, place: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(
      Object(mapMembers("schema", root, (part, member, key) => rewrite(part, member, [...place, key]))),
    ),
  );

/** Two schemas are equal whatever their examples. */
function textOf(kind: Part, value: unknown): string {
  const text = (part: unknown) => `${POOL[kind] ?? ""}${JSON.stringify(part)}`;
  if (kind !== "schema" || typeof value !== "object" || value === null || !("example" in value))
    return text(value);
  const { example: _, ...rest } = value;
  return text(rest);
}

/** A copy of a part with its members replaced; what is no object (a reference's target, `true`) stays. */
export function mapMembers(
  kind: Part,
  value: unknown,
  replace: (kind: Part, member: unknown, key: string) => unknown,
): unknown {
  if (typeof value !== "object" || value === null || "$ref" in value) return value;
  const kinds = MEMBERS[kind];
  const kindOf = (key: string): Part | undefined => kinds[key] ?? kinds["*"];
  const pairs = Object.entries(value).map(([key, member]): [string, unknown] => {
    const of = typeof member === "object" ? kindOf(key) : undefined;
    return [key, of === undefined ? member : replace(of, member, key)];
  });
  return Array.isArray(value) ? pairs.map(([, member]) => member) : Object.fromEntries(pairs);
}

function nameOf(pool: Pools, value: unknown, place: readonly string[]): string {
  const words = place.filter((word) => !NO_WORDS.test(word)).map(resourceOf);
  if (pool === "parameters") return pascal(words[0] ?? "") + pascal(String(Object(value).name));
  if (pool === "schemas") return textName(Object(value)) ?? pascal(words.at(-1) ?? "") + suffixOf(value);
  const { description, "x-codes": codes, "x-statuses": statuses } = Object(value);
  if (statuses !== undefined) return "Error";
  // An error is the same wherever it occurs; a success belongs to what it returns.
  const isError = codes !== undefined || /^[45]/.test(place.at(-1) ?? "");
  return pascal(isError ? (codes?.[0] ?? String(description).split("\n", 1)[0]) : (words[0] ?? ""));
}

/** What a response contains is named after the resource already. */
const suffixOf = (schema: unknown): string =>
  ["data", "meta"].every((name) => name in Object(Object(schema).properties)) ? "Response" : "";

/** `Text120` has 1 to 120 characters: a text with bounds and nothing else means something else wherever it occurs. */
function textName({ type, minLength, maxLength, ...rest }: Json): string | null {
  if (minLength !== 1 || typeof maxLength !== "number" || Object.keys(rest).length > 0) return null;
  return `${Array.isArray(type) ? "Nullable" : ""}Text${maxLength}`;
}

/** Keywords and positions say nothing of what a schema is about. */
const NO_WORDS =
  /^(\d+|properties|items|anyOf|oneOf|allOf|schema|content|requestBody|responses|parameters|get|post|put|patch|delete|application\/.*)$/;

/** `/v1/catering/orders/{id}/cancel` → `catering/orders//cancel`, `FormsCreateBody` → `Forms`: words of a name, short as they repeat. */
const resourceOf = (word: string): string =>
  word.startsWith("/")
    ? word.replace(/^\/(v1|api\/[a-z]+)\//, "").replaceAll(/\{\w+\}/g, "")
    : word.replace(/((Create|Update|Set)?Body)?(\.__schema\d+)?$/, "");

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => (word[0] ?? "").toUpperCase() + word.slice(1))
    .join("");

function freeName(wanted: string, taken: Json): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!(name in taken)) return name;
  }
}
