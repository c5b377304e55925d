import { z } from "zod";

import type { Engine } from "../core/engine.ts";
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
  /** Pages and documents for everybody, which each IP address may ask for so often. */
  readonly isForReaders?: boolean;
  readonly routes: readonly Route[];
  /** How its routes show refusals to a browser, where they have no page of their own for it; default: by problem+json. */
  readonly refusal?: NonNullable<Route["refusal"]>;
}

/** Where the routes of an engine are mounted. */
export const engineNamespace = ({ name, summary, routes }: Engine): Namespace => ({
  name,
  mount: `/v1/${name}`,
  summary,
  auth: "key",
  part: "store",
  envelope: true,
  routes,
});

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
  /** Full path with `:name` parameters. */
  readonly path: string;
  readonly endpoints: Readonly<Partial<Record<Method, Endpoint>>>;
  readonly allow: string;
  /** Web pages of other origins may call at least one of them and read the answer. */
  readonly isOpen: boolean;
}

export interface Mounted {
  readonly endpoints: readonly Endpoint[];
  readonly paths: readonly PathEntry[];
}

/** What a router found for a path: no entry where nothing is mounted. */
export interface Match {
  /** Template of the path, as that of its entry. */
  readonly path: string | null;
  /** A promise where its code is being loaded. */
  readonly entry: PathEntry | Promise<PathEntry> | null;
  readonly params: Readonly<Record<string, string>>;
}

/** Mounts the namespaces; throws on a path, id or method declared twice. */
export function mountRoutes(namespaces: readonly Namespace[]): Mounted {
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
  const paths = [...byPath].map(([path, entry]) => ({
    path,
    endpoints: entry,
    allow: allowOf(entry),
    isOpen: Object.values(entry).some(isOpenEndpoint),
  }));
  return { endpoints, paths };
}

function toEndpoint(namespace: Namespace, route: Route): Endpoint {
  const path = namespace.mount + route.path;
  return {
    namespace,
    route,
    path,
    query: namespace.auth === "none" ? (route.query ?? OPEN_QUERY) : closed(route.query ?? NO_QUERY),
    scope: namespace.auth === "key" ? `${namespace.name}:${route.verb}` : null,
    openScope: namespace.auth === "key" && route.open !== null ? `${namespace.name}:${route.open}` : null,
  };
}

const OPEN_QUERY = z.object({});
const NO_QUERY = z.strictObject({});

const closed = (query: z.ZodObject): z.ZodObject =>
  query.def.catchall === undefined ? query.strict() : query;

/** Also what pages fetch without a key, as a widget its puzzle; never a page for people, which holds tokens of its own. */
const isOpenEndpoint = ({ openScope, route }: Endpoint): boolean =>
  openScope !== null || (route.open === "public" && route.rawType !== "text/html");

function allowOf(entry: Partial<Record<Method, Endpoint>>): string {
  const methods = Object.keys(entry).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
}
