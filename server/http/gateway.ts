import type { Deps } from "../deps.ts";
import { fail } from "../kernel/errors.ts";
import type { Input, Method, Reply } from "../kernel/route.ts";
import type { RateResult } from "../storage/contract.ts";
import { check, readBody } from "./body.ts";
import { render, toEnvelope } from "./envelope.ts";
import { commonHeaders, corsHeaders, rateHeaders, toRateState } from "./headers.ts";
import { createExecutor } from "./execute.ts";
import type { Incoming, Outgoing } from "./messages.ts";
import type { Endpoint, PathEntry, Router } from "./namespace.ts";
import type { Principal } from "./principal.ts";
import { classify, toProblem } from "./problem.ts";
import { decodeParams, parseQuery, splitTarget } from "./query.ts";

/** What is known of a request so far; each gate adds to it. `headers` go out with whatever answer it gets. */
export interface Exchange {
  readonly req: Incoming;
  readonly now: number;
  readonly requestId: string;
  readonly headers: string[];
  principal: Principal | null;
  actor: string | null;
  rate: RateResult | null;
  endpoint: Endpoint | null;
}

const WINDOW_MS = 60_000;

/**
 * The request pipeline: one straight function, every gate with the one error it may produce, in the order
 * request id → URL (400) → OPTIONS (204) → auth (401) → rate limit (429) → X-Service-Store (403) → route (404, 405)
 * → scope (403) → media type (415) → size (413) → JSON (400) → schema (422) → Idempotency-Key → handler (404, 409, 412).
 */
export function createGateway(deps: Deps, router: Router): (req: Incoming) => Promise<Outgoing> {
  const execute = createExecutor(deps);

  return async function handle(req) {
    const now = deps.clock.now();
    const requestId = deps.newId("req");
    const cors = corsHeaders(req.header("origin"), deps.config.cors.origins, req.method === "OPTIONS");
    const headers = [...commonHeaders(requestId), ...cors];
    const exchange: Exchange = {
      req,
      now,
      requestId,
      headers,
      principal: null,
      actor: null,
      rate: null,
      endpoint: null,
    };
    let out: Outgoing;
    try {
      out = await answer(exchange);
    } catch (error) {
      out = refuse(exchange, error);
    }
    observe(exchange, out.status);
    return req.method === "HEAD" ? withoutBody(out) : out;
  };

  async function answer(exchange: Exchange): Promise<Outgoing> {
    const { req, headers } = exchange;
    const { path, search } = splitTarget(req.target);
    const found = router.find(path);
    if (req.method === "OPTIONS")
      return { status: 204, headers: [...headers, "Allow", found?.entry.allow ?? "OPTIONS"], body: null };
    if (isUnder(path, "/v1")) {
      await admitKey(exchange, found?.entry ?? null);
      await chooseStore(exchange);
    } else if (isUnder(path, "/api/platform/admin")) await admitAdmin(exchange);
    const endpoint = chooseEndpoint(exchange, found?.entry ?? null);
    requireScope(exchange, endpoint);
    const input = await parseInput(exchange, endpoint, found?.params ?? {}, search);
    const { reply, replayed } = await execute(exchange, endpoint, input, search);
    if (replayed) headers.push("Idempotency-Replayed", "true");
    return send(exchange, endpoint, reply, path, search);
  }

  async function admitKey(exchange: Exchange, entry: PathEntry | null): Promise<void> {
    const { req, now, headers } = exchange;
    const auth = await deps.accounts.authenticate(req.header("authorization"), now);
    if (!auth.ok) throw unauthorized(auth.reason);
    const { principal } = auth;
    exchange.principal = principal;
    const free = entry?.endpoints[lookUpMethod(req.method)]?.route.cost === 0;
    const rate = free
      ? await lookAtLimit(principal, now)
      : await deps.store.take(principal.keyId, principal.limitPerMinute, WINDOW_MS);
    exchange.rate = rate;
    const state = toRateState(rate, now);
    headers.push(...rateHeaders(state), "X-Service-Store", principal.store.id);
    if (principal.expiresAt !== null) headers.push("X-Key-Expires-At", principal.expiresAt);
    if (rate.allowed) return;
    const wait = state.waitSeconds;
    throw fail(
      "too_many_requests",
      `Rate limit of ${rate.limit} requests per minute exceeded. Retry in ${wait} second${wait === 1 ? "" : "s"}.`,
      { headers: { "Retry-After": String(wait) } },
    );
  }

  async function lookAtLimit(principal: Principal, now: number): Promise<RateResult> {
    const limit = principal.limitPerMinute;
    const open = await deps.store.peek(principal.keyId);
    const remaining = Math.max(0, limit - (open?.count ?? 0));
    return { allowed: true, limit, remaining, resetAtMs: open?.resetAtMs ?? now + WINDOW_MS };
  }

  async function chooseStore(exchange: Exchange): Promise<void> {
    const { principal, req, now, headers } = exchange;
    const named = req.header("x-service-store");
    if (principal === null || named === undefined) return;
    const store = await deps.accounts.resolveStore(principal, named, now);
    if (store === null) {
      throw fail(
        "forbidden",
        "This API key does not own the store named in X-Service-Store, or no such store exists.",
      );
    }
    exchange.principal = { ...principal, store };
    headers[headers.indexOf("X-Service-Store") + 1] = store.id;
  }

  async function admitAdmin(exchange: Exchange): Promise<void> {
    const { req, now } = exchange;
    const authorization = req.header("authorization");
    const admin = await deps.accounts.authenticateAdmin(authorization, now);
    if (admin === null) throw unauthorized(authorization === undefined ? "missing" : "invalid");
    exchange.actor = admin.actor;
  }

  function send(
    exchange: Exchange,
    endpoint: Endpoint,
    reply: Reply<unknown>,
    path: string,
    search: string,
  ): Outgoing {
    const { headers, req } = exchange;
    if (reply.kind === "raw") {
      const extra = Object.entries(reply.headers ?? {}).flat();
      return {
        status: reply.status,
        headers: [...headers, "Content-Type", reply.contentType, ...extra],
        body: reply.body,
      };
    }
    const rendered = render(reply);
    if (rendered.etag !== null) headers.push("ETag", rendered.etag);
    if (rendered.location !== null) headers.push("Location", endpoint.namespace.mount + rendered.location);
    const next = rendered.pagination?.next;
    if (typeof next === "string") headers.push("Link", nextLink(deps.config.baseUrl + path, search, next));
    if (rendered.status === 204) return { status: 204, headers, body: null };
    const isRead = req.method === "GET" || req.method === "HEAD";
    if (isRead && rendered.etag !== null && matchesEtag(req.header("if-none-match"), rendered.etag)) {
      return { status: 304, headers, body: null };
    }
    headers.push("Content-Type", "application/json");
    const rate = exchange.rate === null ? null : toRateState(exchange.rate, exchange.now);
    const body = endpoint.namespace.envelope ? toEnvelope(rendered, exchange.requestId, rate) : rendered.json;
    return { status: rendered.status, headers, body };
  }

  function parseInput(
    exchange: Exchange,
    endpoint: Endpoint,
    params: Readonly<Record<string, string>>,
    search: string,
  ): Promise<Input> {
    return toInput(exchange.req, endpoint, params, search, deps.config.limits.bodyBytes);
  }

  function refuse(exchange: Exchange, error: unknown): Outgoing {
    const { requestId, headers } = exchange;
    const { type, detail, options, bug } = classify(error, requestId);
    if (bug !== null)
      deps.log.error(
        { request_id: requestId, route: exchange.endpoint?.route.id, err: bug },
        "request failed",
      );
    headers.push("Link", `<${deps.config.baseUrl}/docs/errors/${type}>; rel="describedby"; type="text/html"`);
    return toProblem(type, detail, headers, options);
  }

  function observe(exchange: Exchange, status: number): void {
    const { requestId, now, principal, rate, endpoint, req } = exchange;
    const routeId = endpoint?.route.id ?? null;
    deps.observe({ now, requestId, principal, routeId, method: req.method, status, rate });
    const key_id = principal?.keyId;
    const duration_ms = deps.clock.now() - now;
    deps.log.info(
      { request_id: requestId, method: req.method, route: routeId, status, duration_ms, key_id },
      "request",
    );
  }
}

