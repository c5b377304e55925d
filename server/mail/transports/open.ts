import type { MailTransport } from "../transport.ts";
import { createConsoleTransport } from "./console.ts";
import { createDevTransport } from "./dev.ts";
import { createSmtpTransport } from "./smtp.ts";
import type { SmtpConfig } from "./smtp-options.ts";

/** `mail` of the configuration, as far as transports need it. */
export interface TransportConfig {
  readonly transport: "dev" | "console" | "smtp";
  readonly smtp?: SmtpConfig | undefined;
}

/** Makes the configured transport. `write` prints to the operator (standard error). Throws a TypeError on a bad SMTP URL. */
export function openTransport(config: TransportConfig, write: (text: string) => void): MailTransport {
  if (config.transport === "smtp") return createSmtpTransport(config.smtp ?? {});
  return config.transport === "console" ? createConsoleTransport(write) : createDevTransport(write);
}
