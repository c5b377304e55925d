import type { RouteLine } from "../../server/openapi/manifest.ts";
import { detailsOf, listEndpoints } from "../calls/endpoints.ts";
import type { Schema } from "../calls/fields.ts";
import { annotationsOf, IDEMPOTENCY_KEY, isRead, toolName, toolSchema } from "./catalogue.ts";
import type { Annotations } from "./catalogue.ts";
import { paramNames } from "../calls/resource-commands.ts";
import { callRoute, objectOf } from "./send.ts";
import type { Send, CallResult } from "./send.ts";

/** A tool and its implementation. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema & { readonly type: "object" };
  readonly annotations: Annotations;
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallResult>;
}

/** A tool for each route. */
export const directTools = (routes: readonly RouteLine[], send: Send): Promise<Tool[]> =>
  Promise.all(routes.map((route) => directTool(route, send)));

/** What is said of the tool of a route is the same for every caller, and made once. */
const descriptions = new WeakMap<RouteLine, Promise<Omit<Tool, "run">>>();

async function describedTool(route: RouteLine): Promise<Omit<Tool, "run">> {
  const details = await detailsOf(route);
  const about = [route.summary, details.description].filter((text) => text !== "").join(". ");
  return {
    name: toolName(route),
    description: `${about}${details.errors.length === 0 ? "" : `\nErrors: ${details.errors.join("; ")}`}`,
    inputSchema: toolSchema(route, details),
    annotations: annotationsOf(route),
  };
}

async function directTool(route: RouteLine, send: Send): Promise<Tool> {
  const described = descriptions.get(route) ?? describedTool(route);
  descriptions.set(route, described);
  const names = paramNames(route.path);
  return {
    ...(await described),
    run: ({ body, idempotency_key: key, ...rest }, signal) =>
      callRoute(send, route, {
        params: pick(rest, (name) => names.includes(name)),
        query: pick(rest, (name) => !names.includes(name)),
        body,
        idempotencyKey: typeof key === "string" ? key : undefined,
        signal,
      }),
  };
}

const pick = (
  from: Readonly<Record<string, unknown>>,
  isWanted: (name: string) => boolean,
): Record<string, unknown> => Object.fromEntries(Object.entries(from).filter(([name]) => isWanted(name)));

const CALL_FIELDS = {
  id: { type: "string", description: "Route id, as returned by search_routes" },
  params: { type: "object", description: "Path parameters", additionalProperties: { type: "string" } },
  query: { type: "object", description: "Query parameters" },
  body: { description: "Body, as described by describe_route: an object or its JSON text" },
} as const;

/** Four tools for any number of routes: the agent searches for a route and reads its description only. */
export function searchTools(routes: readonly RouteLine[], send: Send): Tool[] {
  const tools = [searchTool(routes), describeTool(routes), callTool(routes, send, "read")];
  return routes.every(isRead) ? tools : [...tools, callTool(routes, send, "write")];
}

function searchTool(routes: readonly RouteLine[]): Tool {
  const search = createSearch(routes);
  return {
    name: "search_routes",
    description: "Searches the routes of the service by summary, id and path. Start here.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Search terms, for example: delivery slots of a day" },
        namespace: { type: "string", enum: [...new Set(routes.map(({ namespace }) => namespace))] },
        limit: { type: "integer", minimum: 1, maximum: HITS_MAX, default: 10 },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: readOnly("Search the routes"),
    run: async (args) => ({ text: JSON.stringify(await search(args)), isError: false }),
  };
}

