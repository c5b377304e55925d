import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { NodeRequest } from "srvx/node";

import type { Clock } from "../../server/core/clock.ts";
import { sha256Hex } from "../../server/core/ids.ts";
import { LIMITS } from "../../server/core/limits.ts";
import { keyClass } from "../../server/core/key-format.ts";
import { readBody } from "../../server/http/body.ts";
import { fromRequest } from "../../server/http/messages.ts";
import { createReceivingLimit } from "../../server/http/receiving.ts";
import { createRefusalDelay } from "../../server/http/refusal-delay.ts";
import type { Send } from "./send.ts";
import { createMcpServer, findLimits, KeyRefused, openTools } from "./server.ts";
import type { KeyLimits, Offer } from "./server.ts";
import { ERRORS, Problem } from "../../server/lib/errors.ts";
import { createFairSlots } from "../../server/lib/fair-slots.ts";
import { waitForTurn } from "../../server/lib/slices.ts";
import { createNetworkOf, limitCrowds } from "../../server/serve/crowd.ts";
import { maxConnections } from "../../server/serve/listen.ts";

export interface McpHttpOptions {
  readonly host: string;
  readonly port: number;
  readonly offer: Offer;
  readonly clock: Clock;
  /** Sends with the key of a request, on behalf of the addresses that it came from, as X-Forwarded-For lists them. */
  readonly sendAs: (key: string, from: string) => Send;
}

const PATH = "/mcp";
/** A body that takes longer is refused: it is in memory meanwhile. */
const REQUEST_MS = 30_000;
/** Bytes of all messages that wait or are answered: each is in memory several times, and a key may send hundreds of them in a minute. */
const MESSAGE_BYTES = 64_000_000;
const hold = createReceivingLimit(MESSAGE_BYTES);
const BUSY = { "retry-after": "5" };

/**
 * Streamable HTTP without sessions: requests are independent, so several processes can run behind one address. Each request has
 * its own key, like a request to the service; the key of this process is never used.
 */
