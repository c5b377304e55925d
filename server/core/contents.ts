import { z } from "zod";

import { HELD_SUFFIX } from "../storage/contract.ts";
import type { Doc } from "../storage/contract.ts";
import { eachDue } from "./batches.ts";
import { defineCollection, toText } from "./collection.ts";
import type { Collection } from "./collection.ts";
import type { JobContext } from "./engine.ts";
import type { FileStore, Ports } from "./ports.ts";
import { giveWay } from "../lib/slices.ts";
import { Id } from "./schema.ts";
import type { RunTx, Stored, Tx } from "./tx.ts";

/** The document of a file: with an `expires_at` its file is to be deleted at that time. */
interface FileDoc {
  readonly id: string;
  readonly bytes: number;
  /** Chunks that its content has, or would have, in the store. */
  readonly chunks: number;
  readonly expires_at: string | null;
}

interface Place {
  readonly part: string;
  readonly ports: Pick<Ports, "files">;
  readonly runTx: RunTx;
}

/**
 * Contents of an engine's files: in the operator's file store, where there is one, else in chunks among the documents. A
 * document of the collection `held` says that a content is, or may be, in the file store, and counts its bytes.
 */
export interface Contents<T extends FileDoc> {
  readonly chunks: Collection<Chunk>;
  /**
   * Creates the documents of files, which must expire, then stores the contents: no content is without a document. Resolves
   * when they are durable. An engine then lets a document refer to each file, in the commit that ends its expiry.
   */
  store(place: Place, files: readonly { readonly file: T; readonly content: Uint8Array }[]): Promise<void>;
  /** Null if it, or a part of it, is missing. */
  read(tx: Tx, ports: Place["ports"], file: T): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Deletes the files that have expired. */
  sweep(context: JobContext): Promise<{ readonly removed: number }>;
}

interface ContentsDef<T extends FileDoc> {
  readonly engine: string;
  /** Documents of the files, with the index `due` by `expires_at`. */
  readonly files: Collection<T>;
  /** The document of a file that is being deleted: nothing may refer to it any more. */
  readonly gone: (file: T, at: string) => T;
  /** Name of the file in an export of what concerns a person. */
  readonly nameOf: (file: T) => string;
}

type ReadFile = (
  tx: Tx,
  ports: Place["ports"],
  id: string,
) => Promise<{ readonly name: string; readonly content: Uint8Array<ArrayBuffer> } | null>;
const readers = new Map<string, ReadFile>();

/** Reads the file of a document, by the name of the document's collection; null where nothing is stored. */
export const fileReaders: ReadonlyMap<string, ReadFile> = readers;

type Chunk = z.output<typeof Chunk>;
/** `data` is base64, as it is written here: checking it for each commit would take longer than writing it. */
const Chunk = z.strictObject({ id: Id, data: z.string() });
const Held = z.strictObject({ id: Id });

/** As base64 it is below the limit of a document. */
const CHUNK_BYTES = 180_000;
/** A commit is limited to one megabyte. */
const CHUNKS_PER_COMMIT = 3;
const REMOVED_PER_COMMIT = 100;

export const chunksIn = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

const chunkId = (fileId: string, index: number): string => `${fileId}.${index}`;
const heldId = ({ bytes, id }: FileDoc): string => `${id}.${bytes}`;
const fileKey = (part: string, id: string): string => `${part}/${id}`;

interface Declared {
  readonly chunks: Collection<Chunk>;
  /** Whether the file is in use: its document does not expire. */
  readonly isUsed: (tx: Tx, id: string) => Promise<boolean>;
}

/** By the name of the collection that stands for files of the same engine. */
const declared = new Map<string, Declared>();

