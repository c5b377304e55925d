import { randomUUID } from "node:crypto";

import type { RouteLine } from "../../server/openapi/manifest.ts";
import type { ApiRequest, ApiResponse } from "../command/api.ts";
import { isObject } from "../terminal/json.ts";
import { readAnswer, readBody } from "../client/answer.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { isRead } from "./catalogue.ts";
import { paramNames } from "../calls/resource-commands.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** Sends with the key that the agent uses. */
export type Send = (request: Omit<ApiRequest, "as">) => Promise<ApiResponse>;

/** Arguments of a call to a route. */
export interface RouteCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
}

export interface CallResult {
  /** The body, or a description of it. */
  readonly text: string;
  readonly isError: boolean;
}

/** Limit of a result, which would otherwise fill the context of a model. */
const TEXT_MAX = 60_000;

/** Calls a route. An error response is a result too: the agent reads it and corrects the call. */
export async function callRoute(send: Send, route: RouteLine, call: RouteCall): Promise<CallResult> {
  const missing = paramNames(route.path).filter((name) => textOf(call.params[name]) === "");
  if (missing.length > 0) return { text: `Missing path parameters: ${missing.join(", ")}.`, isError: true };
  // URL normalisation removes these segments; another route, which may not be offered, would be called.
  const dots = paramNames(route.path).filter((name) => /^\.{1,2}$/.test(textOf(call.params[name])));
  if (dots.length > 0) return { text: `Invalid path parameters: ${dots.join(", ")}.`, isError: true };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(textOf(call.params[name])),
  );
  const body = route.hasBody ? { body: jsonOf(call.body) } : {};
  const request = {
    method: route.method,
    path: path + searchOf(call.query),
    headers: {
      ...(route.hasBody ? { "content-type": "application/json" } : {}),
      ...(isRead(route) ? {} : { "idempotency-key": call.idempotencyKey ?? randomUUID() }),
    },
    ...body,
    answers: route.answers,
    signal: call.signal,
  };
  const response = await send(request);
  const read = await readBody({ chunks: upToMax(response.chunks) });
  if (read.length <= CHECKED_BYTES) await readAnswer(SERVICE, request, { ...response, chunks: once(read) });
  return toResultText(response, read);
}

/** A longer response is cut anyway: parsing one of 8 MB would have other agents wait. */
const CHECKED_BYTES = 500_000;

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** What is read of a response: an export can have hundreds of megabytes. */
const BYTES_MAX = 8_000_000;

async function* upToMax(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes <= BYTES_MAX) yield chunk;
    else {
      const detail = "The response is larger than 8 MB. Use limit or a filter.";
      throw new CliError({ type: "too_large", title: "Too large", detail, exitCode: EXIT.refused });
    }
  }
}

/** Label in error messages; the address is not shown to agents. */
export const SERVICE = { label: "the service" };

function toResultText({ status, headers }: ApiResponse, body: Buffer): CallResult {
  const isError = status >= 400;
  const type = headers.get("content-type") ?? "";
  if (body.length === 0) return { text: `Done (HTTP ${status}).`, isError };
  if (!/json|^text\/|xml/.test(type)) {
    return { text: `${body.length} bytes of ${type}, which is not text.`, isError };
  }
  const text = body.toString("utf8");
  const wait = headers.get("retry-after");
  const hint = status === 429 && wait !== null ? `\nRate limit reached: wait ${wait} s.` : "";
  if (text.length <= TEXT_MAX) return { text: text + hint, isError };
  const cut = `Truncated after ${TEXT_MAX} of ${text.length} characters. Use limit or a filter.`;
  return { text: `${text.slice(0, TEXT_MAX)}\n${cut}`, isError };
}

function searchOf(query: RouteCall["query"]): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => (textOf(one) === "" ? [] : [[name, textOf(one)]]));
  });
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Some clients send an object as its JSON text, of which the service says what is wrong. */
const jsonOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body ?? {}));

/** Characters of parameters that are sent as text: they are parsed here, where a long one would have other agents wait. */
const OBJECT_CHARS_MAX = 10_000;

/** An object argument, or its JSON text; anything else is treated as empty. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isText = typeof value === "string" && value.length <= OBJECT_CHARS_MAX;
  const content = isText ? parseJson(value) : value;
  return isObject(content) ? content : {};
}
