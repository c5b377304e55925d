/** Epoch milliseconds → RFC 3339 UTC with milliseconds, as every `*_at` member carries it. */
export const toInstant = (epochMs: number): string => new Date(epochMs).toISOString();

/** RFC 3339 instant → epoch milliseconds. */
export const fromInstant = (instant: string): number => Date.parse(instant);

export const MINUTE_MS = 60_000;
/** A day of UTC, which has no change of the clocks. */
export const DAY_MS = 86_400_000;