function describeTool(routes: readonly RouteLine[]): Tool {
  return {
    name: "describe_route",
    description: "Returns the parameters, body, example and errors of a route.",
    inputSchema: {
      type: "object",
      properties: { id: CALL_FIELDS.id },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: readOnly("Describe a route"),
    async run({ id }) {
      const route = routes.find((candidate) => candidate.id === id);
      return route === undefined ? unknown(id) : { text: await describe(route), isError: false };
    },
  };
}

/** Reading and writing are separate tools, so that a client can allow one and prompt for the other. */
function callTool(routes: readonly RouteLine[], send: Send, kind: "read" | "write"): Tool {
  const reads = kind === "read";
  const key = reads ? {} : { idempotency_key: IDEMPOTENCY_KEY };
  return {
    name: `${kind}_route`,
    description: reads
      ? "Calls a route that only reads or computes."
      : "Calls a route that changes data. Call describe_route first.",
    inputSchema: {
      type: "object",
      properties: { ...CALL_FIELDS, ...key },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: reads
      ? readOnly("Read")
      : {
          title: "Write",
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
    async run({ id, params, query, body, idempotency_key: key }, signal) {
      const route = routes.find((candidate) => candidate.id === id);
      if (route === undefined) return unknown(id);
      if (isRead(route) !== reads) {
        const text = reads ? "writes: use write_route" : "only reads: use read_route";
        return { text: `${route.id} ${text}.`, isError: true };
      }
      const idempotencyKey = typeof key === "string" ? key : undefined;
      const call = { params: objectOf(params), query: objectOf(query), body, idempotencyKey, signal };
      return callRoute(send, route, call);
    },
  };
}

const readOnly = (title: string): Annotations => ({
  title,
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

const unknown = (id: unknown): CallResult => ({
  text: `No route with id ${JSON.stringify(id) ?? ""} is available to this key. Use search_routes.`,
  isError: true,
});

async function describe(route: RouteLine): Promise<string> {
  const { id, method, path, scope, summary } = route;
  const { description, query, body, example, errors } = await detailsOf(route);
  const parts = { id, method, path, scope, kind: isRead(route) ? "read" : "write", summary, description };
  return JSON.stringify({ ...parts, params: paramNames(path), query, body, example, errors });
}

/** Words of a query that are searched, of its first characters: each takes a third of a millisecond. */
const QUERY_WORDS_MAX = 10;
const QUERY_CHARS_MAX = 500;
const HITS_MAX = 30;

const wordsOf = (text: string): string[] => text.toLowerCase().split(/[^a-z0-9]+/);

/** Full-text search by prefix, tolerant of typing errors, in the given routes. */
function createSearch(routes: readonly RouteLine[]) {
  const byId = new Map(routes.map((route) => [route.id, route]));
  return async (args: Readonly<Record<string, unknown>>) => {
    const all = await listEndpoints();
    const index = indexes.get(all) ?? indexOf(all);
    indexes.set(all, index);
    const words = typeof args.query === "string" ? args.query.slice(0, QUERY_CHARS_MAX) : "";
    const limit = typeof args.limit === "number" ? Math.min(HITS_MAX, args.limit) : 10;
    const found = (await index)([...new Set(wordsOf(words))].slice(0, QUERY_WORDS_MAX).join(" "))
      .map((id) => byId.get(id))
      .filter(
        (route) =>
          route !== undefined && (args.namespace === undefined || route.namespace === args.namespace),
      );
    return {
      routes: found.slice(0, limit).map((route) => ({
        id: route?.id,
        method: route?.method,
        path: route?.path,
        summary: route?.summary,
        kind: route !== undefined && isRead(route) ? "read" : "write",
      })),
      found: found.length,
    };
  };
}

/** Of all routes, for all callers: it takes longer to make than to search. */
const indexes = new WeakMap<readonly RouteLine[], Promise<(words: string) => string[]>>();

async function indexOf(routes: readonly RouteLine[]): Promise<(words: string) => string[]> {
  const { default: MiniSearch } = await import("minisearch");
  const made = new MiniSearch<RouteLine>({
    fields: ["summary", "id", "path"],
    tokenize: wordsOf,
    // What one or two letters begin is a third of all words.
    searchOptions: {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
      boost: { id: 2 },
    },
  });
  made.addAll(routes);
  return (words) => made.search(words).map((hit) => String(hit.id));
}
