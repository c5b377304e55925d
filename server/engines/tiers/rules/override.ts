import type { Rules } from "../schema/programme.ts";
import type { Override, Standing } from "../schema/standing.ts";
import type { Tier as ShownTier } from "../schema.ts";

/** The override in effect on a day: of several, the one created last. */
export const activeOverride = (overrides: readonly Override[], day: string): Override | null =>
  overrides.findLast(({ from, until }) => from <= day && (until === null || day < until)) ?? null;

/** An override is a minimum unless it is exact (invariant T6). One for a deleted level has no effect. */
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
