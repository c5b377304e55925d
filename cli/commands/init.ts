import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";

import { examples } from "../command/command.ts";
import { commandName } from "../command/command-name.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { addProductionOptions, chooseProduction } from "./init-production.ts";
import { flag, text } from "../command/globals.ts";
import type { JsonObject } from "../terminal/json.ts";
import { writePrivateFile } from "../client/profiles.ts";

export const define: Define = (command, run) => {
  addProductionOptions(command)
    .argument("[dir]", "folder; created if it does not exist", ".")
    .option("--storage <driver>", "fs, redis, s3 or memory")
    .option("--bucket <name>", "with --storage s3: bucket", "shop-data")
    .option("--region <name>", "with --storage s3: region of the bucket", "us-east-1")
    .option("--endpoint <url>", "with --storage s3: address of the service; default: AWS")
    .option("--mail <transport>", "dev, console or smtp")
    .option("--base-url <url>", "public address of the service")
    .option("--format <format>", "ts or json", "ts")
    .option("--force", "replace an existing configuration")
    .action(run(init));
  examples(command, [
    "platform init shop --yes",
    "platform init shop --production",
    "REDIS_URL=… PLATFORM_SMTP_URL=… platform init --production --base-url https://api.shop.example --storage redis --mail smtp",
    "platform init --storage redis",
    "platform init --storage s3 --bucket shop-data --endpoint https://s3.shop.example",
  ]);
};

interface Choices {
  readonly storage: string;
  readonly mail: string;
  readonly baseUrl: string;
  readonly from: string;
  readonly trustedProxies: readonly string[];
  /** Values for `.env`; empty where the person fills them in. */
  readonly env: Readonly<Record<string, string>>;
  /** Settings of the driver; a value that begins with `$` is the variable of a secret. */
  readonly driverSettings: Readonly<Record<string, string>>;
}

/** Writes a configuration, an .env and lines for .gitignore. Existing files are not replaced. */
async function init(cli: Cli, { args: [dir = "."], options }: Input): Promise<void> {
  const folder = resolve(cli.cwd, dir);
  const format = oneOf("--format", text(options, "format") ?? "ts", ["ts", "json"]);
  const config = join(folder, `platform.config.${format}`);
  const force = flag(options, "force");
  if (existsSync(config) && !force)
    throw usageError(`${config} already exists.`, "use --force to replace it");
  const choices = await choose(cli, options);
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, format === "ts" ? typescript(choices) : json(choices));
  const written = [
    { file: config, what: "written" },
    writeEnv(join(folder, ".env"), choices.env, flag(options, "production")),
    addIgnored(join(folder, ".gitignore")),
  ];
  const given = flag(options, "production") ? choices.env : {};
  for (const name of keptVariables(join(folder, ".env"), given))
    cli.out.warn(`warning: .env sets ${name} to another value, which was kept.`);
  const files: JsonObject[] = written.map(({ file, what }) => ({
    file: relative(cli.cwd, file) || file,
    what,
  }));
  if (cli.out.isJson) await cli.out.value({ files });
  else
    await cli.out.list(files, [
      ["FILE", "file"],
      ["", "what"],
    ]);
  const where = dir === "." ? "" : `cd ${dir} && `;
  const isAway = choices.storage === "redis" || choices.storage === "s3";
  const platform = commandName(cli, folder);
  if (flag(options, "production")) {
    await checkWritten(cli, config);
    return cli.out.info(`Next: ${where}${platform} serve`);
  }
  if (isAway)
    cli.out.info("Set the address and the credentials of the storage in .env or in the environment.");
  const first = isAway ? `${platform} storage provision && ` : "";
  cli.out.info(`Next: ${where}${first}${platform} dev`);
}

/** Fails if `serve` would refuse the configuration. */
async function checkWritten(cli: Cli, configFile: string): Promise<void> {
  const [{ loadConfig }, { checkServable }] = await Promise.all([
    import("../../server/config/load.ts"),
    import("../../server/config/servable.ts"),
  ]);
  for (const warning of checkServable(await loadConfig({ cwd: cli.cwd, configFile, env: cli.io.env }))) {
    cli.out.info(`warning: ${warning}`);
  }
}

async function choose(cli: Cli, options: Input["options"]): Promise<Choices> {
  const asks = cli.ask.isPossible && !cli.globals.yes;
  const pick = async (name: string, message: string, values: readonly string[]): Promise<string> => {
    const given = text(options, name);
    if (given !== undefined) return oneOf(`--${name}`, given, values);
    if (!asks) return values[0] ?? "";
    return cli.ask.choose(
      `--${name}`,
      message,
      values.map((value) => ({ value })),
    );
  };
  const isProduction = flag(options, "production");
  const storage = await pick("storage", "Storage:", isProduction ? STORAGES.slice(0, -1) : STORAGES);
  const mail = await pick(
    "mail",
    "Mail transport:",
    isProduction ? ["smtp", "console"] : ["dev", "console", "smtp"],
  );
  const driverSettings = settingsOf(storage, options);
  if (isProduction) {
    const { secrets, ...production } = await chooseProduction(cli, options, { storage, mail });
    return { ...production, env: secrets, storage, mail, driverSettings };
  }
  const env = { ...ENV_VALUES[storage], ...(mail === "smtp" ? SMTP_VALUES : {}) };
  const baseUrl = text(options, "baseUrl") ?? "";
  if (baseUrl !== "" && !URL.canParse(baseUrl))
    throw usageError(`--base-url ${JSON.stringify(baseUrl)} is not a URL.`);
  return { storage, mail, baseUrl, from: FROM, trustedProxies: [], env, driverSettings };
}

