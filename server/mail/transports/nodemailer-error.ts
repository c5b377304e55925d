import type { MailFault } from "../transport.ts";
import { describe, faultOf } from "./smtp-error.ts";
import type { SmtpFailure, SmtpPhase } from "./smtp-error.ts";

/** What transports attach to their errors beyond what SMTP knows; all of it may be missing. */
interface TransportFailure extends SmtpFailure {
  readonly message: string;
  readonly name?: string;
  readonly syscall?: string;
  /** HTTP status, as the AWS SDK and most clients of HTTP APIs attach it. */
  readonly statusCode?: unknown;
  readonly status?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

/** Errors of the network before anything was sent, and of programs that could not be started. */
const NEVER_LEFT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EDNS|ENETUNREACH|EHOSTUNREACH|ENOENT|EACCES|ECONFIG)$/;
/** `sendmail` exits with EX_NOUSER or EX_NOHOST for an unknown recipient (sysexits.h). */
const NO_RECIPIENT = /^Sendmail exited with code 6[78]$/;
const SENDMAIL_EXIT = /^Sendmail exited (?:with code \d+|before)/;
/** Names of Amazon's errors about one message; every other is about the account. */
const MESSAGE_REJECTED = /^MessageRejected(?:Exception)?$/;

const failureOf = (cause: unknown): TransportFailure => (cause instanceof Error ? cause : { message: "" });

/**
 * What a failed attempt means for the mail. `isRead`: the transport began to read the message. SMTP transports do so once the
 * server asked for it; any other transport may have handed over its mail from the moment it was called.
 */
export function faultOfTransport(
  cause: unknown,
  { isRead, isSmtp }: { readonly isRead: boolean; readonly isSmtp: boolean },
): MailFault {
  const failure = failureOf(cause);
  if (isSmtp) return faultOf(failure, phaseOf(failure, isRead));
  const { message, name = "", code = "" } = failure;
  if (NO_RECIPIENT.test(message) || MESSAGE_REJECTED.test(name)) return "refused";
  if (SENDMAIL_EXIT.test(message)) return "deferred";
  if (NEVER_LEFT.test(code)) return "unreachable";
  if (failure.responseCode !== undefined) return failure.responseCode >= 500 ? "refused" : "deferred";
  return httpStatusOf(failure) === null ? "unknown" : "deferred";
}

function httpStatusOf({ $metadata, statusCode, status }: TransportFailure): number | null {
  const found = [$metadata?.httpStatusCode, statusCode, status].find((value) => typeof value === "number");
  return typeof found === "number" ? found : null;
}

function phaseOf({ command = "", code }: SmtpFailure, isRead: boolean): SmtpPhase {
  if (code === "EAUTH" || command.startsWith("AUTH")) return "login";
  if (isRead) return "answer";
  return command === "MAIL FROM" || command === "RCPT TO" || command === "DATA" ? "envelope" : "connect";
}

const PHASES = {
  unreachable: "connect",
  deferred: "envelope",
  refused: "envelope",
  unknown: "answer",
} as const;

/** For operators: the server's answer, or the code or text of the error. */
export function describeFailure(cause: unknown, fault: MailFault): string {
  const failure = failureOf(cause);
  return describe(failure, failure.code === "EAUTH" ? "login" : PHASES[fault]);
}
