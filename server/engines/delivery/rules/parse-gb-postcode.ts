import { composed } from "../../../lib/text/marks.ts";
import type { Region } from "../schema/zone.ts";

/** A parsed postcode. Fields that a country does not have are null. */
export interface Postcode {
  readonly country: string;
  readonly precision: "unit" | "outcode";
  /** In standard notation: `SW1A 2AA`, or `SW1A` if only the outcode is known. */
  readonly postcode: string;
  /** Without spaces and hyphens, for comparison with patterns. */
  readonly compact: string;
  readonly outcode: string | null;
  readonly incode: string | null;
  readonly area: string | null;
  readonly district: string | null;
  readonly sector: string | null;
  readonly unit: string | null;
  readonly region: Region;
}

export type ParsedPostcode =
  | { readonly ok: true; readonly value: Postcode }
  | {
      readonly ok: false;
      readonly code: "postcode_invalid" | "postcode_not_deliverable";
      /** The normalised input, for the response to repeat. */
      readonly postcode: string;
      readonly region: Region | null;
    };

/**
 * Parses a UK postcode or a lone outcode. Spacing and case are irrelevant; the inward part is the last three
 * characters.
 *
 * Sources: letters by position from BS 7666 (PostCodeType, with P as a third letter: SE1P, N1P); the list of areas
 * from the Office for National Statistics as alphagov/notifications-utils uses it. Format says nothing about
 * whether a unit exists.
 */
export function parseGbPostcode(text: string): ParsedPostcode {
  const compact = toCompact(text);
  if (compact === "GIR0AA") {
    return { ok: false, code: "postcode_not_deliverable", postcode: "GIR 0AA", region: "special" };
  }
  const outcode = UNIT.test(compact) ? compact.slice(0, -3) : OUTCODE.test(compact) ? compact : null;
  const area = outcode === null ? null : areaOf(outcode);
  if (outcode === null || area === null) {
    return { ok: false, code: "postcode_invalid", postcode: tidy(text), region: null };
  }
  return { ok: true, value: toPostcode(outcode, area, compact.slice(outcode.length)) };
}

function toPostcode(outcode: string, area: string, incode: string): Postcode {
  const isUnit = incode !== "";
  return {
    country: "GB",
    precision: isUnit ? "unit" : "outcode",
    postcode: isUnit ? `${outcode} ${incode}` : outcode,
    compact: outcode + incode,
    outcode,
    incode: isUnit ? incode : null,
    area,
    district: districtOf(outcode),
    sector: isUnit ? `${outcode} ${incode.charAt(0)}` : null,
    unit: isUnit ? incode.slice(1) : null,
    region: REGIONS[area] ?? "geographic",
  };
}

/** Converts to upper case and removes every kind of space, also the invisible ones of pasted text. */
export const toCompact = (text: string): string => toUpper(text).replace(/[\p{White_Space}\p{Cf}]/gu, "");

/** The same with single spaces, for output and for patterns in which a space distinguishes a sector from an outcode. */
export const tidy = (text: string): string =>
  toUpper(text)
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{White_Space}+/gu, " ")
    .trim();

/** ASCII only: `ß` must not become SS, nor a dotless i an I. */
const toUpper = (text: string): string =>
  composed(text, "NFKC").replace(/[a-z]/g, (letter) => letter.toUpperCase());

/** The known area of an outcode, or null. */
export function areaOf(outcode: string): string | null {
  const area = /^[A-Z]+/.exec(outcode)?.[0] ?? "";
  return AREAS.has(area) ? area : null;
}

/** The outcode without its trailing letter: SW1A is in district SW1. */
export const districtOf = (outcode: string): string => outcode.replace(/(?<=\d)[A-Z]$/, "");

const OUT =
  "[A-PR-UWYZ][0-9]{1,2}|[A-PR-UWYZ][A-HK-Y][0-9]{1,2}|[A-PR-UWYZ][0-9][A-HJKPSTUW]|[A-PR-UWYZ][A-HK-Y][0-9][ABEHMNPRVWXY]";
export const OUTCODE = new RegExp(`^(?:${OUT})$`);
const UNIT = new RegExp(`^(?:${OUT})[0-9][ABD-HJLNP-UW-Z]{2}$`);

/** 121 geographic areas, the Crown dependencies, BF (forces) and BX (non-geographic). XX is for returns only. */
export const AREAS: ReadonlySet<string> = new Set(
  (
    "AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX " +
    "FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG " +
    "NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS " +
    "TW UB W WA WC WD WF WN WR WS WV YO ZE"
  ).split(" "),
);

const REGIONS: Readonly<Record<string, Region>> = {
  JE: "crown_dependency",
  GY: "crown_dependency",
  IM: "crown_dependency",
  BF: "forces",
  BX: "non_geographic",
};
