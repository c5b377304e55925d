import type { MatchZone } from "./match-zone.ts";
import { parsePattern } from "./parse-pattern.ts";
import type { Pattern } from "./parse-pattern.ts";

/** Two patterns that could match the same postcode with only the id to decide. */
export interface PatternConflict {
  readonly pattern: string;
  readonly zoneId: string;
  readonly otherPattern: string;
  readonly otherZoneId: string;
}

/**
 * Finds active patterns of equal specificity that overlap in different zones of equal priority.
 * Except for ranges, equally specific patterns overlap only if they are identical. In steps of one pattern.
 */
export function* lintZonesSteps(zones: readonly MatchZone[]): Generator<undefined, PatternConflict[]> {
  const groups = new Map<string, Entry[]>();
  for (const zone of zones.filter(({ active }) => active)) {
    for (const text of zone.patterns) {
      yield;
      const parsed = parsePattern(text, zone.country);
      if (!parsed.ok) continue;
      const { pattern } = parsed;
      const group = `${zone.priority} ${pattern.country} ${pattern.level} ${pattern.key}`;
      const entries = groups.get(group) ?? [];
      entries.push({ zone, pattern, ...spanOf(pattern) });
      groups.set(group, entries);
    }
  }
  const conflicts: PatternConflict[] = [];
  for (const entries of groups.values()) {
    // Most patterns are alone in their group.
    if (entries.length > 1) yield* addConflicts(entries, conflicts);
  }
  return conflicts;
}

interface Entry {
  readonly zone: MatchZone;
  readonly pattern: Pattern;
  /** Position in its group: first and last number. */
  readonly from: number;
  readonly to: number;
}

/**
 * Sweeps the entries by start. An entry overlaps an earlier one exactly if it overlaps the one with the greatest
 * end; the greatest end of another zone is tracked too, since a zone may overlap itself.
 */
function* addConflicts(entries: readonly Entry[], conflicts: PatternConflict[]): Generator<undefined, void> {
  const sorted = [...entries].sort((a, b) => a.from - b.from || (a.zone.id < b.zone.id ? -1 : 1));
  let reach: readonly Entry[] = [];
  for (const entry of sorted) {
    yield;
    const other = reach.find(({ zone }) => zone.id !== entry.zone.id);
    if (other !== undefined && other.to >= entry.from) {
      conflicts.push({
        pattern: entry.pattern.text,
        zoneId: entry.zone.id,
        otherPattern: other.pattern.text,
        otherZoneId: other.zone.id,
      });
    }
    reach = furthest([...reach, entry]);
  }
}

/** The entry with the greatest end, and the one with the greatest end in any other zone. */
function furthest(entries: readonly Entry[]): Entry[] {
  const sorted = [...entries].sort((a, b) => b.to - a.to);
  const [first] = sorted;
  const second = sorted.find(({ zone }) => zone.id !== first?.zone.id);
  return [first, second].filter((entry) => entry !== undefined);
}

/** Position of a pattern in its group. Ranges of other countries are scaled to nine digits. */
function spanOf({ range }: Pattern): { from: number; to: number } {
  if (range === null) return { from: 0, to: 0 };
  if (range.digits === 0) return range;
  const scale = 10 ** (9 - range.digits);
  return { from: range.from * scale, to: (range.to + 1) * scale - 1 };
}
