import type { RouteDetails, RouteLine } from "../../server/openapi/manifest.ts";
import type { Schema } from "../calls/fields.ts";
import { isObject } from "../terminal/json.ts";
import { commandWords, paramNames } from "../calls/resource-commands.ts";

/** Which routes an agent is offered. */
export interface RouteFilter {
  /** Scopes of the key; null if the key cannot read its own account: the service checks each call. */
  readonly scopes: ReadonlySet<string> | null;
  /** Namespaces to offer; empty: all. */
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
 * The routes to offer: those that the scopes of the key cover, without those that return a secret (it would stay in the
 * context of a model) and without event streams.
 */
export const offeredRoutes = (all: readonly RouteLine[], filter: RouteFilter): RouteLine[] =>
  all.filter(
    (route) =>
      route.auth === "key" &&
      !route.sensitive &&
      !route.answers.types.includes("text/event-stream") &&
      (filter.scopes === null || route.scope === null || filter.scopes.has(route.scope)) &&
      (filter.namespaces.length === 0 || filter.namespaces.includes(route.namespace)) &&
      (!filter.readOnly || isRead(route)),
  );

/** Decided by the scope: a POST that only computes is a read. */
export const isRead = ({ scope, method }: RouteLine): boolean =>
  scope === null ? method === "GET" : scope.endsWith(":read");

/** Name of the tool of a route, unique and of characters that every client accepts: `delivery_zones_list`. */
export const toolName = (route: RouteLine): string =>
  [route.namespace, ...commandWords(route)].join("_").replaceAll(".", "_");

/** Annotations by which a client decides whether to prompt. Only creating is considered non-destructive. */
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

/** Input of a tool: parameters of path and query at the top level, the body as `body`. */
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
  description: "Use the same key to retry the same call, so that it is executed once. Default: a random key.",
};

const acceptsNothing = (body: Schema | null): boolean =>
  body === null || (body.type === "object" && (body.required ?? []).length === 0);

/** References of a schema are relative to the root of the document, so its definitions are moved there. */
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
