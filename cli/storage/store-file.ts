import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline as pipeChunks, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

import type { Cli } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { writeWhole } from "../terminal/whole-file.ts";

/** As `writeWhole`, readable only by its owner, and compressed if its name ends in `.gz`. */
export const writePrivate = (path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> =>
  writeWhole(
    path,
    path.endsWith(".gz") ? pipeChunks(Readable.from(chunks), createGzip(), () => undefined) : chunks,
    0o600,
  );

/** A file that can be read as often as needed. */
export interface Input {
  /** For messages. */
  readonly label: string;
  /** Its content from the start, decompressed. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Removes temporary files. */
  remove(): Promise<void>;
}

export interface InputOptions {
  /** File with the age identities that decrypt it. */
  readonly identity: string | undefined;
  /** Where it is read from. Default: the file system. */
  readonly target?: { read(name: string): AsyncIterable<Uint8Array> } | undefined;
}

/** A file, or stdin (`-`), which is copied into a private temporary file until `remove`. */
export async function openInput(
  cli: Pick<Cli, "cwd" | "io">,
  name: string,
  { identity, target }: InputOptions,
): Promise<Input> {
  const identities = identity === undefined ? null : await readIdentities(resolve(cli.cwd, identity));
  if (name !== "-") {
    const path = resolve(cli.cwd, name);
    const open = () => target?.read(name) ?? createReadStream(path);
    return { label: name, chunks: await reader(open, name, identities), remove: async () => undefined };
  }
  const folder = await mkdtemp(join(tmpdir(), "platform-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "stdin");
    await pipeline(cli.io.stdin, createWriteStream(path, { mode: 0o600 }));
    return { label: "stdin", chunks: await reader(() => createReadStream(path), name, identities), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Open = () => AsyncIterable<Uint8Array>;

/** Encryption and compression are detected by the first bytes, because stdin has no name. */
async function reader(open: Open, name: string, identities: readonly string[] | null): Promise<Open> {
  const [{ AGE_START, decrypt }, { unpack }] = await Promise.all([
    import("../../server/storage/backup-crypt.ts"),
    import("../../server/storage/backup-files.ts"),
  ]);
  const isEncrypted = (await startOf(open, name, AGE_START.length)) === AGE_START;
  if (isEncrypted && identities === null)
    throw usageError(`${basename(name)} is encrypted.`, "--identity <file of age-keygen>");
  const plain: Open = isEncrypted ? () => decrypt(open(), identities ?? []) : open;
  const isPacked = (await startOf(plain, name, GZIP_START.length)) === GZIP_START;
  return isPacked ? () => unpack(plain()) : plain;
}

const GZIP_START = "\x1f\x8b";

/** The first bytes, one character each. */
async function startOf(open: Open, name: string, length: number): Promise<string> {
  let start = "";
  try {
    for await (const chunk of open()) {
      start += Buffer.from(chunk.subarray(0, length)).toString("latin1");
      if (start.length >= length) break;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!/^E[A-Z]+$/.test(code)) throw error;
    throw usageError(`${basename(name)} cannot be read (${code}).`);
  }
  return start.slice(0, length);
}

async function readIdentities(path: string): Promise<readonly string[]> {
  const { parseIdentities } = await import("../../server/storage/backup-crypt.ts");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw usageError(`${basename(path)} cannot be read (${code}).`);
  });
  const identities = parseIdentities(text);
  if (identities === null)
    throw usageError(
      `${basename(path)} contains no age identities (AGE-SECRET-KEY-1…).`,
      "age-keygen -o key.txt",
    );
  return identities;
}
