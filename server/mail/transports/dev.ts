import type { MailTransport } from "../transport.ts";
import { linkLines } from "./console.ts";

/**
 * Delivers into the store, where every mail is stored anyway and the inbox page shows it. Prints one line a mail to the
 * developer's console, with the link, so that the page need not be opened.
 */
export const createDevTransport = (write: (text: string) => void): MailTransport => ({
  name: "dev",
  send(mail) {
    write(`${["✉", mail.to, ` ${mail.subject}`, ` ${linkLines(mail.text)[0] ?? ""}`].join(" ").trimEnd()}\n`);
    return Promise.resolve({ accepted: true, id: mail.id });
  },
});
