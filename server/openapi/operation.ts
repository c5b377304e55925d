import { z } from "zod";

import type { Endpoint } from "../http/namespace.ts";
import type { Route } from "../core/route.ts";
import { ListQuery } from "../core/schema.ts";
import { errorResponses, takesIfMatch } from "./errors.ts";
import { headerRefs } from "./headers.ts";
import { toJsonSchema, toParameterSchemas } from "./schemas.ts";
import type { Json, SchemaPool } from "./schemas.ts";

/** One operation of the document: everything is derived from the route and its namespace. */
export function toOperation(endpoint: Endpoint, pool: SchemaPool): Json {
  const { namespace, route, scope, openScope } = endpoint;
  const notes = [
    namespace.auth === "admin" ? `Role: \`${route.role}\`.` : "",
    openScope === null ? "" : `Publishable keys: scope \`${openScope}\`.`,
    route.cost === 0 ? "Does not count towards the rate limit." : "",
    route.cost > 1 ? `Counts as ${route.cost} requests towards the rate limit.` : "",
  ];
  const description = [route.description, notes.filter(Boolean).join(" ")].filter(Boolean).join("\n\n");
  return {
    operationId: route.id,
    tags: [namespace.name],
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    // OpenAPI 3.1 lists what a bearer of a key needs here, as it does for OAuth.
    security: scope === null ? SECURITY[namespace.auth] : [{ api_key: [scope] }],
    ...(namespace.auth === "key" && route.cost !== 1 ? { "x-cost": route.cost } : {}),
    parameters: [...pathParameters(endpoint), ...queryParameters(route), ...headerParameters(endpoint)],
    ...(route.body === null && route.stream === null ? {} : { requestBody: requestBody(route, pool) }),
    responses: { ...successResponses(endpoint, pool), ...errorResponses(endpoint) },
  };
}

const SECURITY: Readonly<Record<Endpoint["namespace"]["auth"], readonly Json[]>> = {
  key: [{ api_key: [] }],
  admin: [{ operator_token: [] }],
  none: [],
};

/** `/zones/:id` → `/zones/{id}`. */
export const toTemplate = (path: string): string => path.replaceAll(/:([A-Za-z_]\w*)/g, "{$1}");

function pathParameters({ route, path }: Endpoint): Json[] {
  const parameters = route.params === null ? null : toParameterSchemas(route.params);
  return Array.from(path.matchAll(/:([A-Za-z_]\w*)/g), ([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...withExample(parameters?.properties[name] ?? { type: "string" }, route.example.params, name),
  }));
}

function queryParameters({ query, example }: Pick<Route, "query" | "example">): Json[] {
  if (query === null) return [];
  const { properties, required } = toParameterSchemas(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(description === undefined ? {} : { description }),
    ...(required.includes(name) ? { required: true } : {}),
    ...withExample(schema, example.query, name),
  }));
}

/** The parameters of every list, as `components.parameters`. */
export const listParameters = (): Record<string, Json> =>
  Object.fromEntries(
    queryParameters({ query: ListQuery, example: {} }).map((parameter) => [
      String(parameter["name"]),
      parameter,
    ]),
  );

/** A parameter's schema with its example as a value of that type: in the route it is written as in an address. */
function withExample(schema: Json, values: unknown, name: string): Json {
  const found = Object.entries(values ?? {}).find(([key]) => key === name);
  if (found === undefined) return { schema };
  const isNumber = schema["type"] === "integer" || schema["type"] === "number";
  return { schema, example: isNumber ? Number(found[1]) : found[1] };
}

