import type { GatewayDeps } from "./deps.ts";
import { fail, tooManyRequests } from "../lib/errors.ts";
import type { Input, Method } from "../core/route.ts";
import { inTurn } from "../lib/slices.ts";
import type { RateResult } from "../storage/contract.ts";
import { check, readBody, refuseManyFaults } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { limitFailedAuth } from "./failed-auth.ts";
import { rateHeaders, toRateState } from "./headers.ts";
import type { MeasuredRuns } from "./measured-runs.ts";
import type { Incoming } from "./messages.ts";
import type { Endpoint, PathEntry } from "./namespace.ts";
import { RATE_WINDOW_MS } from "./principal.ts";
import type { Principal } from "./principal.ts";
import { decodeParams, readQuery } from "./query.ts";
import { takeShare } from "./visitor.ts";
import type { Windows } from "./windows.ts";

/** Gate: a key that is ACTIVE (401, or 429 where the address failed too often) and has requests left in its window (429). */
export async function admitKey(
  deps: GatewayDeps,
  exchange: Exchange,
  entry: PathEntry | null,
  { failures, free }: { readonly failures: Windows; readonly free: Windows },
): Promise<void> {
  const { req, now, headers } = exchange;
  const endpoint = findEndpoint(entry, req.method);
  const cost = endpoint?.route.cost ?? 1;
  const authorization = req.header("authorization");
  // A request with a publishable key counts towards its visitor's share first.
  const isShared = /^bearer +plat_pub_/i.test(authorization ?? "");
  const auth = await deps.accounts.authenticate(authorization, now, isShared ? 0 : cost);
  if (!auth.ok) {
    limitFailedAuth(deps, failures, exchange);
    throw unauthorized(auth.reason);
  }
  const { principal } = auth;
  exchange.principal = principal;
  const refusal =
    cost === 0
      ? takeFree(free, principal, now)
      : isShared
        ? await takeShare(deps, exchange, principal, cost)
        : null;
  const rate =
    cost === 0 || refusal !== null
      ? await lookAtLimit(deps, principal, now)
      : (auth.rate ??
        (await deps.store.take(principal.keyId, principal.limitPerMinute, RATE_WINDOW_MS, cost)));
  exchange.rate = rate;
  const state = toRateState(rate, now);
  headers.push(...rateHeaders(state), "X-Service-Store", principal.store.id);
  if (principal.expiresAt !== null) headers.push("X-Key-Expires-At", principal.expiresAt);
  if (refusal === null && rate.allowed) return;
  // So that usage and the request log name the route that was refused.
  exchange.endpoint = endpoint;
  if (refusal !== null) throw refusal;
  throw tooManyRequests(
    `Rate limit of ${rate.limit} requests per minute exceeded${rate.remaining > 0 ? ` by a request that costs ${cost}` : ""}.`,
    state.waitSeconds * 1000,
  );
}

/** Requests of one key in a minute that do not count towards its rate limit, counted in this process. */
export const FREE_REQUESTS = { max: 300, windowMs: 60_000, keysMax: 10_000 };

function takeFree(free: Windows, { keyId }: Principal, now: number): Error | null {
  const left = free.take(keyId, now);
  if (left === null) return null;
  return tooManyRequests(
    `This API key can send ${FREE_REQUESTS.max} requests per minute that do not count towards its rate limit.`,
    left,
  );
}

async function lookAtLimit(deps: GatewayDeps, principal: Principal, now: number): Promise<RateResult> {
  const limit = principal.limitPerMinute;
  const open = await deps.store.peek(principal.keyId);
  const remaining = Math.max(0, limit - (open?.count ?? 0));
  return { allowed: true, limit, remaining, resetAtMs: open?.resetAtMs ?? now + RATE_WINDOW_MS };
}

/** Gate: the store that X-Service-Store names belongs to the key (403, one body for every reason). */
export async function chooseStore(deps: GatewayDeps, exchange: Exchange): Promise<void> {
  const { principal, req, now, headers } = exchange;
  const named = req.header("x-service-store");
  if (principal === null || named === undefined) return;
  const store = await deps.accounts.resolveStore(principal, named, now);
  if (store === null) {
    throw fail(
      "forbidden",
      "The store in X-Service-Store does not exist or does not belong to this API key.",
    );
  }
  exchange.principal = { ...principal, store };
  headers[headers.indexOf("X-Service-Store") + 1] = store.id;
}

/** Gate: an operator's token (401, or 429 where the address failed too often). */
export async function admitAdmin(deps: GatewayDeps, exchange: Exchange, failures: Windows): Promise<void> {
  const authorization = exchange.req.header("authorization");
  exchange.operator = await deps.accounts.authenticateAdmin(authorization, exchange.now);
  if (exchange.operator === null) {
    limitFailedAuth(deps, failures, exchange);
    throw unauthorized(authorization === undefined ? "missing" : "invalid");
  }
}

function unauthorized(reason: "missing" | "invalid" | "expired"): Error {
  const error = reason === "missing" ? "" : `, error="invalid_token"`;
  // Only the presenter of the real key learns that it expired; the body is the same for every reason.
  const description = reason === "expired" ? `, error_description="expired"` : "";
  return fail(
    "unauthorized",
    "Provide a valid API key in the Authorization header: Authorization: Bearer <API_KEY>.",
    { headers: { "WWW-Authenticate": `Bearer realm="platform"${error}${description}` } },
  );
}

