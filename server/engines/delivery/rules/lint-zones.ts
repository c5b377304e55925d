import type { MatchZone } from "./match-zone.ts";
import { parsePattern } from "./parse-pattern.ts";
import type { Pattern } from "./parse-pattern.ts";

/** Two patterns that could claim the same postcode with nothing but an id to decide. */
export interface PatternConflict {
  readonly pattern: string;
  readonly zoneId: string;
  readonly otherPattern: string;
  readonly otherZoneId: string;
}

/**
 * Finds active patterns of equal specificity that overlap in different zones of equal priority.
 * Below ranges, equally specific patterns overlap only when they are the same pattern.
 */
export function lintZones(zones: readonly MatchZone[]): PatternConflict[] {
  const groups = new Map<string, Entry[]>();
  for (const zone of zones.filter(({ active }) => active)) {
    for (const text of zone.patterns) {
      const parsed = parsePattern(text, zone.country);
      if (!parsed.ok) continue;
      const { pattern } = parsed;
      const group = `${zone.priority} ${pattern.country} ${pattern.level} ${pattern.key}`;
      const entries = groups.get(group) ?? [];
      entries.push({ zone, pattern });
      groups.set(group, entries);
    }
  }
  return [...groups.values()].flatMap(conflictsIn);
}

interface Entry {
  readonly zone: MatchZone;
  readonly pattern: Pattern;
}

/**
 * Goes through the entries by where they begin. An entry overlaps one before it exactly when it overlaps the
 * furthest reaching one; the furthest reaching of another zone is kept too, since a zone may overlap itself.
 */
function conflictsIn(entries: readonly Entry[]): PatternConflict[] {
  const sorted = [...entries].sort(
    (a, b) => spanOf(a.pattern).from - spanOf(b.pattern).from || (a.zone.id < b.zone.id ? -1 : 1),
  );
  const conflicts: PatternConflict[] = [];
  let reach: readonly Entry[] = [];
  for (const entry of sorted) {
    const other = reach.find(({ zone }) => zone.id !== entry.zone.id);
    if (other !== undefined && spanOf(other.pattern).to >= spanOf(entry.pattern).from) {
      conflicts.push({
        pattern: entry.pattern.text,
        zoneId: entry.zone.id,
        otherPattern: other.pattern.text,
        otherZoneId: other.zone.id,
      });
    }
    reach = furthest([...reach, entry]);
  }
  return conflicts;
}

/** The furthest reaching entry, and the furthest reaching one of any other zone. */
function furthest(entries: readonly Entry[]): Entry[] {
  const sorted = [...entries].sort((a, b) => spanOf(b.pattern).to - spanOf(a.pattern).to);
  const [first] = sorted;
  const second = sorted.find(({ zone }) => zone.id !== first?.zone.id);
  return [first, second].filter((entry) => entry !== undefined);
}

/** Where a pattern lies in its group. Ranges of other countries are put on the common scale of nine digits. */
function spanOf({ range }: Pattern): { from: number; to: number } {
  if (range === null) return { from: 0, to: 0 };
  if (range.digits === 0) return range;
  const scale = 10 ** (9 - range.digits);
  return { from: range.from * scale, to: (range.to + 1) * scale - 1 };
}
