import { defineStates } from "../../../core/states.ts";
import { HoldState } from "../schema/hold.ts";
import type { Hold } from "../schema/hold.ts";

/** The status of a hold at an instant: `expired` is never stored, it is derived from the time. */
export const holdStateAt = (hold: Pick<Hold, "state" | "expires_at">, now: number): Hold["state"] =>
  hold.state === "held" && now >= Date.parse(hold.expires_at) ? "expired" : hold.state;

export type HoldAction = "confirm" | "extend" | "release" | "move";

export type HoldStep =
  /** Perform the action. */
  | "apply"
  /** No effect: already in that state. */
  | "keep"
  /** Perform it if the slot is open and has the capacity, as for a new hold. */
  | "apply_if_free"
  /** Refuse: the hold has expired. */
  | "expired"
  /** Refuse: the status does not allow it. */
  | "invalid";

const STEPS: Readonly<Record<HoldAction, Readonly<Record<Hold["state"], HoldStep>>>> = {
  confirm: { held: "apply", confirmed: "keep", released: "invalid", expired: "apply_if_free" },
  extend: { held: "apply", confirmed: "invalid", released: "invalid", expired: "expired" },
  release: { held: "apply", confirmed: "apply", released: "keep", expired: "apply" },
  move: { held: "apply", confirmed: "apply", released: "invalid", expired: "expired" },
};

/** The effect of an action on a hold with a status: the complete transition table. */
export const stepOf = (action: HoldAction, state: Hold["state"]): HoldStep => STEPS[action][state];

/**
 * New expiry of an extended hold: `ttlSeconds` from now, never earlier than before, and never later than
 * `lifeSecondsMax` after its creation, so that a slot cannot be held indefinitely. Epoch milliseconds.
 */
export function extendedExpiry(
  hold: { readonly createdAt: number; readonly expiresAt: number },
  now: number,
  ttlSeconds: number,
  lifeSecondsMax: number,
): number {
  const target = Math.min(now + ttlSeconds * 1000, hold.createdAt + lifeSecondsMax * 1000);
  return Math.max(target, hold.expiresAt);
}

const AFTER = { confirm: "confirmed", release: "released" } as const;

/** With what time does to a hold: extending and moving it keep its state. */
export const holdStates = defineStates("Hold", {
  collection: "delivery.holds",
  member: "state",
  states: HoldState.options,
  actions: ["confirm", "release", "ttl_ends"],
  next(state, action) {
    if (action === "ttl_ends") return state === "held" ? "expired" : null;
    return stepOf(action, state).startsWith("apply") ? AFTER[action] : null;
  },
});
