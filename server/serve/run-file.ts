import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { LoadedConfig } from "../config/load.ts";
import { startOf } from "./process-start.ts";

/** What the commands of this machine need to reach a running server: written for its user alone. */
export interface RunRecord {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/** Folder next to the configuration for what belongs to this machine only. */
export const localFolder = ({ dir }: Pick<LoadedConfig, "dir">): string => join(dir, ".platform");

/** In the data folder where there is one, so that every command on the same data finds the same server. */
export const runFileOf = (loaded: Pick<LoadedConfig, "config" | "dir">): string =>
  loaded.config.storage.driver === "fs"
    ? join(loaded.config.storage.base, "run.json")
    : join(localFolder(loaded), "run.json");

/**
 * Writes the run file whole or not at all, with the time at which the process began; resolves to a function that removes it,
 * unless another server wrote its own.
 */
export async function writeRunFile(file: string, record: RunRecord): Promise<() => Promise<void>> {
  await writePrivate(file, `${JSON.stringify({ ...record, started: startOf(record.pid) })}\n`);
  return async () => {
    const content = await readFile(file, "utf8").catch(() => "");
    if (content.includes(JSON.stringify(record.token))) await rm(file, { force: true });
  };
}

/** A file that its owner alone can read, and that is never half written. */
export async function writePrivate(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await rm(draft, { force: true });
  await writeFile(draft, content, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
}
