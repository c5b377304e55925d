import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

import { ConfigError } from "../../server/config/error.ts";
import { loadConfig, type LoadedConfig } from "../../server/config/load.ts";
import { type LoadOptions } from "../../server/config/sources.ts";

/** A folder outside every repository, with these files in it, gone when the test ends. A name that ends in "/" is a folder. */
export function createFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "platform-config-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(name.endsWith("/") ? join(folder, name) : dirname(join(folder, name)), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(join(folder, name), content);
  }
}

/** Loads with an environment of its own: the one of the test run must not matter. */
export function load(cwd: string, options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({ cwd, env: {}, ...options });
}

/** A folder whose configuration is `config`, written as JSON. */
export function folderWith(config: unknown, files: Readonly<Record<string, string>> = {}): string {
  return createFolder({ "platform.config.json": JSON.stringify(config), ...files });
}

/** The error that loading ends with. */
export async function failure(loading: Promise<unknown>): Promise<ConfigError> {
  const outcome = await loading.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof ConfigError) return outcome;
  throw new Error("A ConfigError was expected.", { cause: outcome });
}
