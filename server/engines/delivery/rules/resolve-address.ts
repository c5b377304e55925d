import type { Reason } from "../schema/slot.ts";
import { matchZone } from "./match-zone.ts";
import type { Entry, ZoneIndex, ZoneMatch } from "./match-zone.ts";
import type { ParsedPostcode } from "./parse-gb-postcode.ts";
import { parsePostcode } from "./parse-postcode.ts";
import { parseGbPostcode, toCompact } from "./parse-gb-postcode.ts";

export interface Address {
  readonly parsed: ParsedPostcode;
  /** Null if the postcode is invalid. */
  readonly match: ZoneMatch | null;
  readonly suggestion: string | null;
  /** The input, if the suggestion replaced it. */
  readonly correctedFrom: string | null;
  /** At most one: why it cannot be delivered to. */
  readonly reason: Reason | null;
}

const DETAILS = {
  postcode_invalid: "This is not a valid postcode.",
  postcode_not_deliverable: "Deliveries to this postcode are not possible.",
  out_of_zone: "No delivery zone includes this postcode.",
  zone_excluded: "This postcode is excluded from delivery.",
  coordinates_required:
    "No pattern includes this postcode, but zones have areas. Send the coordinates of the address.",
} as const;

interface AddressRequest {
  readonly postcode: string;
  readonly country: string;
  /** Those of the country that the coordinates are within; undefined if these are unknown. */
  readonly areas?: readonly Entry[] | undefined;
}

/** Addresses by the zones that they were found in, then by what was asked: customers ask for their own again and again. */
const cached = new WeakMap<ZoneIndex, Map<string, Address>>();
const CACHED_MAX = 100;

/**
 * Finds the zone of a postcode as typed by a customer. A correction is suggested, never applied silently: it is used
 * only if the store enabled `autocorrect`, and then the response repeats the input.
 */
export function resolveAddress(index: ZoneIndex, request: AddressRequest, autocorrect: boolean): Address {
  if (request.areas !== undefined) return parseAndMatch(index, request, autocorrect);
  const addresses = cached.get(index) ?? new Map<string, Address>();
  cached.set(index, addresses);
  const name = `${request.country} ${autocorrect} ${request.postcode}`;
  const known = addresses.get(name);
  if (known !== undefined) return known;
  if (addresses.size >= CACHED_MAX) addresses.clear();
  const address = parseAndMatch(index, request, autocorrect);
  addresses.set(name, address);
  return address;
}

function parseAndMatch(index: ZoneIndex, request: AddressRequest, autocorrect: boolean): Address {
  const sent = parsePostcode(request.postcode, request.country);
  const isDoubtful = !sent.ok && sent.code === "postcode_invalid" && request.country === "GB";
  const suggestion = isDoubtful ? suggestPostcode(request.postcode) : null;
  const isCorrected = autocorrect && suggestion !== null;
  const parsed = isCorrected ? parsePostcode(suggestion, request.country) : sent;
  const correctedFrom = isCorrected ? request.postcode : null;
  if (!parsed.ok) return { parsed, match: null, suggestion, correctedFrom, reason: reasonOf(parsed.code) };
  const match = matchZone(index, parsed.value, request.areas ?? null);
  return {
    parsed,
    match,
    suggestion,
    correctedFrom,
    reason: match.reason === null ? null : reasonOf(match.reason),
  };
}

const reasonOf = (code: keyof typeof DETAILS): Reason => ({ code, detail: DETAILS[code] });

const SWAPS: Readonly<Record<string, string>> = { O: "0", "0": "O", I: "1", "1": "I" };

/**
 * The suggested correction of a mistyped UK postcode: the fewest substitutions of O and 0, I and 1 that give a valid
 * one. Null if the text is valid, if no substitution helps, or if two are equally near.
 * It is only ever suggested: ideal-postcodes/postcode turns "1A1 1AA" into "IA1 1AA", an area that does not exist.
 */
export function suggestPostcode(text: string): string | null {
  const compact = toCompact(text);
  if (compact.length > 7 || parseGbPostcode(compact).ok) return null;
  let nearest: { swaps: number; found: Set<string> } = { swaps: Number.POSITIVE_INFINITY, found: new Set() };
  for (const { text: candidate, swaps } of variants(compact)) {
    if (swaps === 0 || swaps > nearest.swaps) continue;
    const parsed = parseGbPostcode(candidate);
    if (!parsed.ok) continue;
    if (swaps < nearest.swaps) nearest = { swaps, found: new Set() };
    nearest.found.add(parsed.value.postcode);
  }
  const [only] = nearest.found;
  return nearest.found.size === 1 && only !== undefined ? only : null;
}

/** Every combination of substituted ambiguous characters: at most 2^7. */
function variants(compact: string): { text: string; swaps: number }[] {
  let list = [{ text: "", swaps: 0 }];
  for (const char of compact) {
    const other = SWAPS[char];
    list = list.flatMap(({ text, swaps }) => {
      const kept = { text: text + char, swaps };
      return other === undefined ? [kept] : [kept, { text: text + other, swaps: swaps + 1 }];
    });
  }
  return list;
}