/** HEAD is answered by the GET endpoint; an unknown method finds no endpoint. */
const lookUpMethod = (method: string): Method => (method === "HEAD" ? "GET" : method) as Method;

/** What answers a method at a path; null where nothing does. */
export function findEndpoint(entry: PathEntry | null, method: string): Endpoint | null {
  const name = lookUpMethod(method);
  return entry !== null && Object.hasOwn(entry.endpoints, name) ? (entry.endpoints[name] ?? null) : null;
}

/** Gate: the path exists (404) and knows the method (405 with Allow). */
export function chooseEndpoint(exchange: Exchange, entry: PathEntry | null): Endpoint {
  if (entry === null) throw fail("not_found", "No resource matches this path.");
  const { method } = exchange.req;
  const endpoint = findEndpoint(entry, method);
  if (endpoint === null) {
    const named = /^[A-Z]{1,20}$/.test(method) ? method : "This HTTP method";
    throw fail(
      "method_not_allowed",
      `${named} is not supported for this path. Allowed methods: ${entry.allow}.`,
      {
        headers: { Allow: entry.allow },
      },
    );
  }
  exchange.endpoint = endpoint;
  return endpoint;
}

/** Gate: the key's scopes cover the route (403). A publishable key has scopes of its own, on few routes. */
export function requireScope(exchange: Exchange, { scope, openScope, route, path }: Endpoint): void {
  const { principal } = exchange;
  if (principal === null || scope === null) return;
  if (principal.isPublic && openScope === null) {
    throw fail(
      "forbidden",
      `A publishable key cannot call ${route.method} ${path}. Use a secret key on a server.`,
      {
        code: "insufficient_scope",
        headers: { "WWW-Authenticate": `Bearer realm="platform", error="insufficient_scope"` },
      },
    );
  }
  const needed = principal.isPublic && openScope !== null ? openScope : scope;
  if (principal.scopes.has(needed)) return;
  throw fail("forbidden", `This API key lacks the scope ${needed} required by ${route.method} ${path}.`, {
    ...(principal.isPublic ? { code: "insufficient_scope" } : {}),
    headers: { "WWW-Authenticate": `Bearer realm="platform", error="insufficient_scope", scope="${needed}"` },
  });
}

/** Gate: path and query fit the route's schemas (400, 422). */
export function parseAddress(
  { search }: Exchange,
  { route, query }: Endpoint,
  params: Readonly<Record<string, string>>,
): Pick<Input, "params" | "query"> {
  const decoded = decodeParams(params);
  return {
    params: route.params === null ? decoded : check(route.params, decoded, "path"),
    query: readQuery(query, search),
  };
}

/** Body of a request without a key, but of those that send files: it is parsed before it is known who pays for it. */
const STRANGER_BYTES = 65_536;

/**
 * Gate: the body fits the route's schema (415, 413, 400, 422). One whose every member may be left out may be left out itself. What parsing
 * it may take is reserved once it is there: one that is sent slowly would have others wait for its end.
 */
export async function parseBody(
  deps: GatewayDeps,
  exchange: Exchange,
  route: Endpoint["route"],
  measured: Pick<MeasuredRuns, "read">,
): Promise<unknown> {
  const { req, principal } = exchange;
  const { body, form } = route;
  if (body === null) return undefined;
  if (!hasBody(req) && body.safeParse(undefined).success) return body.parse(undefined);
  const { bodyBytes } = deps.config.limits;
  const isStranger = principal === null && exchange.operator === null && form !== "multipart";
  const limit = isStranger ? Math.min(STRANGER_BYTES, bodyBytes) : bodyBytes;
  const { bytes, parse } = await readBody(req, limit, form);
  // One address that sends many has no other wait for all of them.
  const key = principal?.customerId ?? req.sender ?? "";
  return measured.read(route, exchange, async (note) => {
    const inOneTurn = <R>(step: () => R): R | Promise<R> =>
      bytes <= SHORT_BYTES ? step() : inTurn(key, () => timed(step, note));
    const parsed = await inOneTurn(parse);
    exchange.bodyMemory = bytes + parsed.count * VALUE_BYTES;
    if (parsed.count > FEW_VALUES) await refuseManyFaults(body, parsed.value, key, note);
    return inOneTurn(() => check(body, parsed.value, "body"));
  });
}

/** One step; `note` gets the milliseconds that it took. */
function timed<R>(step: () => R, note: (ms: number) => void): R {
  const startedAt = performance.now();
  try {
    return step();
  } finally {
    note(performance.now() - startedAt);
  }
}

/** Bodies up to this length are parsed and checked at once: that takes less than a millisecond. */
const SHORT_BYTES = 16_384;
/** Memory of a value, in addition to its text: an empty object has 56 bytes, and counts with the comma behind it as two values. */
const VALUE_BYTES = 32;
/** So many values are checked at once, valid or not. */
const FEW_VALUES = 1_000;

function hasBody(req: Incoming): boolean {
  const length = req.header("content-length");
  if (length !== undefined) return length !== "0";
  return req.header("transfer-encoding") !== undefined || req.header("content-type") !== undefined;
}
