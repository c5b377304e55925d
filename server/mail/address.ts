import parseAddresses from "nodemailer/lib/addressparser";

const ADDRESS_CHARS_MAX = 254;
const LOCAL_PART_CHARS_MAX = 64;
/** Blank, control characters, and whatever has a meaning in an address list. */
const FORBIDDEN = /[\s\p{Cc}\p{Cf}<>(),;:\\"[\]]/u;

/**
 * Whether the text is exactly one plain address (`local@domain`), safe to use in an SMTP command and in a header
 * field. Narrower than RFC 5321: no quoted local parts, no address literals. Linear in the length.
 */
export function isPlainAddress(text: string): boolean {
  if (text.length > ADDRESS_CHARS_MAX || FORBIDDEN.test(text)) return false;
  const at = text.indexOf("@");
  return at > 0 && at <= LOCAL_PART_CHARS_MAX && at === text.lastIndexOf("@") && at < text.length - 1;
}

/** Throws unless `to` is one plain address, and `subject` a single line. */
export function assertSafe(mail: { readonly to: string; readonly subject: string }): void {
  if (!isPlainAddress(mail.to)) throw new TypeError("The recipient must be exactly one plain mail address.");
  if (/\p{Cc}/u.test(mail.subject)) throw new TypeError("The subject of a mail must be a single line.");
}

/** The sender of the configuration (`Name <address>` or a bare address) → its address. Throws when it is not one address. */
export function senderAddress(from: string): string {
  const [first, ...others] = /\p{Cc}/u.test(from) ? [] : parseAddresses(from, { flatten: true });
  if (first === undefined || others.length > 0 || !isPlainAddress(first.address)) {
    throw new TypeError(
      `mail.from must be one mail address such as "API <no-reply@shop.example>", not "${from}".`,
    );
  }
  return first.address;
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1);

/** The form by which an address is recognised: gateway rule, trim and lower case; `+tag` stays distinct. */
export const normaliseAddress = (address: string): string => address.trim().toLowerCase();
