import { hash } from "node:crypto";

import type { GatewayDeps } from "./deps.ts";
import type { Reply } from "../core/reply.ts";
import { toEnvelope } from "./envelope.ts";
import type { Rendered } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import { toRateState } from "./headers.ts";
import type { Outgoing } from "./messages.ts";
import type { Endpoint } from "./namespace.ts";

/** Turns what was rendered into an answer: envelope, ETag and 304, Location, Link. */
export function toAnswer(
  deps: GatewayDeps,
  exchange: Exchange,
  endpoint: Endpoint,
  rendered: Rendered,
): Outgoing {
  const { headers, path, search } = exchange;
  const etag = rendered.etag ?? computedEtag(exchange, rendered.identity ?? rendered.json);
  if (etag !== null) {
    headers.push("ETag", etag);
    // Published data: the browser may keep it, and asks each time whether it is still current.
    if (exchange.principal?.isPublic === true && isRead(exchange))
      headers[headers.indexOf("Cache-Control") + 1] = "private, no-cache";
  }
  if (rendered.location !== null) headers.push("Location", endpoint.namespace.mount + rendered.location);
  const next = rendered.pagination?.next;
  if (typeof next === "string") headers.push("Link", nextLink(deps.config.baseUrl + path, search, next));
  if (rendered.status === 204) return { status: 204, headers, body: null };
  if (isUnchanged(exchange, etag)) return { status: 304, headers, body: null };
  headers.push("Content-Type", "application/json");
  const rate = exchange.rate === null ? null : toRateState(exchange.rate, exchange.now);
  const { status, pieces } = rendered;
  const [before, after] = endpoint.namespace.envelope
    ? toEnvelope(rendered, exchange.requestId, rate)
    : ["", ""];
  // What the envelope adds is ASCII.
  const added = before.length + after.length;
  const bytes = rendered.bytes === null ? undefined : rendered.bytes + added;
  if (pieces === null) return { status, headers, body: before + (rendered.json ?? "null") + after, bytes };
  const all = [Buffer.from(before), ...pieces, Buffer.from(after)];
  return { status, headers, body: toStream(all), bytes, pieces: all };
}

function toStream(pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const rest = pieces.values();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = rest.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** An answer with its own media type; one that names an ETag or its last change can be 304 as well. */
export function toRawAnswer(exchange: Exchange, reply: Extract<Reply<unknown>, { kind: "raw" }>): Outgoing {
  const headers = override(exchange.headers, reply.headers ?? {});
  // The key chooses the store, and the address is the same for all: no cache between may keep the answer for the next one.
  const caching = headers.indexOf("Cache-Control") + 1;
  if (exchange.principal !== null && headers[caching]?.startsWith("public") === true)
    headers[caching] = "private, no-cache";
  const { ETag: etag = null, "Last-Modified": changed = null } = reply.headers ?? {};
  if (isUnchanged(exchange, etag) || isUnchangedSince(exchange, changed))
    return { status: 304, headers, body: null };
  return { status: reply.status, headers: [...headers, "Content-Type", reply.contentType], body: reply.body };
}

/** Headers of a raw answer replace the common ones (a static asset may be cached, a page is not); what it varies by is added. */
function override(headers: readonly string[], own: Readonly<Record<string, string>>): string[] {
  const varies = headers.indexOf("Vary");
  const given =
    own["Vary"] === undefined || varies < 0
      ? own
      : { ...own, Vary: `${headers[varies + 1]}, ${own["Vary"]}` };
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (!names.has(name.toLowerCase())) kept.push(name, headers[index + 1] ?? "");
  }
  return [...kept, ...Object.entries(given).flat()];
}

const isRead = ({ req }: Exchange): boolean => req.method === "GET" || req.method === "HEAD";

/** ETag of a read that no stored version stands for; of `data` alone, since `meta` is another every time. */
const computedEtag = (exchange: Exchange, json: string | null): string | null =>
  json === null || !isRead(exchange) ? null : `W/"${hash("sha1", json, "base64url")}"`;

/** Weak comparison over the list of If-None-Match (RFC 9110 §13.1.2). */
function isUnchanged(exchange: Exchange, etag: string | null): boolean {
  const header = isRead(exchange) ? exchange.req.header("if-none-match") : undefined;
  if (header === undefined || etag === null) return false;
  if (header.trim() === "*") return true;
  // With its quotes, which no other tag contains: 15 KB of commas take a millisecond to cut.
  return header.includes(etag.replace(/^W\//, ""));
}

/** If-Modified-Since counts only without If-None-Match (RFC 9110 §13.1.3). */
function isUnchangedSince(exchange: Exchange, changed: string | null): boolean {
  if (changed === null || !isRead(exchange) || exchange.req.header("if-none-match") !== undefined)
    return false;
  const since = Date.parse(exchange.req.header("if-modified-since") ?? "");
  return Date.parse(changed) <= since;
}

/** A query that `URLSearchParams` would write unchanged. */
const PLAIN_QUERY = /^[\w.*-]+=[\w.*-]*(?:&[\w.*-]+=[\w.*-]*)*$/;

function nextLink(url: string, search: string, cursor: string): string {
  if (PLAIN_QUERY.test(search) && !search.includes("cursor=")) {
    return `<${url}?${search}&cursor=${cursor}>; rel="next"`;
  }
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return `<${url}?${query.toString()}>; rel="next"`;
}

/** HEAD: the headers of GET, the length included, without the body. */
export function withoutBody(out: Outgoing): Outgoing {
  if (out.body === null || out.status === 204 || out.status === 304) return { ...out, body: null };
  // What it computed is charged, which fails where the store is away.
  if (out.body instanceof ReadableStream) void out.body.cancel().catch(() => undefined);
  const bytes = out.bytes ?? (out.body instanceof ReadableStream ? null : Buffer.byteLength(out.body));
  const length = bytes === null ? [] : ["Content-Length", String(bytes)];
  return { status: out.status, headers: [...out.headers, ...length], body: null };
}
