import { requireRole } from "../core/operator-role.ts";
import { showRefusal } from "../core/refusal.ts";
import { atWork } from "../lib/slices.ts";
import type { GatewayDeps } from "./deps.ts";
import { admitOrigin, openHeaders } from "./browser.ts";
import { basePathOf, below } from "./base-path.ts";
import { isLong, render, renderInSlices } from "./envelope.ts";
import { createExecutor } from "./execute.ts";
import { createMeasuredRuns } from "./measured-runs.ts";
import { createSlowRoutes } from "./slow-routes.ts";
import type { Exchange } from "./exchange.ts";
import { FAILED_AUTH } from "./failed-auth.ts";
import {
  admitAdmin,
  admitKey,
  chooseEndpoint,
  chooseStore,
  findEndpoint,
  FREE_REQUESTS,
  parseAddress,
  parseBody,
  requireScope,
} from "./gates.ts";
import { commonHeaders, corsHeaders, optionsHeaders, transportHeaders } from "./headers.ts";
import { LARGE_CHARS } from "./messages.ts";
import type { Incoming, Outgoing } from "./messages.ts";
import type { Match } from "./namespace.ts";
import { classify, toProblem } from "./problem.ts";
import { assertDecodable, splitTarget } from "./query.ts";
import { createRefusalDelay } from "./refusal-delay.ts";
import { toRefusalPage } from "./refusal-page.ts";
import { toAnswer, toRawAnswer, withoutBody } from "./send.ts";
import {
  createOftenWindows,
  createPageWindows,
  forgetUnfound,
  isForVisitors,
  limitHandedIn,
  limitOften,
  limitPages,
  limitVisitor,
  publicBlock,
} from "./visitor.ts";
import { createWindows } from "./windows.ts";

export type Gateway = (req: Incoming, match: Match) => Promise<Outgoing>;

/**
 * `rest` shows a browser that no route has a path. The request pipeline: one straight function, every gate with the errors it may produce, in the order
 * request id → URL (400, 429) → OPTIONS (204, 429) → key (401; 429 for an address that failed too often) → rate limit (429) → X-Service-Store, Origin (403)
 * → route (404, 405; without a key 429) → scope (403) → limit of a reader or visitor (429) → media type (415) → size (413) → JSON (400)
 * → schema (422) → Idempotency-Key (409, 422) → handler (404, 409, 412).
 */
export function createGateway(deps: GatewayDeps, rest: typeof showRefusal = showRefusal): Gateway {
  const slow = createSlowRoutes();
  const measured = createMeasuredRuns(deps, slow);
  const execute = createExecutor(deps, measured, slow);
  const windows = { failures: createWindows(FAILED_AUTH), free: createWindows(FREE_REQUESTS) };
  const pages = createPageWindows();
  const [preflights, probes] = [createOftenWindows(), createOftenWindows()];
  const delayRefusal = createRefusalDelay();
  const base = basePathOf(deps.config.baseUrl);
  const transport = transportHeaders(deps.config.baseUrl);

  async function answer(exchange: Exchange, match: Match): Promise<Outgoing> {
    const { req, headers, path, search } = exchange;
    const { params } = match;
    assertDecodable(path, () => limitPages(deps, pages, exchange));
    const entry = match.entry instanceof Promise ? await match.entry : match.entry;
    openHeaders(exchange, entry);
    if (req.method === "OPTIONS") {
      limitOften(deps, preflights, exchange);
      return { status: 204, headers: optionsHeaders(headers, entry?.allow ?? "OPTIONS"), body: null };
    }
    if (isUnder(path, "/v1")) {
      await admitKey(deps, exchange, entry, windows);
      if (req.header("x-service-store") !== undefined) await chooseStore(deps, exchange);
      if (req.header("origin") !== undefined) await admitOrigin(deps, exchange);
    } else if (isUnder(path, "/api/platform/admin")) await admitAdmin(deps, exchange, windows.failures);
    else if (findEndpoint(entry, req.method) === null) limitPages(deps, pages, exchange);
    const endpoint = chooseEndpoint(exchange, entry);
    requireScope(exchange, endpoint);
    if (exchange.operator !== null) requireRole(exchange.operator.role, endpoint.route);
    if (endpoint.namespace.isForReaders === true) limitPages(deps, pages, exchange);
    else if (["hooks", "pages"].includes(endpoint.namespace.name)) limitOften(deps, probes, exchange);
    if (isForVisitors(endpoint)) await limitVisitor(deps, exchange, endpoint);
    if (endpoint.route.body !== null) req.sender = senderOf(deps, exchange);
    const body = await parseBody(deps, exchange, endpoint.route, measured);
    await limitHandedIn(deps, exchange, endpoint);
    const input = { ...parseAddress(exchange, endpoint, params), body };
    exchange.isHandled = true;
    const done = await execute(exchange, endpoint, input, search);
    const out =
      done.kind === "raw"
        ? toRawAnswer(exchange, done)
        : toAnswer(
            deps,
            exchange,
            endpoint,
            isLong(done) ? await renderInSlices(done, exchange.principal?.customerId ?? "") : render(done),
          );
    if (sizeOf(out) <= LARGE_CHARS) return out;
    return { ...out, recipient: senderOf(deps, exchange) ?? undefined };
  }

  return async function handle(req, match) {
    const exchange = openExchange(deps, req, transport);
    let out: Outgoing;
    atWork.requests += 1;
    try {
      out = await answer(exchange, match);
    } catch (error) {
      out = refuse(deps, exchange, error, rest);
    } finally {
      atWork.requests -= 1;
    }
    await forgetUnfound(deps, exchange, out.status);
    if (base !== "") out = below(base, out);
    observe(deps, exchange, out.status);
    if (out.status === 429) await delayRefusal(refusedOf(deps, exchange), exchange);
    return req.method === "HEAD" ? withoutBody(out) : out;
  };
}

