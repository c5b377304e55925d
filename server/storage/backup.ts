import { createHash } from "node:crypto";

import { DOC_BYTES_MAX, HELD_SUFFIX } from "./contract.ts";
import type { Doc, StoreDriver } from "./contract.ts";
import { assertKey } from "./keys.ts";
import { OWN_PART } from "./own.ts";
import { eachDoc } from "./walk.ts";

/**
 * A backup is text, a line of JSON each, so that `jq` reads it:
 *
 *     {"format":1,"driver":"fs","taken_at":"…","partitions":[{"name":"platform","version":812,"documents":36}, …]}
 *     {"k":"<key>","v":<version>,"d":<the document, byte for byte as it is stored>}
 *     …
 *     {"count":812,"sha256":"<of every line before this one>"}
 *
 * Each partition is as one commit left it. Without its last line a backup is not one.
 */
const BACKUP_FORMAT = 1;

export interface BackupHeader {
  readonly format: number;
  /** The driver it was taken from; it can be restored into any. */
  readonly driver: string;
  /** RFC 3339. */
  readonly taken_at: string;
  /** `version` is what the partition had reached, `documents` how many it held just before it was copied. */
  readonly partitions: readonly {
    readonly name: string;
    readonly version: number;
    readonly documents: number;
  }[];
}

export interface BackupTrailer {
  readonly count: number;
  readonly sha256: string;
}

/** What is no backup, or not the whole of one. The message says where it goes wrong. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** Takes text in pieces; awaited, so that a slow receiver holds the writer back. */
export type Sink = (text: string) => void | Promise<void>;

export interface WriteOptions {
  readonly takenAt: string;
  /** `key` walks the store in the order of its keys, for people and for comparing texts; what is written meanwhile may show. */
  readonly order?: "key";
  /** Replaces a document by what a backup has of it: the content of a file by its chunks. */
  readonly expand?: (doc: Doc) => Promise<readonly Doc[]>;
  /** Receives the reason why a stream broke off: its reader only sees that it did. */
  readonly onError?: (error: unknown) => void;
}

/** Writes the whole store, but for what it keeps about itself. Returns the trailer. */
export async function writeBackup(
  store: StoreDriver,
  sink: Sink,
  { takenAt, order, expand }: WriteOptions,
): Promise<BackupTrailer> {
  const hash = createHash("sha256");
  const write = async (line: string): Promise<void> => {
    hash.update(line);
    await sink(line);
  };
  const header = await toHeader(store, takenAt);
  await write(`${JSON.stringify(header)}\n`);
  let count = 0;
  for (const { name } of header.partitions) {
    for await (const doc of order === "key" ? inOrder(store, name) : store.snapshot(name)) {
      for (const { key, version, value } of expand !== undefined && doc.key.includes(HELD_COLL)
        ? await expand(doc)
        : [doc]) {
        await write(`{"k":"${key}","v":${version},"d":${value}}\n`);
        count++;
      }
    }
  }
  const trailer = { count, sha256: hash.digest("hex") };
  await sink(`${JSON.stringify(trailer)}\n`);
  return trailer;
}

/** `writeBackup` as a stream, as fast as it is read; breaks off without the last line when it fails. */
export function backupStream(
  store: StoreDriver,
  options: WriteOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let waiting: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    await writer.write(encoder.encode(waiting.join("")));
    waiting = [];
    chars = 0;
  };
  const sink = (text: string): void | Promise<void> => {
    waiting.push(text);
    chars += text.length;
    if (chars >= CHUNK_CHARS) return flush();
  };
  writeBackup(store, sink, options)
    .then(flush)
    .then(() => writer.close())
    .catch((error: unknown) => {
      options.onError?.(error);
      return writer.abort(error);
    })
    // The client has disconnected.
    .catch(() => undefined);
  return readable;
}

const CHUNK_CHARS = 65_536;

/** Part of the keys of documents that represent files. */
const HELD_COLL = `${HELD_SUFFIX}:`;

async function toHeader(store: StoreDriver, takenAt: string): Promise<BackupHeader> {
  const partitions: BackupHeader["partitions"][number][] = [];
  for (const name of (await store.partitions()).filter((part) => part !== OWN_PART)) {
    const documents = (await store.collections(name)).reduce((sum, { count }) => sum + count, 0);
    partitions.push({ name, version: await reachedVersion(store, name), documents });
  }
  return { format: BACKUP_FORMAT, driver: store.name ?? "unknown", taken_at: takenAt, partitions };
}

/** The version of a partition's last commit. */
export async function reachedVersion(store: Pick<StoreDriver, "commit">, part: string): Promise<number> {
  const reached = await store.commit(part, []);
  return reached.ok ? reached.version : 0;
}

async function* inOrder(store: StoreDriver, part: string): AsyncGenerator<Doc> {
  for (const { name } of await store.collections(part)) yield* eachDoc(store, part, { coll: name });
}

export interface ReadHandlers {
  readonly header?: (header: BackupHeader) => void | Promise<void>;
  /** Documents of one partition, as many as are good to write at once. */
  readonly docs?: (part: string, docs: readonly Doc[]) => void | Promise<void>;
}

/**
 * Reads a backup to its end and hands its documents out on the way; whether it is whole is known only when this resolves.
 * Throws BackupError for whatever was cut, changed, or is no backup of a format that this version reads.
 */
export async function readBackup(
  chunks: AsyncIterable<Uint8Array>,
  handlers: ReadHandlers = {},
): Promise<BackupTrailer> {
  const reader = createReader(handlers);
  for await (const chunk of chunks) await reader.push(chunk);
  return reader.end();
}

