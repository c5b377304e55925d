import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Bytes of base64 in one chunk: with the members around it a chunk stays below the 256 KB of a document.
 */
export const CHUNK_CHARS = 240_000;
/** Chunks of one version: with the rest of its commit they stay below 1 MB. */
export const CHUNKS_MAX = 4;
/** Bytes of text that are unpacked at most, so that no stored text can fill the memory. */
export const TEXT_BYTES_MAX = 33_554_432;

/**
 * A text as pieces that fit into documents: deflated, in base64. A menu of 2,000 items has about 1.5 MB of text and
 * becomes one to two pieces; 4 pieces hold about 10 MB. Null when it takes more.
 */
export function packText(text: string): string[] | null {
  const packed = deflateRawSync(Buffer.from(text, "utf8"), { level: 6 }).toString("base64");
  const count = Math.max(1, Math.ceil(packed.length / CHUNK_CHARS));
  if (count > CHUNKS_MAX || Buffer.byteLength(text) > TEXT_BYTES_MAX) return null;
  return Array.from({ length: count }, (_, at) => packed.slice(at * CHUNK_CHARS, (at + 1) * CHUNK_CHARS));
}

/** The text that `packText` took apart. */
export const unpackText = (pieces: readonly string[]): string =>
  inflateRawSync(Buffer.from(pieces.join(""), "base64"), { maxOutputLength: TEXT_BYTES_MAX }).toString(
    "utf8",
  );
