import { Readable } from "node:stream";

import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";

import { senderAddress } from "../address.ts";
import type { MailTransport, OutgoingMail } from "../transport.ts";
import { toMessage } from "./message.ts";
import { toMailError } from "./smtp-error.ts";
import type { SmtpPhase } from "./smtp-error.ts";
import type { SmtpConfig, SmtpConnection } from "./smtp-options.ts";
import { toConnectionOptions } from "./smtp-options.ts";

/** Waits in milliseconds. */
export interface SmtpTimeouts {
  /** Name look-up, connection, greeting and STARTTLS together. */
  readonly connectMs: number;
  /** From there until the mail is handed over. */
  readonly envelopeMs: number;
  /** The answer to the handed-over mail. */
  readonly answerMs: number;
}

/**
 * The answer to DATA gets the ten minutes of RFC 5321 §4.5.3.2.6: a server that is slow over a spam check has often
 * accepted the mail, and giving up earlier would only send it twice. The rest is shorter than the RFC's figures,
 * because nothing is lost when an attempt is cut short before the mail was handed over.
 */
const TIMEOUTS: SmtpTimeouts = { connectMs: 60_000, envelopeMs: 180_000, answerMs: 600_000 };

/**
 * One connection per mail, and no pool. A service that sends a few mails a minute gains nothing from idle
 * connections, and a pool may repeat a mail by itself when a connection ends, of which the outbox would not know.
 */
export function createSmtpTransport(config: SmtpConfig, timeouts: Partial<SmtpTimeouts> = {}): MailTransport {
  const waits = { ...TIMEOUTS, ...timeouts };
  return {
    name: "smtp",
    async send(mail, { signal }) {
      const raw = await compose(mail);
      await converse(config, waits, { signal, deliver: (session) => transmit(session, mail, raw) });
      return { accepted: true, id: mail.id };
    },
    async verify() {
      await converse(config, waits, {
        signal: AbortSignal.timeout(waits.envelopeMs),
        deliver: () => Promise.resolve(),
      });
    },
  };
}

interface Session {
  readonly connection: SMTPConnection;
  readonly waits: SmtpTimeouts;
  /** How far the conversation came. */
  phase: SmtpPhase;
  /** Ends the conversation with an error after so long, in place of the limit set before. */
  limit(ms: number): void;
}

interface Conversation {
  readonly signal: AbortSignal;
  readonly deliver: (session: Session) => Promise<void>;
}

/** Opens a session, logs in, runs `deliver`, and closes; every failure becomes a MailError. */
async function converse(
  config: SmtpConfig,
  waits: SmtpTimeouts,
  { signal, deliver }: Conversation,
): Promise<void> {
  const { options, auth } = toConnectionOptions(config, waits);
  const connection = new SMTPConnection(options);
  let timer: NodeJS.Timeout | undefined;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const limit = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })), ms);
  };
  const stop = (): void => fail(new Error("stopped"));
  const session: Session = { connection, waits, phase: "connect", limit };
  connection.on("error", fail);
  signal.addEventListener("abort", stop);
  limit(waits.connectMs);
  if (signal.aborted) stop();
  try {
    // Whatever comes first ends it: an error of the connection, a limit, the caller's signal, or success.
    await Promise.race([failed, openSession(session, auth).then(() => deliver(session))]);
    sayGoodbye(connection);
  } catch (cause) {
    connection.close();
    throw toMailError(cause, session.phase);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function openSession(session: Session, auth: SmtpConnection["auth"]): Promise<void> {
  const { connection } = session;
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  session.limit(session.waits.envelopeMs);
  if (auth === null) return;
  session.phase = "login";
  await new Promise<void>((resolve, reject) => {
    connection.login(auth, (error) => (error ? reject(error) : resolve()));
  });
}

async function transmit(session: Session, mail: OutgoingMail, raw: Buffer): Promise<void> {
  session.phase = "envelope";
  // The connection reads this stream only after the server's "354 go on", so the reading shows how far the dialogue came.
  const body = new Readable({
    read() {
      session.phase = "answer";
      session.limit(session.waits.answerMs);
      this.push(raw);
      this.push(null);
    },
  });
  const envelope = { from: senderAddress(mail.from), to: [mail.to], size: raw.length };
  await new Promise<void>((resolve, reject) => {
    session.connection.send(envelope, body, (error) => (error ? reject(error) : resolve()));
  });
}

/** QUIT, as RFC 5321 §4.1.1.10 wants it; a server that does not answer is left after a second. */
function sayGoodbye(connection: SMTPConnection): void {
  connection.quit();
  const timer = setTimeout(() => connection.close(), 1_000);
  connection.once("end", () => clearTimeout(timer));
}

const compose = (mail: OutgoingMail): Promise<Buffer> => new MailComposer(toMessage(mail)).compile().build();
