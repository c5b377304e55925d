import { createHash } from "node:crypto";

import { toInstant } from "../../../lib/instant.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import type { Words } from "../../../core/words.ts";
import { redrawImage } from "../../../core/image-tasks.ts";
import type { RunTx, Stored, Tx } from "../../../core/tx.ts";
import { FORMS_LIMITS, FORMS_TIMES } from "../data/limits.ts";
import { chunkId, fileChunks, files } from "../repository.ts";
import { judgeFile, shownName } from "../rules/sniff-file.ts";
import type { Cleaning } from "../rules/sniff-file.ts";
import { stripHeif } from "../rules/strip-heif.ts";
import type { Field } from "../schema/field.ts";
import type { StoredFile } from "../schema/submission.ts";
import type { WorkBase } from "./work.ts";

/** An uploaded file for one field of a form. */
export interface Sent {
  readonly formId: string;
  readonly field: Field;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of the visitor's language. */
  readonly say: Words["say"];
}

/** Chunks per commit, which is limited to one megabyte. */
const PIECES_PER_COMMIT = 3;

/**
 * Detects the type of a file, removes location metadata from images, and stores it in chunks. The document of
 * the file is written first, so that a sweep finds the chunks after a crash. Throws 413 and 422.
 */
export async function storeFile(env: WorkBase & { readonly runTx: RunTx }, sent: Sent): Promise<StoredFile> {
  const { content, extension, mime } = await readFile(env.part, sent);
  const { newId, now, part, runTx } = env;
  const pieces = split(content);
  const receiving: StoredFile = {
    id: newId("upl"),
    created_at: toInstant(now),
    form_id: sent.formId,
    field: sent.field.key,
    state: "receiving",
    submission_id: null,
    email: null,
    name: shownName(sent.name),
    extension,
    bytes: content.length,
    mime,
    sha256: createHash("sha256").update(content).digest("hex"),
    scan: await scanOf(env, content),
    chunks: pieces.length,
    expires_at: toInstant(now + FORMS_TIMES.uploadMs),
  };
  await runTx(part, async (tx) => void tx.create(files, receiving));
  try {
    await storePieces(env, receiving.id, pieces);
  } catch (error) {
    // The store is full: what was stored of it must not take the rest of the room until a sweep.
    await removeFile(env, receiving);
    throw error;
  }
  const kept: StoredFile = { ...receiving, state: "waiting" };
  await runTx(part, async (tx) => {
    const before = await tx.get(files, receiving.id);
    if (before !== null) tx.put(files, before, kept);
  });
  return kept;
}

async function storePieces(
  { part, runTx }: { readonly part: string; readonly runTx: RunTx },
  fileId: string,
  pieces: ReturnType<typeof split>,
): Promise<void> {
  for (let start = 0; start < pieces.length; start += PIECES_PER_COMMIT) {
    await runTx(part, async (tx) => {
      for (const [at, data] of pieces.slice(start, start + PIECES_PER_COMMIT).entries()) {
        tx.create(fileChunks, { id: chunkId(fileId, start + at), data });
      }
    });
  }
}

interface Read {
  readonly content: Uint8Array;
  readonly extension: string;
  readonly mime: string;
}

async function readFile(part: string, { bytes, field, name, say }: Sent): Promise<Read> {
  const most = Math.min(field.max_bytes ?? FORMS_LIMITS.fileBytes, FORMS_LIMITS.fileBytes);
  if (bytes.length === 0) throw invalidField(["content"], say("form.fault_file_empty"));
  const tooLarge = () =>
    fail("content_too_large", say("form.fault_file_size", { megabytes: Math.floor(most / 10_485.76) / 100 }));
  if (bytes.length > most) throw tooLarge();
  const { fileTypeFromBuffer } = await import("file-type");
  const judged = judgeFile({ bytes, name }, await fileTypeFromBuffer(bytes), field.accept);
  if (!judged.ok) throw invalidField(["content"], say(judged.key, judged.values), "file_refused");
  const content = await clean(part, bytes, judged.cleaning);
  if (content === null) throw invalidField(["content"], say("form.fault_file_unreadable"), "file_refused");
  if (content.length > FORMS_LIMITS.fileBytes) throw tooLarge();
  return { content, extension: judged.kind, mime: judged.mime };
}

/** A file without metadata; null for an image that cannot be read. */
async function clean(part: string, bytes: Uint8Array, cleaning: Cleaning): Promise<Uint8Array | null> {
  if (cleaning === "none") return bytes;
  return cleaning === "redraw" ? redrawImage(part, bytes) : stripHeif(bytes);
}

/** Without a scanner, a file can be downloaded with the status that it was not scanned. */
const scanOf = async ({ ports }: WorkBase, content: Uint8Array): Promise<StoredFile["scan"]> =>
  ports.scan === undefined ? "skipped" : ports.scan(content);

function split(content: Uint8Array): string[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += FORMS_LIMITS.chunkBytes) {
    pieces.push(bytes.subarray(at, at + FORMS_LIMITS.chunkBytes).toString("base64"));
  }
  return pieces;
}

/** The content of a file; null if a chunk is missing. */
export async function readPieces(
  tx: Tx,
  { chunks, id }: StoredFile,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < chunks; at += 1) {
    const piece = await tx.get(fileChunks, chunkId(id, at));
    if (piece === null) return null;
    pieces.push(Buffer.from(piece.value.data, "base64"));
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** Deletes a file with its chunks, a hundred per commit. */
export async function removeFile(
  { part, runTx }: { part: string; runTx: RunTx },
  file: StoredFile,
): Promise<void> {
  for (let start = 0; start < file.chunks; start += 100) {
    await runTx(part, async (tx) => {
      for (let at = start; at < Math.min(start + 100, file.chunks); at += 1) {
        const piece = await tx.get(fileChunks, chunkId(file.id, at));
        if (piece !== null) tx.remove(fileChunks, piece);
      }
    });
  }
  await runTx(part, async (tx) => {
    const stored: Stored<StoredFile> | null = await tx.get(files, file.id);
    if (stored !== null) tx.remove(files, stored);
  });
}
