import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";

/** Bytes of base64 in one chunk: including the other fields a chunk is below the 256 KB of a document. */
export const CHUNK_CHARS = 240_000;
/** Chunks of one version: including the rest of its commit they are below 1 MB. */
export const CHUNKS_MAX = 4;
/** Maximum of bytes of a version: each read of the live menu computes and writes all of it, in 10 ms per MB. */
export const TEXT_BYTES_MAX = 4_000_000;
/** Maximum of bytes that are decompressed, so that no stored text can exhaust memory. */
const UNPACKED_BYTES_MAX = 33_554_432;

/**
 * Compresses a text into chunks that fit into documents: deflated, in base64. A menu of 2,000 items has about 1.5 MB
 * of text and needs one to two chunks. Null for more than `TEXT_BYTES_MAX`, and for what does not fit into the chunks.
 */
export const packText = (text: string): string[] | null =>
  isTooLong(text) ? null : cut(deflateRawSync(Buffer.from(text, "utf8"), HOW));

/** The same in a thread of Node.js. */
export const packTextInThread = async (text: string): Promise<string[] | null> =>
  isTooLong(text) ? null : cut(await deflateInThread(Buffer.from(text, "utf8"), HOW));

const HOW = { level: 6 };
const deflateInThread = promisify<Buffer, typeof HOW, Buffer>(deflateRaw);

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > TEXT_BYTES_MAX;

function cut(deflated: Buffer): string[] | null {
  const packed = deflated.toString("base64");
  const count = Math.max(1, Math.ceil(packed.length / CHUNK_CHARS));
  if (count > CHUNKS_MAX) return null;
  return Array.from({ length: count }, (_, at) => packed.slice(at * CHUNK_CHARS, (at + 1) * CHUNK_CHARS));
}

/** The text compressed by `packText` in UTF-8, decompressed in a thread of Node.js. */
export const unpackInThread = (pieces: readonly string[]): Promise<Buffer> =>
  inflateInThread(Buffer.from(pieces.join(""), "base64"), { maxOutputLength: UNPACKED_BYTES_MAX });

const inflateInThread = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);
