import { MailError } from "../transport.ts";
import type { MailFault } from "../transport.ts";

/** How far a conversation came before it ended; decides what its failure means. */
export type SmtpPhase = "connect" | "login" | "envelope" | "answer";

/** What nodemailer attaches to its errors; all of it may be missing. */
export interface SmtpFailure {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly permanent?: boolean;
}

/** Any failure of a conversation → the error that the outbox understands. */
export function toMailError(cause: unknown, phase: SmtpPhase): MailError {
  if (cause instanceof MailError) return cause;
  const failure: SmtpFailure & { message: string } = cause instanceof Error ? cause : { message: "" };
  return new MailError(faultOf(failure, phase), describe(failure, phase), { cause });
}

/** A server that does not relay our mail refuses all recipients of other domains alike. */
const NO_RELAY =
  /\brelay(?:ing)?\b.{0,20}\b(?:denied|prohibited|not (?:allowed|permitted))|\b(?:unable to|credentials for) relay\b/i;

/**
 * Only a 5xx to the recipient or to the mail itself is the end of this mail. A 5xx to the greeting, the login or the
 * sender, or because the server does not relay, says that our own set-up is wrong; when the operator has fixed it, the mail shall still leave.
 */
export function faultOf(failure: SmtpFailure, phase: SmtpPhase): MailFault {
  const answered = failure.responseCode !== undefined;
  if (
    answered &&
    failure.permanent === true &&
    (failure.command === "RCPT TO" || failure.command === "DATA")
  ) {
    return NO_RELAY.test(failure.response ?? "") ? "deferred" : "refused";
  }
  if (phase === "connect" || phase === "login") return "unreachable";
  return phase === "answer" && !answered ? "unknown" : "deferred";
}

const WHAT_FAILED = {
  connect: "Could not connect to the mail server",
  login: "The mail server rejected the login",
  envelope: "The mail server rejected the mail",
  answer: "The mail server rejected the mail",
} as const;

export function describe(failure: SmtpFailure & { message: string }, phase: SmtpPhase): string {
  if (failure.response !== undefined) {
    return `${WHAT_FAILED[phase]}: ${failure.command ?? ""} ${oneLine(failure.response)}`.replace("  ", " ");
  }
  const reason = failure.originalCode ?? failure.code ?? failure.message;
  if (phase === "answer") return `The mail was transmitted, but the mail server did not respond (${reason})`;
  return `${WHAT_FAILED[phase]} (${reason})`;
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
