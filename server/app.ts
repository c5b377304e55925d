import { IncomingMessage } from "node:http";

import { H3 } from "h3";
import { FastResponse } from "srvx";

import type { Deps } from "./operations/deps.ts";
import { createGateway } from "./http/gateway.ts";
import { fromFetch, fromNode } from "./http/messages.ts";
import type { Handover, Outgoing } from "./http/messages.ts";
import { createRouterOf } from "./http/namespace.ts";
import { namespaces } from "./registry.ts";

declare module "h3" {
  interface H3EventContext extends Handover {}
}

/**
 * The whole service as an h3 app: `app.fetch` for the CLI without a server, `toNodeHandler(app)` for listening.
 * It holds no globals and opens nothing; everything it needs is in `deps`.
 */
export function createApp(deps: Deps): H3 {
  const router = createRouterOf(namespaces);
  const plain = createGateway(deps, router);
  const scheme = deps.config.baseUrl.startsWith("https:") ? "https" : "http";
  const gateway = deps.telemetry?.watchGateway(plain, router, scheme) ?? plain;
  // The gateway answers every path and every error itself: h3's own 404 echoes the URL, its 500 says too much,
  // and its 400 for a broken percent-encoding has no request id.
  const app = new H3({ silent: true, allowMalformedURL: true });
  app.all("/**", async (event) => {
    const node = event.req.runtime?.node?.req;
    const out = await gateway(node instanceof IncomingMessage ? fromNode(node) : fromFetch(event.req));
    const { handOver }: Handover = event.context;
    if (handOver === undefined) return toResponse(out);
    handOver(out);
    return HANDED_OVER;
  });
  return app;
}

/** What h3 gets to see of an answer that our own adapter sends. */
const HANDED_OVER = new FastResponse(null);

function toResponse({ status, headers, body }: Outgoing): Response {
  const pairs: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2)
    pairs.push([headers[index] ?? "", headers[index + 1] ?? ""]);
  return new FastResponse(body, { status, headers: pairs });
}
