import { fail } from "../../../lib/errors.ts";

/** Refuses what a state does not allow. */
export function requireStatus<S extends string>(status: S, allowed: readonly S[], what: string): void {
  if (allowed.includes(status)) return;
  throw fail("conflict", `What is ${status} cannot be ${what}.`, { code: "invalid_transition" });
}

export const badState = {
  type: "conflict",
  code: "invalid_transition",
  when: "Its state does not allow it",
} as const;
export const tooMany = {
  type: "conflict",
  code: "limit_reached",
  when: "There are as many as there may be",
} as const;