const isUnder = (path: string, mount: string): boolean =>
  path.startsWith(mount) && (path.length === mount.length || path.charCodeAt(mount.length) === 47);

function unauthorized(reason: "missing" | "invalid" | "expired"): Error {
  const error = reason === "missing" ? "" : `, error="invalid_token"`;
  const told = reason === "expired" ? `, error_description="expired"` : "";
  return fail(
    "unauthorized",
    "Provide a valid API key in the Authorization header: Authorization: Bearer <API_KEY>.",
    { headers: { "WWW-Authenticate": `Bearer realm="platform"${error}${told}` } },
  );
}

/** HEAD is answered by the GET endpoint. Unknown methods find nothing. */
const lookUpMethod = (method: string): Method => (method === "HEAD" ? "GET" : method) as Method;

function chooseEndpoint(exchange: Exchange, entry: PathEntry | null): Endpoint {
  if (entry === null) throw fail("not_found", "No resource matches this path.");
  const { method } = exchange.req;
  const endpoint = Object.hasOwn(entry.endpoints, lookUpMethod(method))
    ? entry.endpoints[lookUpMethod(method)]
    : undefined;
  if (endpoint === undefined) {
    const detail = `${/^[A-Z]{1,20}$/.test(method) ? method : "This method"} is not supported here. Allowed: ${entry.allow}.`;
    throw fail("method_not_allowed", detail, { headers: { Allow: entry.allow } });
  }
  exchange.endpoint = endpoint;
  return endpoint;
}

function requireScope(exchange: Exchange, endpoint: Endpoint): void {
  const { scope, route, path } = endpoint;
  if (scope === null || exchange.principal === null || exchange.principal.scopes.has(scope)) return;
  throw fail("forbidden", `This API key lacks the scope ${scope} required by ${route.method} ${path}.`, {
    headers: { "WWW-Authenticate": `Bearer realm="platform", error="insufficient_scope", scope="${scope}"` },
  });
}

async function toInput(
  req: Incoming,
  { route }: Endpoint,
  params: Readonly<Record<string, string>>,
  search: string,
  bodyBytes: number,
): Promise<Input> {
  const body =
    route.body === null ? undefined : check(route.body, await readBody(req, bodyBytes, route.form), "body");
  return {
    params: route.params === null ? params : check(route.params, decodeParams(params), "path"),
    query: route.query === null ? {} : check(route.query, parseQuery(search), "query"),
    body,
  };
}

/** Weak comparison over the list of If-None-Match (RFC 9110 §13.1.2). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}

function nextLink(url: string, search: string, cursor: string): string {
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return `<${url}?${query.toString()}>; rel="next"`;
}

function withoutBody(out: Outgoing): Outgoing {
  if (out.body === null || out.status === 204 || out.status === 304) return { ...out, body: null };
  if (out.body instanceof ReadableStream) {
    void out.body.cancel();
    return { ...out, body: null };
  }
  return {
    ...out,
    headers: [...out.headers, "Content-Length", String(Buffer.byteLength(out.body))],
    body: null,
  };
}
