import type { Rules } from "../schema/programme.ts";
import type { Override, Standing } from "../schema/standing.ts";

/** What a member has, the rules and somebody's word considered. */
export interface ShownTier {
  readonly level_id: string;
  readonly name: string;
  readonly rank: number;
  readonly since: string;
  readonly expires_on: string | null;
  readonly state: "held" | "grace" | "protected" | "manual";
}

/** The override in force on a day: of several the one made last. */
export const activeOverride = (overrides: readonly Override[], day: string): Override | null =>
  overrides.findLast(({ from, until }) => from <= day && (until === null || day < until)) ?? null;

/** An override is a floor unless it is exact (invariant T6). One for a level that is gone says nothing. */
export function shownTier(
  standing: Standing,
  overrides: readonly Override[],
  { rules, day }: { readonly rules: Rules; readonly day: string },
): ShownTier {
  const override = activeOverride(overrides, day);
  const level = override === null ? undefined : rules.levels.find(({ id }) => id === override.level_id);
  if (override !== null && level !== undefined && (override.exact || level.rank > standing.rank)) {
    const { id: level_id, name, rank } = level;
    return { level_id, name, rank, since: override.from, expires_on: override.until, state: "manual" };
  }
  const { level_id, rank, since, expires_on, state } = standing;
  const name = rules.levels.find(({ id }) => id === level_id)?.name ?? "";
  return { level_id, name, rank, since, expires_on, state };
}
