import { IncomingMessage } from "node:http";

import type { ServerRequest } from "srvx";

import { fail } from "../lib/errors.ts";
import { giveWay } from "../lib/slices.ts";
import { createReceivingLimit } from "./receiving.ts";

/** A request as the pipeline reads it, over a socket or from a caller in this process. */
export interface Incoming {
  readonly method: string;
  /** Path and query below the place where the service is mounted, percent-encoded. */
  readonly target: string;
  /** Value of a header by its lower-case name; repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** The whole body; throws 413 past `limit` bytes without reading on. */
  body(limit: number): Promise<Uint8Array>;
  /** The body piece by piece, once, without a limit. */
  stream(): AsyncIterable<Uint8Array>;
  /** Aborts when the client goes away before the answer is complete. */
  signal(): AbortSignal;
  /** Address of the peer socket; null where there is none. */
  readonly peer: string | null;
  /** Who sends the body, once that is known: the id of a customer, or an address of the internet; else the peer. */
  sender?: string | null;
}

/** An answer, ready to send. */
export interface Outgoing {
  readonly status: number;
  /** Header names and values in turn. */
  readonly headers: string[];
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Length in bytes, where it is known without looking. */
  readonly bytes?: number | undefined;
  /** The bytes that the stream `body` has, of which some may be shared with other answers. */
  readonly pieces?: readonly Uint8Array[];
  /** Who is sent a large body, in turns and at a pace: the id of a customer, or an address of the internet; undefined where neither is known. */
  readonly recipient?: string | undefined;
}

/** Texts beyond it are put together and written in turns: 60 at once with 3 MB each would keep the event loop for 250 ms. */
export const LARGE_CHARS = 100_000;

const tooLarge = (limit: number): Error =>
  // The rest of the body stays unread, so the connection cannot be used again.
  fail("content_too_large", `The request body exceeds the limit of ${limit} bytes.`, {
    headers: { Connection: "close" },
  });

const tooMany = (): Error =>
  fail("service_unavailable", "Too many large request bodies are being sent at once. Retry later.", {
    headers: { Connection: "close", "Retry-After": "5" },
  });

/** Reads a request of h3, whose address may begin with a path that it is mounted below: `target` is the rest. */
export const fromRequest = (req: ServerRequest, target: string): Incoming => new ServerIncoming(req, target);

/** A class, because every request becomes one: members on a prototype cost no closures. */
class ServerIncoming implements Incoming {
  readonly method: string;
  readonly target: string;
  sender?: string | null;
  readonly #req: ServerRequest;
  constructor(req: ServerRequest, target: string) {
    this.#req = req;
    this.method = req.method;
    this.target = target;
  }
  header(name: string): string | undefined {
    return this.#req.headers.get(name) ?? undefined;
  }
  body(limit: number): Promise<Uint8Array> {
    const node = nodeRequest(this.#req);
    // Where something before us has begun to read the stream, only the Fetch request has the whole body.
    return node?.readableFlowing === null
      ? readNodeBody(node, limit, this.sender ?? this.peer ?? "")
      : readFetchBody(this.#req, limit, this.sender ?? this.peer ?? "");
  }
  stream(): AsyncIterable<Uint8Array> {
    const node = nodeRequest(this.#req);
    // A handler that stops reading early can still answer.
    return node?.readableFlowing === null
      ? node.iterator({ destroyOnReturn: false })
      : (this.#req.body ?? new ReadableStream({ start: (controller) => controller.close() }));
  }
  signal(): AbortSignal {
    const node = nodeRequest(this.#req);
    return node === null ? this.#req.signal : closeSignal(node);
  }
  get peer(): string | null {
    return this.#req.ip ?? null;
  }
}

function nodeRequest({ runtime }: ServerRequest): IncomingMessage | null {
  const node = runtime?.node?.req;
  return node instanceof IncomingMessage ? node : null;
}

const receiving = createReceivingLimit();

function readNodeBody(req: IncomingMessage, limit: number, sender: string): Promise<Uint8Array> {
  const length = Number(req.headers["content-length"] ?? 0);
  if (length > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const pieces = createPieces();
    let whole: Uint8Array | null = null;
    let size = 0;
    let count = 0;
    let held: ReturnType<typeof receiving> | null = null;
    let pausing: NodeJS.Timeout | undefined;
    const settle = (): void => {
      held?.end();
      clearTimeout(pausing);
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onError);
    };
    const onData = (chunk: Uint8Array): void => {
      // Copied as they come: together, the pieces of a body of 1 MB keep the event loop for several milliseconds.
      if (size === 0 && chunk.length < length && length <= JOINED_BYTES)
        whole = Buffer.allocUnsafeSlow(length);
      if (whole === null) pieces.add(chunk);
      else whole.set(chunk, size);
      size += chunk.length;
      count += 1;
      if (size > limit) return refuse(tooLarge(limit));
      if (areTooShort(count, size)) return refuse(tooManyChunks());
      if (size === length) return;
      held ??= receiving(sender, () => refuse(tooMany()));
      const waitMs = held.add(
        size === chunk.length ? (whole?.length ?? size) : whole === null ? chunk.length : 0,
      );
      if (waitMs === 0) return;
      req.pause();
      pausing = setTimeout(() => req.resume(), waitMs);
    };
    const refuse = (error: Error): void => {
      settle();
      req.pause();
      reject(error);
    };
    const onEnd = (): void => {
      settle();
      resolve(whole ?? join(pieces.all(), size, sender));
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

/** Whether chunks of a body are too many for their average length: one of a byte takes as long as one of 64 KB. */
export const areTooShort = (count: number, size: number): boolean =>
  (count > 1_000 && size < count * 16) || (count > 10_000 && size < count * 64);

const tooManyChunks = (): Error =>
  fail(
    "bad_request",
    "The request body has more than 1000 chunks of less than 16 bytes on average, or 10000 of less than 64. Send larger ones, or a Content-Length.",
  );

/** Bytes that short pieces are copied into. */
const SLAB_BYTES = 4_096;

/** The pieces of a body, of which short ones are joined: kept one by one, those of a byte would take 200 times as much memory. */
function createPieces() {
  const pieces: Uint8Array[] = [];
  let slab: Uint8Array | null = null;
  let used = 0;
  const close = (): void => {
    if (slab !== null) pieces.push(slab.subarray(0, used));
    slab = null;
  };
  return {
    add(piece: Uint8Array): void {
      if (slab !== null && used + piece.length > SLAB_BYTES) close();
      if (piece.length >= SLAB_BYTES) {
        pieces.push(piece);
        return;
      }
      if (slab === null) {
        slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
        used = 0;
      }
      slab.set(piece, used);
      used += piece.length;
    },
    all(): readonly Uint8Array[] {
      close();
      return pieces;
    },
  };
}

async function readFetchBody(req: Request, limit: number, sender: string): Promise<Uint8Array> {
  if (req.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of req.body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return join(chunks, size, sender);
}

/** Bodies up to this size are joined at once. */
const JOINED_BYTES = 1_048_576;

/** The pieces of a body, of which the largest would occupy the event loop for 50 ms. */
async function join(chunks: readonly Uint8Array[], size: number, sender: string): Promise<Uint8Array> {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  if (size <= JOINED_BYTES) return Buffer.concat(chunks, size);
  const whole = Buffer.allocUnsafeSlow(size);
  let start = 0;
  for (const chunk of chunks) {
    await giveWay(sender);
    whole.set(chunk, start);
    start += chunk.length;
  }
  return whole;
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
