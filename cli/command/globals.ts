import type { Command } from "commander";

/** Options of every command; they can be anywhere on the command line. */
export interface Globals {
  readonly config: string | undefined;
  readonly profile: string | undefined;
  readonly url: string | undefined;
  readonly store: string | undefined;
  readonly keyFile: string | undefined;
  readonly cacert: string | undefined;
  readonly json: boolean;
  /** Filter for JSON documents; its output is printed instead. */
  readonly jq: string | undefined;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly yes: boolean;
  readonly input: boolean;
  readonly color: boolean;
  readonly timeout: string;
}

export function addGlobalOptions(program: Command): void {
  program
    .optionsGroup("Target:")
    .option("-c, --config <file>", "configuration file of the service")
    .option("-C, --cwd <dir>", "run as if started in this folder")
    .option("-p, --profile <name>", "profile to use (see `platform help profiles`)")
    .option("--url <base>", "address of a running service")
    .option("--store <id>", "store to use (X-Service-Store)")
    .option("--key-file <file>", "file with the API key or operator token; - reads stdin")
    .option("--cacert <file>", "certificates of the authorities to trust for HTTPS (PEM)")
    .option("--timeout <duration>", "timeout of a request", "30s")
    .optionsGroup("Output:")
    .option("--json", "print one JSON document; streams print one line per event")
    .option("--jq <filter>", "filter the JSON with jq; strings are printed without quotes")
    .option("--plain", "print tab-separated values without a header, as in a pipe")
    .option("-q, --quiet", "suppress diagnostics on stderr")
    .option("-v, --verbose", "print requests and timings to stderr (also PLATFORM_DEBUG=1)")
    .option("--no-color", "disable colors (also NO_COLOR)")
    .optionsGroup("Prompts:")
    .option("-y, --yes", "answer yes to every confirmation")
    .option("--no-input", "never prompt; exit with code 2 instead")
    .optionsGroup("Help:")
    .helpOption("-h, --help", "show this page");
}

/** The parsed global options. */
export function readGlobals(
  options: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Globals {
  return {
    config: text(options, "config"),
    profile: text(options, "profile") ?? nonEmpty(env.PLATFORM_PROFILE),
    url: text(options, "url") ?? nonEmpty(env.PLATFORM_URL),
    store: text(options, "store") ?? nonEmpty(env.PLATFORM_STORE),
    keyFile: text(options, "keyFile"),
    cacert: text(options, "cacert"),
    json: flag(options, "json") || text(options, "jq") !== undefined,
    jq: text(options, "jq"),
    plain: flag(options, "plain"),
    quiet: flag(options, "quiet"),
    verbose: flag(options, "verbose") || (env.PLATFORM_DEBUG ?? "") !== "",
    yes: flag(options, "yes"),
    input: options.input !== false,
    color: options.color !== false,
    timeout: text(options, "timeout") ?? "30s",
  };
}

/** The text of an option; undefined if it is not set. */
export function text(options: Record<string, unknown>, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

export const flag = (options: Record<string, unknown>, name: string): boolean => options[name] === true;

/** Values of an option that may be repeated. */
export function texts(options: Record<string, unknown>, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Collects a repeatable option: `.option("-F <field>", "…", collect)`. */
export const collect = (value: string, before: unknown): string[] => [
  ...(Array.isArray(before) ? before.filter((item) => typeof item === "string") : []),
  value,
];

const nonEmpty = (value: string | undefined): string | undefined => (value === "" ? undefined : value);
