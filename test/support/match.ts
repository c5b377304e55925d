import { addRoute, createRouter, findRoute } from "rou3";

import { createGateway } from "../../server/http/gateway.ts";
import type { GatewayDeps } from "../../server/http/deps.ts";
import type { Incoming, Outgoing } from "../../server/http/messages.ts";
import { mountRoutes } from "../../server/http/namespace.ts";
import type { Match, Namespace, PathEntry } from "../../server/http/namespace.ts";

/** Finds what is mounted at a path (with or without a query) as h3 does. */
export function createMatch(
  namespaces: readonly Namespace[],
): (target: string) => Match & { readonly entry: PathEntry | null } {
  const router = createRouter<PathEntry>();
  for (const entry of mountRoutes(namespaces).paths) addRoute(router, "", entry.path, entry);
  return (target) => {
    const found = findRoute(router, "", target.split("?", 1)[0] ?? "");
    return { path: found?.data.path ?? null, entry: found?.data ?? null, params: found?.params ?? {} };
  };
}

/** The pipeline without h3, for requests that no client sends, such as those of another peer. */
export function createPipeline(deps: GatewayDeps, namespaces: readonly Namespace[]) {
  const gateway = createGateway(deps);
  const match = createMatch(namespaces);
  return (req: Incoming): Promise<Outgoing> => gateway(req, match(req.target));
}