function headerParameters(endpoint: Endpoint): Json[] {
  const { namespace, route } = endpoint;
  if (namespace.auth !== "key") return [];
  const names = [
    "Store",
    ...(route.method === "GET" ? [] : ["Idempotency"]),
    ...(takesIfMatch(endpoint) ? ["If-Match"] : []),
    ...(mayBeUnchanged(endpoint) ? ["If-None-Match"] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Reads of data, and files that anybody may read (feeds, sitemaps), which carry an ETag of their own. */
const mayBeUnchanged = ({ route }: Endpoint): boolean =>
  route.method === "GET" && (route.rawType === null || route.open === "public");

function requestBody(route: Route, pool: SchemaPool): Json {
  if (route.stream !== null) return { content: { [route.stream]: { schema: { type: "string" } } } };
  if (route.body === null) return {};
  const made = toJsonSchema(route.body, "input");
  const schema = pool.refer([`${pascal(route.id)}Body`], made);
  // RapiDoc sends what `examples` has, and a value of its own making where there is only an `example`.
  const { body } = route.example;
  const content = { schema, ...(body === undefined ? {} : { examples: { example: { value: body } } }) };
  return {
    ...(route.body.safeParse(undefined).success ? {} : { required: true }),
    content: {
      "application/json": content,
      ...(route.form === true ? { "application/x-www-form-urlencoded": content } : {}),
      ...(route.form === "multipart" ? { "multipart/form-data": { schema: asParts(made) } } : {}),
    },
  };
}

/** In a multipart form, a file is a part with its bytes, not an object with base64. */
function asParts(schema: Json): Json {
  const { data } = Members.safeParse(schema);
  if (data === undefined) return schema;
  const isFile = (member: unknown): boolean => FileMember.safeParse(member).success;
  const parts = Object.entries(data.properties).map(([name, member]) => [
    name,
    isFile(member) ? FILE_PART : member,
  ]);
  return { ...schema, properties: Object.fromEntries(parts) };
}

const Members = z.object({ properties: z.record(z.string(), z.unknown()) });
const Base64 = z.object({ contentEncoding: z.literal("base64") });
const FileMember = z.object({ properties: z.object({ content: Base64 }) });
const FILE_PART = { type: "string", format: "binary" };

function successResponses(endpoint: Endpoint, pool: SchemaPool): Record<string, Json> {
  const { namespace, route } = endpoint;
  const hasLocation = namespace.envelope && (route.status === 201 || route.status === 202);
  return {
    [route.status]: {
      description: DESCRIPTIONS[route.status] ?? "OK",
      ...(hasLocation ? { headers: headerRefs(["Location"]) } : {}),
      ...(route.status === 204 ? {} : { content: successContent(endpoint, pool) }),
    },
    ...(mayBeUnchanged(endpoint) ? { 304: { $ref: "#/components/responses/304" } } : {}),
  };
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted: processing continues in the background",
  204: "No content",
  303: "See other",
};

function successContent(endpoint: Endpoint, pool: SchemaPool): Json {
  const { namespace, route } = endpoint;
  const example = route.example.data;
  if (route.rawType !== null) {
    // JSON of a type of its own (application/ld+json) has a shape to describe; any other text is a text.
    const isJson = route.rawType.endsWith("+json");
    const schema = isJson ? dataSchema(route, pool) : { type: "string" };
    return {
      [route.rawType]: { schema, ...(isJson && example !== undefined ? { example } : {}) },
      ...Object.fromEntries(route.otherTypes.map((type) => [type, { schema: { type: "string" } }])),
    };
  }
  const data = dataSchema(route, pool);
  if (!namespace.envelope) {
    return {
      "application/json": { schema: data, ...(example === undefined ? {} : { example }) },
      ...(route.page ? { "text/html": { schema: { type: "string" } } } : {}),
    };
  }
  const metaName = `${namespace.auth === "key" ? "" : "Operator"}${route.isList ? "ListMeta" : "Meta"}`;
  const schema = {
    type: "object",
    properties: { data, meta: { $ref: `#/components/schemas/${metaName}` } },
    required: ["data", "meta"],
  };
  const isShown = example === undefined || isShownBySchema(pool, route, data, example);
  return {
    "application/json": {
      schema,
      ...(isShown ? {} : { example: { data: example, meta: META_EXAMPLES[metaName] } }),
    },
    ...Object.fromEntries(route.otherTypes.map((type) => [type, { schema: { type: "string" } }])),
  };
}

/** Whether the schema of the resource has an example: the first response that shows one gives it, and none repeats it. */
const isShownBySchema = (pool: SchemaPool, { isList }: Route, schema: Json, example: unknown): boolean =>
  isList && Array.isArray(example)
    ? pool.showExample(schema["items"], example[0])
    : pool.showExample(schema, example);

function dataSchema(route: Route, pool: SchemaPool): Json {
  const [namespace = "", resource = ""] = route.id.split(".");
  const names = [pascal(namespace === resource ? resource : `${namespace}.${resource}`), pascal(route.id)];
  const schema = toJsonSchema(route.data, "output");
  if (!route.isList) return pool.refer(names, schema);
  // Definitions of a recursive item are next to the list, and move with the item.
  const { $defs, ...list } = schema;
  const item = { ...Object(list["items"]), ...($defs === undefined ? {} : { $defs }) };
  return { ...list, items: pool.refer(names, item) };
}

const pascal = (id: string): string =>
  id
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

const REQUEST_ID = "req_01JD8Z5T9QK3M4N5P6R7S8T9V0";
const RATE_LIMIT = { limit: 60, remaining: 59, reset: 1_795_253_000 };
const PAGINATION = { limit: 25, has_more: false, next_cursor: null };
const META_EXAMPLES: Readonly<Record<string, Json>> = {
  Meta: { request_id: REQUEST_ID, rate_limit: RATE_LIMIT },
  ListMeta: { request_id: REQUEST_ID, rate_limit: RATE_LIMIT, pagination: PAGINATION },
  OperatorMeta: { request_id: REQUEST_ID },
  OperatorListMeta: { request_id: REQUEST_ID, pagination: PAGINATION },
};
