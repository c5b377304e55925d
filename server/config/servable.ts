import { ConfigError, type ConfigProblem, quote } from "./error.ts";
import type { LoadedConfig } from "./load.ts";
import { DEFAULT_ORIGIN } from "./sources.ts";

/**
 * What `serve` demands beyond a valid configuration: choices that nobody may make silently for a public server. Throws
 * ConfigError; returns warnings about choices that were made and are unusual.
 */
export function checkServable({ config, origins, subject }: LoadedConfig): string[] {
  const { baseUrl, mail, server, storage } = config;
  const isUnset = (path: string) => origins[path] === DEFAULT_ORIGIN;
  const origin = (path: string) => origins[path] ?? DEFAULT_ORIGIN;
  const problems: ConfigProblem[] = [];
  if (baseUrl === undefined) {
    const message = "not set: the public address, with which links in mails start (PLATFORM_BASE_URL)";
    problems.push({ path: "baseUrl", message, origin: DEFAULT_ORIGIN });
  }
  if (isUnset("mail.transport")) {
    const message = 'not set: "smtp" sends mails, "console" prints them to the log (PLATFORM_MAIL_TRANSPORT)';
    problems.push({ path: "mail.transport", message, origin: DEFAULT_ORIGIN });
  } else if (mail.transport === "dev" && baseUrl !== undefined && !isLoopback(baseUrl)) {
    const message = '"dev" would show every mail to whoever opens the inbox page; use "smtp" or "console"';
    problems.push({ path: "mail.transport", message, value: "dev", origin: origin("mail.transport") });
  }
  if (mail.transport === "smtp" && isUnset("mail.from")) {
    problems.push({
      path: "mail.from",
      message: "not set: the sender of mails (PLATFORM_MAIL_FROM)",
      origin: DEFAULT_ORIGIN,
    });
  }
  if (problems.length > 0) throw new ConfigError(subject, problems);
  return [
    ...(mail.transport === "smtp"
      ? []
      : [`mail.transport is ${quote(mail.transport)}: no mail leaves this machine.`]),
    ...(storage.driver === "memory"
      ? ['storage.driver is "memory": all data is lost when the server stops.']
      : []),
    ...(server.https === true ? ["server.https is true: browsers warn of a self-signed certificate."] : []),
  ];
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
