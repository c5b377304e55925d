import type { Answers } from "../../server/openapi/manifest.ts";
import type { Cli } from "../command/command.ts";
import type { Api, ApiRequest, ApiResponse, HeaderList } from "../command/api.ts";
import { exitCodeOf, CliError } from "../terminal/exit.ts";
import { isObject, member, objectsOf, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { nextCursor, readAnswer } from "./answer.ts";

const MOUNT = "/api/platform/admin";

/** Paging of a list command. */
export interface Paging {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
  readonly all?: boolean;
}

export interface Listed {
  readonly items: readonly JsonObject[];
  readonly meta: JsonObject;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** `data` of an operator route. `path` is relative to the operator's routes. */
export async function getOne(cli: Cli, path: string, query: Query = {}): Promise<JsonObject> {
  return objectOf(await sendAsOperator(cli, { method: "GET", path: path + queryText(query) }));
}

export async function post(
  cli: Cli,
  path: string,
  body: JsonObject = {},
  how: Pick<ApiRequest, "isLong" | "isLast"> = {},
): Promise<JsonObject> {
  return objectOf(await sendAsOperator(cli, { method: "POST", path, body, ...how }));
}

/** For a route that returns 204. */
export async function sendEmpty(cli: Cli, method: "POST" | "DELETE", path: string): Promise<void> {
  await sendAsOperator(cli, { method, path, answers: { kind: "empty", types: [] } });
}

/** One page of a list, or all pages merged into one list. */
export async function getList(cli: Cli, path: string, query: Query, paging: Paging = {}): Promise<Listed> {
  const items: JsonObject[] = [];
  let cursor = paging.cursor;
  for (;;) {
    const limit = paging.all === true ? "100" : paging.limit;
    const request = { method: "GET", path: path + queryText({ ...query, limit, cursor }) };
    const answer = await sendAsOperator(cli, request);
    items.push(...objectsOf(member(answer, "data")));
    const pagination = member(member(answer, "meta"), "pagination");
    const next = nextCursor(await cli.connect(), request, { answer, before: cursor });
    if (paging.all === true && next !== "") {
      cursor = next;
      continue;
    }
    const more = isObject(pagination)
      ? { has_more: next !== "", next_cursor: next === "" ? null : next }
      : null;
    return { items, meta: more === null ? {} : { pagination: more } };
  }
}

/** Prints to stderr how to get the rest of a list. */
export function printMoreHint(cli: Cli, { items, meta }: Listed): void {
  const next = textOf(meta.pagination, "next_cursor");
  if (next !== "") cli.out.info(`${items.length} shown. More: --all, or --cursor ${next}`);
  else if (items.length === 0 && !cli.out.isJson) cli.out.info("None.");
}

export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** Sends and parses; throws CliError for anything but the success that the request declares. */
export async function exchange(api: Api, request: ApiRequest): Promise<unknown> {
  const response = await api.send(request);
  const { status, json } = await readAnswer(api, request, response);
  if (status >= 400) throw toFailure(api, request, response, json);
  return json;
}

/** Opens a streamed body of the media type `type`. */
export async function openStream(api: Api, path: string, type: string): Promise<ApiResponse> {
  const request = {
    method: "GET",
    path: operatorPath(path),
    as: "operator",
    answers: rawAnswer(type),
  } as const;
  const response = await api.send(request);
  if (response.status < 400) return response;
  throw toFailure(api, request, response, (await readAnswer(api, request, response)).json);
}

export const rawAnswer = (type: string): Answers => ({ kind: "raw", types: [type] });

/** The failure for a problem response. */
export function toFailure(
  api: Api,
  request: Pick<ApiRequest, "method" | "path" | "as">,
  response: Pick<ApiResponse, "status" | "statusText" | "headers">,
  parsed: unknown,
): CliError {
  const error = member(parsed, "error");
  const { status } = response;
  const requestId = response.headers.get("x-request-id") ?? textOf(member(parsed, "meta"), "request_id");
  const hint = hintFor(status, request.as, response.headers);
  return new CliError({
    type: textOf(error, "type") || "http_error",
    title: textOf(error, "title") || response.statusText || `HTTP ${status}`,
    detail: textOf(error, "detail") || `${request.method} ${request.path} returned ${status}.`,
    status,
    where: api.label,
    exitCode: exitCodeOf(status),
    places: objectsOf(member(error, "errors")).map(toPlace),
    ...(requestId === "" ? {} : { requestId }),
    ...(hint === "" ? {} : { hint }),
  });
}

interface OperatorRequest extends Pick<ApiRequest, "method" | "path" | "answers" | "isLong" | "isLast"> {
  readonly body?: JsonObject;
}

export async function sendAsOperator(cli: Cli, { path, body, ...how }: OperatorRequest): Promise<unknown> {
  const api = await cli.connect();
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return exchange(api, { ...how, path: MOUNT + path, as: "operator", ...json });
}

/** Path of a streamed operator route. */
export const operatorPath = (path: string): string => MOUNT + path;

function objectOf(answer: unknown): JsonObject {
  const data = member(answer, "data");
  return isObject(data) ? data : {};
}

function toPlace(place: JsonObject): string {
  const where = textOf(place, "pointer") || textOf(place, "parameter") || textOf(place, "header");
  return `${where} ${textOf(place, "detail")}`.trim();
}

function hintFor(status: number, as: ApiRequest["as"], headers: HeaderList): string {
  if (status === 401) return as === "operator" ? "PLATFORM_ADMIN_TOKEN=…" : "platform login";
  if (status === 403) return "platform keys show <id> (its scopes and store)";
  if (status === 429) {
    const wait = headers.get("retry-after") ?? "60";
    // Only `call` has the option, which waits for 60 seconds by default.
    return `wait ${wait} s${as === "operator" ? "" : `; platform call waits with --wait-on-429 ${wait}s`}`;
  }
  if (status >= 500) return "platform doctor";
  return "";
}
