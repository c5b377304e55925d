import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";

import { commonHeaders } from "../http/headers.ts";
import type { Outgoing } from "../http/messages.ts";
import { toProblem } from "../http/problem.ts";
import type { Clock } from "../core/clock.ts";
import { ERRORS } from "../lib/errors.ts";
import type { ErrorType } from "../lib/errors.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";

export interface BelowDeps {
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
  readonly baseUrl: string;
  /** Counts a refusal that is made below the pipeline: true where the network of the connection had too many, which is closed then. */
  readonly isFlood: (socket: Socket) => boolean;
}

/** A refusal that is made below the pipeline, with the request id and headers of every other answer. */
export type Refusal = readonly [type: ErrorType, detail: string];

/**
 * What Node accepts and HTTP forbids: a request names exactly one host, and its target is a path (RFC 9112 §3.2); and too many headers.
 * A target in absolute form, as proxies send it, is cut down to its path.
 */
export function findRefusal(req: IncomingMessage): Refusal | null {
  const { rawHeaders, url = "/" } = req;
  if (rawHeaders.length > 2 * HEADERS_MAX)
    return ["request_header_fields_too_large", `The request has more than ${HEADERS_MAX} headers.`];
  if (url.charCodeAt(0) !== SLASH && !(url === "*" && req.method === "OPTIONS")) {
    const path = /^https?:\/\/[^/?#]+([/?].*)?$/i.exec(url);
    if (path === null) return ["bad_request", "The request target is not a valid path."];
    req.url = path[1]?.startsWith("/") === true ? path[1] : `/${path[1] ?? ""}`;
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts === 1 || (hosts === 0 && req.httpVersion === "1.0")) return null;
  return ["bad_request", hosts === 0 ? "The Host header is required." : "Duplicate Host header."];
}

const SLASH = 47;
/**
 * Proxies have limits of 100 or so. Beyond 2,000, Node drops the rest, such as the X-Forwarded-For that a proxy adds at the end: for
 * its client no limit of an IP address would hold.
 */
const HEADERS_MAX = 200;

/** The response to a client whose bytes never became a request; null for one that has disconnected. */
export function toRefusal(error: Error): Refusal | null {
  const code = "code" in error ? String(error.code) : "";
  switch (code) {
    case "ECONNRESET":
    case "EPIPE":
      return null;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [
        "request_timeout",
        "The request was not received in time: by default its headers within 10 seconds, and all of it within 30. Send smaller files, or one at a time.",
      ];
    case "HPE_HEADER_OVERFLOW":
      return [
        "request_header_fields_too_large",
        "The request line and headers exceed the limit of 16384 bytes.",
      ];
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return ["content_too_large", "The chunk extensions of the body are too large."];
    default:
      return ["bad_request", "The request is not valid HTTP/1.1."];
  }
}

/** Makes the answer to a refusal and logs it as the pipeline logs its requests. */
export function answerBelow(deps: BelowDeps, [type, detail]: Refusal): Outgoing {
  const requestId = deps.newId("req");
  deps.log.info({ request_id: requestId, status: ERRORS[type].status, route: null }, "request");
  const link = `<${deps.baseUrl}/docs/errors/${type}>; rel="describedby"; type="text/html"`;
  return toProblem(type, detail, [...commonHeaders(requestId), "Link", link]);
}

/** Writes an answer to a socket for which Node has no response object, and ends the connection. */
export function writeRaw(socket: Duplex, { status, headers, body }: Outgoing, clock: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = typeof body === "string" ? body : "";
  const title = Object.values(ERRORS).find((known) => known.status === status)?.title ?? "";
  const lines = [`HTTP/1.1 ${status} ${title}`, `Date: ${new Date(clock.now()).toUTCString()}`];
  for (let index = 0; index < headers.length; index += 2) {
    lines.push(`${headers[index] ?? ""}: ${headers[index + 1] ?? ""}`);
  }
  lines.push(`Content-Length: ${Buffer.byteLength(text)}`, "Connection: close", "", text);
  // Unread input would turn the close into a reset, which can overtake the answer: read on while it is sent.
  drain(socket);
  socket.end(lines.join("\r\n"));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/** How long a refused client may take to read the answer. */
export const LINGER_MS = 1_000;
/** Between two chunks of what a refused client is still sending. */
const DRAIN_PAUSE_MS = 15;
/** They share it: 4 MB a second. */
const draining = new Set<Readable>();

/**
 * Reads on and discards, slowly: as fast as clients send, each turn of the event loop would read megabytes for nothing, and 16 clients
 * at 13 MB a second each take a fifth of a core, and leave as many buffers to be collected.
 */
export function drain(input: Readable): void {
  // After its response was sent, a request has no event when its connection closes.
  const connection = input instanceof IncomingMessage ? input.socket : input;
  if (input.destroyed || connection.destroyed) return;
  draining.add(input);
  const stop = (): void => {
    draining.delete(input);
    connection.off("close", stop);
  };
  input.once("end", stop);
  connection.once("close", stop);
  input.on("data", () => {
    input.pause();
    setTimeout(() => input.resume(), DRAIN_PAUSE_MS * draining.size).unref();
  });
  input.resume();
}
