import type { ServerResponse } from "node:http";

import { LARGE_CHARS } from "../http/messages.ts";
import { giveWay } from "../lib/slices.ts";

/** Characters that are written at once: about the time in which a small request is answered. */
const PART_CHARS = 131_072;

/** What large texts still have to write. */
const rests = new WeakMap<ServerResponse, number>();

/** Bytes of a response that are in memory: what the socket has not taken, and what it was not given yet (in characters). */
export const unsentBytes = (res: ServerResponse): number => (rests.get(res) ?? 0) + res.writableLength;

/**
 * Writes a text and ends the response. A large text, whose pieces are not put together for that, is written in parts, as fast as its
 * client reads and with turns for other requests: in one piece, a text of 3 MB that is copied and handed to the system keeps the event
 * loop for 5 to 20 ms.
 */
export async function writeText(
  res: ServerResponse,
  { text, pieces, encoding, customerId = "" }: Text,
): Promise<void> {
  if (text.length <= LARGE_CHARS) {
    res.end(text, encoding);
    return;
  }
  let rest = text.length;
  for (const part of partsOf(pieces ?? [text])) {
    rest -= part.length;
    rests.set(res, rest);
    if (!res.write(part, encoding)) await drained(res);
    await giveWay(customerId);
    if (res.destroyed) return;
  }
  res.end();
}

export interface Text {
  readonly text: string;
  /** A large text in pieces, of which some may be shared with other answers. */
  readonly pieces: readonly string[] | undefined;
  readonly encoding: "latin1" | "utf8";
  /** Whose turn the parts are written in. */
  readonly customerId: string | undefined;
}

/** Slices of the pieces; short pieces are put together with the next. */
function* partsOf(pieces: readonly string[]): Generator<string, void, undefined> {
  let short = "";
  for (const piece of pieces) {
    for (let start = 0, end = 0; start < piece.length; start = end) {
      end = endOfPart(piece, start);
      const part = short + piece.slice(start, end);
      short = part.length < PART_CHARS / 2 ? part : "";
      if (short === "") yield part;
    }
  }
  if (short !== "") yield short;
}

/** A character of two units is in one part. */
function endOfPart(text: string, start: number): number {
  const end = start + PART_CHARS;
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
