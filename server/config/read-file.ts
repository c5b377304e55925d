import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { findBuilt, findPackageRoot } from "../core/package-root.ts";
import { errorCode } from "./error.ts";
import { isRecord } from "./tree.ts";

/** Why a file gives no configuration. */
export class ConfigFileError extends Error {
  override readonly name = "ConfigFileError";
  /** Line in the file, where one is known. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/**
 * The configuration that `file` exports, unchecked but for being an object. Throws ConfigFileError, with one message
 * each for a file that is absent, cannot be read, fails when it is run, or exports something else. `fresh` reads the
 * file again although this process has read it before.
 */
export async function readConfigFile(file: string, fresh: boolean): Promise<Record<string, unknown>> {
  const text = readText(file);
  const value = extname(file) === ".json" ? parseJson(text) : await evaluate(file, fresh);
  if (isRecord(value)) return value;
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new ConfigFileError(`must export an object, received ${kind}`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = errorCode(error);
    throw new ConfigFileError(code === "ENOENT" ? "no such file" : `cannot be read (${code})`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, reason = message, position] = /^(.*?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
    const line = position === undefined ? null : text.slice(0, Number(position)).split("\n").length;
    throw new ConfigFileError(`is not valid JSON: ${reason}`, line);
  }
}

async function evaluate(file: string, fresh: boolean): Promise<unknown> {
  const reimported = fresh && /\.m?js$/.test(file) ? await importAgain(file) : null;
  return reimported === null ? run(file, fresh) : reimported.value;
}

/**
 * Node keeps a script for the life of the process, by its address: a new address makes it read the file again. Null
 * when that fails for whatever reason; then the other way of running it succeeds or says what is wrong.
 */
async function importAgain(file: string): Promise<{ value: unknown } | null> {
  delete createRequire(file).cache[file];
  imports += 1;
  try {
    const module: unknown = await import(/* @vite-ignore */ `${pathToFileURL(file).href}?again=${imports}`);
    const value =
      module !== null && typeof module === "object" && "default" in module ? module.default : module;
    return { value: typeof value === "function" ? await value() : value };
  } catch {
    return null;
  }
}

let imports = 0;

/** Runs the file, in TypeScript or JavaScript, as ES module or CommonJS; what it exports, or the result of an exported function. */
async function run(file: string, fresh: boolean): Promise<unknown> {
  const { createJiti } = await import("jiti");
  try {
    const jiti = createJiti(file, {
      // The cache would leave the configuration in a folder that everybody can read.
      fsCache: false,
      // Node imports faster, but a file only once per process: of no use to a server that reloads.
      tryNative: !fresh,
      moduleCache: false,
      interopDefault: true,
      alias: {
        "storefront-platform/config": exportedModule("config/define"),
        "storefront-platform/engine": exportedModule("engine"),
        "storefront-platform/driver": exportedModule("driver"),
      },
      // What they declare must be known to this very instance of the platform.
      nativeModules: ["storefront-platform"],
    });
    const value: unknown = await jiti.import(file, { default: true });
    return typeof value === "function" ? await value() : value;
  } catch (error) {
    throw new ConfigFileError(reasonOf(error), lineIn(file, error));
  }
}

/** What a configuration imports, of the built package or of the sources: the user's folder need not have us installed. */
function exportedModule(name: string): string {
  const built = findBuilt();
  return built === null
    ? join(findPackageRoot(), "server", `${name}.ts`)
    : join(built, "server", `${name}.js`);
}

/** One line. Parsers and the module loader add excerpts and lists. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ""] = message.split("\n", 1);
  if (isLoaderFailure(error)) return "must export an object, received null or undefined";
  if (first.startsWith("ParseError: ")) return `syntax error: ${first.slice("ParseError: ".length).trim()}`;
  return `throws when loaded: ${first.trim()}`;
}

/** The loader itself stumbles over a module that exports nothing to hold on to. */
function isLoaderFailure(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const frame = error.stack?.split("\n").find((line) => line.trimStart().startsWith("at ")) ?? "";
  return /[\\/]jiti[\\/]/.test(frame);
}

function lineIn(file: string, error: unknown): number | null {
  const trace = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : "";
  const start = trace.indexOf(`${file}:`);
  const [, line] = start === -1 ? [] : (/^(\d+)/.exec(trace.slice(start + file.length + 1)) ?? []);
  return line === undefined ? null : Number(line);
}
