import type { IncomingMessage } from "node:http";

import { fail } from "../lib/errors.ts";

/** A request as the pipeline reads it, from a Node socket or from a Fetch `Request` (the CLI without a server). */
export interface Incoming {
  readonly method: string;
  /** Raw path and query, as it came over the wire. */
  readonly target: string;
  /** Value of a header by its lower-case name; repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** The whole body; throws 413 past `limit` bytes without reading on. */
  body(limit: number): Promise<Uint8Array>;
  /** Aborts when the client goes away before the answer is complete. */
  signal(): AbortSignal;
  /** Address of the peer socket; null where there is none. */
  readonly peer: string | null;
}

/**
 * Where a request that came through our own Node adapter leaves its answer, as a member of the request's context: it
 * then goes to the socket as it is, and not through the headers and body of a Fetch `Response`.
 */
export interface Handover {
  handOver?: (out: Outgoing) => void;
}

/** An answer, ready to send. */
export interface Outgoing {
  readonly status: number;
  /** Header names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Length of a text in bytes, where it is known without looking. */
  readonly bytes?: number;
}

const tooLarge = (limit: number): Error =>
  // The rest of the body stays unread, so the connection cannot be used again.
  fail("content_too_large", `The request body exceeds the limit of ${limit} bytes.`, {
    headers: { Connection: "close" },
  });

/** Reads a Node request. */
export const fromNode = (req: IncomingMessage): Incoming => new NodeIncoming(req);

/** A class, because every request becomes one: members on a prototype cost no closures. */
class NodeIncoming implements Incoming {
  readonly method: string;
  readonly target: string;
  readonly #req: IncomingMessage;
  constructor(req: IncomingMessage) {
    this.#req = req;
    this.method = req.method ?? "GET";
    this.target = req.url ?? "/";
  }
  header(name: string): string | undefined {
    // Node keeps only the first of these when they are repeated; two of them must not pass as one.
    if (name === "authorization") return everyValue(this.#req.rawHeaders, name);
    const value = this.#req.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }
  body(limit: number): Promise<Uint8Array> {
    return readNodeBody(this.#req, limit);
  }
  signal(): AbortSignal {
    return closeSignal(this.#req);
  }
  get peer(): string | null {
    return this.#req.socket.remoteAddress ?? null;
  }
}

/** All values of a header, joined; a scan of a few names costs less than having Node sort every header into lists. */
function everyValue(rawHeaders: readonly string[], wanted: string): string | undefined {
  let values: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== wanted.length || name.toLowerCase() !== wanted) continue;
    const value = rawHeaders[index + 1] ?? "";
    values = values === undefined ? value : `${values}, ${value}`;
  }
  return values;
}

/** Reads a Fetch request. */
export function fromFetch(req: Request): Incoming {
  const schemeEnd = req.url.indexOf("://") + 3;
  const pathStart = req.url.indexOf("/", schemeEnd);
  return {
    method: req.method,
    target: pathStart < 0 ? "/" : req.url.slice(pathStart),
    header: (name) => req.headers.get(name) ?? undefined,
    body: (limit) => readFetchBody(req, limit),
    signal: () => req.signal,
    peer: null,
  };
}

function readNodeBody(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  if (Number(req.headers["content-length"] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (): void => {
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onError);
    };
    const onData = (chunk: Uint8Array): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      settle();
      req.pause();
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const onClose = (): void => {
      settle();
      reject(fail("bad_request", "The connection was closed before the request body was complete."));
    };
    const onError = (): void => {
      settle();
      reject(fail("bad_request", "The request body could not be read."));
    };
    req.on("data", onData).once("end", onEnd).once("close", onClose).once("error", onError);
  });
}

async function readFetchBody(req: Request, limit: number): Promise<Uint8Array> {
  if (req.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of req.body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const signals = new WeakMap<IncomingMessage["socket"], AbortSignal>();

/** A signal that aborts when the client closes the connection; one for all requests of a connection, made when it is first needed. */
function closeSignal({ socket }: IncomingMessage): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once("close", () => controller.abort());
  signals.set(socket, controller.signal);
  return controller.signal;
}
