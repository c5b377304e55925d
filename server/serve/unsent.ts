import type { ServerResponse } from "node:http";

import { unsentBytes } from "./write-body.ts";

const LIMITS = {
  /** Bytes of responses that wait for their clients, above which those that wait for a second are cut. */
  bytes: 64_000_000,
  waitMs: 1_000,
  /** The same for responses of any age: what many requests at once ask for. */
  bytesAtOnce: 128_000_000,
} as const;

interface Waiting {
  readonly res: ServerResponse;
  /** Bytes that were unsent when that was looked at last, and since when they are no fewer. */
  unsent: number;
  sinceMs: number;
}

/**
 * Bounds the memory of responses that their clients do not read: a response is in memory until its last byte is sent,
 * and one key may request many large ones. Beyond the limit connections of the recipient with the most unsent bytes are closed, the
 * response first whose client has taken nothing for the longest time: who asked for little goes on, and so does who reads.
 */
export function createUnsentLimit(
  limits: { readonly bytes: number; readonly waitMs: number; readonly bytesAtOnce: number } = LIMITS,
): (res: ServerResponse, recipient: string | undefined) => void {
  /** By recipient. */
  const waiting = new Map<string, Set<Waiting>>();
  /** Bytes of all that wait, sent or not: what is unsent is counted only where that may exceed the limit. */
  let most = 0;

  function cut(nowMs: number): void {
    const recipients = [...waiting.values()].map((responses) => {
      for (const each of responses) {
        const unsent = unsentBytes(each.res);
        // What its pace or turn holds back waits for us, not for its client.
        if (unsent < each.unsent || each.res.writableLength === 0) each.sinceMs = nowMs;
        each.unsent = unsent;
      }
      const left = new Set([...responses].sort((one, other) => one.sinceMs - other.sinceMs));
      return { left, unsent: [...left].reduce((sum, { unsent }) => sum + unsent, 0) };
    });
    let unsent = recipients.reduce((sum, one) => sum + one.unsent, 0);
    const isDue = ({ sinceMs }: Waiting): boolean =>
      unsent > limits.bytesAtOnce || nowMs - sinceMs >= limits.waitMs;
    while (unsent > limits.bytes) {
      const [worst] = recipients
        .flatMap((one) => {
          const due = [...one.left].find(isDue);
          return due === undefined ? [] : [{ one, due }];
        })
        .sort((left, right) => right.one.unsent - left.one.unsent);
      if (worst === undefined) return;
      const { one, due } = worst;
      due.res.destroy();
      one.left.delete(due);
      one.unsent -= due.unsent;
      unsent -= due.unsent;
    }
  }

  return (res, recipient = res.req.socket.remoteAddress ?? "") => {
    const bytes = unsentBytes(res);
    // The system has taken all of it.
    if (bytes === 0) return;
    const nowMs = performance.now();
    const entry = { res, unsent: bytes, sinceMs: nowMs };
    const own = waiting.get(recipient) ?? new Set();
    waiting.set(recipient, own.add(entry));
    most += bytes;
    res.once("close", () => {
      own.delete(entry);
      if (own.size === 0 && waiting.get(recipient) === own) waiting.delete(recipient);
      most -= bytes;
    });
    if (most > limits.bytes) cut(nowMs);
  };
}
