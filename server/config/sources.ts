import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { type EnvSource, fromText, toAliasLayer, toEnvLayer, warnOfUnknownNames } from "./environment.ts";
import { ConfigError, errorCode } from "./error.ts";
import { Extensions } from "./extensions.ts";
import { configFields } from "./fields.ts";
import { findConfigFile, type FoundFile } from "./find-file.ts";
import { type Layer, layerAt, leafAt, overlay, toLayer } from "./layers.ts";

import { ConfigFileError, readConfigFile } from "./read-file.ts";
import { toPath } from "./problems.ts";
import { formatPath, isSecretRef, valueAt } from "./tree.ts";

export const DEFAULT_ORIGIN = "default";

/** Everything that was written for this configuration, laid over each other but not checked. */
export interface Sources {
  /** The configuration file for people, relative where it is below the working folder. */
  readonly subject: string;
  /** Absolute, or null when there is none. */
  readonly file: string | null;
  readonly dir: string;
  readonly layer: Layer;
  readonly env: readonly EnvSource[];
  readonly extensions: Extensions;
  readonly warnings: readonly string[];
}

/** Finds and reads all sources. Throws ConfigError when the configuration file cannot be used at all. */
export async function readSources(options: LoadOptions): Promise<Sources> {
  const cwd = resolve(options.cwd);
  const isDev = options.dev ?? false;
  const given = options.settings;
  const found = given === undefined ? findConfigFile(cwd, options.configFile, options.env) : null;
  const dir = found === null ? cwd : dirname(found.file);
  const subject = found === null ? "configuration" : displayName(found.file, cwd);
  const { settings: exported, ignored } =
    found === null ? { settings: given ?? {}, ignored: [] } : await readSettings(found, subject, isDev);
  const { settings, extensions } = splitExtensions(exported, subject);
  const env = envSources(options.env, { cwd, dir });
  const layers = [
    toLayer(defaults(isDev), { origin: DEFAULT_ORIGIN, dir }),
    toLayer(settings, { origin: subject, dir }),
    toEnvLayer(configFields(), env),
    ...(options.flags ?? []).map((flag) => flagLayer(flag, cwd)),
  ];
  return {
    subject,
    file: found?.file ?? null,
    dir,
    layer: addAliases(layers.reduce(overlay), env),
    env,
    extensions,
    warnings: [
      ...(found?.ignored ?? []).map(
        (name) => `${name} is ignored because ${subject} exists in the same folder.`,
      ),
      ...ignored.map(
        (name) =>
          `${subject}: ${name} is ignored. Set values that differ between machines with PLATFORM_… variables.`,
      ),
      ...literalSecrets(settings).map(
        (path) => `${subject}: ${path} contains a secret. Use secret("NAME") and set the variable NAME.`,
      ),
      ...warnOfUnknownNames(configFields(), env),
    ],
  };
}

/** What the chosen driver's own variables say, below everything else that was written. */
function addAliases(layer: Layer, used: readonly EnvSource[]): Layer {
  const driver = leafAt(layer, ["storage", "driver"])?.leaf.value;
  const aliases = typeof driver === "string" ? toAliasLayer(configFields(), driver, used) : null;
  return aliases === null ? layer : overlay(aliases, layer);
}

/** Defaults that the schema cannot give: they depend on the command, or another layer must be able to replace them. */
function defaults(isDev: boolean) {
  return { storage: { driver: "fs" }, log: { format: isDev ? "pretty" : "json" } };
}

/** Members that begin with `$` are not settings: `$schema` is the editor's, others are layers of other tools. */
async function readSettings(found: FoundFile, subject: string, isDev: boolean) {
  const exported = await readConfigFile(found.file, isDev).catch((error: unknown) => {
    throw error instanceof ConfigFileError ? toConfigError(error, found, subject) : error;
  });
  const isSetting = ([name]: [string, unknown]) => !name.startsWith("$");
  return {
    settings: Object.fromEntries(Object.entries(exported).filter(isSetting)),
    ignored: Object.keys(exported).filter((name) => name.startsWith("$") && name !== "$schema"),
  };
}

