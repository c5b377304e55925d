import { postcodeValidator, postcodeValidatorExistsForCountry } from "postcode-validator";

import { parseGbPostcode, tidy, toCompact } from "./parse-gb-postcode.ts";
import type { ParsedPostcode } from "./parse-gb-postcode.ts";

/**
 * Parses a postal code of a country (ISO 3166-1 alpha-2). GB has its own rules; other countries are validated by
 * the `postcode-validator` package, which is not used for GB because it accepts impossible codes.
 * For a country it does not know, any 2 to 12 letters and digits are accepted.
 */
export function parsePostcode(text: string, country: string): ParsedPostcode {
  if (country === "GB") return parseGbPostcode(text);
  const written = tidy(text);
  const compact = foreignCompact(text, country);
  const form = spellings(written, compact, country).find((candidate) => isValid(candidate, country));
  if (form === undefined || !/^[A-Z0-9]{2,12}$/.test(compact)) {
    return { ok: false, code: "postcode_invalid", postcode: written, region: null };
  }
  return {
    ok: true,
    value: {
      country,
      precision: "unit",
      postcode: form,
      compact,
      outcode: null,
      incode: null,
      area: null,
      district: null,
      sector: null,
      unit: null,
      region: "geographic",
    },
  };
}

/** The form in which foreign codes and patterns are compared: upper case, no spaces, no hyphens, no country in front: L-1009, LV-1010. */
export const foreignCompact = (text: string, country: string): string =>
  toCompact(text)
    .replace(new RegExp(`^(?:${country}-?|[A-Z]-)(?=\\d|$)`), "")
    .replaceAll("-", "");

/** Alternative notations of the same code: as sent, without separators and country, and with the hyphen or country that is often omitted. */
function spellings(written: string, compact: string, country: string): string[] {
  const hyphened = /^\d+$/.test(compact)
    ? Array.from({ length: Math.max(0, compact.length - 1) }, (_, at) => {
        return `${compact.slice(0, at + 1)}-${compact.slice(at + 1)}`;
      })
    : [];
  return [written, compact, ...hyphened, `${country}${compact}`];
}

const isValid = (text: string, country: string): boolean =>
  !postcodeValidatorExistsForCountry(country) || postcodeValidator(text, country);
