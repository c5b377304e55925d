import type { Answers } from "../../server/openapi/manifest.ts";
import type { Api, ApiRequest, ApiResponse } from "../command/api.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { isObject, member, parseJson, textOf } from "../terminal/json.ts";

/** A whole answer: its bytes, and its JSON where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly json: unknown;
}

const ENVELOPE: Answers = { kind: "envelope", types: [] };

/**
 * The one rule for answers, as far as status and headers show it: a success is a 2xx in a form that the route declares.
 * A redirect, and whatever a proxy or another server sends in the service's place, is a failure. Errors (4xx, 5xx) pass:
 * what they mean is up to the caller.
 */
export function assertOurs(
  { url, label }: Pick<Api, "url" | "label">,
  request: ApiRequest,
  response: Pick<ApiResponse, "status" | "headers">,
): void {
  const { status, headers } = response;
  const { answers = ENVELOPE } = request;
  if (status >= 400) return;
  // Every answer of the service has an id of this form.
  const isMarked = /\breq_/.test(headers.get("x-request-id") ?? "");
  if (status === 304 && hasCondition(request)) return;
  if (status < 200 || status >= 300) {
    if (isMarked && (answers === "any" || answers.kind === "raw" || answers.kind === "json")) return;
    throw redirected({ url, label }, request, { status, location: headers.get("location") ?? "" });
  }
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (answers === "any" ? isMarked : isDeclared(answers, { status, type, isMarked })) return;
  throw foreign(label, request, `${status} with ${type === "" ? "no content type" : type}`);
}

/** Reads the whole body. Where the envelope is what succeeds, anything else in a 2xx is a failure. */
export async function readAnswer(
  { label }: Pick<Api, "label">,
  request: Pick<ApiRequest, "method" | "path" | "answers">,
  response: Pick<ApiResponse, "status" | "headers" | "chunks">,
): Promise<Answer> {
  const { status, headers } = response;
  const { answers = ENVELOPE } = request;
  const body = await readBody(response);
  const json = parseJson(body.toString("utf8"));
  const isJson = (headers.get("content-type") ?? "").includes("json");
  const hasBody = request.method !== "HEAD" && status >= 200 && status < 300 && status !== 204;
  if (!hasBody || answers === "any" || !isJson || answers.kind === "raw") return { status, body, json };
  if (answers.kind === "json" ? json !== undefined : isEnvelope(json)) return { status, body, json };
  throw foreign(
    label,
    request,
    `${status} with ${body.length === 0 ? "an empty body" : "JSON of another form"}`,
  );
}

/** The whole body. */
export async function readBody(response: Pick<ApiResponse, "chunks">): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isDeclared(
  { kind, types }: Answers,
  { status, type, isMarked }: { status: number; type: string; isMarked: boolean },
): boolean {
  if (status === 204) return kind === "empty" && isMarked;
  if (types.includes(type)) return isMarked;
  return (kind === "envelope" || kind === "json") && type === "application/json";
}

const isEnvelope = (json: unknown): boolean =>
  isObject(json) && "data" in json && textOf(member(json, "meta"), "request_id") !== "";

const hasCondition = ({ headers = {} }: ApiRequest): boolean =>
  Object.keys(headers).some((name) => name.startsWith("if-"));

function redirected(
  { url, label }: Pick<Api, "url" | "label">,
  { method, path }: Pick<ApiRequest, "method" | "path">,
  { status, location }: { status: number; location: string },
): CliError {
  const target = URL.canParse(location, url) ? new URL(location, url).href : "";
  const bare = path.split("?", 1)[0] ?? path;
  const base = target.split("?", 1)[0]?.split(bare, 1)[0]?.replace(/\/+$/, "") ?? "";
  return new CliError({
    type: "redirected",
    title: "Redirected",
    detail: `${method} ${bare} answered ${status}${target === "" ? "" : `, a redirect to ${target}`}. Redirects are not followed: the key was sent to no other address.`,
    where: label,
    exitCode: EXIT.unreachable,
    hint: base === "" ? "--url: is it the address of the service?" : `--url ${base}`,
  });
}

const foreign = (
  where: string,
  { method, path }: Pick<ApiRequest, "method" | "path">,
  what: string,
): CliError =>
  new CliError({
    type: "not_the_service",
    title: "Not an answer of the service",
    detail: `${method} ${path.split("?", 1)[0]} answered ${what}. Another server or a proxy may be at this address.`,
    where,
    exitCode: EXIT.unreachable,
    hint: "--url: is it the address of the service?",
  });