/** Whose refusals are delayed together. A publishable key belongs to all visitors of a shop: one of them must not delay the others. */
const refusedOf = (deps: GatewayDeps, { principal, req }: Exchange): string | null =>
  principal?.isPublic === false ? principal.keyId : publicBlock(deps, req);

/**
 * Who a request is of: a customer, or without a key an address of the internet; null where neither is known. Everybody can read a
 * publishable key, and must not slow down what the shop's servers send and are sent.
 */
const senderOf = (deps: GatewayDeps, { principal, req }: Exchange): string | null =>
  (principal?.isPublic === false ? null : publicBlock(deps, req)) ?? principal?.customerId ?? null;

function openExchange(deps: GatewayDeps, req: Incoming, transport: readonly string[]): Exchange {
  const requestId = deps.newId("req");
  const headers = commonHeaders(requestId);
  const origin = req.header("origin");
  if (transport.length > 0) headers.push(...transport);
  if (origin !== undefined)
    headers.push(...corsHeaders(origin, deps.config.cors.origins, req.method === "OPTIONS"));
  const { path, search } = splitTarget(req.target);
  return {
    req,
    now: deps.clock.now(),
    requestId,
    path,
    search,
    headers,
    principal: null,
    operator: null,
    rate: null,
    endpoint: null,
    refusal: null,
  };
}

const isUnder = (path: string, mount: string): boolean =>
  path.startsWith(mount) && (path.length === mount.length || path.charCodeAt(mount.length) === 47);

function refuse(deps: GatewayDeps, exchange: Exchange, error: unknown, rest: typeof showRefusal): Outgoing {
  const { requestId, headers } = exchange;
  exchange.refusal = classify(error, requestId);
  const { type, detail, options, bug } = exchange.refusal;
  if (bug !== null) {
    deps.log.error({ request_id: requestId, route: exchange.endpoint?.route.id, err: bug }, "request failed");
  }
  headers.push("Link", `<${deps.config.baseUrl}/docs/errors/${type}>; rel="describedby"; type="text/html"`);
  return toRefusalPage(exchange, exchange.refusal, rest) ?? toProblem(type, detail, headers, options);
}

function observe(deps: GatewayDeps, exchange: Exchange, status: number): void {
  const { requestId, now, principal, rate, endpoint, req, refusal } = exchange;
  const { method, target } = req;
  const routeId = endpoint?.route.id ?? null;
  const durationMs = deps.clock.now() - now;
  deps.observe({ now, requestId, principal, routeId, method, status, rate, durationMs, target, refusal });
  const fields = {
    request_id: requestId,
    method,
    route: routeId,
    status,
    key_id: principal?.keyId,
    duration_ms: durationMs,
  };
  deps.log.info(fields, "request");
}

function sizeOf({ body, bytes }: Outgoing): number {
  if (bytes !== undefined) return bytes;
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  return body === null ? 0 : Infinity;
}
