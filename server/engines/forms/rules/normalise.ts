import { digitsOf } from "../../../lib/show.ts";
import { composed } from "../../../lib/text/marks.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { isEmpty } from "./condition.ts";
import type { Field } from "../schema/field.ts";
import { isDecoration, takesMany } from "../schema/field.ts";

/** Formats a phone number as E.164; null if invalid. The library is loaded on first use. */
export type WritePhone = (text: string, region: string) => string | null;

export interface Normaliser {
  readonly phone: WritePhone;
  /** Default country of phone numbers and addresses. */
  readonly region: string;
}

/**
 * The normalised form of an answer: trimmed, NFC, the domain of an e-mail address in lower case, phone numbers
 * as E.164, numbers and booleans of plain HTML forms converted. Invalid values do not change, so that validation
 * refuses them. Undefined for an empty answer.
 */
export function normaliseAnswer(field: Field, raw: unknown, how: Normaliser): unknown {
  if (isDecoration(field)) return undefined;
  const value = clean(raw);
  if (isEmpty(value)) return undefined;
  if (takesMany(field) || field.type === "file") {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const kept = list.filter((one) => !isEmpty(one));
    return kept.length === 0 ? undefined : kept;
  }
  if (field.type === "address") return toAddress(value, how.region);
  if (typeof value !== "string") return value;
  return READERS[field.type]?.(field, value, how) ?? value;
}

type Reader = (field: Field, value: string, how: Normaliser) => unknown;

const readNumber: Reader = (_field, value) => (NUMBER.test(value) ? Number(value) : value);
const readSwitch: Reader = (_field, value) => SWITCHES.get(value.toLowerCase()) ?? value;

/** Parsers of strings per field type. */
const READERS: Readonly<Partial<Record<Field["type"], Reader>>> = {
  email: (_field, value) => lowerDomain(value),
  phone: (_field, value, { phone, region }) => phone(value, region) ?? value,
  number: readNumber,
  integer: readNumber,
  rating: readNumber,
  scale: readNumber,
  currency: ({ currency = "GBP" }, value) => toMinorUnits(value, currency),
  boolean: readSwitch,
  consent: readSwitch,
  checkbox: readSwitch,
  datetime: (_field, value) => value.replace(SECONDS, "$1"),
};

/** Browsers may add seconds to a local date and time. */
const SECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,10})?$/;
const SWITCHES = new Map([
  ["on", true],
  ["true", true],
  ["yes", true],
  ["1", true],
  ["off", false],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** Characters of one answer that are cleaned, ten times as many as it may have: what is longer is refused as it is. */
const CLEANED_CHARS = 10 * FORMS_LIMITS.textChars;

function clean(value: unknown, left = { chars: CLEANED_CHARS }): unknown {
  if (typeof value === "string") {
    left.chars -= value.length;
    return left.chars < 0 ? value : composed(typed(value)).trim();
  }
  if (Array.isArray(value)) return value.map((inner) => clean(inner, left));
  // Nor is the content of a file.
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner, left)]));
}

/** Control characters other than line breaks and tabs. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const [TAB, LF, CR, SPACE, DELETE] = [9, 10, 13, 32, 127];

/**
 * A text without lone surrogates and control characters, which are not typed input, and with LF for CRLF. Written unit by unit: to
 * replace hundreds of thousands of matches takes 200 ms.
 */
function typed(given: string): string {
  const text = given.replaceAll(/\p{Surrogate}/gu, "");
  if (!CONTROL.test(text) && !text.includes("\r\n")) return text;
  const bytes = Buffer.from(text, "utf16le");
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  let length = 0;
  for (let index = 0; index < units.length; index += 1) {
    const unit = units[index] ?? 0;
    const isControl = unit === DELETE || (unit < SPACE && unit !== TAB && unit !== LF && unit !== CR);
    if (isControl) continue;
    if (unit === LF && length > 0 && units[length - 1] === CR) length -= 1;
    units[length] = unit;
    length += 1;
  }
  return bytes.toString("utf16le", 0, 2 * length);
}

export function lowerDomain(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : address.slice(0, at) + address.slice(at).toLowerCase();
}

/** Groups of digits with commas between, as in 1,250.50 or 1,25,000. */
const GROUPED = /^-?\d{1,3}(,\d{2,3})*,\d{3}(\.\d+)?$/;
/** A comma before the decimals, as in 12,50 or 1.250,50. */
const COMMA_DECIMALS = /^-?(\d+|\d{1,3}(\.\d{3})+),\d{1,2}$/;

/** "12.50" and "12,50" → 1250 if the currency has two decimals. A JSON number is already in minor units. */
function toMinorUnits(value: string, currency: string): unknown {
  const digits = digitsOf(currency);
  const plain = GROUPED.test(value)
    ? value.replaceAll(",", "")
    : COMMA_DECIMALS.test(value)
      ? value.replaceAll(".", "").replace(",", ".")
      : value;
  const match = /^(-?)(\d{1,12})(?:\.(\d+))?$/.exec(plain);
  if (match === null) return value;
  const [, sign = "", whole = "", fraction = ""] = match;
  if (fraction.length > digits) return value;
  return Number(`${sign}${whole}${fraction.padEnd(digits, "0")}`);
}

/** 1250 → "12.50", as a person types it. */
export function majorUnits(amount: number, currency = "GBP"): string {
  const digits = digitsOf(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

/** An address whose parts are all empty is empty; pages do not ask for the country. */
function toAddress(value: unknown, country: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const parts = Object.entries(value).filter(([, part]) => !isEmpty(part));
  return parts.length === 0 ? undefined : { country, ...Object.fromEntries(parts) };
}
