import fs from "node:fs";
import { promisify } from "node:util";

import { StoreError } from "../contract.ts";

/** A file, by position: nothing here moves a cursor, so reads and the one writer never disturb each other. */
export interface IoFile {
  /** Reads at most `into.length` bytes; returns how many, 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes a part of `from`, at least one byte, and returns how many. */
  write(from: Uint8Array, position: number): Promise<number>;
  /** Resolves when all that was written (and the size) survives a power loss. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Everything the store asks of the operating system. Tests put a simulated disk or a fault behind it. */
export interface Io {
  /** Makes a folder and its parents, mode 0700; an existing one is left alone. */
  mkdir(path: string): Promise<void>;
  list(path: string): Promise<string[]>;
  /** Null when there is nothing of that name; any other trouble throws. */
  stat(path: string): Promise<{ readonly mode: number; readonly size: number } | null>;
  chmod(path: string, mode: number): Promise<void>;
  /** Opens for reading and writing, or for reading only; `create` makes the file (mode 0600) or empties it. */
  open(path: string, how: "existing" | "create" | "read"): Promise<IoFile>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when names made, renamed or removed in the folder survive a power loss. */
  syncFolder(path: string): Promise<void>;
  /** Bytes of the file system that the path is on: all, and those that this process can still write. */
  space(path: string): Promise<{ readonly totalBytes: number; readonly freeBytes: number }>;
}

const read = promisify(fs.read);
const write = promisify(fs.write);
const fdatasync = promisify(fs.fdatasync);
const ftruncate = promisify(fs.ftruncate);
const fstat = promisify(fs.fstat);
const open = promisify(fs.open);
const close = promisify(fs.close);
const fsync = promisify(fs.fsync);

const FLAGS = { existing: "r+", create: "w+", read: "r" } as const;

/** The real disk. */
export const nodeIo: Io = {
  async mkdir(path) {
    await fs.promises.mkdir(path, { recursive: true, mode: 0o700 });
  },
  list: (path) => fs.promises.readdir(path),
  async stat(path) {
    try {
      const { mode, size } = await fs.promises.stat(path);
      return { mode, size };
    } catch (error) {
      if (errorCode(error) === "ENOENT") return null;
      throw error;
    }
  },
  chmod: (path, mode) => fs.promises.chmod(path, mode),
  async open(path, how) {
    return toIoFile(await open(path, FLAGS[how], 0o600));
  },
  rename: (from, to) => fs.promises.rename(from, to),
  link: (from, to) => fs.promises.link(from, to),
  remove: (path) => fs.promises.unlink(path),
  async syncFolder(path) {
    // Windows cannot open a folder; NTFS journals names by itself.
    if (process.platform === "win32") return;
    const fd = await open(path, "r");
    try {
      await fsync(fd);
    } finally {
      await close(fd);
    }
  },
  async space(path) {
    const { bavail, blocks, bsize } = await fs.promises.statfs(path);
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  },
};

function toIoFile(fd: number): IoFile {
  return {
    read: async (into, position) => (await read(fd, into, 0, into.length, position)).bytesRead,
    write: async (from, position) => (await write(fd, from, 0, from.length, position)).bytesWritten,
    sync: () => fdatasync(fd),
    truncate: (bytes) => ftruncate(fd, bytes),
    size: async () => (await fstat(fd)).size,
    close: () => close(fd),
  };
}

/** Writes the whole buffer; a short write is continued. */
export async function writeAll(file: IoFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += await file.write(bytes.subarray(done), position + done);
}

/** Fills the buffer from `position`; returns how much there was. */
export async function readAll(file: IoFile, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const count = await file.read(into.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** The text of a small file, or null when there is none. */
export async function readText(io: Io, path: string): Promise<string | null> {
  const found = await io.stat(path);
  if (found === null) return null;
  const file = await io.open(path, "existing");
  try {
    const bytes = Buffer.alloc(found.size);
    return bytes.subarray(0, await readAll(file, bytes, 0)).toString();
  } finally {
    await file.close();
  }
}

/** Puts a small file in place as a whole: after a crash there is the old text or the new one. */
export async function replaceText(io: Io, folder: string, name: string, text: string): Promise<void> {
  const file = await io.open(`${folder}/${name}.tmp`, "create");
  try {
    await writeAll(file, Buffer.from(text), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await io.rename(`${folder}/${name}.tmp`, `${folder}/${name}`);
  await io.syncFolder(folder);
}

/** The errno name of a failed call, or "". */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const NO_SPACE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What a failed call means to the store's caller. Never "not found": only an index without the key says that. */
export function toStoreError(error: unknown, action: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = `${action}: ${error instanceof Error ? error.message : String(error)}`;
  return new StoreError(NO_SPACE.has(errorCode(error)) ? "FULL" : "UNAVAILABLE", message, { cause: error });
}
