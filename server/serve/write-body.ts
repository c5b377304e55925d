import type { ServerResponse } from "node:http";

import { LARGE_CHARS } from "../http/messages.ts";
import { giveWay } from "../lib/slices.ts";

/** Characters or bytes that are written at once: about the time in which a small request is answered. */
const PART_SIZE = 131_072;

/** What large bodies still have to write. */
const rests = new WeakMap<ServerResponse, number>();

/** Bytes of a response that are in memory: what the socket has not taken, and what it was not given yet (of a text, in characters). */
export const unsentBytes = (res: ServerResponse): number => (rests.get(res) ?? 0) + res.writableLength;

export interface Body {
  readonly content: string | Uint8Array;
  /** A large text in pieces, of which some may be shared with other answers. */
  readonly pieces?: readonly string[] | undefined;
  /** Of a text. Default: utf8. */
  readonly encoding?: "latin1" | "utf8";
  /** Whose turn the parts are written in. */
  readonly customerId: string | undefined;
}

/**
 * Writes a body and ends the response. A large one, whose pieces are not put together for that, is written in parts, as fast as its
 * client reads and with turns for other requests: in one piece, a text of 3 MB that is copied and handed to the system keeps the event
 * loop for 5 to 20 ms.
 */
export async function writeBody(
  res: ServerResponse,
  { content, pieces, encoding = "utf8", customerId = "" }: Body,
): Promise<void> {
  if (content.length <= LARGE_CHARS) {
    res.end(content, encoding);
    return;
  }
  let rest = content.length;
  for (const part of typeof content === "string" ? partsOf(pieces ?? [content]) : slicesOf(content)) {
    rest -= part.length;
    rests.set(res, rest);
    if (!res.write(part, encoding)) await drained(res);
    await giveWay(customerId);
    if (res.destroyed) return;
  }
  res.end();
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += PART_SIZE)
    yield bytes.subarray(start, start + PART_SIZE);
}

/** Slices of the pieces of a text; short pieces are put together with the next. */
function* partsOf(pieces: readonly string[]): Generator<string, void, undefined> {
  let short = "";
  for (const piece of pieces) {
    for (let start = 0, end = 0; start < piece.length; start = end) {
      end = endOfPart(piece, start);
      const part = short + piece.slice(start, end);
      short = part.length < PART_SIZE / 2 ? part : "";
      if (short === "") yield part;
    }
  }
  if (short !== "") yield short;
}

/** A character of two units is in one part. */
function endOfPart(text: string, start: number): number {
  const end = start + PART_SIZE;
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

/** Resolves when the client has taken what was written, or has disconnected. */
export const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (res.destroyed) return resolve();
    const done = (): void => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.once("drain", done);
    res.once("close", done);
  });
