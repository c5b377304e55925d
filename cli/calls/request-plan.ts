import type { Method } from "../../server/core/route.ts";
import type { Answers, RouteLine } from "../../server/openapi/manifest.ts";
import type { Speaker } from "../command/api.ts";
import { detailsOf, endpointsAt, listEndpoints } from "./endpoints.ts";
import { usageError } from "../terminal/exit.ts";
import { fieldNames, propertyNames, toBody, toQuery } from "./fields.ts";
import type { FieldText } from "./fields.ts";
import { queryText } from "../client/operator.ts";

/** A request as the registry makes it of what was typed. */
export interface RequestPlan {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly as: Speaker;
  readonly body: string | undefined;
  readonly route: RouteLine | null;
  /** What a success looks like. */
  readonly answers: Answers | "any";
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
export async function planRequest(typed: Typed): Promise<RequestPlan> {
  const path = normalisePath(typed.path);
  const [bare = "", search] = path.split("?", 2);
  const found = await endpointsAt(bare);
  const method = typed.method ?? (await chooseMethod(Object.values(found), typed));
  const route = found[methodOf(method)] ?? null;
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
    as: speakerOf(route, bare),
    body: hasBody ? (typed.input ?? (await bodyOf(typed.fields, route))) : undefined,
    route,
    answers: route?.answers ?? "any",
    warning: route === null ? await warningFor(bare, method, Object.keys(found)) : undefined,
  };
}

/** `allergens/products` is read as `/v1/allergens/products`. */
function normalisePath(path: string): string {
  if (path.startsWith("/")) return path;
  return path.startsWith("v1/") || path.startsWith("api/") ? `/${path}` : `/v1/${path}`;
}

async function bodyOf(fields: readonly FieldText[], route: RouteLine | null): Promise<string | undefined> {
  if (fields.length === 0) return route?.hasBody === true ? "{}" : undefined;
  return JSON.stringify(toBody(fields, route === null ? null : (await detailsOf(route)).body));
}

/** The one method that the path has; among several the one whose parameters the fields name. */
async function chooseMethod(found: readonly RouteLine[], { fields, input }: Typed): Promise<string> {
  const withBody = found.filter(({ method }) => !["GET", "DELETE"].includes(method));
  const [only] = found;
  if (only !== undefined && found.length === 1 && (input === undefined || withBody.length === 1))
    return only.method;
  if (input !== undefined)
    return single(withBody.map(({ method }) => method)) ?? (found.length === 0 ? "POST" : ambiguous(found));
  if (fields.length === 0) return "GET";
  if (found.length === 0) return "POST";
  const names = fieldNames(fields);
  const fitting: string[] = [];
  for (const route of found) {
    const { query, body } = await detailsOf(route);
    const known = propertyNames(route.method === "GET" ? query : body);
    if (names.every((name) => known.includes(name))) fitting.push(route.method);
  }
  return single(fitting) ?? ambiguous(found);
}

const single = (methods: readonly string[]): string | undefined =>
  methods.length === 1 ? methods[0] : undefined;

function ambiguous(found: readonly RouteLine[]): never {
  const methods = found.map(({ method }) => method);
  throw usageError(
    `This path answers ${methods.join(", ")}: name the method.`,
    `platform call ${methods.at(-1)} …`,
  );
}

function methodOf(method: string): Method {
  const upper = method === "HEAD" ? "GET" : method;
  return upper === "POST" || upper === "PUT" || upper === "PATCH" || upper === "DELETE" ? upper : "GET";
}

function speakerOf(route: RouteLine | null, path: string): Speaker {
  const auth = route?.auth;
  if (auth === "admin" || (auth === undefined && path.startsWith("/api/platform/admin/"))) return "operator";
  return auth === "key" || (auth === undefined && path.startsWith("/v1/")) ? "key" : "nobody";
}

async function warningFor(path: string, method: string, others: readonly string[]): Promise<string> {
  if (others.length > 0)
    return `${method} ${path} is not in the registry; it knows ${others.join(", ")} there.`;
  const { closest } = await import("../../server/lib/suggest.ts");
  const similar = closest(
    path,
    (await listEndpoints()).map((route) => route.path),
  );
  return `${path} is not in the registry${similar === null ? "." : `; did you mean ${similar}?`}`;
}
