const PACE = {
  /** 16 MB a second: an eighth of what a network of 1 Gbit/s carries. */
  bytesPerMs: 16_000,
  /** Time of that pace that who was sent nothing large may use at once: 8 MB. */
  burstMs: 500,
} as const;

type Pace = (recipient: string, bytes: number, nowMs: number) => number;

/**
 * Paces what each recipient is sent: without it, 60 responses of 3 MB that nobody reads leave at the speed of memory, and keep the cores
 * and the network from all others. Returns the milliseconds to wait before the next part of so many bytes is sent.
 */
export function createPace({
  bytesPerMs,
  burstMs,
}: { readonly bytesPerMs: number; readonly burstMs: number } = PACE): Pace {
  /** When what each recipient is sent has been sent at that pace, the one with the last part at the end. */
  const untilMs = new Map<string, number>();

  return (recipient, bytes, nowMs) => {
    const sinceMs = Math.max(untilMs.get(recipient) ?? 0, nowMs - burstMs);
    untilMs.delete(recipient);
    for (const [other, endMs] of untilMs) {
      if (endMs > nowMs - burstMs) break;
      untilMs.delete(other);
    }
    untilMs.set(recipient, sinceMs + bytes / bytesPerMs);
    return Math.max(0, sinceMs - nowMs);
  };
}
