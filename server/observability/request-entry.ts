import { z } from "zod";

import type { Refusal } from "../http/problem.ts";
import type { Observation } from "../http/principal.ts";
import { toInstant } from "../lib/instant.ts";
import type { ErrorType, FieldError } from "../lib/errors.ts";
import { copyText, shorten } from "../lib/shorten.ts";
import { Instant } from "../core/schema.ts";
import { KEY_PATTERN } from "../core/key-format.ts";

const Failed = z.strictObject({
  type: z.string(),
  /** The engine's own word for what happened. */
  code: z.string().nullable(),
  detail: z.string(),
  /** Invalid places, at most `FIELDS_MAX`: where, and what is wrong. */
  fields: z.array(z.strictObject({ at: z.string(), detail: z.string() })),
  /** What the answer did not say: the bug behind a 500, the reason behind a 503. */
  cause: z.string().nullable(),
});

/** One finished request, as support needs it: neither bodies nor queries nor secrets. */
export const RequestEntry = z.strictObject({
  request_id: z.string(),
  /** When it came in. */
  at: Instant,
  method: z.string(),
  /** Route id; null for a request that reached none. */
  route: z.string().nullable(),
  /** What was asked for where no route was found; words only, ids and numbers are left out. */
  path: z.string().nullable(),
  status: z.int(),
  /** Until the answer was made, in milliseconds. */
  duration_ms: z.int().nonnegative(),
  key_id: z.string().nullable(),
  customer_id: z.string().nullable(),
  store_id: z.string().nullable(),
  error: Failed.nullable(),
});
export type RequestEntry = z.output<typeof RequestEntry>;

const FIELDS_MAX = 5;
const DETAIL_CHARS = 300;
const PATH_CHARS = 120;
/** Characters of what was asked for, out of which the path is made. */
const TARGET_CHARS = 1_000;

/** A finished request as a process remembers it: copies of what an entry shows, and nothing else of what was sent. */
export interface Remembered extends Omit<Observation, "rate" | "refusal"> {
  readonly refusal: RememberedRefusal | null;
}

interface RememberedRefusal {
  readonly type: ErrorType;
  readonly code: string | null;
  readonly detail: string;
  readonly fields: readonly { readonly at: string; readonly detail: string }[];
  readonly cause: string | null;
}

/** What a process remembers of a finished request: its refusal may quote a whole body, and the error behind it refer to one. */
export const remember = (seen: Observation): Remembered => ({
  now: seen.now,
  requestId: seen.requestId,
  principal: seen.principal,
  routeId: seen.routeId,
  method: seen.method,
  status: seen.status,
  durationMs: seen.durationMs,
  target: seen.routeId === null ? copy(seen.target, TARGET_CHARS) : "",
  refusal: seen.refusal === null ? null : rememberRefusal(seen.refusal),
});

const rememberRefusal = ({ type, detail, options, bug }: Refusal): RememberedRefusal => ({
  type,
  code: options.code ?? null,
  detail: copy(detail, DETAIL_CHARS),
  fields: (options.errors ?? []).slice(0, FIELDS_MAX).map((field) => ({
    at: copy(placeOf(field), DETAIL_CHARS),
    detail: copy(field.detail, DETAIL_CHARS),
  })),
  cause: bug instanceof Error ? copy(`${bug.name}: ${bug.message}`, DETAIL_CHARS) : null,
});

const copy = (text: string, chars: number): string => copyText(shorten(text, chars));

/** What is kept of a finished request. */
export function toEntry(seen: Remembered): RequestEntry {
  const { principal, refusal, routeId } = seen;
  return {
    request_id: seen.requestId,
    at: toInstant(seen.now),
    method: /^[A-Z]{1,12}$/.test(seen.method) ? seen.method : "OTHER",
    route: routeId,
    path: routeId === null ? wordsOf(seen.target) : null,
    status: seen.status,
    duration_ms: Math.max(0, Math.round(seen.durationMs)),
    key_id: principal?.keyId ?? null,
    customer_id: principal?.customerId ?? null,
    store_id: principal?.store.id ?? null,
    error: refusal === null ? null : toFailed(refusal),
  };
}

const toFailed = ({ type, code, detail, fields, cause }: RememberedRefusal): RequestEntry["error"] => ({
  type,
  code,
  detail: mask(detail),
  fields: fields.map((field) => ({ at: mask(field.at), detail: mask(field.detail) })),
  cause: cause === null ? null : mask(cause),
});

const placeOf = ({ pointer, parameter, header }: FieldError): string => pointer ?? parameter ?? header ?? "";

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [KEY_PATTERN, "plat_$1_…"],
  [/(bearer )[\w.~+/=-]+/gi, "$1…"],
  [/((?:token|secret|password)=)[^\s&]+/gi, "$1…"],
  [/[^\s@"'<>,;()]{1,64}@[^\s@"'<>,;()]+\.[a-z]{2,}/gi, "…@…"],
];

/** Details may quote what was sent: keys, tokens and addresses of people are left out. */
const mask = (text: string): string =>
  SECRETS.reduce((masked, [pattern, by]) => masked.replaceAll(pattern, by), text).replaceAll(
    /\p{Cc}+/gu,
    " ",
  );

/** The path without its query; what is no plain word may be an id, an address or a token. */
function wordsOf(target: string): string {
  const [path = ""] = target.split(/[?#]/, 1);
  const words = path.split("/").map((part) => (/^(v\d{1,2}|[A-Za-z_.-]{0,32})$/.test(part) ? part : "…"));
  return words.join("/").slice(0, PATH_CHARS);
}
