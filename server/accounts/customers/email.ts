import { domainToASCII, domainToUnicode } from "node:url";

import { z } from "zod";

import { sha256Hex } from "../../core/ids.ts";
import { mailboxOf } from "../../lib/mailbox.ts";

const ADDRESS_CHARS_MAX = 254;
/** Composing costs the square of the number of marks: what is far too long is refused before. */
const TYPED_CHARS_MAX = 4 * ADDRESS_CHARS_MAX;
const LOCAL_CHARS_MAX = 64;
/** A dot-atom (RFC 5322 §3.2.3): no blanks, quotes or list characters, so it is safe in a mail header unchanged. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const DOMAIN_CHARS = /^[\p{L}\p{M}\p{N}.-]+$/u;

export interface ParsedEmail {
  /** What mail is sent to: the local part as typed, the domain in ASCII. */
  readonly deliverable: string;
  /** What a customer is recognised by: all lower case; `+tag` stays distinct (gateway.md §2). */
  readonly identity: string;
}

/**
 * Reads an address as typed, blanks around it aside; null when it is none. Internationalised domains become Punycode.
 * A domain that only maps to another one (full-width characters, percent escapes) is refused: it would be recognised as
 * one address and delivered as a second.
 */
export function parseEmail(typed: string): ParsedEmail | null {
  const text = typed.trim();
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = toAsciiDomain(text.slice(at + 1));
  if (at < 1 || local.length > LOCAL_CHARS_MAX || !LOCAL.test(local) || domain === null) return null;
  const deliverable = `${local}@${domain}`;
  if (deliverable.length > ADDRESS_CHARS_MAX) return null;
  return { deliverable, identity: deliverable.toLowerCase() };
}

/** The typed address as the file mark of its customers: SHA-256 of the identity, or of the text when it is no address. */
export const emailHash = (typed: string): string =>
  sha256Hex(parseEmail(typed)?.identity ?? typed.trim().toLowerCase());

/** The same of the mailbox that the address leads to. */
export const mailboxHash = (typed: string): string =>
  sha256Hex(mailboxOf(parseEmail(typed)?.identity ?? typed.trim().toLowerCase()));

/** An e-mail address in a request body, blanks around it removed. */
export const Email = z
  .string()
  .trim()
  .refine((text) => parseEmail(text) !== null, "Expected an e-mail address such as dev@shop.example.")
  .meta({ description: "E-mail address", format: "email" });

function toAsciiDomain(typed: string): string | null {
  if (typed.length > TYPED_CHARS_MAX) return null;
  const lower = typed.toLowerCase().normalize("NFC");
  if (lower.length > ADDRESS_CHARS_MAX || !DOMAIN_CHARS.test(lower)) return null;
  const ascii = domainToASCII(lower);
  if (ascii !== lower && domainToUnicode(ascii) !== lower) return null;
  const labels = ascii.split(".");
  const top = labels.at(-1) ?? "";
  // A last label of digits would make the domain an IP address.
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(top);
  return isDomain && top.length > 1 ? ascii : null;
}
