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
 * and one key may request many large ones. Beyond the limit connections of the customer with the most unsent bytes are closed, the
 * oldest response first: who asked for little goes on, and so does a response that has just begun.
 */
export function createUnsentLimit(
  limits: { readonly bytes: number; readonly waitMs: number; readonly bytesAtOnce: number } = LIMITS,
): (res: ServerResponse, customerId: string | undefined) => void {
  /** By customer, the oldest first. */
  const waiting = new Map<string, Set<Waiting>>();
  /** Bytes of all that wait, sent or not: what is unsent is counted only where that may exceed the limit. */
  let most = 0;

  function cut(): void {
    const nowMs = performance.now();
    const customers = [...waiting.values()].map((responses) => {
      const all = [...responses].map((each) => ({ ...each, bytes: unsentBytes(each.res) }));
      return { all, unsent: all.reduce((sum, { bytes }) => sum + bytes, 0) };
    });
    let unsent = customers.reduce((sum, customer) => sum + customer.unsent, 0);
    while (unsent > limits.bytes) {
      const isDue = ({ sinceMs }: Waiting): boolean =>
        unsent > limits.bytesAtOnce || nowMs - sinceMs >= limits.waitMs;
      const [worst] = customers
        .filter(({ all: [oldest] }) => oldest !== undefined && isDue(oldest))
        .sort((one, other) => other.unsent - one.unsent);
      const oldest = worst?.all.shift();
      if (worst === undefined || oldest === undefined) return;
      oldest.res.destroy();
      worst.unsent -= oldest.bytes;
      unsent -= oldest.bytes;
    }
  }

  return (res, customerId = "") => {
    const bytes = unsentBytes(res);
    if (bytes < COUNTED_BYTES) return;
    const entry = { res, sinceMs: performance.now() };
    const own = waiting.get(customerId) ?? new Set();
    waiting.set(customerId, own.add(entry));
    most += bytes;
    res.once("close", () => {
      own.delete(entry);
      if (own.size === 0 && waiting.get(customerId) === own) waiting.delete(customerId);
      most -= bytes;
    });
    if (most > limits.bytes) cut();
  };
}
