import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly timeoutMs: number;
}

export interface WireAnswer {
  readonly status: number;
  readonly etag: string;
  readonly date: string;
  readonly body: Buffer;
}

/** How requests travel; tests put faults in between. Rejects when no whole answer came in time. */
export interface Transport {
  exchange(request: WireRequest): Promise<WireAnswer>;
  /** Waits for requests that are under way, and gives the connections up. */
  close(): Promise<void>;
}

/** An idle connection is given up before the server is likely to, as one that breaks under a request leaves its outcome open. */
const IDLE_MS = 4000;

/**
 * Kept connections of Node's own client. Unlike `fetch` it never follows a redirect, which would carry the signature to
 * another host, and never repeats a request by itself.
 */
export function createTransport(connections: number): Transport {
  const options = { keepAlive: true, maxSockets: connections, timeout: IDLE_MS };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const underWay = new Set<Promise<WireAnswer>>();
  return {
    async exchange(request) {
      const answer = exchange(request, agents);
      underWay.add(answer);
      return answer.finally(() => underWay.delete(answer));
    },
    async close() {
      await Promise.allSettled(underWay);
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function exchange(
  { method, url, headers, body, timeoutMs }: WireRequest,
  agents: Agents,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const onAnswer = (response: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        resolve(toAnswer(response, Buffer.concat(chunks)));
      });
    };
    const request =
      url.protocol === "https:"
        ? requestHttps(url, { method, headers, agent: agents.https }, onAnswer)
        : requestHttp(url, { method, headers, agent: agents.http }, onAnswer);
    // The time-out is for the whole exchange: a server that drips its answer is no better than one that is silent.
    const timer = setTimeout(() => request.destroy(new Error("the request timed out")), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    request.on("error", fail);
    request.end(body);
  });
}

function toAnswer({ statusCode = 0, headers }: IncomingMessage, body: Buffer): WireAnswer {
  return { status: statusCode, etag: headers.etag ?? "", date: headers.date ?? "", body };
}

export interface S3Answer {
  readonly status: number;
  /** Without quotes; "" when the server sent none. */
  readonly etag: string;
  /** The server's own clock. */
  readonly dateMs: number;
  readonly body: string;
  /** The body of a part of an object (206), which may be no text. */
  readonly bytes: Buffer;
}
