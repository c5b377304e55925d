import type { ClientRequest, RequestOptions } from "node:http";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";

import { limitPieces } from "./limit-pieces.ts";
import { createSecureConnect } from "./secure-socket.ts";

/**
 * Opens requests, each with a connection of its own: one that is reused would evade the guard, and its server can close it just as the
 * request is sent.
 */
export function createOpen(lookup: LookupFunction): (url: URL, options: RequestOptions) => ClientRequest {
  const secure = { createConnection: createSecureConnect(lookup), defaultPort: 443 };
  return (url, options) => {
    const outgoing =
      url.protocol === "https:"
        ? secureRequest(url, { ...options, ...secure })
        : plainRequest(url, { ...options, lookup, agent: false });
    limitPieces(outgoing);
    return outgoing;
  };
}
