/** One mail as it is handed to a transport. Every field was checked by `assertSafe` of address.ts before it was stored. */
export interface OutgoingMail {
  readonly id: string;
  /** With angle brackets; the same on every attempt, so that a receiver can drop a copy. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Epoch milliseconds of the Date field; the same on every attempt. */
  readonly dateMs: number;
  /** Becomes List-Unsubscribe and List-Unsubscribe-Post. */
  readonly unsubscribeUrl?: string;
  /** Where an answer goes, if not to `from`. */
  readonly replyTo?: string;
}

export interface MailTransport {
  readonly name: "dev" | "console" | "smtp" | "nodemailer";
  /**
   * Resolves once the next hop took responsibility for the mail. Throws a MailError otherwise.
   * An aborted `signal` ends the attempt at once.
   */
  send(
    mail: OutgoingMail,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly accepted: true; readonly id: string }>;
  /** Proves that a mail could leave, without sending one. Throws a MailError. */
  verify?(): Promise<void>;
  /** Closes idle connections. */
  close?(): void;
}

/**
 * Why a mail did not leave, as far as the outbox must know:
 * - `unreachable`: there was no session with the mail server, so other mails will not leave either;
 * - `deferred`: refused for now, or because of our own set-up (credentials, sender);
 * - `refused`: this mail to this recipient was refused permanently;
 * - `unknown`: the whole mail was handed over, and the answer never came. It may have been delivered.
 */
export type MailFault = "unreachable" | "deferred" | "refused" | "unknown";

/** The only error of a transport. `message` is shown to operators: it holds no credentials and no mail text. */
export class MailError extends Error {
  readonly fault: MailFault;
  constructor(fault: MailFault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "MailError";
    this.fault = fault;
  }
}
