import { constants } from "node:buffer";

import type { Answers } from "../../server/openapi/manifest.ts";
import type { Api, ApiRequest, ApiResponse } from "../command/api.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { isObject, member, textOf } from "../terminal/json.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** A complete response: its bytes, and the parsed JSON if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly json: unknown;
}

const ENVELOPE: Answers = { kind: "envelope", types: [] };

/**
 * Checks status and headers: a success is a 2xx in a form that the route declares. A redirect, and any response of a proxy
 * or another server, is a failure. Errors (4xx, 5xx) pass; the caller handles them.
 */
export function assertServiceResponse(
  { url, label }: Pick<Api, "url" | "label">,
  request: ApiRequest,
  response: Pick<ApiResponse, "status" | "headers">,
): void {
  const { status, headers } = response;
  const { answers = ENVELOPE } = request;
  if (status >= 400) return;
  // Every response of the service has an id of this form.
  const hasRequestId = /\breq_/.test(headers.get("x-request-id") ?? "");
  if (status === 304 && hasCondition(request)) return;
  if (status < 200 || status >= 300) {
    if (hasRequestId && (answers === "any" || answers.kind === "raw" || answers.kind === "json")) return;
    throw redirected({ url, label }, request, { status, location: headers.get("location") ?? "" });
  }
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (answers === "any" ? hasRequestId : isDeclared(answers, { status, type, hasRequestId })) return;
  throw foreign(label, request, `${status} with ${type === "" ? "no content type" : type}`);
}

/** Reads the whole body. If the route declares the envelope, any other JSON in a 2xx is a failure. */
export async function readAnswer(
  { label }: Pick<Api, "label">,
  request: Pick<ApiRequest, "method" | "path" | "answers">,
  response: Pick<ApiResponse, "status" | "headers" | "chunks">,
): Promise<Answer> {
  const { status } = response;
  const { answers = ENVELOPE } = request;
  const body = await readBody(response);
  const json = parseJson(body.toString("utf8"));
  if (!hasForm(request, response)) return { status, body, json };
  const isJson = answers !== "any" && answers.kind === "json";
  if (isJson ? json !== undefined : isEnvelope(json)) return { status, body, json };
  throw foreign(
    label,
    request,
    `${status} with ${body.length === 0 ? "an empty body" : "JSON of another form"}`,
  );
}

/** Whether the body must be JSON of a certain form; any other is given on as it is. */
export function hasForm(
  { method, answers = ENVELOPE }: Pick<ApiRequest, "method" | "answers">,
  { status, headers }: Pick<ApiResponse, "status" | "headers">,
): boolean {
  const isJson = (headers.get("content-type") ?? "").includes("json");
  const hasBody = method !== "HEAD" && status >= 200 && status < 300 && status !== 204;
  return hasBody && isJson && answers !== "any" && answers.kind !== "raw";
}

/** The whole body. Throws for one that is longer than a text can be. */
export async function readBody(response: Pick<ApiResponse, "chunks">): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.chunks) {
    bytes += chunk.length;
    if (bytes > constants.MAX_STRING_LENGTH) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (): CliError =>
  new CliError({
    type: "too_large",
    title: "Too large",
    detail: `The response is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1_000_000)} MB.`,
    exitCode: EXIT.unreachable,
    hint: "curl, which writes it as it comes: platform call … --dry-run prints the command",
  });

/** Cursor of the page after this one, empty after the last. Throws where it is that of this page: the list would never end. */
export function nextCursor(
  { label }: Pick<Api, "label">,
  request: Pick<ApiRequest, "method" | "path">,
  { answer, before }: { readonly answer: unknown; readonly before: string | undefined },
): string {
  const next = textOf(member(member(answer, "meta"), "pagination"), "next_cursor");
  if (next === "" || next !== before) return next;
  throw foreign(label, request, "the same page twice");
}

function isDeclared(
  { kind, types }: Answers,
  { status, type, hasRequestId }: { status: number; type: string; hasRequestId: boolean },
): boolean {
  if (status === 204) return kind === "empty" && hasRequestId;
  if (types.includes(type)) return hasRequestId;
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
    detail: `${method} ${bare} returned ${status}${target === "" ? "" : `, a redirect to ${target}`}. Redirects are not followed, so the key was not sent to another address.`,
    where: label,
    exitCode: EXIT.unreachable,
    hint: base === "" ? "check the address in --url" : `--url ${base}`,
  });
}

const foreign = (
  where: string,
  { method, path }: Pick<ApiRequest, "method" | "path">,
  what: string,
): CliError =>
  new CliError({
    type: "not_the_service",
    title: "Not a response of the service",
    detail: `${method} ${path.split("?", 1)[0]} returned ${what}. This may be the address of another server or a proxy.`,
    where,
    exitCode: EXIT.unreachable,
    hint: "check the address in --url",
  });