export function defineContents<T extends FileDoc>(def: ContentsDef<T>): Contents<T> {
  const { engine, files, gone, nameOf } = def;
  const chunks = defineCollection({ name: `${engine}.file_chunks`, unlisted: true, schema: Chunk });
  const held = defineCollection({ name: `${engine}${HELD_SUFFIX}`, unlisted: true, schema: Held });
  const write = async ({ part, ports, runTx }: Place, { id }: T, content: Uint8Array): Promise<void> => {
    if (ports.files !== undefined) return ports.files.write(fileKey(part, id), content);
    await writeChunks({ part, runTx }, { chunks, id, content });
  };
  /** Deletes the content, then the documents that announced it: a crash between the two is repeated. */
  const remove = async ({ part, ports, runTx }: Place, file: T): Promise<void> => {
    const isHeld = await runTx(part, async (tx) => (await tx.get(held, heldId(file))) !== null);
    if (isHeld) await assertFiles(ports.files).remove(fileKey(part, file.id));
    const count = isHeld ? 0 : file.chunks;
    for (let start = 0; start < count; start += REMOVED_PER_COMMIT) {
      await runTx(part, async (tx) => {
        for (let index = start; index < Math.min(start + REMOVED_PER_COMMIT, count); index += 1) {
          const piece = await tx.get(chunks, chunkId(file.id, index));
          if (piece !== null) tx.remove(chunks, piece);
        }
      });
    }
    await runTx(part, async (tx) => {
      const [announced, stored] = [await tx.get(held, heldId(file)), await tx.get(files, file.id)];
      if (announced !== null) tx.remove(held, announced);
      if (stored !== null) tx.remove(files, stored);
    });
  };
  declared.set(held.name, {
    chunks,
    isUsed: async (tx, id) => (await tx.get(files, id))?.value.expires_at === null,
  });
  const read: Contents<T>["read"] = async (tx, ports, file) => {
    if ((await tx.get(held, heldId(file))) !== null)
      return assertFiles(ports.files).read(fileKey(tx.part, file.id));
    const content = new Uint8Array(file.bytes);
    const target = Buffer.from(content.buffer);
    let end = 0;
    for (let index = 0; index < file.chunks; index += 1) {
      await giveWay(tx.part);
      const piece = await tx.get(chunks, chunkId(file.id, index));
      if (piece === null) return null;
      end += target.write(dataIn(piece), end, "base64");
    }
    return end === content.length ? content : null;
  };
  readers.set(files.name, async (tx, ports, id) => {
    const file = (await tx.get(files, id))?.value;
    const content = file === undefined ? null : await read(tx, ports, file);
    return file === undefined || content === null ? null : { name: nameOf(file), content };
  });
  return {
    chunks,
    read,
    async store(place, entries) {
      await place.runTx(place.part, async (tx) => {
        for (const { file } of entries) {
          tx.create(files, file);
          if (place.ports.files !== undefined) tx.create(held, { id: heldId(file) });
        }
      });
      try {
        for (const { content, file } of entries) await write(place, file, content);
      } catch (error) {
        // The store is full, or the file store fails: what was stored must not take the rest of the room until a sweep,
        // which removes what cannot be removed now.
        for (const { file } of entries) await remove(place, file).catch(() => undefined);
        throw error;
      }
    },
    async sweep(context) {
      const isDue = ({ expires_at: at }: T): boolean => at !== null && at <= context.nowAt;
      const { done } = await eachDue(context, { collection: files, index: "due", isDue }, async (id) => {
        const file = await context.runTx(context.part, async (tx) => {
          const stored = await tx.get(files, id);
          if (stored === null || !isDue(stored.value)) return null;
          return tx.put(files, stored, gone(stored.value, context.nowAt)).value;
        });
        if (file === null) return 0;
        await remove(context, file);
        return 1;
      });
      return { removed: done };
    },
  };
}

function assertFiles(files: FileStore | undefined): FileStore {
  if (files !== undefined) return files;
  throw new Error("A file is in the file store, and the setting `files` is missing.");
}

const encode = (content: Uint8Array, index: number): string =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    .subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)
    .toString("base64");

/** With pauses before each chunk: those of one commit would take several milliseconds to encode, and as long to stage. */
async function writeChunks(
  { part, runTx }: Pick<Place, "part" | "runTx">,
  file: { readonly chunks: Collection<Chunk>; readonly id: string; readonly content: Uint8Array },
): Promise<void> {
  const { chunks, id, content } = file;
  const count = chunksIn(content.length);
  for (let start = 0; start < count; start += CHUNKS_PER_COMMIT) {
    const some: Chunk[] = [];
    for (let index = start; index < Math.min(start + CHUNKS_PER_COMMIT, count); index += 1) {
      await giveWay(part);
      some.push({ id: chunkId(id, index), data: encode(content, index) });
    }
    await runTx(part, async (tx) => {
      for (const chunk of some) {
        await giveWay(part);
        tx.create(chunks, chunk);
      }
    });
  }
}

const DATA = '"data":"';

/** The data of a chunk out of its JSON text, which takes a quarter of the time that parsing it does: base64 needs no escapes. */
function dataIn({ members }: Stored<Chunk>): string {
  const start = members.indexOf(DATA) + DATA.length;
  return members.slice(start, members.indexOf('"', start));
}

interface HeldFile {
  readonly path: string;
  readonly part: string;
  readonly id: string;
}

/** Path of the file that a document of a collection `*.held` represents, also of an engine that is not there any more. */
export function heldPath(key: Doc["key"]): string {
  const [part = "", , id = ""] = key.split(":");
  return fileKey(part, id.slice(0, id.lastIndexOf(".")));
}

/** The file that a document represents; null for any other document. */
function heldFile(key: Doc["key"]): (Declared & HeldFile) | null {
  const [part = "", coll = "", id = ""] = key.split(":");
  const engine = declared.get(coll);
  const fileId = id.slice(0, id.lastIndexOf("."));
  return engine === undefined ? null : { ...engine, path: heldPath(key), part, id: fileId };
}

/**
 * For backups: the chunks of a file instead of the document that represents it, so that a backup is whole and can be restored
 * into any store. The document itself where the content is missing, and any other document.
 */
export async function expandContent(files: FileStore | undefined, doc: Doc): Promise<readonly Doc[]> {
  const file = heldFile(doc.key);
  if (file === null || files === undefined) return [doc];
  const { chunks, id, part, path } = file;
  const content = await files.read(path);
  if (content === null) return [doc];
  return Array.from({ length: chunksIn(content.length) }, (_, index): Doc => {
    const chunk = { id: chunkId(id, index), data: encode(content, index) };
    return { key: `${part}:${chunks.name}:${chunk.id}`, version: doc.version, value: toText(chunks, chunk) };
  });
}

/** Paths of the files that documents of these keys represent, and how to find out whether a file is in use. */
export const heldFiles = (keys: readonly Doc["key"][]): readonly (HeldFile & Pick<Declared, "isUsed">)[] =>
  keys.flatMap((key) => heldFile(key) ?? []);

/** Deletes the files that documents of these keys represent, before the documents are deleted. */
export async function removeContents(
  files: FileStore | undefined,
  keys: readonly Doc["key"][],
): Promise<void> {
  for (const key of keys) {
    const file = heldFile(key);
    if (file !== null) await assertFiles(files).remove(file.path);
  }
}
