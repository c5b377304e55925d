import type { Json } from "./schemas.ts";

/** What a part of the document is; it decides which of its members are parts in turn. */
type Part =
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
  item: { "*": "operation" },
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

/** A shorter part takes no more room in place than a reference to it. */
const CHARS_MIN = 160;

export interface Shareable {
  readonly paths: Json;
  readonly webhooks: Json;
  readonly schemas: Json;
  readonly responses: Json;
  readonly parameters: Json;
}

/**
 * The same document with equal responses, parameters and inner schemas written once, as components: dereferenced, it is
 * what it was. Names come from the place where a part is met first, so the same routes give the same names.
 */
export function shareParts({ paths, webhooks, ...components }: Shareable): Shareable {
  const counts = new Map<string, number>();
  const count = (kind: Part, value: unknown): unknown => {
    const text = textOf(kind, value);
    const times = counts.get(text) ?? 0;
    counts.set(text, times + 1);
    // What is inside an equal part is inside the one component: it counts once.
    if (times === 0) mapMembers(kind, value, count);
    return value;
  };

  const pools = {
    schemas: { ...components.schemas },
    responses: { ...components.responses },
    parameters: { ...components.parameters },
  };
  const names = new Map(
    Object.entries(components.schemas).map(([name, schema]) => [textOf("schema", schema), name] as const),
  );
  const rewrite = (kind: Part, value: unknown, place: readonly string[]): unknown => {
    const pool = POOL[kind];
    const text = textOf(kind, value);
    if (pool === undefined || text.length < CHARS_MIN || (counts.get(text) ?? 0) < 2) {
      return mapMembers(kind, value, (part, member, key) => rewrite(part, member, [...place, key]));
    }
    let name = names.get(text);
    if (name === undefined) {
      name = freeName(nameOf(pool, value, place), pools[pool]);
      names.set(text, name);
      pools[pool][name] = null;
      const own = [name];
      pools[pool][name] = mapMembers(kind, value, (part, member, key) =>
        rewrite(part, member, [...own, key]),
      );
    }
    return { $ref: `#/components/${pool}/${name}` };
  };

  for (const root of [paths, webhooks]) count("paths", root);
  for (const schema of Object.values(components.schemas)) count("schema", schema);
  for (const [name, schema] of Object.entries(components.schemas)) {
    pools.schemas[name] = rewriteRoot(rewrite, "schema", schema, [name]);
  }
  const [sharedPaths, sharedHooks] = [paths, webhooks].map((root) => rewriteRoot(rewrite, "paths", root, []));
  return { paths: { ...sharedPaths }, webhooks: { ...sharedHooks }, ...pools };
}

type Rewrite = (kind: Part, value: unknown, place: readonly string[]) => unknown;

/** A root stays where it is, whatever equals it. */
const rewriteRoot = (rewrite: Rewrite, kind: Part, root: unknown, place: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(
      Object(mapMembers(kind, root, (part, member, key) => rewrite(part, member, [...place, key]))),
    ),
  );

const textOf = (kind: Part, value: unknown): string => `${POOL[kind] ?? ""}${JSON.stringify(value)}`;

/** A copy of a part with its members replaced; what is no object (a reference's target, `true`) stays. */
function mapMembers(
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
  if (pool === "parameters") return pascal(String(Object(value).name));
  if (pool === "responses") return pascal(String(Object(value).description).split("\n", 1)[0] ?? "");
  // Keywords and positions say nothing of what a schema is about.
  const words = place.filter(
    (word) =>
      !/^(\d+|properties|items|anyOf|oneOf|allOf|schema|content|requestBody|responses|parameters|get|post|put|patch|delete|application\/.*)$/.test(
        word,
      ),
  );
  return words.slice(-3).map(pascal).join("");
}

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
