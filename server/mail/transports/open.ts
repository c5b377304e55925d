import type { NodemailerTransport } from "../../config/extensions.ts";
import type { MailTransport } from "../transport.ts";
import { createConsoleTransport } from "./console.ts";
import { createDevTransport } from "./dev.ts";
import type { SmtpConfig } from "./smtp-options.ts";

/** `mail` of the configuration, as far as transports need it. */
export interface TransportConfig {
  readonly transport: MailTransport["name"];
  readonly smtp?: SmtpConfig | undefined;
}

/**
 * Makes the configured transport. `write` prints to the operator (standard error); `custom` is the object that `mail.transport`
 * of the configuration file is. Throws a TypeError on a bad SMTP URL.
 */
export async function openTransport(
  config: TransportConfig,
  write: (text: string) => void,
  custom?: NodemailerTransport,
): Promise<MailTransport> {
  if (config.transport === "nodemailer" && custom !== undefined)
    return (await import("./nodemailer.ts")).createNodemailerTransport(custom);
  if (config.transport === "smtp") return (await import("./smtp.ts")).createSmtpTransport(config.smtp ?? {});
  return config.transport === "console" ? createConsoleTransport(write) : createDevTransport(write);
}
