import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline as pipe, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

import type { Cli } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";

/**
 * Writes a file atomically, readable only by its owner: into a temporary name, flushed to disk, then renamed. Compressed if
 * its name ends in `.gz`. Returns its size.
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${path}.part`;
  await rm(draft, { force: true });
  const file = createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true });
  try {
    await (path.endsWith(".gz")
      ? pipeline(Readable.from(chunks), createGzip(), file)
      : pipeline(Readable.from(chunks), file));
    await rename(draft, path);
    return file.bytesWritten;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A file that can be read as often as needed. */
export interface Input {
  /** For messages. */
  readonly label: string;
  /** Its content from the start, decompressed. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Removes temporary files. */
  remove(): Promise<void>;
}

/** A file, or stdin (`-`), which is copied into a private temporary file until `remove`. */
export async function openInput(cli: Pick<Cli, "cwd" | "io">, name: string): Promise<Input> {
  if (name !== "-") {
    const path = resolve(cli.cwd, name);
    return { label: name, chunks: await reader(path), remove: async () => undefined };
  }
  const folder = await mkdtemp(join(tmpdir(), "platform-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "stdin");
    await pipeline(cli.io.stdin, createWriteStream(path, { mode: 0o600 }));
    return { label: "stdin", chunks: await reader(path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Compression is detected by the first bytes, because stdin has no name. */
async function reader(path: string): Promise<() => AsyncIterable<Uint8Array>> {
  const isPacked = await startsAsGzip(path);
  return () => {
    const file = createReadStream(path);
    // Errors of the file are reported to the reader.
    return isPacked ? pipe(file, createGunzip(), () => undefined) : file;
  };
}

async function startsAsGzip(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw usageError(`${basename(path)} cannot be read (${code}).`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