const STORAGES = ["fs", "redis", "s3", "memory"];

function settingsOf(storage: string, options: Input["options"]): Record<string, string> {
  if (storage === "fs") return { base: "./data" };
  if (storage === "redis") return { url: "$REDIS_URL" };
  if (storage !== "s3") return {};
  const endpoint = text(options, "endpoint");
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    region: text(options, "region") ?? "us-east-1",
    bucket: text(options, "bucket") ?? "shop-data",
    accessKeyId: "$AWS_ACCESS_KEY_ID",
    secretAccessKey: "$AWS_SECRET_ACCESS_KEY",
  };
}

function oneOf(name: string, given: string, values: readonly string[]): string {
  if (values.includes(given)) return given;
  throw usageError(`${name} ${JSON.stringify(given)} is not one of ${values.join(", ")}.`);
}

const FROM = "Shop API <no-reply@localhost>";

function typescript({ storage, mail, baseUrl, from, trustedProxies, driverSettings }: Choices): string {
  const smtp = mail === "smtp" ? ', smtp: { url: secret("PLATFORM_SMTP_URL") }' : "";
  const settings = Object.entries({ driver: storage, ...driverSettings }).map(
    ([name, value]) =>
      `${name}: ${value.startsWith("$") ? `secret(${JSON.stringify(value.slice(1))})` : JSON.stringify(value)}`,
  );
  const server =
    trustedProxies.length === 0 ? "" : `  server: { trustedProxies: ${JSON.stringify(trustedProxies)} },\n`;
  const isLong = settings.length > 2;
  const lines = isLong
    ? `{\n${settings.map((line) => `    ${line},\n`).join("")}  }`
    : `{ ${settings.join(", ")} }`;
  const needsSecret = smtp !== "" || settings.some((line) => line.includes("secret("));
  return `import { defineConfig${needsSecret ? ", secret" : ""} } from "storefront-platform/config";

// Only what differs from the defaults. \`platform config show --origin\` prints every setting.
export default defineConfig({
${baseUrl === "" ? "" : `  baseUrl: ${JSON.stringify(baseUrl)},\n`}${server}  storage: ${lines},
${storage === "s3" ? LIMITS_NOTE : ""}  mail: { transport: ${JSON.stringify(mail)}, from: ${JSON.stringify(from)}${smtp} },
});
`;
}

const LIMITS_NOTE = `  // Several nodes on S3 count rate limits in one Redis:
  // limits: { url: secret("REDIS_URL") },
`;

function json({ storage, mail, baseUrl, from, trustedProxies, driverSettings }: Choices): string {
  const settings = Object.entries(driverSettings).map(([name, value]): [string, unknown] => [
    name,
    value.startsWith("$") ? { $secret: value.slice(1) } : value,
  ]);
  const config = {
    ...(baseUrl === "" ? {} : { baseUrl }),
    ...(trustedProxies.length === 0 ? {} : { server: { trustedProxies } }),
    storage: { driver: storage, ...Object.fromEntries(settings) },
    mail: {
      transport: mail,
      from,
      ...(mail === "smtp" ? { smtp: { url: { $secret: "PLATFORM_SMTP_URL" } } } : {}),
    },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

const ENV_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  redis: { REDIS_URL: "redis://127.0.0.1:6379" },
  s3: { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" },
};
const SMTP_VALUES = { PLATFORM_SMTP_URL: "smtp://user:password@mail.shop.example:587" };

/** Writes the variables of the secrets. An existing file gets those that it lacks, but no example values. */
function writeEnv(file: string, env: Choices["env"], isComplete: boolean): { file: string; what: string } {
  const before = existsSync(file) ? readFileSync(file, "utf8") : null;
  const known = parseEnv(before ?? "");
  const missing = Object.entries(env).filter(([name]) => known[name] === undefined);
  if (before !== null && (missing.length === 0 || !isComplete)) return { file, what: "unchanged" };
  const head = "# Variables of the service; those of the environment take precedence.\n";
  const lines = missing.map(([name, value]) => `${name}=${quoteEnv(value)}\n`).join("");
  const gap = before === null || before === "" || before.endsWith("\n") ? "" : "\n";
  writePrivateFile(file, `${before ?? head}${gap}${lines}`);
  return {
    file,
    what: before === null ? "written, readable only by you" : `${missing.length} variables added`,
  };
}

/** Variables that `.env` set to something else before. */
function keptVariables(file: string, env: Choices["env"]): string[] {
  const known = parseEnv(readFileSync(file, "utf8"));
  return Object.entries(env).flatMap(([name, value]) => (known[name] === value ? [] : [name]));
}

/** A value for a file that `parseEnv` of Node reads. */
function quoteEnv(value: string): string {
  if (/^[\w:/@.%+=?&,~!*;-]*$/.test(value)) return value;
  const mark = ["'", '"', "`"].find((quote) => !value.includes(quote));
  if (mark === undefined || /[\r\n]/.test(value))
    throw usageError("A value contains line breaks or all kinds of quotes.");
  return mark + value + mark;
}

const IGNORED = ["/data/", ".env", ".env.local", ".platform/"];

function addIgnored(file: string): { file: string; what: string } {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const missing = IGNORED.filter((line) => !before.split(/\r?\n/).includes(line));
  if (missing.length === 0) return { file, what: "unchanged" };
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  writeFileSync(file, `${before}${gap}${missing.join("\n")}\n`);
  return { file, what: `${missing.length} lines added` };
}
