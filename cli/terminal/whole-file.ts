import { createWriteStream } from "node:fs";
import type { Stats } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

type Chunks = AsyncIterable<string | Uint8Array>;

/**
 * Writes a file as it arrives, and atomically: into a temporary name, flushed to disk, then renamed. What is there keeps its mode,
 * unless `mode` is another one, and what is no file, a device or a pipe, is written to. Returns the number of bytes.
 */
export async function writeWhole(path: string, chunks: Chunks, mode?: number): Promise<number> {
  const known = await stat(path).catch(() => null);
  if (known !== null && !known.isFile()) return writeTo(path, chunks, {});
  const target = known === null ? path : await realpath(path);
  const draft = `${target}.part`;
  await rm(draft, { force: true });
  try {
    const bytes = await writeTo(draft, chunks, { flags: "wx", flush: true, mode: mode ?? modeOf(known) });
    await rename(draft, target);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const modeOf = (known: Stats | null): number => (known === null ? 0o666 : known.mode & 0o777);

async function writeTo(
  path: string,
  chunks: Chunks,
  options: { readonly flags?: string; readonly flush?: boolean; readonly mode?: number },
): Promise<number> {
  const file = createWriteStream(path, options);
  await pipeline(Readable.from(chunks), file);
  return file.bytesWritten;
}
