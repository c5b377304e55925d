import { crc32 } from "node:zlib";

import { DOC_BYTES_MAX } from "../contract.ts";
import type { KeyParts } from "../keys.ts";

/**
 * The log is text, one record a line, so that `grep`, `cut -d' ' -f5-` and `jq` read it:
 *
 *     <crc32> <i>/<n> <version> <key> <json>   document, the i-th of the n writes of one commit
 *     <crc32> <i>/<n> <version> -<key>         removal
 *     <crc32> sync <offset>                    all before this offset of the file was durable when this was written
 *     <crc32> seq <version> <part>             the partition has reached this version (kept when its records went)
 *     <crc32> end <segment>                    the segment is complete and goes on in this one
 *
 * The checksum, eight hex digits, covers the line after its following space. A commit counts when all n lines are there.
 */
export type Line = WriteLine | MarkLine;

export interface WriteLine {
  readonly kind: "write";
  readonly removal: boolean;
  readonly at: KeyParts;
  readonly version: number;
  readonly i: number;
  readonly n: number;
  /** Bytes of key and value; 0 for a removal. */
  readonly bytes: number;
}

export type MarkLine =
  | { readonly kind: "sync"; readonly offset: number }
  | { readonly kind: "seq"; readonly version: number; readonly part: string }
  | { readonly kind: "end"; readonly next: number };

/** Longest line: a document, its key and the numbers before it. */
export const LINE_BYTES_MAX = DOC_BYTES_MAX + 512;

const CRC_CHARS = 8;
const HEX_DIGITS = "0123456789abcdef";
const BODY_AT = CRC_CHARS + 1;
const SPACE = 0x20;
const SLASH = 0x2f;
const COLON = 0x3a;
const DASH = 0x2d;
const NEWLINE = 0x0a;

/**
 * Reads the line at `bytes[start, end)` (without its line feed); null when it is not a whole record.
 * Parses no JSON, and allocates little: a start-up calls it once a record.
 */
export type Decode = (bytes: Buffer, start: number, end: number) => Line | null;

/** A decoder shares the texts of partitions and collections between the keys it makes. */
export function createDecoder(): Decode {
  const names = new Map<string, { part: string; coll: string }>();

  const keyAt = (bytes: Buffer, start: number, end: number): KeyParts | null => {
    const first = bytes.indexOf(COLON, start);
    const second = first < 0 ? -1 : bytes.indexOf(COLON, first + 1);
    if (second < 0 || second >= end) return null;
    const name = bytes.toString("latin1", start, second);
    let shared = names.get(name);
    if (shared === undefined) {
      shared = {
        part: bytes.toString("latin1", start, first),
        coll: bytes.toString("latin1", first + 1, second),
      };
      names.set(name, shared);
    }
    return { part: shared.part, coll: shared.coll, id: bytes.toString("latin1", second + 1, end) };
  };

  return (bytes, start, end) => {
    const body = start + BODY_AT;
    if (end - start < BODY_AT + 5 || bytes[body - 1] !== SPACE) return null;
    if (crc32(bytes.subarray(body, end)) !== hexAt(bytes, start)) return null;
    const slash = bytes.indexOf(SLASH, body);
    if (slash < 0 || slash > body + 4) return markAt(bytes, body, end);
    const countEnd = bytes.indexOf(SPACE, slash);
    const versionEnd = bytes.indexOf(SPACE, countEnd + 1);
    const removal = bytes[versionEnd + 1] === DASH;
    const keyEnd = removal ? end : bytes.indexOf(SPACE, versionEnd + 1);
    if (countEnd < 0 || versionEnd < 0 || keyEnd < 0 || keyEnd > end) return null;
    const at = keyAt(bytes, versionEnd + (removal ? 2 : 1), keyEnd);
    if (at === null) return null;
    return {
      kind: "write",
      removal,
      at,
      version: numberAt(bytes, countEnd + 1, versionEnd),
      i: numberAt(bytes, body, slash),
      n: numberAt(bytes, slash + 1, countEnd),
      // A space is between the two.
      bytes: removal ? 0 : end - versionEnd - 2,
    };
  };
}

/** A record inside a longer piece of text: the bytes `[start, end)`. */
export interface Recovered {
  readonly line: Line;
  readonly start: number;
  readonly end: number;
}

const BEGINNING = /[0-9a-f]{8} (?:\d+\/\d+|sync|seq|end) /g;

