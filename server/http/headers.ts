import type { RateResult } from "../storage/contract.ts";
import type { RateState } from "./envelope.ts";

/** Headers of every answer, whatever its status. */
export const commonHeaders = (requestId: string): string[] => [
  "X-Request-Id",
  requestId,
  "Cache-Control",
  "no-store",
  "X-Content-Type-Options",
  "nosniff",
];

/**
 * HSTS (RFC 6797) where the service is reached by TLS; not on this machine itself, whose other services may have none. For
 * this host alone: what else lives under the name is not ours to decide.
 */
export function transportHeaders(baseUrl: string): readonly string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== "https:" || /^localhost$|\.localhost$|^[\d.]+$|^\[/.test(hostname)) return [];
  return ["Strict-Transport-Security", "max-age=31536000"];
}

/** One arithmetic for body, X-RateLimit-*, RateLimit and Retry-After: reset in epoch seconds, the wait in seconds. */
export function toRateState(rate: RateResult, now: number): RateState & { readonly waitSeconds: number } {
  return {
    limit: rate.limit,
    remaining: rate.remaining,
    reset: Math.ceil(rate.resetAtMs / 1000),
    // A window may open a moment after `now` was read: never report more than the window's length.
    waitSeconds: Math.min(60, Math.max(1, Math.ceil((rate.resetAtMs - now) / 1000))),
  };
}

/** `RateLimit` and `RateLimit-Policy` follow draft-ietf-httpapi-ratelimit-headers; the X- form is GitHub's. */
export const rateHeaders = (rate: ReturnType<typeof toRateState>): string[] => [
  "RateLimit-Policy",
  `"per-key";q=${rate.limit};w=60`,
  "RateLimit",
  `"per-key";r=${rate.remaining};t=${rate.waitSeconds}`,
  "X-RateLimit-Limit",
  String(rate.limit),
  "X-RateLimit-Remaining",
  String(rate.remaining),
  "X-RateLimit-Reset",
  String(rate.reset),
];

export const ALLOW_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Form-Token, X-Service-Store";
export const EXPOSE_HEADERS =
  "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Link, ETag, Location, Idempotency-Replayed, X-Service-Store, X-Key-Expires-At, Deprecation, Sunset";

/** CORS headers for a configured origin; none for another. */
export function corsHeaders(origin: string, allowed: readonly string[], preflight: boolean): string[] {
  if (allowed.length === 0) return [];
  if (!allowed.includes("*") && !allowed.includes(origin)) return ["Vary", "Origin"];
  const headers = ["Access-Control-Allow-Origin", origin, "Vary", "Origin"];
  if (!preflight) return [...headers, "Access-Control-Expose-Headers", EXPOSE_HEADERS];
  return [...headers, "Access-Control-Allow-Headers", ALLOW_HEADERS, "Access-Control-Max-Age", "600"];
}

/** Headers of an answer to OPTIONS; a browser sends no PATCH, PUT or DELETE that its preflight did not name. */
export const optionsHeaders = (headers: readonly string[], allow: string): string[] => [
  ...headers,
  "Allow",
  allow,
  ...(headers.includes("Access-Control-Allow-Origin") ? ["Access-Control-Allow-Methods", allow] : []),
];
