import { shorten } from "./shorten.ts";

/**
 * The error table. `title` is the HTTP reason phrase (RFC 9110) and `type` its snake_case form: the one rule
 * that reproduces the specification's `unauthorized` / `Unauthorized`.
 */
export const ERRORS = {
  bad_request: { status: 400, title: "Bad Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  not_found: { status: 404, title: "Not Found" },
  method_not_allowed: { status: 405, title: "Method Not Allowed" },
  request_timeout: { status: 408, title: "Request Timeout" },
  conflict: { status: 409, title: "Conflict" },
  gone: { status: 410, title: "Gone" },
  precondition_failed: { status: 412, title: "Precondition Failed" },
  content_too_large: { status: 413, title: "Content Too Large" },
  unsupported_media_type: { status: 415, title: "Unsupported Media Type" },
  unprocessable_content: { status: 422, title: "Unprocessable Content" },
  too_many_requests: { status: 429, title: "Too Many Requests" },
  request_header_fields_too_large: { status: 431, title: "Request Header Fields Too Large" },
  internal_server_error: { status: 500, title: "Internal Server Error" },
  service_unavailable: { status: 503, title: "Service Unavailable" },
} as const;

export type ErrorType = keyof typeof ERRORS;

/** One invalid place of a request (RFC 9457 §3): `pointer` into the body, or the query parameter, or the header. */
export interface FieldError {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly detail: string;
}

export interface ProblemOptions {
  /** An engine's own word for what happened (`slot_full`), an extension member inside `error`. */
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/** An expected failure; `detail` is written for the customer and says how to fix it. */
export class Problem extends Error {
  readonly type: ErrorType;
  readonly detail: string;
  readonly options: ProblemOptions;
  constructor(type: ErrorType, detail: string, options: ProblemOptions = {}) {
    // A refusal is an answer, not a fault: its stack is never read, and writing one costs more than the rest of a 401.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "Problem";
    this.type = type;
    this.detail = detail;
    this.options = options;
  }
}

/** Makes the error to throw: `throw fail("conflict", "…", { code: "slot_full" })`. */
export const fail = (type: ErrorType, detail: string, options?: ProblemOptions): Problem =>
  new Problem(type, detail, options);

/** 409 with its code: `throw conflict("slot_full", "What is wrong. What to do.")`. */
export const conflict = (code: string, detail: string): Problem => fail("conflict", detail, { code });

/** Declares a 409 of a route, with its code and when it is returned. */
export const conflictWhen = <Code extends string>(code: Code, when: string) =>
  ({ type: "conflict", code, when }) as const;
/** The same for a 422. */
export const unprocessableWhen = <Code extends string>(code: Code, when: string) =>
  ({ type: "unprocessable_content", code, when }) as const;

/** 429 that states the exceeded limit and when to retry, in the text and in Retry-After: `waitMs` rounded up to seconds. */
export function tooManyRequests(reason: string, waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return fail("too_many_requests", `${reason} Retry in ${seconds} second${seconds === 1 ? "" : "s"}.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** Characters of a name in a pointer, and of a pointer that is not continued: a body may have names as long as itself. */
const NAME_CHARS = 200;
const POINTER_CHARS = 1_000;

/** JSON pointer to a place in the body (RFC 6901), as a URI fragment. What is too long ends with an ellipsis. */
export function toPointer(path: readonly PropertyKey[]): string {
  let pointer = "#";
  for (const part of path) {
    if (pointer.length > POINTER_CHARS) return `${pointer}/…`;
    pointer += `/${shorten(String(part), NAME_CHARS).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

/** 422 for one member of the body; `path` as in `["fee_tiers", 0, "from"]`. */
export function invalidField(path: readonly (string | number)[], detail: string, code?: string): Problem {
  return fail("unprocessable_content", "1 field is invalid.", {
    errors: [{ pointer: toPointer(path), detail }],
    ...(code === undefined ? {} : { code }),
  });
}

/** 422 for one query parameter. */
export const invalidParameter = (parameter: string, detail: string): Problem =>
  fail("unprocessable_content", "1 parameter is invalid.", {
    errors: [{ parameter: shorten(parameter, NAME_CHARS), detail }],
  });
