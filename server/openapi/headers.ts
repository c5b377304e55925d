import type { Json } from "./schemas.ts";

/** Headers of responses. `required` holds wherever an operation lists the header. */
const HEADERS: Readonly<Record<string, Json>> = {
  "X-Request-Id": {
    description: "Id of this request. Include it when contacting support.",
    schema: { type: "string", pattern: "^req_[0-9A-HJKMNP-TV-Z]{26}$" },
  },
  "RateLimit-Policy": {
    description: "Requests (`q`) per window in seconds (`w`).",
    schema: { type: "string" },
    example: '"per-key";q=60;w=60',
  },
  RateLimit: {
    description: "Requests remaining (`r`) and seconds until the window ends (`t`).",
    schema: { type: "string" },
    example: '"per-key";r=59;t=47',
  },
  "X-RateLimit-Limit": {
    description: "Requests allowed per window.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": {
    description: "Requests remaining in the current window.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Reset": {
    description: "When the window ends, in epoch seconds.",
    schema: { type: "integer" },
  },
  "X-Service-Store": {
    description: "Id of the store that the request applies to.",
    schema: { type: "string" },
  },
  "X-Key-Expires-At": {
    description: "Sent while a rotated key is still valid along with its successor.",
    schema: { type: "string", format: "date-time" },
  },
  ETag: {
    description: "Version of the response, for If-None-Match and If-Match.",
    schema: { type: "string" },
  },
  Location: {
    description: "Path of the new resource.",
    required: true,
    schema: { type: "string" },
  },
  Link: {
    description: 'Related URLs: `rel="next"` on a list, `rel="describedby"` on an error.',
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": {
    description: "The Bearer challenge (RFC 6750).",
    schema: { type: "string" },
  },
};

export const headerComponents = (): Readonly<Record<string, Json>> => HEADERS;

/** References to shared headers by name; throws on a name that is not declared here. */
export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(
    names.map((name) => {
      if (HEADERS[name] === undefined) throw new Error(`The header ${name} has no description.`);
      return [name, { $ref: `#/components/headers/${name}` }];
    }),
  );

/** Headers of every response to a request whose key was accepted; the last one only while a key is being replaced. */
export const KEY_HEADERS = [
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Service-Store",
  "X-Key-Expires-At",
] as const;

/** Request headers that several operations take. */
export const parameterComponents = (): Readonly<Record<string, Json>> => ({
  Store: {
    name: "X-Service-Store",
    in: "header",
    description: "Another store of the same customer, by identifier or id. Plans with several stores only.",
    schema: { type: "string" },
  },
  Idempotency: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: a repeated request with the same key returns the first response, with `Idempotency-Replayed: true`, without a second effect.",
    schema: { type: "string", minLength: 1, maxLength: 257 },
  },
  "If-Match": {
    name: "If-Match",
    in: "header",
    description: 'Change the resource only if this is still its version, such as `"7"`.',
    schema: { type: "string" },
  },
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    description: "Return 304 without a body if the resource still has this ETag.",
    schema: { type: "string" },
  },
});
