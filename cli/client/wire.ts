import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP } from "node:net";

import type { HeaderList } from "../command/api.ts";

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How a socket reaches the service. */
export interface SocketRoute {
  /** The server must present this certificate. */
  readonly certificateFile?: string | undefined;
  /** Authorities to trust instead of the default ones. */
  readonly caFile?: string | undefined;
  /** With the variables of proxies. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Sends one request: no retries, no redirects, the body as it arrives. Throws errors of the connection. */
export type Wire = (request: WireRequest) => Promise<WireAnswer>;

/**
 * Over a socket, with Node's HTTP client: loading the global `fetch` takes longer than the rest of a call.
 */
export const createSocketWire =
  (route: SocketRoute = {}): Wire =>
  async ({ url, method, headers, body, signal }) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const all = { accept: "*/*", ...length, ...headers };
    const sent = await open({ url, method, headers: all, signal }, route);
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
  { certificateFile, caFile, env = {} }: SocketRoute,
): Promise<ClientRequest> {
  const proxy = await findProxy(url, env);
  if (!url.startsWith("https:"))
    return proxy === null ? requestHttp(url, options) : forward(url, options, proxy);
  if (certificateFile === undefined) {
    const { request } = await import("node:https");
    const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
    if (proxy === null) return request(url, { ...options, ...ca });
    const [{ openTunnel }, tls] = await Promise.all([import("./proxy.ts"), import("node:tls")]);
    const target = new URL(url);
    const socket = await openTunnel(target, proxy, options.signal);
    const servername = target.hostname.replaceAll(/[[\]]/g, "");
    // A server name must not be an IP address (RFC 6066); the certificate is checked against the host in any case.
    const name = isIP(servername) === 0 ? { servername } : {};
    const createConnection = () => tls.connect({ socket, host: servername, ...name, ...ca });
    return request(url, { ...options, ...ca, agent: false, createConnection });
  }
  const { connectPinned } = await import("./pinned.ts");
  const socket = await connectPinned(new URL(url), certificateFile, options.signal);
  return requestHttp(url.replace(/^https:/, "http:"), {
    ...options,
    headers: { ...options.headers, connection: "close" },
    createConnection: () => socket,
  });
}

/** The module is loaded only if a variable is set. */
async function findProxy(url: string, env: NonNullable<SocketRoute["env"]>): Promise<URL | null> {
  if (!PROXY_VARIABLES.some((name) => (env[name] ?? env[name.toLowerCase()] ?? "") !== "")) return null;
  const { proxyOf } = await import("./proxy.ts");
  return proxyOf(new URL(url), env);
}

const PROXY_VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/** A plain HTTP request through a proxy: the request line contains the whole URL (RFC 9112 §3.2.2). */
async function forward(
  url: string,
  { headers, ...options }: Omit<WireRequest, "body" | "url">,
  proxy: URL,
): Promise<ClientRequest> {
  const { proxyHeaders } = await import("./proxy.ts");
  const request = proxy.protocol === "https:" ? (await import("node:https")).request : requestHttp;
  return request(proxy, {
    ...options,
    path: url,
    headers: { host: new URL(url).host, ...headers, ...proxyHeaders(proxy) },
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
