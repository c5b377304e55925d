import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";

import { KEY_PATTERN, keyClass } from "../../server/core/key-format.ts";
import { usageError } from "../terminal/exit.ts";
import { maskKey } from "./profiles.ts";

export interface Finding {
  readonly [name: string]: unknown;
  readonly file: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  /** Masked, so that the report does not leak it. */
  readonly key: string;
}

const SKIPPED = new Set(["node_modules", ".git"]);

/** Scans files for keys with a valid checksum; examples and invented keys are not reported. */
export async function scanForKeys(
  paths: readonly string[],
  options: { cwd: string; hidden: boolean },
): Promise<{ findings: Finding[]; files: number }> {
  const findings: Finding[] = [];
  let files = 0;
  for (const path of paths) {
    const start = resolve(options.cwd, path);
    for await (const file of filesBelow(start, options.hidden)) {
      files += 1;
      const name = relative(options.cwd, file);
      findings.push(...(await scanFile(file, name.startsWith("..") ? file : name)));
    }
  }
  return { findings, files };
}

/** Symbolic links are not followed: they could form cycles or leave the folder. */
async function* filesBelow(path: string, hidden: boolean): AsyncGenerator<string> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) throw usageError(`No file or folder ${path}.`);
  if (stats.isFile()) yield path;
  if (!stats.isDirectory()) return;
  for (const name of (await readdir(path)).sort()) {
    if (SKIPPED.has(name) || (!hidden && name.startsWith(".") && !name.startsWith(".env"))) continue;
    const child = join(path, name);
    // Files that are deleted during the scan are skipped.
    if ((await lstat(child).catch(() => null)) !== null) yield* filesBelow(child, hidden);
  }
}

async function scanFile(file: string, name: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  let line = 0;
  for await (const text of createInterface({
    input: createReadStream(file, "latin1"),
    crlfDelay: Infinity,
  })) {
    line += 1;
    for (const match of text.matchAll(KEY_PATTERN)) {
      const kind = keyClass(match[0]);
      if (kind !== null)
        findings.push({ file: name, line, column: match.index + 1, kind, key: maskKey(match[0]) });
    }
  }
  return findings;
}
