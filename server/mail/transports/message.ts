import type { SendMailOptions } from "nodemailer";

import type { OutgoingMail } from "../transport.ts";

/** A mail as nodemailer composes it. Nothing in it is read from files or other servers. */
export const toMessage = (mail: OutgoingMail) =>
  ({
    from: mail.from,
    to: { name: "", address: mail.to },
    ...(mail.replyTo === undefined ? {} : { replyTo: { name: "", address: mail.replyTo } }),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    date: new Date(mail.dateMs),
    // RFC 3834: no answering machine should answer.
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...unsubscribeHeaders(mail),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }) satisfies SendMailOptions;

/** RFC 8058: a mail program unsubscribes by one POST, without asking anybody anything. */
const unsubscribeHeaders = ({ unsubscribeUrl: url }: OutgoingMail): Record<string, string> =>
  url === undefined
    ? {}
    : { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
