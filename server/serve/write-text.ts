import type { ServerResponse } from "node:http";

import { giveWay } from "../lib/slices.ts";

/** Characters that are written at once: about the time in which a small request is answered. */
const PART_CHARS = 131_072;

/** What large texts still have to write. */
const rests = new WeakMap<ServerResponse, number>();

/** Bytes of a response that are in memory: what the socket has not taken, and what it was not given yet (in characters). */
export const unsentBytes = (res: ServerResponse): number => (rests.get(res) ?? 0) + res.writableLength;

/**
 * Writes a text and ends the response. A large text is written in parts, as fast as its client reads and with turns for other
 * requests: in one piece, a text of 3 MB that is copied and handed to the system keeps the event loop for 5 to 20 ms.
 */
export async function writeText(
  res: ServerResponse,
  text: string,
  {
    encoding,
    customerId = "",
  }: { readonly encoding: "latin1" | "utf8"; readonly customerId?: string | undefined },
): Promise<void> {
  for (let start = 0; ;) {
    const end = endOfPart(text, start);
    if (end === text.length) {
      rests.delete(res);
      res.end(start === 0 ? text : text.slice(start), encoding);
      return;
    }
    rests.set(res, text.length - end);
    const isTaken = res.write(text.slice(start, end), encoding);
    start = end;
    if (!isTaken) await drained(res);
    await giveWay(customerId);
    if (res.destroyed) return;
  }
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
