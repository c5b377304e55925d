import { endsAtMs } from "../collections.ts";
import type { Customer, Key } from "../collections.ts";

/** State of a key at an instant: what was decided, and what time made of it. Nothing has to run when a key expires. */
export function keyStatusAt(key: Key, now: number): Key["status"] {
  if (key.status === "revoked" || key.status === "expired") return key.status;
  const end = endsAtMs(key);
  if (end !== null && now >= end) return "expired";
  if (key.status === "ACTIVE") return "ACTIVE";
  return key.activates_at !== null && now >= Date.parse(key.activates_at) ? "ACTIVE" : "pending";
}

/** Whether a request with the key is accepted: it is ACTIVE and so is its customer. */
export const isAccepted = (key: Key, customer: Customer | null, now: number): boolean =>
  customer?.status === "active" && keyStatusAt(key, now) === "ACTIVE";

/** Whether a key counts towards its plan's cap: in use, or sure to come into use by itself. */
export function countsToLimit(key: Key, now: number): boolean {
  const status = keyStatusAt(key, now);
  return status === "ACTIVE" || (status === "pending" && key.activates_at !== null);
}

/** Instant at which a replaced key ends, as epoch milliseconds: after the overlap, never later than it would have anyway. */
export const overlapEnd = (key: Key, now: number, overlapSeconds: number): number =>
  Math.min(
    key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at),
    now + overlapSeconds * 1000,
  );

export type ScopePreset = "read-only" | "full";

/**
 * The scopes of a preset, spelled out, so that a later namespace is never granted by an old key. `known` are those of
 * secret keys, which read by `:read`, or those of publishable ones, which read by `:public`.
 */
export const presetScopes = (known: readonly string[], preset: ScopePreset): string[] =>
  preset === "full" ? [...known] : known.filter((scope) => /:(read|public)$/.test(scope));
