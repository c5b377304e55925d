import type { Method } from "../../server/core/route.ts";
import type { Answers, RouteLine } from "../../server/openapi/manifest.ts";
import type { Caller } from "../command/api.ts";
import { detailsOf, endpointsAt, listEndpoints } from "./endpoints.ts";
import { usageError } from "../terminal/exit.ts";
import { fieldNames, propertyNames, toBody, toQuery } from "./fields.ts";
import type { FieldText } from "./fields.ts";
import type { FormPart } from "./multipart.ts";
import { queryText } from "../client/operator.ts";

/** A request built from the command line and the route. */
export interface RequestPlan {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly as: Caller;
  readonly body: string | undefined;
  /** Fields of a form with files, instead of the body. */
  readonly form: readonly FormPart[] | undefined;
  readonly route: RouteLine | null;
  /** Form of a successful response. */
  readonly answers: Answers | "any";
  /** Warning about a path without a route. */
  readonly warning: string | undefined;
}

export interface Typed {
  readonly method: string | undefined;
  readonly path: string;
  readonly fields: readonly FieldText[];
  /** The whole body. */
  readonly input: string | undefined;
}

/** Derives the method, the place of the fields and their types from the route; without a route, from conventions. */
export async function planRequest(typed: Typed): Promise<RequestPlan> {
  const [template = "", search] = normalisePath(typed.path).split("?", 2);
  const { bare, fields } = fillPath(template, typed.fields);
  const found = await endpointsAt(bare);
  const method = typed.method ?? (await chooseMethod(Object.values(found), { ...typed, fields }));
  const route = found[methodOf(method)] ?? null;
  const hasBody = !["GET", "HEAD", "DELETE"].includes(method);
  if (typed.input !== undefined && !hasBody)
    throw usageError(`${method} requests have no body.`, "use POST or PATCH with --input");
  if (typed.input !== undefined && fields.length > 0)
    throw usageError("--input and fields cannot be combined.");
  const isForm = route?.isMultipart === true && fields.some(({ file }) => file !== undefined);
  const query = hasBody ? {} : toQuery(fields);
  const joined = search === undefined ? queryText(query) : `?${search}${queryText(query).replace("?", "&")}`;
  return {
    method,
    path: bare + joined,
    as: callerOf(route, bare),
    form: isForm ? fields : undefined,
    body: hasBody && !isForm ? (typed.input ?? (await bodyOf(fields, route))) : undefined,
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

/** Replaces `{name}` and `:name` in a path by the fields of that name. */
function fillPath(template: string, fields: readonly FieldText[]) {
  const used = new Set<string>();
  const bare = template.replaceAll(
    /(?<=\/)(?:\{(\w+)\}|:(\w+))(?=\/|$)/g,
    (text, braced?: string, colon?: string) => {
      const name = braced ?? colon ?? "";
      const value = fields.find((field) => field.name === name)?.value;
      if (value === undefined) throw usageError(`${text} in the path needs a value.`, `-F ${name}=…`);
      if (/^\.{0,2}$/.test(value.trim()))
        throw usageError(`${JSON.stringify(value)} is not a valid ${name}.`);
      used.add(name);
      return encodeURIComponent(value);
    },
  );
  return { bare, fields: fields.filter(({ name }) => !used.has(name)) };
}

async function bodyOf(fields: readonly FieldText[], route: RouteLine | null): Promise<string | undefined> {
  if (fields.length === 0) return route?.hasBody === true ? "{}" : undefined;
  return JSON.stringify(toBody(fields, route === null ? null : (await detailsOf(route)).body));
}

/** The only method of the path; among several, the one whose parameters match the fields. */
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
    `This path has the methods ${methods.join(", ")}. Specify one.`,
    `platform call ${methods.find((method) => method !== "DELETE") ?? "GET"} …`,
  );
}

function methodOf(method: string): Method {
  const upper = method === "HEAD" ? "GET" : method;
  return upper === "POST" || upper === "PUT" || upper === "PATCH" || upper === "DELETE" ? upper : "GET";
}

function callerOf(route: RouteLine | null, path: string): Caller {
  const auth = route?.auth;
  if (auth === "admin" || (auth === undefined && path.startsWith("/api/platform/admin/"))) return "operator";
  return auth === "key" || (auth === undefined && path.startsWith("/v1/")) ? "key" : "anonymous";
}

async function warningFor(path: string, method: string, others: readonly string[]): Promise<string> {
  if (others.length > 0) return `${method} ${path} is not a known route; this path has ${others.join(", ")}.`;
  const { closest } = await import("../../server/lib/suggest.ts");
  const similar = closest(
    path,
    (await listEndpoints()).map((route) => route.path),
  );
  return `${path} is not a known route${similar === null ? "." : `; did you mean ${similar}?`}`;
}
