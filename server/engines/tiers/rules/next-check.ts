import type { Rules } from "../schema/programme.ts";
import type { Override, Standing } from "../schema/standing.ts";
import type { Facts } from "./facts.ts";
import { addDays } from "../../../lib/local-time.ts";

/**
 * The next day on which a member's standing can change without an event: a term, protection or grace period ends, a
 * notice is due, an order starts to count, an override starts or ends. Without terms any day may move a window. Null
 * for never.
 */
export function nextCheck(
  standing: Standing,
  { facts }: Pick<Facts, "facts">,
  { overrides, rules }: { readonly overrides: readonly Override[]; readonly rules: Rules },
): string | null {
  const { expires_on: expiresOn, until, as_of: asOf } = standing;
  const days = [
    until ?? expiresOn,
    rules.term.type === "immediate" && standing.rank > 0 ? addDays(asOf, 1) : null,
    ...(expiresOn === null ? [] : rules.notice_days.map((days) => addDays(expiresOn, -days))),
    ...facts.map(({ countsFrom }) => countsFrom),
    ...overrides.flatMap((override) => [override.from, override.until]),
  ];
  return days.reduce<string | null>(
    (next, day) => (day !== null && day > asOf && (next === null || day < next) ? day : next),
    null,
  );
}
