import type { RouteDetails, RouteLine } from "../../server/openapi/manifest.ts";
import type { Schema } from "../calls/fields.ts";
import { isObject } from "../terminal/json.ts";
import { commandWords } from "../calls/resource-commands.ts";

/** Whose routes an agent is offered. */
export interface Fence {
  /** Scopes of the key; null where it may not look at itself, and the service alone decides. */
  readonly scopes: ReadonlySet<string> | null;
  /** Namespaces to offer; all where it is empty. */
  readonly namespaces: readonly string[];
  readonly readOnly: boolean;
}

export interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * The routes that an agent may be offered: those the key's scopes cover, without those whose answer is a secret (it would stay
 * in a model's context) and without streams that never end.
 */
export const offeredRoutes = (all: readonly RouteLine[], fence: Fence): RouteLine[] =>
  all.filter(
    (route) =>
      route.auth === "key" &&
      !route.sensitive &&
      !route.answers.types.includes("text/event-stream") &&
      (fence.scopes === null || route.scope === null || fence.scopes.has(route.scope)) &&
      (fence.namespaces.length === 0 || fence.namespaces.includes(route.namespace)) &&
      (!fence.readOnly || isRead(route)),
  );

/** By what its scope lets a key do: a POST that only computes reads. */
export const isRead = ({ scope, method }: RouteLine): boolean =>
  scope === null ? method === "GET" : scope.endsWith(":read");

/** Name of a route's own tool, unique and of characters that every client takes: `delivery_zones_list`. */
export const toolName = (route: RouteLine): string =>
  [route.namespace, ...commandWords(route)].join("_").replaceAll(".", "_");

/** What a client may think of a tool before it asks a person. Only what makes something new destroys nothing. */
export function annotationsOf(route: RouteLine): Annotations {
  const reads = isRead(route);
  return {
    title: route.summary,
    readOnlyHint: reads,
    destructiveHint: !reads && !route.id.endsWith(".create"),
    idempotentHint: reads || route.method === "PUT" || route.method === "DELETE",
    openWorldHint: false,
  };
}

/** What a tool takes: parameters of path and query side by side, the body as `body`. */
export function toolSchema(route: RouteLine, { query, body }: RouteDetails): Schema & { type: "object" } {
  const params = paramNames(route.path);
  const search = query?.properties ?? {};
  const required = [...params, ...(query?.required ?? [])];
  const lifted = body === null ? null : liftDefinitions(body);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(params.map((name) => [name, { type: "string" as const }])),
      ...search,
      ...(lifted === null ? {} : { body: lifted.schema }),
      ...(isRead(route) ? {} : { idempotency_key: IDEMPOTENCY_KEY }),
    },
    required: lifted === null || acceptsNothing(body) ? required : [...required, "body"],
    additionalProperties: false,
    ...(lifted === null || Object.keys(lifted.definitions).length === 0 ? {} : { $defs: lifted.definitions }),
  };
}

export const IDEMPOTENCY_KEY: Schema = {
  type: "string",
  description:
    "The same text for a repetition of the same call, so that it happens once. One is made where none is given.",
};

export const paramNames = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

const acceptsNothing = (body: Schema | null): boolean =>
  body === null || (body.type === "object" && (body.required ?? []).length === 0);

/** References of a schema count from the root of the document: what it defines moves there with it. */
function liftDefinitions(body: Schema): { schema: Schema; definitions: Record<string, Schema> } {
  const { $defs = {}, $schema: _, ...schema } = body;
  const definitions = Object.fromEntries(
    Object.entries($defs).flatMap(([name, value]) => (isObject(value) ? [[name, value]] : [])),
  );
  if (!JSON.stringify(body).includes('"$ref":"#"')) return { schema, definitions };
  const renamed = JSON.parse(
    JSON.stringify({ schema, definitions }).replaceAll('"$ref":"#"', '"$ref":"#/$defs/Body"'),
  );
  return { schema: { $ref: "#/$defs/Body" }, definitions: { ...renamed.definitions, Body: renamed.schema } };
}
