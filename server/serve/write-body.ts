import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { LARGE_CHARS } from "../http/messages.ts";
import { giveWay } from "../lib/slices.ts";
import { createPace } from "./pace.ts";

/** Characters or bytes that are written at once: about the time in which a small request is answered. */
const PART_SIZE = 131_072;

const pace = createPace();

/** What large bodies still have to write. */
const rests = new WeakMap<ServerResponse, number>();

/** Bytes of a response that are in memory: what the socket has not taken, and what it was not given yet (of a text, in characters). */
export const unsentBytes = (res: ServerResponse): number => (rests.get(res) ?? 0) + res.writableLength;

export interface Body {
  /** Pieces are written one by one, as they are. */
  readonly content: string | Uint8Array | readonly Uint8Array[];
  /** Of a text. Default: utf8. */
  readonly encoding?: "latin1" | "utf8";
  /** Whose turn the parts are written in, and whose pace is kept. */
  readonly recipient: string | undefined;
}

/**
 * Writes a body and ends the response. A large one is written in parts, as fast as its client reads and with turns for other
 * requests: in one piece, a text of 3 MB that is copied and handed to the system keeps the event loop for 5 to 20 ms.
 */
export async function writeBody(
  res: ServerResponse,
  { content, encoding = "utf8", recipient }: Body,
): Promise<void> {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  if (isWhole && content.length <= LARGE_CHARS) {
    if (typeof content === "string") writeAtOnce(res, content, encoding);
    else res.end(content);
    return;
  }
  let rest = isWhole ? content.length : content.reduce((sum, { length }) => sum + length, 0);
  rests.set(res, rest);
  for (const part of isWhole ? partsOf(content) : content) {
    const waitMs = recipient === undefined ? 0 : pace(recipient, part.length, performance.now());
    if (waitMs > 0) await sleep(waitMs);
    // Before it: many responses can have become writable in one turn of the event loop.
    await giveWay(recipient ?? "");
    if (res.destroyed) return;
    rest -= part.length;
    rests.set(res, rest);
    if (!res.write(part, encoding)) await drained(res);
  }
  res.end();
}

/** Writes head and text as one string: `end` of Node adds an empty one, and the system is given a list of both. */
function writeAtOnce(res: ServerResponse, text: string, encoding: "latin1" | "utf8"): void {
  res.write(text, encoding);
  res.socket?.uncork();
  res.end();
}

function* partsOf(content: string | Uint8Array): Generator<string | Uint8Array, void, undefined> {
  for (let start = 0, end = 0; start < content.length; start = end) {
    end = typeof content === "string" ? endOfPart(content, start) : start + PART_SIZE;
    yield typeof content === "string" ? content.slice(start, end) : content.subarray(start, end);
  }
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
