import { H3 } from "h3";
import type { EventHandler, H3Event } from "h3";

import { basePathOf } from "./http/base-path.ts";
import { createGateway } from "./http/gateway.ts";
import { Answer } from "./http/answer.ts";
import { fromRequest } from "./http/messages.ts";
import type { Outgoing } from "./http/messages.ts";
import { isSpelledAs, splitTarget } from "./http/query.ts";
import type { Part } from "./parts.ts";
import type { Services } from "./services.ts";
import { refusalPage } from "./site/pages/layout.ts";

/**
 * The whole service as an h3 app: one h3 route per path, and one for all other paths. It holds no globals and opens nothing;
 * everything it needs is in `deps`. Others can add routes and middleware to it, and mount it below any path.
 */
export function createApp(deps: Services): H3 {
  const { baseUrl } = deps.config;
  const plain = createGateway(deps, refusalPage);
  const gateway =
    deps.telemetry?.watchGateway(plain, baseUrl.startsWith("https:") ? "https" : "http") ?? plain;
  // The gateway refuses what it cannot decode: h3's own 400 has no request id.
  const app = new H3({
    silent: true,
    allowMalformedURL: true,
    plugins: [...(deps.loaded?.extensions.plugins ?? [])],
    onError(error) {
      if (error.unhandled === true)
        deps.log.error({ err: error.cause }, "request failed outside the pipeline");
    },
  });
  const handlerOf =
    (path: string, part: Part | null): EventHandler =>
    (event) => {
      const req = fromRequest(event.req, targetOf(event, path));
      const params = event.context.params ?? NO_PARAMS;
      const entry = part !== null && isAsSent(event, path) ? part.entryAt(path) : null;
      return gateway(req, { path: entry === null ? null : path, entry, params }).then(toResponse);
    };
  // Where the base URL has a path, the service answers there as well as where that path was removed on the way.
  for (const base of new Set(["", basePathOf(baseUrl)])) {
    for (const part of deps.parts) for (const path of part.paths) app.all(base + path, handlerOf(path, part));
    app.all(base + REST, handlerOf(REST, null));
  }
  return app;
}

const toResponse = (out: Outgoing): Answer => new Answer(out);

/** False where the path of a request had to be normalized to match the route. */
function isAsSent({ req, url }: H3Event, path: string): boolean {
  const raw = req.runtime?.node?.req.url;
  return raw === undefined || raw === url.pathname + url.search || isSpelledAs(path, splitTarget(raw).path);
}

/** Every path that no other route has. */
const REST = "/**";
const NO_PARAMS = {};

/** Path and query of a request below the place where the app is mounted; `own` is the path of its route there. */
function targetOf({ url: { pathname, search }, context }: H3Event, own: string): string {
  const path = belowMount(pathname, context.matchedRoute?.route ?? own, own);
  // A path that was looked up is from then on the router's own copy, a text of two bytes a character: it would make the
  // whole answer, of which it becomes a part, such a text.
  return (path === own ? own : path) + search;
}

function belowMount(pathname: string, mounted: string, own: string): string {
  if (mounted.length === own.length) return pathname;
  let at = 0;
  // By segments and not by length: what it is mounted below can have parameters.
  for (let depth = mounted.split("/").length - own.split("/").length; depth > 0 && at >= 0; depth -= 1)
    at = pathname.indexOf("/", at + 1);
  return at < 0 ? "/" : pathname.slice(at);
}
