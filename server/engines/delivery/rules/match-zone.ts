import type { Area, Coordinates } from "../schema/zone.ts";
import type { MatchCandidate } from "../schema.ts";
import { isInArea, nameOfArea } from "./areas.ts";
import type { Postcode } from "./parse-gb-postcode.ts";
import { isInRange, parsePattern, RANKS } from "./parse-pattern.ts";
import type { Pattern } from "./parse-pattern.ts";

/** The fields of a zone that the rule uses. */
export interface MatchZone {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly patterns: readonly string[];
  readonly excludes: readonly string[];
  readonly area: Area | null;
  readonly priority: number;
  readonly active: boolean;
}

export interface Entry {
  readonly zone: MatchZone;
  readonly pattern: Pattern;
  readonly exclude: boolean;
}

/** Zones indexed by the keys of a postcode, so that a match costs a few lookups however many patterns exist. */
export interface ZoneIndex {
  readonly byKey: ReadonlyMap<string, readonly Entry[]>;
  /** Zones with an area, and the entry that it is matched as. */
  readonly areas: readonly (Entry & { readonly area: Area })[];
  /** Outcodes in which an active zone has a unit or sector pattern. */
  readonly fineOutcodes: ReadonlySet<string>;
}

export interface ZoneMatch {
  readonly zoneId: string | null;
  /** Why there is no zone. */
  readonly reason: "out_of_zone" | "zone_excluded" | "coordinates_required" | null;
  /** True if only an outcode is known and finer patterns exist inside it. */
  readonly estimate: boolean;
  /** Every zone with a pattern for this postcode, the selected one first. */
  readonly candidates: readonly MatchCandidate[];
}

/** Indexes the patterns of zones, one in each step. Invalid patterns are skipped: they cannot be stored. */
export function* indexZonesSteps(zones: readonly MatchZone[]): Generator<undefined, ZoneIndex> {
  const byKey = new Map<string, Entry[]>();
  const fineOutcodes = new Set<string>();
  for (const zone of zones) {
    for (const [texts, exclude] of [[zone.patterns, false] as const, [zone.excludes, true] as const]) {
      for (const text of texts) {
        yield;
        const parsed = parsePattern(text, zone.country);
        if (!parsed.ok) continue;
        const { pattern } = parsed;
        const key = keyOf(pattern.country, pattern.level, pattern.key);
        const filed = byKey.get(key);
        if (filed === undefined) byKey.set(key, [{ zone, pattern, exclude }]);
        else filed.push({ zone, pattern, exclude });
        if (pattern.inOutcode !== null && zone.active) fineOutcodes.add(pattern.inOutcode);
      }
    }
  }
  const areas = zones.flatMap((zone) =>
    zone.area === null
      ? []
      : [{ zone, area: zone.area, pattern: areaPattern(zone.area, zone.country), exclude: false }],
  );
  return { byKey, areas, fineOutcodes };
}

/** An area is less specific than a full postcode and more specific than every other pattern. */
function areaPattern(area: Area, country: string): Pattern {
  const level = area.type === "Circle" ? "radius" : "polygon";
  return {
    text: nameOfArea(area),
    country,
    level,
    key: "",
    rank: RANKS[level],
    range: null,
    inOutcode: null,
  };
}

const isArea = ({ level }: Pattern): boolean => level === "radius" || level === "polygon";

/** The areas of a country that coordinates are within: one area in each step, as it can have a thousand positions. */
export function* areasAtSteps(
  index: ZoneIndex,
  country: string,
  coordinates: Coordinates,
): Generator<undefined, readonly Entry[]> {
  const found: Entry[] = [];
  for (const entry of index.areas) {
    yield;
    if (entry.zone.country === country && isInArea(entry.area, coordinates)) found.push(entry);
  }
  return found;
}

/**
 * The zone of a postcode, and of the areas that its coordinates are within if they are known: the most specific pattern wins; in one zone an
 * exclude takes precedence over an include of the same or a coarser level, and over the zone's area; between zones of equal level the higher priority, then the lower id.
 * `*` stands for the geographic areas: Crown dependencies, forces and BX are served only by zones with a pattern for
 * them.
 */
export function matchZone(
  index: ZoneIndex,
  postcode: Postcode,
  areas: readonly Entry[] | null = null,
): ZoneMatch {
  const matches = new Map<string, { zone: MatchZone; include: Pattern | null; exclude: Pattern | null }>();
  for (const { zone, pattern, exclude } of lookUp(index, postcode, areas ?? [])) {
    const seen = matches.get(zone.id) ?? { zone, include: null, exclude: null };
    matches.set(zone.id, seen);
    const side = exclude ? "exclude" : "include";
    if (pattern.rank > (seen[side]?.rank ?? -1)) seen[side] = pattern;
  }
  const judged = [...matches.values()].map(judge).sort(byPrecedence);
  const winner = judged.find(({ standing }) => standing === "in")?.zone.id ?? null;
  const isExcluded = judged.some(({ standing }) => standing === "excluded");
  const mayBeInArea =
    areas === null && index.areas.some(({ zone }) => zone.active && zone.country === postcode.country);
  const reason = mayBeInArea ? "coordinates_required" : isExcluded ? "zone_excluded" : "out_of_zone";
  return {
    zoneId: winner,
    reason: winner !== null ? null : reason,
    estimate: postcode.precision === "outcode" && index.fineOutcodes.has(postcode.outcode ?? ""),
    candidates: judged.map((candidate) => toCandidate(candidate, winner, judged)),
  };
}

