/** A pattern of a zone, as the API lists it. */
export interface PatternRow {
  readonly pattern: string;
  readonly level: string;
  readonly zone_id: string;
  readonly exclude: boolean;
}

export interface Tile {
  /** What the tile stands for: an outcode, a sector, a postcode, or all other codes of a group. */
  readonly text: string;
  /** An outcode or a postcode, about which the engine can be asked. */
  readonly isCode: boolean;
  /** Zones that include it, and zones that exclude it. */
  readonly zoneIds: readonly string[];
  readonly excludedBy: readonly string[];
}

export interface TileGroup {
  /** A postcode area such as SW, or the first two characters of other codes; "*" for everywhere else. */
  readonly name: string;
  readonly tiles: readonly Tile[];
}

const CODES: readonly string[] = ["district", "outcode", "unit"];
const RANGE = /^([A-Z]{1,2})(\d{1,2})-\1(\d{1,2})$/;
const byText = new Intl.Collator("en", { numeric: true }).compare;

/**
 * The patterns of zones as tiles by area, each once, in natural order. A range of districts (SW1-SW9) becomes a tile for each of
 * them; a whole area (SW) and `*` become the last tile of their group.
 */
export function groupPatterns(rows: readonly PatternRow[]): readonly TileGroup[] {
  const groups = new Map<string, Map<string, Tile>>();
  for (const { exclude, level, pattern, zone_id: zoneId } of rows) {
    const texts = districtsOf(pattern) ?? [pattern];
    for (const text of texts) {
      const name = groupOf(text);
      const tiles = groups.get(name) ?? new Map<string, Tile>();
      groups.set(name, tiles);
      const before = tiles.get(text) ?? { text, isCode: false, zoneIds: [], excludedBy: [] };
      tiles.set(text, {
        text,
        isCode: texts.length > 1 || CODES.includes(level),
        zoneIds: exclude ? before.zoneIds : [...before.zoneIds, zoneId],
        excludedBy: exclude ? [...before.excludedBy, zoneId] : before.excludedBy,
      });
    }
  }
  return [...groups]
    .toSorted(([a], [b]) => Number(a === "*") - Number(b === "*") || byText(a, b))
    .map(([name, tiles]) => ({ name, tiles: [...tiles.values()].toSorted(inOrder(name)) }));
}

/** The tile of the whole group comes last: it is what is left. */
const inOrder =
  (name: string) =>
  (a: Tile, b: Tile): number =>
    Number(a.text === name) - Number(b.text === name) || byText(a.text, b.text);

function districtsOf(pattern: string): string[] | null {
  const [, area = "", from = "", to = ""] = RANGE.exec(pattern) ?? [];
  if (area === "") return null;
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${area}${Number(from) + at}`);
}

const groupOf = (text: string): string => /^[A-Z]{1,2}(?=\d|$)/.exec(text)?.[0] ?? text.slice(0, 2);
