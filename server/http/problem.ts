import { ERRORS, Problem } from "../lib/errors.ts";
import type { ErrorType, ProblemOptions } from "../lib/errors.ts";
import { shorten } from "../lib/shorten.ts";
import { StoreError } from "../storage/contract.ts";
import type { Outgoing } from "./messages.ts";

/** The one maker of error answers: `{error:{type,title,status,detail}}` as application/problem+json, whatever `Accept` says. */
export function toProblem(
  type: ErrorType,
  detail: string,
  headers: readonly string[],
  options: ProblemOptions = {},
): Outgoing {
  const { status, title } = ERRORS[type];
  const error = {
    type,
    title,
    status,
    detail,
    ...(options.code === undefined ? {} : { code: options.code }),
    ...(options.errors === undefined ? {} : { errors: options.errors }),
  };
  return {
    status,
    headers: [
      ...headers,
      "Content-Type",
      "application/problem+json",
      ...Object.entries(options.headers ?? {}).flat(),
    ],
    body: JSON.stringify({ error }),
  };
}

/** Why a request was refused. `bug` is what belongs in the log, null for expected failures. */
export interface Refusal {
  readonly type: ErrorType;
  readonly detail: string;
  readonly options: ProblemOptions;
  readonly bug: unknown;
}

/** Details may quote what was sent, a hundred places of one body the same value. */
const DETAIL_CHARS = 4_000;

const shortenErrors = (options: ProblemOptions): ProblemOptions =>
  options.errors === undefined
    ? options
    : {
        ...options,
        errors: options.errors.map(({ detail, ...place }) => ({
          ...place,
          detail: shorten(detail, DETAIL_CHARS),
        })),
      };

/**
 * Maps a thrown value to a problem: a Problem is returned as it is; a store that cannot serve is 503 with Retry-After;
 * everything else is a bug: 500 with a fixed text.
 */
export function classify(error: unknown, requestId: string): Refusal {
  if (error instanceof Problem) {
    return {
      type: error.type,
      detail: shorten(error.detail, DETAIL_CHARS),
      options: shortenErrors(error.options),
      bug: error.options.cause ?? null,
    };
  }
  if (error instanceof StoreError && error.code === "REPLACED") {
    return {
      type: "service_unavailable",
      detail: "The storage of the service was replaced or emptied. Its operator has to restore or accept it.",
      options: { code: "storage_replaced", headers: { "Retry-After": "30" } },
      bug: error,
    };
  }
  if (error instanceof StoreError && error.retryable) {
    return {
      type: "service_unavailable",
      detail:
        error.code === "FULL"
          ? "The storage of the service is full. Nothing was written; reads continue. Retry the request later."
          : "The storage is temporarily unavailable. Retry the request later; retry a write with the same Idempotency-Key.",
      options: { headers: { "Retry-After": "5" } },
      bug: error,
    };
  }
  return {
    type: "internal_server_error",
    detail: `An unexpected error occurred. Include request id ${requestId} when contacting support.`,
    options: {},
    bug: error,
  };
}