function toConfigError(error: ConfigFileError, found: FoundFile, subject: string): ConfigError {
  const origin = error.line === null ? (found.askedBy ?? subject) : `${subject}:${error.line}`;
  return new ConfigError(subject, [{ path: "", message: error.message, origin }]);
}

/** Separates code from settings. An object as `mail.transport` leaves the name of its kind behind, as does a driver as `storage.driver`. */
function splitExtensions(exported: object, subject: string) {
  const { aiProviders, engines, hooks, plugins, ...given }: Readonly<Record<string, unknown>> = {
    ...exported,
  };
  const mailTransport = valueAt(given, ["mail", "transport"]);
  const isCustom = typeof mailTransport === "object" && isCode(mailTransport);
  const driver: unknown = Reflect.get(toObject(given.storage), "driver");
  const use = typeof driver === "function" ? { name: driver.name, open: driver } : driver;
  const settings = {
    ...given,
    ...(isCustom ? { mail: { ...toObject(given.mail), transport: "nodemailer" } } : {}),
    ...(isCode(driver) ? { storage: { ...toObject(given.storage), driver: "custom", use } } : {}),
  };
  const parsed = Extensions.safeParse({
    aiProviders,
    engines,
    hooks,
    plugins,
    ...(isCustom ? { mailTransport } : {}),
  });
  if (parsed.success) return { settings, extensions: parsed.data };
  throw new ConfigError(
    subject,
    parsed.error.issues.map((issue) => ({
      path: formatPath(toPath(issue.path)),
      message: issue.message,
      origin: subject,
    })),
  );
}

const isCode = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null && !isSecretRef(value));

const toObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

/** The environment, then `.env.local` and `.env` in the folder of the configuration. */
function envSources(values: LoadOptions["env"], { cwd, dir }: { cwd: string; dir: string }): EnvSource[] {
  const own = { label: "env", dir: cwd, values };
  const files = [".env.local", ".env"].flatMap((label) => readEnvFile(label, dir) ?? []);
  return [own, ...files];
}

function readEnvFile(label: string, dir: string): EnvSource | null {
  try {
    // Editors of Windows begin a file with a mark that would become a part of the first name.
    return { label, dir, values: parseEnv(readFileSync(join(dir, label), "utf8").replace(/^\uFEFF/, "")) };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return null;
    throw new ConfigError(label, [{ path: "", message: `cannot be read (${code})`, origin: label }]);
  }
}

function flagLayer({ name, path, value }: Flag, cwd: string): Layer {
  const field = configFields().find((candidate) => candidate.path === path);
  if (field === undefined) throw new TypeError(`The flag ${name} sets "${path}", which is not a setting.`);
  const typed = typeof value === "string" ? fromText(field, value) : value;
  return layerAt(path.split("."), toLayer(typed, { origin: `flag ${name}`, dir: cwd }));
}

/** A mail server without a password is no secret. */
function literalSecrets(settings: unknown): string[] {
  return configFields().flatMap(({ path, isSecret }) => {
    const value = isSecret ? valueAt(settings, path.split(".")) : undefined;
    if (typeof value !== "string") return [];
    return URL.canParse(value) && new URL(value).password === "" && value.includes("://") ? [] : [path];
  });
}

function displayName(file: string, cwd: string): string {
  const below = relative(cwd, file);
  return below.startsWith("..") ? file : below;
}

/** A command line flag that sets one setting: `{ name: "--port", path: "server.port", value: "8080" }`. */
export interface Flag {
  readonly name: string;
  readonly path: string;
  readonly value: string | number | boolean;
}

export interface LoadOptions {
  /** Where the search for a configuration file begins, and what names given by flag or environment are relative to. */
  readonly cwd: string;
  /** The file that `--config` names. */
  readonly configFile?: string | undefined;
  /** What a configuration file would export, in place of one. */
  readonly settings?: object;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: readonly Flag[];
  /** `platform dev`: the default log format is `pretty`, and a file that has changed is read again. */
  readonly dev?: boolean;
}
