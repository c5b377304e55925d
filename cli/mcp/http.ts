import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

import type { Clock } from "../../server/core/clock.ts";
import { sha256Hex } from "../../server/core/ids.ts";
import { parseJson } from "../terminal/json.ts";
import type { Send } from "./send.ts";
import { createMcpServer, findScopes, KeyRefused, openTools } from "./server.ts";
import type { Offer } from "./server.ts";

export interface McpHttpOptions {
  readonly host: string;
  readonly port: number;
  readonly offer: Offer;
  readonly clock: Clock;
  /** Speaks for the key that a request brought. */
  readonly sendAs: (key: string) => Send;
}

const PATH = "/mcp";
const BODY_MAX = 1_048_576;

/**
 * Streamable HTTP without sessions: every request stands for itself, so any number of these may run behind one address. Each
 * brings its own key, as a request to the service does; the key of this process is lent to nobody.
 */
export async function serveMcp(
  options: McpHttpOptions,
): Promise<{ readonly url: string; readonly server: Server }> {
  const scopesOf = createScopes(options.clock);
  const server = createServer((req, res) => {
    answer(req, res, options, scopesOf).catch((error: unknown) => {
      if (error instanceof KeyRefused) refuse(res, error.status, error.message);
      else refuse(res, 500, "The request could not be served.");
    });
  });
  server.listen(options.port, options.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}${PATH}`, server };
}

type ScopesOf = (key: string, send: Send) => Promise<ReadonlySet<string> | null>;

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { host, offer, sendAs }: McpHttpOptions,
  scopesOf: ScopesOf,
): Promise<void> {
  if ((req.url ?? "").split("?", 1)[0] !== PATH) return refuse(res, 404, `Post to ${PATH}.`);
  if (!isFromHere(req, host)) return refuse(res, 403, "Web pages of other origins are not served.");
  if (req.method !== "POST")
    return refuse(res, 405, "There are no sessions here: post each message.", { allow: "POST" });
  const key = /^bearer +(\S{1,200})$/i.exec(req.headers.authorization ?? "")?.[1];
  if (key === undefined) {
    return refuse(res, 401, "Send your API key: Authorization: Bearer <API_KEY>.", {
      "www-authenticate": "Bearer",
    });
  }
  const text = await readText(req);
  const message = text === null ? undefined : parseJson(text);
  if (message === undefined) {
    return refuse(
      res,
      text === null ? 413 : 400,
      text === null ? "The message is too large." : "The body is no JSON.",
    );
  }
  const send = sendAs(key);
  const mcp = createMcpServer(await openTools(send, await scopesOf(key, send), offer));
  // No session id: the transport keeps nothing between requests.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  res.once("close", () => {
    void transport.close();
    void mcp.close();
  });
  await mcp.connect(transport);
  await transport.handleRequest(req, res, message);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/**
 * A page in the browser of somebody who runs this could post here, directly or by a name that it lets point to this machine
 * (DNS rebinding): its origin tells. On a loopback address the name that was asked for has to be one of this machine's too.
 */
function isFromHere(req: IncomingMessage, host: string): boolean {
  const asked = req.headers.host ?? "";
  const origin = req.headers.origin;
  const isLocal = LOOPBACK.test(host.includes(":") ? `[${host}]` : host);
  if (isLocal && !LOOPBACK.test(asked)) return false;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === asked);
}

async function readText(req: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_MAX) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(
  res: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent) {
    res.end();
    return;
  }
  res.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  res.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}

/** How long the scopes of a key are remembered; the service judges every call anew all the same. */
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 1_000;

function createScopes(clock: Clock): ScopesOf {
  const known = new Map<string, { readonly scopes: ReadonlySet<string> | null; readonly untilMs: number }>();
  return async (key, send) => {
    const id = sha256Hex(key);
    const found = known.get(id);
    if (found !== undefined && clock.now() < found.untilMs) return found.scopes;
    const scopes = await findScopes(send);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(id, { scopes, untilMs: clock.now() + REMEMBERED_MS });
    return scopes;
  };
}
