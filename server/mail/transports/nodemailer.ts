import { Readable } from "node:stream";

import { createTransport } from "nodemailer";
import type { Mail } from "nodemailer";

import type { NodemailerTransport } from "../../config/extensions.ts";
import { MailError } from "../transport.ts";
import type { MailTransport, OutgoingMail } from "../transport.ts";
import { toMessage } from "./message.ts";
import { describeFailure, faultOfTransport } from "./nodemailer-error.ts";

/** Longer than any limit of nodemailer's own transports: a transport that never calls back must not hold its mail for ever. */
const PATIENCE_MS = 900_000;

/** One mailer for each transport of a configuration, as a pool is shared by all who send through it. */
const mailers = new WeakMap<NodemailerTransport, Mail>();

/**
 * Any transport of nodemailer, or options of one (`pool`, `SES`, `sendmail`, `auth` with OAuth2, `dkim`, …). Throws what
 * nodemailer throws on options that it does not understand.
 */
export function createNodemailerTransport(transport: NodemailerTransport): MailTransport {
  const mailer = mailers.get(transport) ?? openMailer(transport);
  mailers.set(transport, mailer);
  return {
    name: "nodemailer",
    async send(mail, { signal }) {
      const stages = { isRead: false };
      started.set(mail.messageId, () => {
        stages.isRead = true;
      });
      const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      try {
        const info = await withLimit(mailer.sendMail({ ...toMessage(mail), signal: limit }), limit);
        demandAccepted(info, mail);
        return { accepted: true, id: mail.id };
      } catch (cause) {
        if (cause instanceof MailError) throw cause;
        const isSmtp = mailer.transporter.name.startsWith("SMTP");
        const fault = faultOfTransport(cause, { isRead: stages.isRead, isSmtp });
        throw new MailError(fault, describeFailure(cause, fault), { cause });
      } finally {
        started.delete(mail.messageId);
      }
    },
    ...(typeof mailer.transporter.verify === "function"
      ? {
          verify: async () => {
            await mailer.verify().catch((cause: unknown) => {
              throw new MailError("unreachable", describeFailure(cause, "unreachable"), { cause });
            });
          },
        }
      : {}),
    close: () => mailer.close(),
  };
}

/** By Message-ID: called when the transport reads the first byte of a message. */
const started = new Map<string, () => void>();

function openMailer(transport: NodemailerTransport): Mail {
  // A pool would repeat by itself a mail whose connection broke, which may have been accepted: the outbox decides that.
  const isPool = "pool" in transport && transport.pool === true;
  const mailer: Mail = createTransport(isPool ? { ...transport, maxRequeues: 0 } : transport);
  const { transporter } = mailer;
  const send = transporter.send.bind(transporter);
  // Behind the last stage of the message, DKIM included: SMTP transports read it only after the server's "354 go on".
  transporter.send = (mail, done) => {
    const { message } = mail;
    const onRead = started.get(message?.messageId() ?? "");
    if (onRead !== undefined) message?.processFunc((input) => noticeReading(input, onRead));
    send(mail, done);
  };
  return mailer;
}

function noticeReading(input: Readable, onRead: () => void): Readable {
  async function* read() {
    onRead();
    yield* input;
  }
  const output = Readable.from(read(), { objectMode: false });
  input.once("error", (error) => output.destroy(error));
  return output;
}

/** Ends with the limit also where a transport does not look at it. */
async function withLimit<T>(sending: Promise<T>, limit: AbortSignal): Promise<T> {
  const ended = new Promise<never>((_, reject) => {
    const stop = () => reject(Object.assign(new Error("stopped"), { code: "ABORT_ERR" }));
    if (limit.aborted) stop();
    else limit.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([sending, ended]);
}

/** A transport that lists recipients accepted this one, unless it is in another list. */
function demandAccepted(
  info: {
    readonly rejected?: readonly unknown[] | undefined;
    readonly pending?: readonly unknown[] | undefined;
    readonly response?: string | undefined;
  },
  { to }: OutgoingMail,
): void {
  const isIn = (list: readonly unknown[] | undefined): boolean =>
    list?.some((entry) => String(entry).toLowerCase() === to.toLowerCase()) ?? false;
  const detail = info.response === undefined ? "" : `: ${info.response}`;
  if (isIn(info.rejected)) throw new MailError("refused", `The mail server rejected the recipient${detail}`);
  if (isIn(info.pending)) throw new MailError("deferred", `The mail server deferred the mail${detail}`);
}
