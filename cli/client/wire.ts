import { once } from "node:events";
import { request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";

import type { HeaderList } from "../command/api.ts";

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Sends one request: no retries, no redirects, the body as it arrives. Throws errors of the connection. */
export type Wire = (request: WireRequest) => Promise<WireAnswer>;

/**
 * Over a socket, with Node's HTTP client: loading the global `fetch` takes longer than the rest of a call.
 * With a certificate file, the server must present that certificate.
 */
export const createSocketWire =
  (certificateFile?: string): Wire =>
  async ({ url, method, headers, body, signal }) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const all = { accept: "*/*", ...length, ...headers };
    const sent = await open({ url, method, headers: all, signal }, certificateFile);
    sent.end(body);
    const [answer]: IncomingMessage[] = await once(sent, "response");
    if (answer === undefined) throw new Error("No response.");
    // An error before the body is read is reported to its reader.
    answer.on("error", () => undefined);
    return {
      status: answer.statusCode ?? 500,
      statusText: answer.statusMessage ?? "",
      headers: toHeaders(answer),
      chunks: answer,
    };
  };

async function open(
  { url, ...options }: Omit<WireRequest, "body">,
  certificateFile: string | undefined,
): Promise<ClientRequest> {
  if (!url.startsWith("https:")) return requestHttp(url, options);
  if (certificateFile === undefined) {
    const { request } = await import("node:https");
    return request(url, options);
  }
  const { connectPinned } = await import("./pinned.ts");
  const socket = await connectPinned(new URL(url), certificateFile, options.signal);
  return requestHttp(url.replace(/^https:/, "http:"), {
    ...options,
    headers: { ...options.headers, connection: "close" },
    createConnection: () => socket,
  });
}

function toHeaders({ headersDistinct }: IncomingMessage): HeaderList {
  const joined = new Map(
    Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
  );
  return {
    get: (name) => joined.get(name.toLowerCase()) ?? null,
    [Symbol.iterator]: () => joined.entries(),
  };
}

/** Into the application in this process, through its fetch function. */
export async function createAppWire(fetch: typeof globalThis.fetch): Promise<Wire> {
  const { createFetch } = await import("ofetch");
  const request = createFetch({ fetch });
  return async ({ url, method, headers, body, signal }) => {
    // ofetch would retry a failed GET, throw on 4xx and guess the type of the body; the caller decides these.
    const answer = await request.raw(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      retry: 0,
      ignoreResponseError: true,
      responseType: "stream",
      redirect: "manual",
      signal,
    });
    return {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
      chunks: chunksOf(answer.body),
    };
  };
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}
