import { z } from "zod";

import { HELD_SUFFIX } from "../storage/contract.ts";
import type { Doc } from "../storage/contract.ts";
import { defineCollection, toText } from "./collection.ts";
import type { Collection } from "./collection.ts";
import type { FileStore, Ports } from "./ports.ts";
import { Id } from "./schema.ts";
import type { RunTx, Tx } from "./tx.ts";

/** A file, by the document that describes it. */
export interface FileRef {
  readonly id: string;
  readonly bytes: number;
  /** Chunks that its content has, or would have, in the store. */
  readonly chunks: number;
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
export interface Contents {
  readonly chunks: Collection<Chunk>;
  /** Stages what `write` needs, in the transaction that creates the document of the file: no content is without one. */
  announce(tx: Tx, ports: Place["ports"], file: FileRef): void;
  /** Resolves when the content is durable. */
  write(place: Place, file: FileRef, content: Uint8Array): Promise<void>;
  /** Null if it, or a part of it, is missing. */
  read(tx: Tx, ports: Place["ports"], file: FileRef): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Deletes the content, then the document that announced it: a crash between the two is repeated. */
  remove(place: Place, file: FileRef): Promise<void>;
}

type Chunk = z.output<typeof Chunk>;
const Chunk = z.strictObject({ id: Id, data: z.base64() });
const Held = z.strictObject({ id: Id });

/** As base64 it is below the limit of a document. */
const CHUNK_BYTES = 180_000;
/** A commit is limited to one megabyte. */
const CHUNKS_PER_COMMIT = 3;
const REMOVED_PER_COMMIT = 100;

export const chunksIn = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

const chunkId = (fileId: string, index: number): string => `${fileId}.${index}`;
const heldId = ({ bytes, id }: FileRef): string => `${id}.${bytes}`;
const fileKey = (part: string, id: string): string => `${part}/${id}`;

/** Chunks by the name of the collection that stands for files of the same engine. */
const chunksOfHeld = new Map<string, Collection<Chunk>>();

export function defineContents(engine: string): Contents {
  const chunks = defineCollection({ name: `${engine}.file_chunks`, unlisted: true, schema: Chunk });
  const held = defineCollection({ name: `${engine}${HELD_SUFFIX}`, unlisted: true, schema: Held });
  chunksOfHeld.set(held.name, chunks);
  return {
    chunks,
    announce(tx, { files }, file) {
      if (files !== undefined) tx.create(held, { id: heldId(file) });
    },
    async write({ part, ports: { files }, runTx }, { id }, content) {
      if (files !== undefined) return files.write(fileKey(part, id), content);
      const pieces = split(content);
      for (let start = 0; start < pieces.length; start += CHUNKS_PER_COMMIT) {
        await runTx(part, async (tx) => {
          for (const [index, data] of pieces.slice(start, start + CHUNKS_PER_COMMIT).entries())
            tx.create(chunks, { id: chunkId(id, start + index), data });
        });
      }
    },
    async read(tx, ports, file) {
      if ((await tx.get(held, heldId(file))) !== null)
        return assertFiles(ports.files).read(fileKey(tx.part, file.id));
      const pieces: Buffer[] = [];
      for (let index = 0; index < file.chunks; index += 1) {
        const piece = await tx.get(chunks, chunkId(file.id, index));
        if (piece === null) return null;
        pieces.push(Buffer.from(piece.value.data, "base64"));
      }
      return new Uint8Array(Buffer.concat(pieces));
    },
    async remove({ part, ports, runTx }, file) {
      const isHeld = await runTx(part, async (tx) => (await tx.get(held, heldId(file))) !== null);
      if (isHeld) {
        await assertFiles(ports.files).remove(fileKey(part, file.id));
        await runTx(part, async (tx) => {
          const stored = await tx.get(held, heldId(file));
          if (stored !== null) tx.remove(held, stored);
        });
        return;
      }
      for (let start = 0; start < file.chunks; start += REMOVED_PER_COMMIT) {
        await runTx(part, async (tx) => {
          for (let index = start; index < Math.min(start + REMOVED_PER_COMMIT, file.chunks); index += 1) {
            const piece = await tx.get(chunks, chunkId(file.id, index));
            if (piece !== null) tx.remove(chunks, piece);
          }
        });
      }
    },
  };
}

function assertFiles(files: FileStore | undefined): FileStore {
  if (files !== undefined) return files;
  throw new Error("A file is in the file store, and the setting `files` is missing.");
}

function split(content: Uint8Array): string[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return Array.from({ length: chunksIn(bytes.length) }, (_, index) =>
    bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toString("base64"),
  );
}

/** The file that a document represents; null for any other document. */
function heldFile(key: Doc["key"]): {
  readonly path: string;
  readonly part: string;
  readonly id: string;
  readonly chunks: Collection<Chunk>;
} | null {
  const [part = "", coll = "", id = ""] = key.split(":");
  const chunks = chunksOfHeld.get(coll);
  const fileId = id.slice(0, id.lastIndexOf("."));
  return chunks === undefined ? null : { path: fileKey(part, fileId), part, id: fileId, chunks };
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
  return split(content).map((data, index): Doc => {
    const chunk = { id: chunkId(id, index), data };
    return { key: `${part}:${chunks.name}:${chunk.id}`, version: doc.version, value: toText(chunks, chunk) };
  });
}

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
