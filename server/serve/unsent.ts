import type { ServerResponse } from "node:http";

import { unsentBytes } from "./write-body.ts";

/** Responses that are smaller are not counted: connections are limited. */
const COUNTED_BYTES = 65_536;
const LIMITS = {
  /** Bytes of large responses that wait for their clients, above which those that wait for a second are cut. */
  bytes: 64_000_000,
  waitMs: 1_000,
  /** The same for responses of any age: what many requests at once ask for. */
  bytesAtOnce: 128_000_000,
} as const;

interface Waiting {
  readonly res: ServerResponse;
  readonly sinceMs: number;
}

/**
 * Bounds the memory of responses that their clients do not read: a response is in memory until its last byte is sent,
 * and one key may request many large ones. Beyond the limit the connections with the most unsent bytes are closed: a client that
 * reads slowly and asked for little goes on.
 */
export function createUnsentLimit(
  limits: { readonly bytes: number; readonly waitMs: number; readonly bytesAtOnce: number } = LIMITS,
): (res: ServerResponse) => void {
  const waiting = new Set<Waiting>();
  /** Bytes of all that wait, sent or not: what is unsent is counted only where that may exceed the limit. */
  let most = 0;

  function cut(): void {
    let unsent = 0;
    const all = [...waiting].map((each) => {
      const bytes = unsentBytes(each.res);
      unsent += bytes;
      return { ...each, bytes };
    });
    const nowMs = performance.now();
    for (const { res, sinceMs, bytes } of all.sort((a, b) => b.bytes - a.bytes || a.sinceMs - b.sinceMs)) {
      if (unsent <= limits.bytes) return;
      if (unsent <= limits.bytesAtOnce && nowMs - sinceMs < limits.waitMs) continue;
      res.destroy();
      unsent -= bytes;
    }
  }

  return (res) => {
    const bytes = unsentBytes(res);
    if (bytes < COUNTED_BYTES) return;
    const entry = { res, sinceMs: performance.now() };
    waiting.add(entry);
    most += bytes;
    res.once("close", () => {
      waiting.delete(entry);
      most -= bytes;
    });
    if (most > limits.bytes) cut();
  };
}
