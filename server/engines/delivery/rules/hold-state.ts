import type { Hold } from "../schema.ts";

/** The state a hold is in at an instant: `expired` is never stored, it follows from the time. */
export const holdStateAt = (hold: Pick<Hold, "state" | "expires_at">, now: number): Hold["state"] =>
  hold.state === "held" && now >= Date.parse(hold.expires_at) ? "expired" : hold.state;

export type HoldAction = "confirm" | "extend" | "release";

export type HoldStep =
  /** Do it. */
  | "apply"
  /** Nothing to do: it is so already. */
  | "keep"
  /** Do it if the slot is open and has the capacity, as for a new hold. */
  | "apply_if_free"
  /** Refuse: the hold is dead. */
  | "expired"
  /** Refuse: the state does not allow it. */
  | "invalid";

const STEPS: Readonly<Record<HoldAction, Readonly<Record<Hold["state"], HoldStep>>>> = {
  confirm: { held: "apply", confirmed: "keep", released: "invalid", expired: "apply_if_free" },
  extend: { held: "apply", confirmed: "invalid", released: "invalid", expired: "expired" },
  release: { held: "apply", confirmed: "apply", released: "keep", expired: "apply" },
};

/** What an action does to a hold in a state: the whole table of transitions. */
export const stepOf = (action: HoldAction, state: Hold["state"]): HoldStep => STEPS[action][state];

/**
 * New expiry of a hold that is extended: `ttlSeconds` from now, never earlier than it was, and never later than
 * `lifeSecondsMax` after it was made, so that nobody keeps a slot for ever. Epoch milliseconds.
 */
export function extendedExpiry(
  hold: { readonly createdAt: number; readonly expiresAt: number },
  now: number,
  ttlSeconds: number,
  lifeSecondsMax: number,
): number {
  const wanted = Math.min(now + ttlSeconds * 1000, hold.createdAt + lifeSecondsMax * 1000);
  return Math.max(wanted, hold.expiresAt);
}
