import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { NodeRequest } from "srvx/node";

import type { H3 } from "h3";

import type { Outgoing } from "../http/messages.ts";
import { answerBelow, findRefusal, LINGER_MS } from "./below.ts";
import type { BelowDeps } from "./below.ts";
import type { Traffic } from "./traffic.ts";

/**
 * Puts the app behind a Node server: one `writeHead` and one `end` per answer. The stock adapter writes head, body and
 * end apart and waits for the last, which costs a sixth of the throughput (`npm run bench`).
 */
export function createNodeHandler(app: H3, deps: BelowDeps, traffic: Traffic): RequestListener {
  return (req, res) => {
    traffic.enter(req, res);
    const refusal = findRefusal(req);
    if (refusal !== null) {
      send(req, res, { ...answerBelow(deps, refusal), close: true });
      return;
    }
    void answer(req, res);
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const answered = prepare(await app.fetch(new NodeRequest({ req, res })));
      // Every answer of the pipeline names its request; h3 itself refuses only a URL that it cannot decode.
      const own = hasHeader(answered.headers, "x-request-id") ? answered : answerBelow(deps, UNDECODABLE);
      send(req, res, { ...own, close: traffic.isDraining() });
    } catch (err) {
      // The pipeline answers every error itself: what arrives here is a fault of the layer around it.
      deps.log.error({ err }, "request failed outside the pipeline");
      const detail = "An unexpected error occurred.";
      send(req, res, { ...answerBelow(deps, ["internal_server_error", detail]), close: true });
    }
  }
}

const UNDECODABLE = ["bad_request", "The URL holds a broken percent-encoding."] as const;

interface Answer extends Pick<Outgoing, "status" | "headers"> {
  readonly body: unknown;
  readonly close: boolean;
}

/** The parts of a Response; srvx's own kind gives them away without building a Fetch body. */
function prepare(response: Response): Omit<Answer, "close"> {
  if ("_toNodeResponse" in response && typeof response._toNodeResponse === "function") {
    return response._toNodeResponse();
  }
  return { status: response.status, headers: [...response.headers].flat(), body: response.body };
}

function send(req: IncomingMessage, res: ServerResponse, { status, headers, body, close }: Answer): void {
  // The client is gone, or was told already that its request is broken.
  if (res.destroyed || res.headersSent) {
    if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
    return;
  }
  const head = [...headers];
  if (close && !hasHeader(headers, "connection")) head.push("connection", "close");
  if (body instanceof ReadableStream) {
    res.writeHead(status, head);
    void stream(body, res);
    return;
  }
  if (typeof body !== "string") {
    res.writeHead(status, head);
    res.end(body instanceof Uint8Array ? body : undefined);
    return;
  }
  const bytes = Buffer.byteLength(body);
  if (!hasHeader(headers, "content-length")) head.push("content-length", String(bytes));
  res.writeHead(status, head);
  // Text whose bytes are as many as its characters is ASCII, which is copied fastest as latin1.
  const encoding = bytes === body.length ? "latin1" : "utf8";
  if (req.complete || !hasHeader(head, "connection")) res.end(body, encoding);
  else endAfterUpload(req, res, body);
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
  req.once("end", end).once("close", end).resume();
}

const hasHeader = (headers: readonly string[], wanted: string): boolean =>
  headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);

/** Passes a stream on as fast as the client reads; tells the source when the client goes. */
async function stream(body: ReadableStream<Uint8Array>, res: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const onGone = (): void => void reader.cancel().catch(() => undefined);
  res.on("error", onGone);
  res.once("close", onGone);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || res.destroyed) break;
      if (!res.write(value)) await drained(res);
    }
    res.end();
  } catch {
    // Half an answer must not look whole: cutting the connection is the only way left to say so.
    res.destroy();
  }
}

const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.once("drain", done);
    res.once("close", done);
  });
