import { z } from "zod";
import { addRoute, createRouter, findRoute } from "rou3";

import type { Method, Route } from "../core/route.ts";

/** A group of routes under one mount with one way of proving who calls and one form of answer. */
export interface Namespace {
  /** Scope prefix, OpenAPI tag and CLI noun. */
  readonly name: string;
  readonly mount: string;
  readonly summary: string;
  /** `key`: Bearer key, rate limit, scopes. `admin`: operator token. `none`: open. */
  readonly auth: "key" | "admin" | "none";
  /** `store`: transactions open on the store's own partition; `platform`: on the platform's. */
  readonly part: "store" | "platform";
  /** The response envelope of /v1; the specification's signup answers are bare. */
  readonly envelope: boolean;
  readonly routes: readonly Route[];
}

/** A route where it is mounted. */
export interface Endpoint {
  readonly namespace: Namespace;
  readonly route: Route;
  /** Full path with `:name` parameters. */
  readonly path: string;
  /** Parameters of the query. Unknown ones are refused, save on links and pages, where mail programs and trackers add some. */
  readonly query: z.ZodObject;
  /** Scope a key needs; null outside `key` namespaces. */
  readonly scope: string | null;
  /** Scope with which a publishable key may call as well; null: none may. */
  readonly openScope: string | null;
}

/** What a path serves: an endpoint per method. */
export interface PathEntry {
  readonly endpoints: Readonly<Partial<Record<Method, Endpoint>>>;
  readonly allow: string;
  /** Web pages of other origins may call at least one of them and read the answer. */
  readonly isOpen: boolean;
}

export interface Router {
  readonly endpoints: readonly Endpoint[];
  find(path: string): { readonly entry: PathEntry; readonly params: Readonly<Record<string, string>> } | null;
}

/** Mounts the namespaces; throws on a path, id or method declared twice. */
export function createRouterOf(namespaces: readonly Namespace[]): Router {
  const endpoints = namespaces.flatMap((namespace) =>
    namespace.routes.map((route) => toEndpoint(namespace, route)),
  );
  const ids = new Set<string>();
  const byPath = new Map<string, Partial<Record<Method, Endpoint>>>();
  for (const endpoint of endpoints) {
    if (ids.has(endpoint.route.id)) throw new Error(`Duplicate route id ${endpoint.route.id}.`);
    ids.add(endpoint.route.id);
    const entry = byPath.get(endpoint.path) ?? {};
    if (entry[endpoint.route.method] !== undefined) {
      throw new Error(`Duplicate route ${endpoint.route.method} ${endpoint.path}.`);
    }
    entry[endpoint.route.method] = endpoint;
    byPath.set(endpoint.path, entry);
  }
  const router = createRouter<PathEntry>();
  for (const [path, entry] of byPath) {
    const isOpen = Object.values(entry).some(isOpenEndpoint);
    addRoute(router, "", path, { endpoints: entry, allow: allowOf(entry), isOpen });
  }
  return {
    endpoints,
    find(path) {
      const found = findRoute(router, "", path);
      return found === undefined ? null : { entry: found.data, params: found.params ?? {} };
    },
  };
}

function toEndpoint(namespace: Namespace, route: Route): Endpoint {
  const path = namespace.mount + route.path;
  return {
    namespace,
    route,
    path,
    query: namespace.auth === "none" ? (route.query ?? NO_QUERY) : closed(route.query ?? NO_QUERY),
    scope: namespace.auth === "key" ? `${namespace.name}:${route.verb}` : null,
    openScope: namespace.auth === "key" && route.open !== null ? `${namespace.name}:${route.open}` : null,
  };
}

const NO_QUERY = z.object({});

const closed = (query: z.ZodObject): z.ZodObject =>
  query.def.catchall === undefined ? query.strict() : query;

/** Also what pages fetch without a key, as a widget its puzzle; never a page for people, which holds tokens of its own. */
const isOpenEndpoint = ({ openScope, route }: Endpoint): boolean =>
  openScope !== null || (route.open === "public" && route.rawType !== "text/html");

function allowOf(entry: Partial<Record<Method, Endpoint>>): string {
  const methods = Object.keys(entry).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
}
