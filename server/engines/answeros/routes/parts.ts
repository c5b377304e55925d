import { conflictWhen, invalidParameter } from "../../../lib/errors.ts";
import { addDays, daysBetween, localDateAt } from "../../../lib/local-time.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";

/** Declarations shared by routes of the engine. */
export const full = conflictWhen("limit_reached", "The store has reached its limit of these resources");

const DEFAULT_DAYS = 30;

/** The requested days, inclusive; throws 422 for more than a quarter or for reversed days. */
export function windowOf(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): { readonly from: string; readonly to: string; readonly days: number } {
  const to = query.to ?? localDateAt(now, "UTC");
  const from = query.from ?? addDays(to, 1 - DEFAULT_DAYS);
  // Dates compare as texts: later ones are written with a sign, and days up to them would have no end.
  if (from < "1900-01-01" || to > "9998-12-31")
    throw invalidParameter("to", "The range must be within the years 1900 to 9998.");
  if (from > to) throw invalidParameter("from", "`from` must not be later than `to`.");
  const days = daysBetween(from, to) + 1;
  if (days > ANSWEROS_LIMITS.windowDays) {
    throw invalidParameter("from", `The range must be at most ${ANSWEROS_LIMITS.windowDays} days.`);
  }
  return { from, to, days };
}
