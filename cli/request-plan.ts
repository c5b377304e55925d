import { closest } from "../server/config/suggest.ts";
import type { Endpoint } from "../server/http/namespace.ts";
import type { Method } from "../server/kernel/route.ts";
import type { Speaker } from "./connect.ts";
import { endpoints, routerOf } from "./endpoints.ts";
import { usageError } from "./exit.ts";
import { fieldNames, inputSchema, propertyNames, toBody, toQuery } from "./fields.ts";
import type { FieldText } from "./fields.ts";
import { queryText } from "./operator.ts";

/** A request as the registry makes it of what was typed. */
export interface RequestPlan {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly as: Speaker;
  readonly body: string | undefined;
  readonly endpoint: Endpoint | null;
  /** What to tell about a path that no route answers. */
  readonly warning: string | undefined;
}

export interface Typed {
  readonly method: string | undefined;
  readonly path: string;
  readonly fields: readonly FieldText[];
  /** Body given as a whole. */
  readonly input: string | undefined;
}

/** Method, place of the fields and their types come from the route; without one, from habit. */
export function planRequest(typed: Typed): RequestPlan {
  const path = normalisePath(typed.path);
  const [bare = "", search] = path.split("?", 2);
  const found = routerOf().find(bare)?.entry.endpoints ?? {};
  const method = typed.method ?? chooseMethod(Object.values(found), typed);
  const endpoint = found[methodOf(method)] ?? null;
  const hasBody = !["GET", "HEAD", "DELETE"].includes(method);
  if (typed.input !== undefined && !hasBody)
    throw usageError(`${method} carries no body.`, "POST or PATCH with --input");
  if (typed.input !== undefined && typed.fields.length > 0)
    throw usageError("--input and fields exclude each other.");
  const query = hasBody ? {} : toQuery(typed.fields);
  const joined = search === undefined ? queryText(query) : `?${search}${queryText(query).replace("?", "&")}`;
  return {
    method,
    path: bare + joined,
    as: speakerOf(endpoint, bare),
    body: hasBody ? (typed.input ?? bodyOf(typed.fields, endpoint)) : undefined,
    endpoint,
    warning: endpoint === null ? warningFor(bare, method, Object.keys(found)) : undefined,
  };
}

/** `allergens/products` is read as `/v1/allergens/products`. */
export function normalisePath(path: string): string {
  if (path.startsWith("/")) return path;
  return path.startsWith("v1/") || path.startsWith("api/") ? `/${path}` : `/v1/${path}`;
}

function bodyOf(fields: readonly FieldText[], endpoint: Endpoint | null): string | undefined {
  if (fields.length === 0) return endpoint?.route.body === null || endpoint === null ? undefined : "{}";
  return JSON.stringify(toBody(fields, endpoint === null ? null : inputSchema(endpoint.route.body)));
}

/** The one method that the path has; among several the one whose parameters the fields name. */
function chooseMethod(found: readonly Endpoint[], { fields, input }: Typed): string {
  const withBody = found.filter(({ route }) => !["GET", "DELETE"].includes(route.method));
  const [only] = found;
  if (only !== undefined && found.length === 1 && (input === undefined || withBody.length === 1))
    return only.route.method;
  if (input !== undefined)
    return (
      single(withBody.map(({ route }) => route.method)) ?? (found.length === 0 ? "POST" : ambiguous(found))
    );
  if (fields.length === 0) return "GET";
  if (found.length === 0) return "POST";
  const names = fieldNames(fields);
  const fitting = found.filter(({ route }) => {
    const known = propertyNames(inputSchema(route.method === "GET" ? route.query : route.body));
    return names.every((name) => known.includes(name));
  });
  return single(fitting.map(({ route }) => route.method)) ?? ambiguous(found);
}

const single = (methods: readonly string[]): string | undefined =>
  methods.length === 1 ? methods[0] : undefined;

function ambiguous(found: readonly Endpoint[]): never {
  const methods = found.map(({ route }) => route.method);
  throw usageError(
    `This path answers ${methods.join(", ")}: name the method.`,
    `platform call ${methods.at(-1)} …`,
  );
}

function methodOf(method: string): Method {
  const upper = method === "HEAD" ? "GET" : method;
  return upper === "POST" || upper === "PUT" || upper === "PATCH" || upper === "DELETE" ? upper : "GET";
}

function speakerOf(endpoint: Endpoint | null, path: string): Speaker {
  const auth = endpoint?.namespace.auth;
  if (auth === "admin" || (auth === undefined && path.startsWith("/api/platform/admin/"))) return "operator";
  return auth === "key" || (auth === undefined && path.startsWith("/v1/")) ? "key" : "nobody";
}

function warningFor(path: string, method: string, others: readonly string[]): string {
  if (others.length > 0)
    return `${method} ${path} is not in the registry; it knows ${others.join(", ")} there.`;
  const similar = closest(
    path,
    endpoints().map((endpoint) => endpoint.path),
  );
  return `${path} is not in the registry${similar === null ? "." : `; did you mean ${similar}?`}`;
}
