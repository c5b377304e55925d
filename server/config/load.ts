import type { LoadOptions, Sources } from "./sources.ts";
import { resolve } from "node:path";
import { ConfigError, type ConfigProblem } from "./error.ts";
import { Extensions } from "./extensions.ts";
import { configFields } from "./fields.ts";
import { type Layer, layerAt, leafAt, toLayer, toPlain } from "./layers.ts";
import { toProblems } from "./problems.ts";
import { ConfigSchema, type Config } from "./schema.ts";
import { resolveSecrets } from "./secrets.ts";
import { DEFAULT_ORIGIN, readSources } from "./sources.ts";
import { formatPath, leafPaths, type Path, setValueAt, valueAt } from "./tree.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** The configuration file as people would refer to it; `configuration` when there is none. */
  readonly subject: string;
  /** Absolute name of the configuration file; null when there is none and defaults hold. */
  readonly file: string | null;
  /** The folder that relative names in the configuration belong to: the file's, else `cwd`. */
  readonly dir: string;
  /** For each value of `config` (`plans[0].id`): where it was written, `default` for one that no layer set. */
  readonly origins: Readonly<Record<string, string>>;
  /** Paths whose values are never printed. */
  readonly secrets: readonly string[];
  /** Code of the operator. */
  readonly extensions: Extensions;
  /** Things that were ignored or should be different, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * The configuration for this process. Strongest first: flags, `PLATFORM_…` (then `PORT` and `HOST`), the files
 * `.env.local` and `.env`, the configuration file, defaults. Throws ConfigError, which lists every problem at once.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { subject, file, dir, warnings, env, extensions, ...sources } = await readSources(options);
  const { layer, problems } = resolveSecrets(sources.layer, env);
  // Compiling a check takes longer than the only configuration that it reads.
  const parsed = ConfigSchema.safeParse(toPlain(layer), { jitless: true });
  const custom = resolveTransport(extensions, { subject, dir, env });
  problems.push(...custom.problems);
  const unresolved = new Set(problems.map(({ path }) => path));
  const invalid = toProblems(parsed.error?.issues ?? [], layer).filter(({ path }) => !unresolved.has(path));
  if (!parsed.success || problems.length > 0) throw new ConfigError(subject, [...problems, ...invalid]);

  const config = complete(parsed.data, layer, dir);
  demandTransport(config, custom.extensions, subject);
  const paths = leafPaths(config);
  return {
    config,
    subject,
    file,
    dir,
    origins: Object.fromEntries(paths.map((path) => [formatPath(path), originOf(layer, path)])),
    secrets: paths.filter((path) => isSecret(layer, path)).map(formatPath),
    extensions: custom.extensions,
    warnings,
  };
}

/** The options of a mail transport with the values of their secrets; a transport that is made already is left as it is. */
function resolveTransport(
  extensions: Extensions,
  { subject, dir, env }: Pick<Sources, "subject" | "dir" | "env">,
): { readonly extensions: Extensions; readonly problems: readonly ConfigProblem[] } {
  const options = extensions.mailTransport;
  if (options === undefined || "send" in options) return { extensions, problems: [] };
  const path = ["mail", "transport"];
  const { layer, problems } = resolveSecrets(layerAt(path, toLayer(options, { origin: subject, dir })), env);
  const mailTransport = valueAt(toPlain(layer), path);
  return { extensions: { ...extensions, ...Extensions.parse({ mailTransport }) }, problems };
}

function demandTransport({ mail }: Config, { mailTransport }: Extensions, subject: string): void {
  if (mail.transport !== "nodemailer" || mailTransport !== undefined) return;
  const message =
    "expected an object: a transport of nodemailer or its options, such as { pool: true, host: … }";
  throw new ConfigError(subject, [{ path: "mail.transport", message, origin: subject }]);
}

/** The address at which `server` can be reached from this machine: the base URL where none is configured. */
export function addressOf({ host, port, https }: Pick<Config["server"], "host" | "port" | "https">): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${https === false ? "http" : "https"}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Makes file names (not URLs) absolute, each from the place it was written in, and takes the slash off the end of `baseUrl`. */
function complete(parsed: Config, layer: Layer, dir: string): Config {
  for (const field of configFields().filter(({ isPath }) => isPath)) {
    const path = field.path.split(".");
    const name = valueAt(parsed, path);
    if (typeof name !== "string" || name.startsWith("s3://")) continue;
    setValueAt(parsed, path, resolve(leafAt(layer, path)?.leaf.source.dir ?? dir, name));
  }
  return parsed.baseUrl === undefined ? parsed : { ...parsed, baseUrl: parsed.baseUrl.replace(/\/+$/, "") };
}

/** A member that a list leaves out is a default, although the list itself was written. */
function originOf(layer: Layer, path: Path): string {
  const found = leafAt(layer, path);
  if (found === null || valueAt(found.leaf.value, found.rest) === undefined) return DEFAULT_ORIGIN;
  return found.leaf.source.origin;
}

function isSecret(layer: Layer, path: Path): boolean {
  // Settings inside a list are declared for all of its items.
  const name = formatPath(path).replaceAll(/\[\d+\]/g, "[]");
  const isDeclared = configFields().some(
    (field) => field.isSecret && (field.path === name || name.startsWith(`${field.path}.`)),
  );
  return isDeclared || leafAt(layer, path)?.leaf.isSecret === true;
}