/** Passes a backup on as it is and reads it on the way: ends with a BackupError where `readBackup` would throw one. */
export async function* passBackup(
  chunks: AsyncIterable<Uint8Array>,
  handlers: PassHandlers = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = createReader(handlers);
  for await (const chunk of chunks) {
    await reader.push(chunk);
    yield chunk;
  }
  handlers.trailer?.(await reader.end());
}

export interface PassHandlers extends ReadHandlers {
  readonly trailer?: (trailer: BackupTrailer) => void;
}

function createReader({ header: onHeader, docs: onDocs }: ReadHandlers) {
  const hash = createHash("sha256");
  const lines = createLines();
  const group = createGroup(onDocs);
  let header: BackupHeader | null = null;
  let trailer: BackupTrailer | null = null;
  let count = 0;

  const take = async (line: Uint8Array): Promise<void> => {
    if (trailer !== null) throw new BackupError("it has content after its trailer line");
    const text = decode(line);
    if (header !== null && text.startsWith(TRAILER_START)) {
      trailer = toTrailer(text);
      return;
    }
    hash.update(line).update("\n");
    if (header === null) {
      header = toHeaderLine(text);
      await onHeader?.(header);
    } else {
      count++;
      await group.add(toDoc(text, count));
    }
  };

  return {
    async push(chunk: Uint8Array): Promise<void> {
      for (const line of lines.push(chunk)) await take(line);
    },
    async end(): Promise<BackupTrailer> {
      lines.end();
      await group.flush();
      if (header === null) throw new BackupError("it is empty");
      if (trailer === null) throw new BackupError(`it ends after ${count} documents without a trailer line`);
      if (trailer.count !== count)
        throw new BackupError(`it contains ${count} documents, but ${trailer.count} were written`);
      if (trailer.sha256 !== hash.digest("hex"))
        throw new BackupError("its checksum does not match: the file was modified");
      return trailer;
    },
  };
}

const GROUP_COUNT_MAX = 1000;
const GROUP_CHARS_MAX = 2_097_152;

/** Collects documents of one partition into groups. */
function createGroup(onDocs: ReadHandlers["docs"]) {
  let docs: Doc[] = [];
  let part = "";
  let chars = 0;
  const flush = async (): Promise<void> => {
    if (docs.length > 0) await onDocs?.(part, docs);
    docs = [];
    chars = 0;
  };
  return {
    flush,
    async add(doc: Doc): Promise<void> {
      const own = doc.key.slice(0, doc.key.indexOf(":"));
      if (own !== part || docs.length >= GROUP_COUNT_MAX || chars >= GROUP_CHARS_MAX) await flush();
      part = own;
      docs.push(doc);
      chars += doc.value.length;
    },
  };
}

const LINE_FEED = 0x0a;
/** A document, its key and what is around them; a header names every partition. */
const LINE_BYTES_MAX = 64 * DOC_BYTES_MAX;

/** Cuts pieces into whole lines, without their line feeds; a rest without one is no line. */
function createLines() {
  let rest: Uint8Array[] = [];
  let held = 0;
  return {
    push(chunk: Uint8Array): Uint8Array[] {
      const lines: Uint8Array[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        const piece = chunk.subarray(start, end);
        lines.push(rest.length === 0 ? piece : Buffer.concat([...rest, piece]));
        rest = [];
        held = 0;
        start = end + 1;
      }
      if (start < chunk.length) {
        // Copied: the producer of the chunk may reuse its memory.
        rest.push(Uint8Array.prototype.slice.call(chunk, start));
        held += chunk.length - start;
      }
      if (held > LINE_BYTES_MAX) throw new BackupError("it is not a text file");
      return lines;
    },
    end(): void {
      if (held > 0) throw new BackupError("it ends in the middle of a line");
    },
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(line: Uint8Array): string {
  try {
    return utf8.decode(line);
  } catch {
    throw new BackupError("it is not UTF-8 text");
  }
}

function toHeaderLine(text: string): BackupHeader {
  const found = parse(text);
  const format = found?.format;
  if (found === null || typeof format !== "number" || !Array.isArray(found.partitions))
    throw new BackupError("its first line is not a backup header");
  if (format !== BACKUP_FORMAT)
    throw new BackupError(`it has format ${format}, but this version reads format ${BACKUP_FORMAT}`);
  const partitions = found.partitions.map((one: unknown) => {
    const { name, version, documents } = (one ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof version !== "number" || typeof documents !== "number")
      throw new BackupError("its first line is not a backup header");
    return { name, version, documents };
  });
  return { format, driver: String(found.driver), taken_at: String(found.taken_at), partitions };
}

const TRAILER_START = '{"count":';

function toTrailer(text: string): BackupTrailer {
  const found = parse(text);
  if (typeof found?.count !== "number" || typeof found.sha256 !== "string")
    throw new BackupError("its last line is not a backup trailer");
  return { count: found.count, sha256: found.sha256 };
}

const DOC_START = /^\{"k":"([^"\\]{5,240})","v":([1-9]\d{0,15}),"d":/;

/** The document's text is cut out, not parsed: what is restored is what was stored. */
function toDoc(text: string, number: number): Doc {
  const [start = "", key = "", version = ""] = DOC_START.exec(text) ?? [];
  if (start === "" || !text.endsWith("}")) throw new BackupError(`document ${number} is unreadable`);
  try {
    assertKey(key);
  } catch (cause) {
    throw new BackupError(`document ${number} has no valid key`, { cause });
  }
  return { key, version: Number(version), value: text.slice(start.length, -1) };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? { ...found } : null;
  } catch {
    return null;
  }
}
