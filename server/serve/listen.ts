import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";

import { getPort, isUnsafePort } from "get-port-please";
import type { HTTPSOptions, Listener } from "listhen";

import { ServeError } from "./error.ts";
import type { Tls } from "./certificate.ts";

export interface ListenRequest {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Try the next ports when this one is taken (`dev`); links carry the port, so `serve` never moves. */
  readonly mayMove: boolean;
  /** The result has an `address`. */
  readonly showsAddress: boolean;
  readonly tls: Tls;
  readonly limits: ServerLimits;
}

export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Prints and opens the address; null where Node listens itself. */
  readonly address: DevAddress | null;
}

export type DevAddress = Pick<Listener, "open" | "showURL">;

const NEXT_PORTS = 100;
const MAX_HEADER_BYTES = 16_384;
/** How often time-outs are checked; Node's own 30 s would let a slow client have that much more. */
const CHECK_EVERY_MS = 1_000;
const MAX_CONNECTIONS = 10_000;
/** Open files that connections leave to the store, to modules and to outgoing requests: a module that once found none cannot be loaded until the next start. */
const OTHER_FILES = 512;
/** The host names that listhen accepts; it replaces any other silently. */
const HOST = /^(?!-)[\d.:A-Za-z-]{1,63}(?<!-)$/;

/**
 * Listens on exactly this address, or for `dev` on the next free port. Whether a port is free is found out by opening and closing it:
 * a proxy that connects in that moment has its connection reset, and with it the request of a customer, so `serve` does not.
 * listhen, which brings a TLS library of 10 MB, creates certificates, prints the address and opens it in a browser.
 * Throws ServeError when the address cannot be had.
 */
export async function listenOn(handler: RequestListener, request: ListenRequest): Promise<Listening> {
  const { host, port, mayMove, showsAddress, tls } = request;
  if (!HOST.test(host)) throw addressError(host, "is not a valid host name or IP address to listen on");
  if (!mayMove && isUnsafePort(port))
    throw addressError(`${host}:${port}`, "uses a port that browsers block");
  const pair = filesOf(tls.options);
  if (!showsAddress && pair !== undefined) {
    const free = mayMove && port !== 0 ? await attempt(host, port, () => findPort(host, port)) : port;
    return listenAt(handler, { ...request, port: free }, pair);
  }

  const listener = await attempt(host, port, async () => {
    const { listen } = await import("listhen");
    return listen(handler, {
      hostname: host,
      port: portChoice(port, mayMove),
      public: !isLoopback(host),
      https: tls.options,
      isProd: true,
      autoClose: false,
      showURL: false,
      qr: false,
      open: false,
      clipboard: false,
    });
  });
  if (listener.https !== false) await tls.keep(listener.https);
  Object.assign(listener.server, optionsOf(request.limits), { maxConnections: maxConnections() });
  // The server reads its checking interval when it begins to listen, which it has done before listhen hands it over.
  listener.server.emit("listening");
  return { server: listener.server, port: listener.address.port, address: listener };
}

/** Connections beyond it are closed at once. Half of the open files of a process that may have very few; other systems than Linux do not say how many. */
export function maxConnections(): number {
  let limits: string;
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    return MAX_CONNECTIONS;
  }
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.min(MAX_CONNECTIONS, Math.max(files - OTHER_FILES, Math.floor(files / 2)));
}

/** The files of the certificate, `false` for plain HTTP, undefined if the certificate has yet to be created. */
function filesOf(options: false | HTTPSOptions) {
  if (options === false) return false;
  const { cert, key } = options;
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

async function listenAt(
  handler: RequestListener,
  { host, port, limits }: ListenRequest,
  pair: false | { readonly cert: string; readonly key: string },
): Promise<Listening> {
  try {
    const options = optionsOf(limits);
    const server =
      pair === false
        ? createHttpServer(options, handler)
        : createHttpsServer(
            { ...options, cert: await readFile(pair.cert), key: await readFile(pair.key) },
            handler,
          );
    server.maxConnections = maxConnections();
    server.listen({ host, port });
    await once(server, "listening");
    const address = server.address();
    return {
      server,
      port: typeof address === "object" && address !== null ? address.port : port,
      address: null,
    };
  } catch (error) {
    throw explain(host, port, error, codeOf(error));
  }
}

const findPort = (host: string, port: number): Promise<number> =>
  getPort({ host, ...portChoice(port, true) });

/** Exactly the ports to try: get-port-please, which listhen uses too, would fall back to 3000–3100, to a random one, and print about it. */
function portChoice(port: number, mayMove: boolean) {
  if (port === 0) return { port, random: true, verbose: false };
  const next: [number, number] = mayMove ? [port + 1, Math.min(65_535, port + NEXT_PORTS)] : NO_PORTS;
  return { port, random: false, portRange: next, alternativePortRange: NO_PORTS, verbose: false };
}

const NO_PORTS: [number, number] = [1, 0];

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d+){3}$/.test(host);

/** Node's own bounds on slow, large and silent requests. */
const optionsOf = ({ headersTimeoutMs, requestTimeoutMs, keepAliveMs }: ServerLimits) =>
  ({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host is refused by our own handler, which names the request in its answer; Node's has no body.
    requireHostHeader: false,
  }) satisfies ServerOptions;

/**
 * Runs listhen or the search for a port and turns their failures into words. Losing a race for the port after listhen's own probe
 * is emitted as an error of a server without an owner yet, so it is caught where such errors end up.
 */
async function attempt<T>(host: string, port: number, start: () => Promise<T>): Promise<T> {
  let onStray: ((error: Error) => void) | undefined;
  const stray = new Promise<never>((_resolve, reject) => {
    onStray = (error) => {
      if ("syscall" in error && error.syscall === "listen") reject(error);
      else if (process.listenerCount("uncaughtException") === 1) throw error;
    };
    process.on("uncaughtException", onStray);
  });
  try {
    return await Promise.race([start(), stray]);
  } catch (error) {
    // They say only that no port was found: asks the system for the reason.
    throw explain(host, port, error, (await probe(host, port)) ?? codeOf(error));
  } finally {
    if (onStray !== undefined) process.off("uncaughtException", onStray);
  }
}

function explain(host: string, port: number, error: unknown, code: string): Error {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE") {
    return new ServeError("PORT_IN_USE", `port ${port} is in use on ${host}`, {
      hint: "Stop the other process, or use another port: --port, PLATFORM_PORT or server.port.",
      cause: error,
    });
  }
  if (code === "EACCES")
    return addressError(address, "requires privileges that this user does not have", error);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return addressError(address, "is not a local address", error);
  }
  if (error instanceof Error && /pem|key|cert|asn1|x509/i.test(`${codeOf(error)} ${error.message}`)) {
    return new ServeError("CERTIFICATE", `invalid certificate: ${error.message}`, {
      hint: "server.https requires a PEM certificate chain and the matching private key.",
      cause: error,
    });
  }
  return addressError(address, "cannot be bound", error);
}

function probe(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(codeOf(error)));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

function addressError(address: string, why: string, cause?: unknown): ServeError {
  const hint = "Use another address: --host and --port, or server.host and server.port.";
  return new ServeError("ADDRESS", `${address} ${why}`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
