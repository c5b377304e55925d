import type { MailTransport } from "../transport.ts";
import { linkLines } from "./console.ts";

/**
 * Delivers into the store, where every mail lies anyway and the inbox page shows it. One line a mail tells the
 * developer's console, with the link, so that nobody has to look for the page.
 */
export const createDevTransport = (write: (text: string) => void): MailTransport => ({
  name: "dev",
  send(mail) {
    write(`${["✉", mail.to, ` ${mail.subject}`, ` ${linkLines(mail.text)[0] ?? ""}`].join(" ").trimEnd()}\n`);
    return Promise.resolve({ accepted: true, id: mail.id });
  },
});
