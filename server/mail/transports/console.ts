import type { MailTransport } from "../transport.ts";

/** Prints who gets which mail, and its links on lines of their own: for a service without SMTP, or for scripts. */
export const createConsoleTransport = (write: (text: string) => void): MailTransport => ({
  name: "console",
  send(mail) {
    write(
      `✉ ${mail.to}  ${mail.subject}\n${linkLines(mail.text)
        .map((link) => `${link}\n`)
        .join("")}`,
    );
    return Promise.resolve({ accepted: true, id: mail.id });
  },
});

/** The lines of a text part that are a link and nothing else. */
export const linkLines = (text: string): string[] =>
  text.split("\n").filter((line) => /^https?:\/\/\S+$/.test(line));
