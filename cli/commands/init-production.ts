import type { Command } from "commander";

import type { Cli, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { usageError } from "../terminal/exit.ts";

/** Settings of a production server, beyond storage and mail transport. */
export interface Production {
  readonly baseUrl: string;
  readonly from: string;
  readonly trustedProxies: readonly string[];
  /** Values for `.env`, by variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Options of `init --production`; each has a prompt. */
export const addProductionOptions = (command: Command): Command =>
  command
    .option("--production", "write a configuration that `platform serve` runs as it is")
    .option("--storage-url <url>", "with --storage redis: address of Redis; with a password: REDIS_URL")
    .option("--mail-from <address>", "sender of mail, such as Shop API <no-reply@shop.example>")
    .option(
      "--smtp-url <url>",
      "with --mail smtp: address of the mail server; with a password: PLATFORM_SMTP_URL",
    )
    .option("--trusted-proxies <list>", "addresses of the proxies in front, comma-separated; none");

/** Reads the settings from flags, variables and prompts. */
export async function chooseProduction(
  cli: Cli,
  options: Input["options"],
  { storage, mail }: { readonly storage: string; readonly mail: string },
): Promise<Production> {
  const ask = async (name: string, flag: string, message: string, initial?: string): Promise<string> =>
    text(options, name) ?? cli.ask.text(flag, message, initial);
  const baseUrl = await ask("baseUrl", "--base-url", "Public address, such as https://api.shop.example:");
  const secrets: Record<string, string> = {};
  for (const source of secretsOf({ storage, mail })) {
    const [name, value] = await readSecret(cli, options, source);
    secrets[name] = value;
  }
  const from = await ask(
    "mailFrom",
    "--mail-from",
    "Sender of mail:",
    `Shop API <no-reply@${hostOf(baseUrl)}>`,
  );
  const proxies = await ask(
    "trustedProxies",
    "--trusted-proxies",
    "Addresses of the proxies in front, or none:",
    "127.0.0.1",
  );
  const trustedProxies = proxies.split(",").map((part) => part.trim());
  return {
    baseUrl,
    from,
    secrets,
    trustedProxies: trustedProxies.filter((part) => part !== "" && part !== "none"),
  };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "localhost");

interface SecretSource {
  readonly variable: string;
  /** Option for a value without a password. */
  readonly option?: string;
  readonly flag?: string;
  readonly message: string;
}

/** A secret is read from an option without a password, its variable, or a masked prompt. */
async function readSecret(
  cli: Cli,
  options: Input["options"],
  { variable, option = "", flag = variable, message }: SecretSource,
): Promise<readonly [string, string]> {
  const given = text(options, option);
  if (given !== undefined && URL.canParse(given) && new URL(given).password !== "") {
    const detail = `${flag} contains a password, which other users of the machine can see.`;
    throw usageError(detail, `${variable}=… platform init --production …`);
  }
  const value = given ?? cli.io.env[variable] ?? "";
  return [variable, value === "" ? await cli.ask.secret(flag, message) : value];
}

/** The secrets that a choice of storage and mail needs. */
function secretsOf({ storage, mail }: { readonly storage: string; readonly mail: string }): SecretSource[] {
  const redis = {
    variable: "REDIS_URL",
    option: "storageUrl",
    flag: "--storage-url",
    message: "Address of Redis:",
  };
  const smtp = {
    variable: "PLATFORM_SMTP_URL",
    option: "smtpUrl",
    flag: "--smtp-url",
    message: "Address of the mail server (smtp://user:password@host:587):",
  };
  const s3 = [
    { variable: "AWS_ACCESS_KEY_ID", message: "Access key id:" },
    { variable: "AWS_SECRET_ACCESS_KEY", message: "Secret access key:" },
  ];
  return [
    ...(storage === "redis" ? [redis] : []),
    ...(storage === "s3" ? s3 : []),
    ...(mail === "smtp" ? [smtp] : []),
  ];
}
