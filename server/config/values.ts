import { isIP } from "node:net";
import { z } from "zod";

// The building blocks of the schema. Every message starts with "expected": the reader of a problem gets the
// received value and its origin appended (problems.ts), so a message here only says what would have been right.

/** A whole number in a closed range; every number of the configuration is bounded. `or` describes what else is accepted. */
export function integer(min: number, max: number, or = "") {
  const error = `expected integer ${min}–${max}${or}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** Free text of at least one character. */
export function text(expected = "expected text") {
  return z.string({ error: expected }).min(1, { error: expected });
}

/** A token of a header: what HTTP clients send as it is written. */
export function token() {
  return text()
    .min(24, { error: "expected at least 24 characters" })
    .refine((value) => value.length < 24 || /^[\x21-\x7e]{1,200}$/.test(value), {
      error: "expected at most 200 characters of ASCII, without spaces",
    });
}

/** Free text that passes `isValid`; `expected` completes "expected …". */
export function textLike(expected: string, isValid: (value: string) => boolean) {
  return text(`expected ${expected}`).refine(isValid, { error: `expected ${expected}` });
}

export function flag() {
  return z.boolean({ error: "expected true or false" });
}

export function listOf(item: z.ZodString) {
  return z.array(item, { error: "expected a list" });
}

/** True for an http(s) address to which a path can be appended: no query, no fragment, no credentials. */
export function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const isPlain = url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return isPlain && (url.protocol === "http:" || url.protocol === "https:");
}

/** True for what browsers send as `Origin` (scheme, host, port and nothing else), and for "*". */
export function isOrigin(value: string): boolean {
  return value === "*" || (isBaseUrl(value) && new URL(value).origin === value);
}

/** True for an IP address, alone or with a prefix length (`10.0.0.0/8`). */
export function isAddressRange(value: string): boolean {
  const [address = "", prefix, ...rest] = value.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** True for an address range, and for a host name, in which `*.` may stand for all that is below it. */
export const isHostOrRange = (value: string): boolean =>
  isAddressRange(value) || /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*$/.test(value);

/** True for `host:port`. */
export const isHostAndPort = (value: string): boolean =>
  /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?:\d{1,5}$/.test(value) && Number(value.split(":")[1]) <= 65_535;

/** True for `name@host`. */
export const isAddress = (value: string): boolean => /^[^\s@<>]+@[^\s@<>]+$/.test(value);

/** True for `name@host` and `Name <name@host>`; a line break would let a mail header be added. */
export function isMailbox(value: string): boolean {
  return /^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(value) || isAddress(value);
}

export function isSmtpUrl(value: string): boolean {
  return URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol);
}
