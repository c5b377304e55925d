import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { NodeRequest, sendNodeResponse } from "srvx/node";

import type { H3 } from "h3";

import { answerBelow, drain, findRefusal, LINGER_MS } from "./below.ts";
import type { BelowDeps } from "./below.ts";
import { Answer } from "../http/answer.ts";
import { LARGE_CHARS } from "../http/messages.ts";
import type { Outgoing } from "../http/messages.ts";
import type { Traffic } from "./traffic.ts";
import { createUnsentLimit } from "./unsent.ts";
import { drained, writeBody } from "./write-body.ts";

/** What is unsent is in the memory of the process. */
const limitUnsent = createUnsentLimit();

/**
 * Puts the app behind a Node server, in place of `toNodeHandler` of h3, which leaves us alone here: a drain closes
 * connections, an early refusal reaches a client that is still sending, and nothing that goes wrong becomes an unhandled rejection.
 */
export function createNodeHandler(app: H3, deps: BelowDeps, traffic: Traffic): RequestListener {
  const settle = ({ req, res, response, fail }: Answered): void => {
    try {
      sendResponse(req, res, response, traffic.isDraining());
      limitUnsent(res, response instanceof Answer ? response.out.recipient : undefined);
      traffic.end();
    } catch (error) {
      fail(error);
    }
  };
  const settleLater = createQueue(settle);
  return (req, res) => {
    if (!traffic.enter(req, res)) return;
    const refusal = findRefusal(req);
    if (refusal !== null && deps.isFlood(req.socket)) {
      req.socket.destroy();
      return;
    }
    if (refusal !== null) {
      send(req, res, answerBelow(deps, refusal), true);
      return;
    }
    // The pipeline answers every error itself: what is thrown here is a fault of the layer around it.
    const fail = (err: unknown): void => {
      traffic.end();
      deps.log.error({ err }, "request failed outside the pipeline");
      send(req, res, answerBelow(deps, BUG), true);
    };
    traffic.begin();
    try {
      const response = app.fetch(new NodeRequest({ req, res }));
      if (response instanceof Promise)
        response.then((response) => {
          const answered = { req, res, response, fail };
          if (isLarge(response)) settle(answered);
          else settleLater(answered);
        }, fail);
      else settle({ req, res, response, fail });
    } catch (error) {
      fail(error);
    }
  };
}

/** A text that waited for its turn begins to be written in it: together, many of them would keep the event loop from all other requests. */
const isLarge = (response: Response): boolean =>
  response instanceof Answer && (response.out.bytes ?? 0) > LARGE_CHARS;

/** A request and what the app answered to it. */
interface Answered {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly response: Response;
  readonly fail: (error: unknown) => void;
}

/**
 * Answers are written together when this turn of the event loop has read what its connections sent: an answer in between wakes
 * its client, and under load that going back and forth costs more than the answer.
 */
function createQueue(settle: (answered: Answered) => void): (answered: Answered) => void {
  let waiting: Answered[] = [];
  const settleAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const answered of all) settle(answered);
  };
  return (answered) => {
    if (waiting.push(answered) === 1) setImmediate(settleAll);
  };
}

const BUG = ["internal_server_error", "An unexpected error occurred."] as const;

/** Answers of the pipeline as they are, and what routes and middleware of others return or have changed as srvx sends it. */
function sendResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: Response,
  mustClose: boolean,
): void {
  const out = response instanceof Answer && response.isUntouched ? response.out : null;
  // A copy of the response takes turns with the original to read the stream.
  const isShared = out?.body instanceof ReadableStream && out.body.locked;
  if (out !== null && !isShared) return send(req, res, out, mustClose);
  if (res.destroyed || res.headersSent) return void response.body?.cancel().catch(() => undefined);
  if (mustClose || !req.complete) res.shouldKeepAlive = false;
  void sendNodeResponse(res, response).catch(() => res.destroy());
}

function send(req: IncomingMessage, res: ServerResponse, answer: Outgoing, isLast: boolean): void {
  const { status, headers, body } = answer;
  const mustClose = isLast || hasLongRest(req);
  // The client has disconnected, or has its answer already that its request is broken.
  if (res.destroyed || res.headersSent) {
    if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
    return;
  }
  if (mustClose) res.shouldKeepAlive = false;
  const { recipient, pieces } = answer;
  if (pieces !== undefined) {
    res.writeHead(status, withLength(headers, answer.bytes ?? 0));
    void writeBody(res, { content: pieces, recipient });
    return;
  }
  if (body instanceof Uint8Array) {
    res.writeHead(status, withLength(headers, body.length));
    void writeBody(res, { content: body, recipient });
    return;
  }
  if (typeof body !== "string") {
    res.writeHead(status, headers);
    if (body === null) res.end();
    else void stream(body, res, recipient);
    return;
  }
  const bytes = answer.bytes ?? Buffer.byteLength(body);
  res.writeHead(status, withLength(headers, bytes));
  // Text whose bytes are as many as its characters is ASCII, which is copied fastest as latin1.
  const encoding = bytes === body.length ? "latin1" : "utf8";
  if (body.length > LARGE_CHARS || req.complete || (!mustClose && indexOfHeader(headers, "connection") < 0))
    void writeBody(res, { content: body, encoding, recipient });
  else endAfterUpload(req, res, body);
}

/** Bytes of a body that nobody asked for, up to which its connection stays open: Node reads the rest as fast as it comes. */
const UNREAD_MAX = 65_536;

function hasLongRest({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers["content-length"];
  return length === undefined ? headers["transfer-encoding"] !== undefined : Number(length) > UNREAD_MAX;
}

/**
 * Answers a client that is still sending, and then closes. Closing at once would reset the connection, and the reset
 * can overtake the answer: reads on until the client is done or `LINGER_MS` have passed.
 */
function endAfterUpload(req: IncomingMessage, res: ServerResponse, body: string): void {
  res.write(body);
  const timer = setTimeout(() => res.end(), LINGER_MS);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  req.once("end", end).once("close", end);
  drain(req);
}

function withLength(headers: string[], bytes: number): string[] {
  if (indexOfHeader(headers, "content-length") < 0) headers.push("content-length", String(bytes));
  return headers;
}

function indexOfHeader(headers: readonly string[], wanted: string): number {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) return index;
  }
  return -1;
}

/** Pipes a stream as fast as the client reads; cancels the source when the client disconnects. */
async function stream(
  body: ReadableStream<Uint8Array>,
  res: ServerResponse,
  recipient: string | undefined,
): Promise<void> {
  let isLimited = false;
  const reader = body.getReader();
  const onGone = (): void => void reader.cancel().catch(() => undefined);
  res.on("error", onGone);
  res.once("close", onGone);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || res.destroyed) break;
      if (res.write(value)) continue;
      if (!isLimited) limitUnsent(res, recipient);
      isLimited = true;
      await drained(res);
    }
    res.end();
  } catch {
    // Half an answer must not look whole: cutting the connection is the only way left to say so.
    res.destroy();
  }
}
