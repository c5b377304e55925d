import { randomUUID } from "node:crypto";

import type { RouteLine } from "../../server/openapi/manifest.ts";
import type { ApiRequest, ApiResponse } from "../command/api.ts";
import { isObject } from "../terminal/json.ts";
import { readAnswer } from "../client/answer.ts";
import { isRead, paramNames } from "./catalogue.ts";

/** Sends with the key of whoever the agent works for. */
export type Send = (request: Omit<ApiRequest, "as">) => Promise<ApiResponse>;

/** What an agent asks of a route. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
}

export interface Told {
  /** The body as it came, or what to do about it. */
  readonly text: string;
  readonly isError: boolean;
}

/** More than that fills a context and is hardly read. */
const TEXT_MAX = 60_000;

/** Calls a route. What the service refuses is an answer too: the agent reads why, and mends it. */
export async function callRoute(send: Send, route: RouteLine, asked: Asked): Promise<Told> {
  const missing = paramNames(route.path).filter((name) => textOf(asked.params[name]) === "");
  if (missing.length > 0) return { text: `Missing path parameters: ${missing.join(", ")}.`, isError: true };
  // An address would swallow these segments, and another route would answer: one that this tool does not offer.
  const dots = paramNames(route.path).filter((name) => /^\.{1,2}$/.test(textOf(asked.params[name])));
  if (dots.length > 0)
    return { text: `These path parameters name nothing: ${dots.join(", ")}.`, isError: true };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(textOf(asked.params[name])),
  );
  const body = route.hasBody ? { body: JSON.stringify(asked.body ?? {}) } : {};
  const request = {
    method: route.method,
    path: path + searchOf(asked.query),
    headers: {
      ...(route.hasBody ? { "content-type": "application/json" } : {}),
      ...(isRead(route) ? {} : { "idempotency-key": asked.idempotencyKey ?? randomUUID() }),
    },
    ...body,
    answers: route.answers,
    signal: asked.signal,
  };
  const response = await send(request);
  return toTold(response, (await readAnswer(SERVICE, request, response)).body);
}

/** What an agent calls it: it does not see the address. */
export const SERVICE = { label: "the service" };

function toTold({ status, headers }: ApiResponse, body: Buffer): Told {
  const isError = status >= 400;
  const type = headers.get("content-type") ?? "";
  if (body.length === 0) return { text: `Done (HTTP ${status}).`, isError };
  if (!/json|^text\/|xml/.test(type)) {
    return { text: `${body.length} bytes of ${type}, which is no text.`, isError };
  }
  const text = body.toString("utf8");
  const wait = headers.get("retry-after");
  const hint = status === 429 && wait !== null ? `\nRate limit reached: wait ${wait} s.` : "";
  if (text.length <= TEXT_MAX) return { text: text + hint, isError };
  const cut = `Cut after ${TEXT_MAX} of ${text.length} characters: ask for less, with limit or a filter.`;
  return { text: `${text.slice(0, TEXT_MAX)}\n${cut}`, isError };
}

function searchOf(query: Asked["query"]): string {
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

/** An object of an agent's arguments; anything else counts as empty. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