interface Judged {
  readonly zone: MatchZone;
  readonly include: Pattern | null;
  readonly exclude: Pattern | null;
  readonly standing: "in" | "excluded" | "inactive";
}

function judge(match: { zone: MatchZone; include: Pattern | null; exclude: Pattern | null }): Judged {
  const { zone, include, exclude } = match;
  if (!zone.active) return { ...match, standing: "inactive" };
  const isOut = include === null || (exclude !== null && (isArea(include) || exclude.rank >= include.rank));
  return { ...match, standing: isOut ? "excluded" : "in" };
}

const STANDING = { in: 0, excluded: 1, inactive: 2 } as const;

function byPrecedence(a: Judged, b: Judged): number {
  return (
    STANDING[a.standing] - STANDING[b.standing] ||
    (b.include?.rank ?? -1) - (a.include?.rank ?? -1) ||
    b.zone.priority - a.zone.priority ||
    (a.zone.id < b.zone.id ? -1 : 1)
  );
}

function toCandidate(judged: Judged, winner: string | null, all: readonly Judged[]): MatchCandidate {
  const { zone, include, exclude, standing } = judged;
  const outcome = standing === "in" ? (zone.id === winner ? "chosen" : "outranked") : standing;
  return {
    zone_id: zone.id,
    name: zone.name,
    priority: zone.priority,
    included_by: include === null ? null : { pattern: include.text, level: include.level },
    excluded_by: exclude === null ? null : { pattern: exclude.text, level: exclude.level },
    outcome,
    detail: explain(judged, outcome, all[0]),
  };
}

function explain(judged: Judged, outcome: MatchCandidate["outcome"], first: Judged | undefined): string {
  const { include, exclude, zone } = judged;
  if (outcome === "inactive") return "The zone is not active.";
  if (outcome === "excluded") {
    return include === null
      ? `Excluded by ${exclude?.text}, and no pattern includes it.`
      : isArea(include)
        ? `Excluded by ${exclude?.text}, which takes precedence over ${include.text}.`
        : `Excluded by ${exclude?.text}, which is at least as specific as ${include.text}.`;
  }
  if (outcome === "chosen") return `Included by ${include?.text}, the most specific pattern.`;
  if ((first?.include?.rank ?? -1) > (include?.rank ?? -1)) {
    return `${first?.include?.text} of zone ${first?.zone.id} is more specific than ${include?.text}.`;
  }
  if ((first?.zone.priority ?? 0) > zone.priority) {
    return `Zone ${first?.zone.id} has the higher priority (${first?.zone.priority}, this one ${zone.priority}).`;
  }
  return `Priority and specificity are equal; zone ${first?.zone.id} has the lower id.`;
}

function* lookUp(index: ZoneIndex, postcode: Postcode, areas: readonly Entry[]): Generator<Entry> {
  yield* areas;
  for (const key of keysOf(postcode)) {
    for (const entry of index.byKey.get(key) ?? []) {
      if (entry.pattern.level !== "range" || isInRange(entry.pattern, postcode)) yield entry;
    }
  }
}

/** The keys under which a pattern that matches this postcode is indexed. */
function keysOf(postcode: Postcode): string[] {
  const { country, compact, outcode, district, sector, area, precision, region } = postcode;
  const all = region === "geographic" ? [keyOf(country, "all", "")] : [];
  if (outcode === null) {
    const prefixes = Array.from({ length: compact.length + 1 }, (_, at) =>
      keyOf(country, "prefix", compact.slice(0, at)),
    );
    // The last four digits of a ZIP+4 are a part of its ZIP code: 90210-1234 is in 90210.
    const units = country === "US" && compact.length === 9 ? [compact, compact.slice(0, 5)] : [compact];
    return [
      ...units.map((unit) => keyOf(country, "unit", unit)),
      ...prefixes,
      keyOf(country, "range", ""),
      ...all,
    ];
  }
  return [
    ...(precision === "unit"
      ? [keyOf(country, "unit", compact), keyOf(country, "sector", sector ?? "")]
      : []),
    keyOf(country, "outcode", outcode),
    keyOf(country, "district", district ?? ""),
    keyOf(country, "range", area ?? ""),
    keyOf(country, "area", area ?? ""),
    ...all,
  ];
}

const keyOf = (country: string, level: string, key: string): string => `${country} ${level} ${key}`;
