import { ConfigError, type ConfigProblem, quote } from "./error.ts";
import type { LoadedConfig } from "./load.ts";
import { problemsOfPackages } from "./packages.ts";
import { DEFAULT_ORIGIN } from "./sources.ts";

export interface ServableOptions {
  /** Processes that will serve together: `serve --workers`, and other nodes that are known. */
  readonly nodes?: number;
}

/**
 * What `serve` demands beyond a valid configuration: choices that no default may make silently for a public server. Throws
 * ConfigError; returns warnings about choices that were made and are unusual.
 */
export function checkServable(loaded: LoadedConfig, { nodes = 1 }: ServableOptions = {}): string[] {
  const { config, origins, subject } = loaded;
  const { baseUrl, mail, server } = config;
  const isUnset = (path: string) => origins[path] === DEFAULT_ORIGIN;
  const origin = (path: string) => origins[path] ?? DEFAULT_ORIGIN;
  const problems: ConfigProblem[] = [];
  if (baseUrl === undefined) {
    const message = "not set. Set the public URL that links in mails start with (PLATFORM_BASE_URL)";
    problems.push({ path: "baseUrl", message, origin: DEFAULT_ORIGIN });
  }
  if (isUnset("mail.transport")) {
    const message =
      'not set. Use "smtp" to send mail or "console" to print it to the log (PLATFORM_MAIL_TRANSPORT)';
    problems.push({ path: "mail.transport", message, origin: DEFAULT_ORIGIN });
  } else if (mail.transport === "dev" && baseUrl !== undefined && !isLoopback(baseUrl)) {
    const message = '"dev" shows every mail to anyone who opens the inbox page. Use "smtp" or "console"';
    problems.push({ path: "mail.transport", message, value: "dev", origin: origin("mail.transport") });
  }
  const leaves = mail.transport === "smtp" || mail.transport === "nodemailer";
  if (leaves && isUnset("mail.from")) {
    problems.push({
      path: "mail.from",
      message: "not set. Set the sender of mails (PLATFORM_MAIL_FROM)",
      origin: DEFAULT_ORIGIN,
    });
  }
  problems.push(...problemsOfNodes(loaded, nodes), ...problemsOfPackages(loaded));
  if (problems.length > 0) throw new ConfigError(subject, problems);
  return [
    ...(leaves ? [] : [`mail.transport is ${quote(mail.transport)}: no mail leaves this machine.`]),
    ...warningsOfStorage(config),
    ...warningsOfFiles(config, nodes),
    ...(server.https === true
      ? ["server.https is true: browsers show a warning for the self-signed certificate."]
      : []),
    // As `platform doctor` finds it, which few run before the first complaint.
    ...(baseUrl?.startsWith("https:") === true && server.https === false && server.trustedProxies.length === 0
      ? [
          "server.trustedProxies is not set, but baseUrl is https and the server is not: a proxy must be in front of it, and all visitors share the limits of one IP address (PLATFORM_TRUSTED_PROXIES).",
        ]
      : []),
  ];
}

/** Nodes on several machines need the same files. */
function warningsOfFiles({ files, storage }: LoadedConfig["config"], nodes: number): string[] {
  const isFolder = files?.driver === "fs" || files?.driver === "fs-lite";
  if (!isFolder || (nodes <= 1 && storage.driver !== "redis" && storage.driver !== "s3")) return [];
  return [
    "files are stored in a folder: every node must have the same folder there, or uploads are missing on the others.",
  ];
}

/** One process owns a folder; on S3 only Redis can count one limit for several. */
function problemsOfNodes(
  { config: { storage, limits }, origins }: Pick<LoadedConfig, "config" | "origins">,
  nodes: number,
): ConfigProblem[] {
  if (nodes <= 1 || storage.driver === "redis" || storage.driver === "custom") return [];
  if (storage.driver === "s3") {
    if (limits.url !== undefined) return [];
    const message = `not set. ${nodes} nodes on S3 need a shared Redis to count rate limits (PLATFORM_LIMITS_URL)`;
    return [{ path: "limits.url", message, origin: DEFAULT_ORIGIN }];
  }
  const message = `${quote(storage.driver)} supports one process, not ${nodes}. Use "redis", or "s3" with limits.url`;
  return [
    {
      path: "storage.driver",
      message,
      value: storage.driver,
      origin: origins["storage.driver"] ?? DEFAULT_ORIGIN,
    },
  ];
}

function warningsOfStorage({ storage, limits }: LoadedConfig["config"]): string[] {
  const isCounted = limits.url !== undefined;
  switch (storage.driver) {
    case "memory":
      return [
        'storage.driver is "memory": all data is lost when the server stops.',
        ...idle(isCounted, storage),
      ];
    case "fs":
    case "unstorage":
    case "custom":
      return idle(isCounted, storage);
    case "redis":
      return [
        ...(storage.allowVolatile === true
          ? ["storage.allowVolatile is true: acknowledged writes may be lost when Redis stops."]
          : []),
        ...idle(isCounted, storage),
      ];
    case "s3":
      return isCounted
        ? []
        : ["limits.url is not set: rate limits are counted by one node, and a second node is refused."];
  }
}

const idle = (isSet: boolean, { driver }: { readonly driver: string }): string[] =>
  isSet ? [`limits.url has no effect: storage.driver ${quote(driver)} counts rate limits itself.`] : [];

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}
