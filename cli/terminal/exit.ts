/** Exit codes of the process; `platform help exit-codes` prints the table. */
export const EXIT = {
  ok: 0,
  bug: 1,
  usage: 2,
  cancelled: 3,
  unauthorized: 4,
  forbidden: 5,
  notFound: 6,
  refused: 7,
  rateLimited: 8,
  serverError: 9,
  unreachable: 10,
  findings: 11,
  interrupted: 130,
} as const;

export const EXIT_TABLE: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.ok, "success; also an empty list"],
  [EXIT.bug, "a bug in the command itself"],
  [EXIT.usage, "wrong usage, invalid configuration, or a missing value and no terminal to prompt on"],
  [EXIT.cancelled, "cancelled or declined at a prompt"],
  [EXIT.unauthorized, "no API key, or 401"],
  [EXIT.forbidden, "403: the key lacks the scope or belongs to another store"],
  [EXIT.notFound, "404 or 410"],
  [EXIT.refused, "another 4xx"],
  [EXIT.rateLimited, "429: too many requests"],
  [EXIT.serverError, "5xx"],
  [
    EXIT.unreachable,
    "cannot connect, timeout, redirect, a response that is not from the service, or an unusable file",
  ],
  [EXIT.findings, "a check found problems"],
  [EXIT.interrupted, "interrupted by SIGINT (143: by SIGTERM)"],
];

/** The exit code for an HTTP status of 400 and more. */
export function exitCodeOf(status: number): number {
  if (status === 401) return EXIT.unauthorized;
  if (status === 403) return EXIT.forbidden;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 429) return EXIT.rateLimited;
  return status >= 500 ? EXIT.serverError : EXIT.refused;
}

export interface Failure {
  /** Error type for scripts, in snake case: the API's `error.type` or one of the CLI's. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly exitCode: number;
  readonly status?: number;
  /** What to try next. */
  readonly hint?: string;
  /** Address and profile. */
  readonly where?: string;
  readonly requestId?: string;
  /** One line for each invalid field of the request. */
  readonly places?: readonly string[];
  readonly cause?: unknown;
}

/** A failure that is reported to the user; anything else that is thrown is a bug. */
export class CliError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.detail, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = "CliError";
    this.failure = failure;
  }
}

/** Exit 2: invalid or missing arguments. */
export const usageError = (detail: string, hint?: string): CliError =>
  new CliError({
    type: "usage",
    title: "Wrong usage",
    detail,
    exitCode: EXIT.usage,
    ...(hint === undefined ? {} : { hint }),
  });

/** Exit 3: declined at a prompt. */
export const cancelled = (detail: string): CliError =>
  new CliError({ type: "cancelled", title: "Cancelled", detail, exitCode: EXIT.cancelled });

/** Exit 130 or 143, without a message. */
export class Interrupted extends Error {
  readonly exitCode: number;
  constructor(exitCode: number = EXIT.interrupted) {
    super("Interrupted.");
    this.name = "Interrupted";
    this.exitCode = exitCode;
  }
}
