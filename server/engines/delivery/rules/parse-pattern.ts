import type { Level } from "../schema/zone.ts";
import { AREAS, areaOf, districtOf, OUTCODE, parseGbPostcode, tidy, toCompact } from "./parse-gb-postcode.ts";
import type { Postcode } from "./parse-gb-postcode.ts";
import { foreignCompact, parsePostcode } from "./parse-postcode.ts";

/** A parsed zone pattern. Two patterns of a country with the same text match the same postcodes. */
export interface Pattern {
  /** Canonical text. */
  readonly text: string;
  readonly country: string;
  readonly level: Level;
  /** Must equal a postcode's key of this level; for a range, the part that all its codes share. */
  readonly key: string;
  /** Specificity: the higher wins. */
  readonly rank: number;
  /** Numbers of a range, inclusive, and for other countries the number of leading digits they represent. */
  readonly range: { readonly from: number; readonly to: number; readonly digits: number } | null;
  /** The outcode of a unit or sector. */
  readonly inOutcode: string | null;
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly detail: string };

/** Specificity of each level; a prefix is more specific the longer it is. */
export const RANKS: Readonly<Record<Level, number>> = {
  unit: 600,
  polygon: 560,
  radius: 550,
  sector: 500,
  outcode: 400,
  district: 350,
  prefix: 300,
  range: 200,
  area: 100,
  all: 0,
};

/**
 * Parses a zone pattern.
 *
 * GB, most specific first: `SW1A 1AA` unit, `SW1A 1` sector, `SW1A` outcode, `SW1` the outcode SW1 and SW1A to SW1Y
 * but never SW10 to SW19, `SW1-SW9` districts by number, `SW` area, `*`. A trailing `*` is ignored, so that
 * patterns written for textual matchers keep their meaning.
 * Other countries: a whole code, `prefix*`, a range of equally long numbers (compared with the leading digits), `*`.
 */
export function parsePattern(text: string, country: string): ParsedPattern {
  const name = `${country} ${text}`;
  const known = memory.get(name);
  if (known !== undefined) return known;
  const parsed = parse(text, country);
  if (text.length > MEMORY_CHARS) return parsed;
  if (memory.size >= MEMORY_PATTERNS) memory.clear();
  memory.set(name, parsed);
  return parsed;
}

/** All patterns of some large stores: each change of one reads all of its patterns again, several times. */
const MEMORY_PATTERNS = 60_000;
const MEMORY_CHARS = 30;
const memory = new Map<string, ParsedPattern>();

function parse(text: string, country: string): ParsedPattern {
  const written = tidy(text).replaceAll(/[\u2010-\u2015]/g, "-");
  if (written === "*") return accept({ text: "*", country, level: "all", key: "" });
  return country === "GB" ? parseGb(written.replace(/ ?\*$/, "")) : parseForeign(written, country);
}

function parseGb(text: string): ParsedPattern {
  const base = { text, country: "GB" };
  if (text.includes("-")) return parseGbRange(text);
  if (AREAS.has(text)) return accept({ ...base, level: "area", key: text });
  if (OUTCODE.test(text) && areaOf(text) !== null) {
    return accept({ ...base, level: districtOf(text) === text ? "district" : "outcode", key: text });
  }
  const sector = findSector(text);
  if (sector !== null) {
    return accept({
      ...base,
      text: sector.text,
      level: "sector",
      key: sector.text,
      inOutcode: sector.outcode,
    });
  }
  const parsed = parseGbPostcode(text);
  if (parsed.ok && parsed.value.precision === "unit") {
    const { postcode, compact, outcode } = parsed.value;
    return accept({ text: postcode, country: "GB", level: "unit", key: compact, inOutcode: outcode });
  }
  return refuse(hintFor(text));
}

/** With a space a sector is unambiguous; without, only if it is not a valid outcode (`SW1A1`, not `SW11`). */
function findSector(text: string): { text: string; outcode: string } | null {
  const outcode = text.slice(0, -1).trim();
  const isSector = /\d$/.test(text) && OUTCODE.test(outcode) && areaOf(outcode) !== null;
  return isSector && (text.includes(" ") || !OUTCODE.test(text))
    ? { text: `${outcode} ${text.slice(-1)}`, outcode }
    : null;
}

function parseGbRange(text: string): ParsedPattern {
  const [, area = "", first = "", lastArea = "", last = ""] =
    /^([A-Z]{1,2})(\d{1,2}) ?- ?([A-Z]{1,2})(\d{1,2})$/.exec(text) ?? [];
  if (first === "") return refuse("A range must start and end with districts of one area, as in SW1-SW9.");
  if (area !== lastArea || !AREAS.has(area))
    return refuse("A range must be within one existing area, as in SW1-SW9.");
  const from = Number(first);
  const to = Number(last);
  if (from > to) return refuse("A range must start with its lower district, as in SW1-SW9.");
  return accept({
    text: `${area}${from}-${area}${to}`,
    country: "GB",
    level: "range",
    key: area,
    range: { from, to, digits: 0 },
  });
}

function parseForeign(text: string, country: string): ParsedPattern {
  const compact = foreignCompact(text.replace(/\*$/, ""), country);
  // The country alone, as in IM*: every code, whether it is written with the country or not.
  if (compact === "" && /^[A-Z].*\*$/.test(text))
    return accept({ text: `${country}*`, country, level: "prefix", key: "" });
  if (!/^[A-Z0-9]{1,24}$/.test(compact))
    return refuse("Expected a postal code, prefix*, a range of numbers, or *.");
  if (text.endsWith("*")) return accept({ text: `${compact}*`, country, level: "prefix", key: compact });
  const parsed = parsePostcode(text, country);
  if (parsed.ok) {
    return accept({ text: parsed.value.postcode, country, level: "unit", key: parsed.value.compact });
  }
  const [, first = "", last = ""] = /^(\d{1,9}) ?- ?(\d{1,9})$/.exec(text) ?? [];
  if (first === "" || first.length !== last.length || Number(first) > Number(last)) {
    return refuse(
      `Expected a postal code of ${country}, a prefix with *, or a range of numbers of equal length such as 1000-1999.`,
    );
  }
  const range = { from: Number(first), to: Number(last), digits: first.length };
  return accept({ text: `${first}-${last}`, country, level: "range", key: "", range });
}

function hintFor(text: string): string {
  if (text.startsWith("BFPO"))
    return "A BFPO number is not a postcode. Use the area BF or its outcodes BF1 and BF2.";
  if (toCompact(text) === "GIR0AA") return "GIR 0AA does not receive deliveries.";
  return "Expected a UK pattern such as SW1A 1AA, SW1A 1, SW1A, SW1, SW1-SW9, SW or *.";
}

/** True if a range pattern with the postcode's key contains it. */
export function isInRange(pattern: Pattern, postcode: Postcode): boolean {
  const { range } = pattern;
  if (range === null) return false;
  const digits =
    range.digits === 0 ? /\d+/.exec(postcode.district ?? "")?.[0] : postcode.compact.slice(0, range.digits);
  if (digits === undefined || !/^\d+$/.test(digits) || digits.length < range.digits) return false;
  return Number(digits) >= range.from && Number(digits) <= range.to;
}

const refuse = (detail: string): ParsedPattern => ({ ok: false, detail });

function accept(
  pattern: Pick<Pattern, "text" | "country" | "level" | "key"> & Partial<Pattern>,
): ParsedPattern {
  const { level, key } = pattern;
  const rank = RANKS[level] + (level === "prefix" ? key.length : 0);
  return { ok: true, pattern: { range: null, inOutcode: null, ...pattern, rank } };
}