/** What can be saved of an unreadable line: where a line feed was damaged, it holds several records. */
export function recoverLines(decode: Decode, bytes: Buffer, start: number, end: number): Recovered[] {
  const text = bytes.toString("latin1", start, end);
  const starts = [...text.matchAll(BEGINNING)].map(({ index }) => start + index);
  return starts.flatMap((from, i) => {
    const to = [(starts[i + 1] ?? 0) - 1, end].find((to) => to > from && decode(bytes, from, to) !== null);
    const line = to === undefined ? null : decode(bytes, from, to);
    return line === null || to === undefined ? [] : [{ line, start: from, end: to }];
  });
}

/** The JSON text of a document's line. */
export function valueOf(bytes: Buffer, start: number, end: number): string {
  let at = start + BODY_AT;
  for (let field = 0; field < 3; field++) at = bytes.indexOf(SPACE, at) + 1;
  return bytes.toString("utf8", at, end);
}

export const writeBody = (version: number, key: string, value: string | null): string =>
  value === null ? `${version} -${key}` : `${version} ${key} ${value}`;
/** Of one length, so that it can be laid out before the offset is known. */
export const syncBody = (offset: number): string => `sync ${String(offset).padStart(12, "0")}`;
export const seqBody = (version: number, part: string): string => `seq ${version} ${part}`;
export const endBody = (next: number): string => `end ${next}`;

/** Lines on their way to the disk, in one growing buffer. */
export interface LineBuffer {
  /** Appends a line for the body; returns where it begins and how long it is, with its line feed. */
  add(body: string): { readonly offset: number; readonly length: number };
  /** Appends a line that already has its checksum, given without its line feed. */
  addRaw(line: Uint8Array): { readonly offset: number; readonly length: number };
  /** Puts a line of the same length in the place of the first one. */
  replaceFirst(body: string): void;
  bytes(): Buffer;
  reset(): void;
  readonly length: number;
}

const BUFFER_BYTES = 4096;
const BUFFER_KEEP_MAX = 8_388_608;

export function createLineBuffer(): LineBuffer {
  let buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let length = 0;
  const reserve = (count: number): void => {
    if (length + count <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count));
    buffer.copy(grown, 0, 0, length);
    buffer = grown;
  };
  const add: LineBuffer["add"] = (body) => {
    // UTF-8 takes at most three bytes for one unit of a JavaScript text.
    reserve(body.length * 3 + BODY_AT + 1);
    const offset = length;
    const end = offset + BODY_AT + buffer.write(body, offset + BODY_AT);
    let rest = crc32(buffer.subarray(offset + BODY_AT, end));
    for (let at = offset + CRC_CHARS - 1; at >= offset; at--, rest >>>= 4)
      buffer[at] = HEX_DIGITS.charCodeAt(rest & 15);
    buffer[offset + CRC_CHARS] = SPACE;
    buffer[end] = NEWLINE;
    length = end + 1;
    return { offset, length: length - offset };
  };
  return {
    add,
    replaceFirst(body) {
      const end = length;
      length = 0;
      add(body);
      length = end;
    },
    addRaw(line) {
      reserve(line.length + 1);
      const offset = length;
      buffer.set(line, offset);
      length += line.length + 1;
      buffer[length - 1] = NEWLINE;
      return { offset, length: length - offset };
    },
    bytes: () => buffer.subarray(0, length),
    reset() {
      length = 0;
      if (buffer.length > BUFFER_KEEP_MAX) buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    },
    get length() {
      return length;
    },
  };
}

function markAt(bytes: Buffer, start: number, end: number): Line | null {
  const [word, first, second] = bytes.toString("latin1", start, end).split(" ");
  const number = Number(first);
  if (!Number.isSafeInteger(number)) return null;
  if (word === "sync") return { kind: "sync", offset: number };
  if (word === "end") return { kind: "end", next: number };
  if (word === "seq" && second !== undefined) return { kind: "seq", version: number, part: second };
  return null;
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = number * 10 + (bytes[at] ?? 0) - 0x30;
  return number;
}

function hexAt(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; at < start + CRC_CHARS; at++) {
    const char = bytes[at] ?? 0;
    const digit = char <= 0x39 ? char - 0x30 : char - 0x57;
    if (digit < 0 || digit > 15) return -1;
    number = number * 16 + digit;
  }
  return number;
}
