import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { fromInstant } from "../../../lib/instant.ts";

/** Refuses what a state does not allow. */
export function requireStatus<S extends string>(status: S, allowed: readonly S[], what: string): void {
  if (allowed.includes(status)) return;
  throw conflict("invalid_transition", `What is ${status} cannot be ${what}.`);
}

export const badState = conflictWhen("invalid_transition", "Its state does not allow it");
export const tooMany = conflictWhen("limit_reached", "There are as many as there may be");

/** What an offer or bundle that applies is called: it may begin later. */
export const liveStatus = (
  { starts_at: from }: { readonly starts_at: string | null },
  now: number,
): "scheduled" | "active" => (from !== null && fromInstant(from) > now ? "scheduled" : "active");