export async function serveMcp(
  options: McpHttpOptions,
): Promise<{ readonly url: string; readonly server: Server }> {
  const admit = createAdmission(options.clock);
  const delayRefusal = createRefusalDelay();
  const server = createServer({ requestTimeout: REQUEST_MS }, (req, res) => {
    answer(req, res, options, admit).catch(async (error: unknown) => {
      if (error instanceof Problem)
        return refuse(res, ERRORS[error.type].status, error.detail, error.options.headers);
      if (!(error instanceof KeyRefused)) return refuse(res, 500, "Internal error.");
      // All who are refused wait together: behind a proxy they have one address, and a stranger has a new key each time.
      await delayRefusal("", { now: options.clock.now(), req: { signal: () => goneSignal(res) } });
      refuse(res, error.status, error.message, error.headers);
    });
  });
  server.maxConnections = maxConnections();
  limitCrowds(server, networkOf);
  server.listen(options.port, options.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}${PATH}`, server };
}

type Admit = (key: string, send: Send, from: From) => Promise<Pick<KeyLimits, "scopes">>;

/** Where a key that is not known yet comes from. */
interface From {
  readonly network: string;
  readonly gone: AbortSignal;
}

/** A proxy is none: what it sends has one place in the turns of all. */
const networkOf = createNetworkOf([]);

/** Keys that are looked up at the same time: strangers can have a new one for each request. */
const LOOK_UPS = { max: 16, perKey: 8 };

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { host, offer, sendAs }: McpHttpOptions,
  admit: Admit,
): Promise<void> {
  if ((req.url ?? "").split("?", 1)[0] !== PATH) return refuse(res, 404, `Not found. Use POST ${PATH}.`);
  if (!isFromHere(req, host)) return refuse(res, 403, "Requests from other origins are refused.");
  if (req.method !== "POST")
    return refuse(res, 405, "Method not allowed. This server has no sessions: send each message with POST.", {
      allow: "POST",
    });
  const key = keyOf(req);
  // The service would refuse it as well: strangers must not have a request sent for each of theirs.
  if (keyClass(key) === null) {
    throw new KeyRefused(401, "Send your API key: Authorization: Bearer <API_KEY>.", {
      "www-authenticate": "Bearer",
    });
  }
  const from = [req.headers["x-forwarded-for"] ?? [], req.socket.remoteAddress ?? []].flat().join(", ");
  const send = sendAs(key, from);
  const { scopes } = await admit(key, send, {
    network: networkOf(req.socket) ?? "",
    gone: goneSignal(res),
  });
  const incoming = fromRequest(new NodeRequest({ req, res }), PATH);
  incoming.sender = key;
  const { bytes, parse } = await readBody(incoming, LIMITS.bodyBytes, false);
  const held = hold(key, () =>
    refuse(res, 503, "Too many large messages at once. Retry in 5 seconds.", BUSY),
  );
  res.once("close", () => held.end());
  held.add(bytes);
  // Keys take turns: others wait for one message of a key that sends many, and not for all of them.
  await waitForTurn(key);
  if (res.headersSent || res.destroyed) return;
  const { value: message } = parse();
  // The protocol has none since 2025-06-18. All messages of one would be answered in one turn, and nothing would count them.
  if (Array.isArray(message)) return refuse(res, 400, "Send one message per request.");
  const mcp = await createMcpServer(await openTools(send, scopes, offer));
  // No session id: the transport is stateless.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  res.once("close", () => {
    void transport.close();
    void mcp.close();
  });
  await mcp.connect(transport);
  const response = await transport.handleRequest(toRequest(req), { parsedBody: message });
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.end(await response.text());
}

const keyOf = ({ headers }: IncomingMessage): string =>
  /^bearer +(\S{1,200})$/i.exec(headers.authorization ?? "")?.[1] ?? "";

/** Aborts when the client is gone. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  if (res.destroyed) gone.abort();
  return gone.signal;
}

/** The request without its body, which was read already. */
const toRequest = ({ headers, method = "POST" }: IncomingMessage): Request =>
  new Request(`http://mcp${PATH}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  });

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/**
 * A web page in a browser on this machine could send requests here, directly or by DNS rebinding: the origin must match the
 * host. On a loopback address the host must be a loopback name as well.
 */
function isFromHere(req: IncomingMessage, host: string): boolean {
  const requestHost = req.headers.host ?? "";
  const origin = req.headers.origin;
  const isLocal = LOOPBACK.test(host.includes(":") ? `[${host}]` : host);
  if (isLocal && !LOOPBACK.test(requestHost)) return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === requestHost);
}

function refuse(
  res: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (res.headersSent) {
    res.end();
    return;
  }
  res.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  res.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}

/** How long the scopes of a key are cached; the service checks every call in any case. */
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 1_000;

/**
 * What a key may do here, before anything else of its request is read. Lists, searches and what a tool refuses reach the service with no
 * request that it could count: as many messages pass as it counts requests, and as many again. Throws KeyRefused.
 */
function createAdmission(clock: Clock): Admit {
  const cache = new Map<string, KeyLimits & { readonly untilMs: number; left: number }>();
  const lookUps = createFairSlots(LOOK_UPS);
  return async (key, send, { network, gone }) => {
    const id = sha256Hex(key);
    let found = cache.get(id);
    if (found === undefined || clock.now() >= found.untilMs) {
      if (!(await lookUps.take(network, gone))) throw new KeyRefused(499, "The client disconnected.");
      const limits = await findLimits(send).finally(() => lookUps.release(network));
      if (cache.size >= REMEMBERED_MAX) cache.clear();
      found = { ...limits, untilMs: clock.now() + REMEMBERED_MS, left: 2 * limits.perMinute };
      cache.set(id, found);
    }
    found.left -= 1;
    if (found.left >= 0) return found;
    const seconds = Math.ceil((found.untilMs - clock.now()) / 1000);
    throw new KeyRefused(429, "Too many messages with this API key.", { "retry-after": String(seconds) });
  };
}
