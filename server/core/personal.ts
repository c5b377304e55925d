/**
 * What `personal` of a collection is written with. A person is known by an e-mail address; the privacy service follows it to the
 * shop's own customer id and to documents that only name another document, such as the charges of a contract.
 */

export const customerSubject = (id: string): string => `customer:${id}`;
export const refSubject = (id: string): string => `ref:${id}`;
/** For documents that copy data of another one: they share the fate of its person, and identify no one. */
export const mentionSubject = (id: string): string => `mention:${id}`;
/** For documents that are filed under a hash of an address or a customer's id, and hold neither: its first 40 digits. */
export const hashSubject = (digits: string): string => `hash:${digits}`;
export const mailSubject = (email: string): string => email.trim().toLowerCase();
export const isMailSubject = (subject: string): boolean =>
  subject.includes("@") && !/^(customer|ref|hash|mention):/.test(subject);

/** Placeholders where a person was named and a value is required. */
export const ERASED = "erased";
export const ERASED_EMAIL = "erased@erased.invalid";

const LOCAL = /[A-Za-z0-9._%+'-]/;
/** What stands before an address in a text, as a quotation mark or a dash, rather than at its start. */
const MARK = /[.%'-]/;
const DOMAIN = /[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/y;

/** The place of each address in a text. */
function* mailPlaces(text: string): Generator<readonly [start: number, end: number], void, undefined> {
  let end = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", Math.max(at + 1, end))) {
    let start = at;
    while (start > end && LOCAL.test(text.charAt(start - 1))) start -= 1;
    while (start < at && MARK.test(text.charAt(start))) start += 1;
    DOMAIN.lastIndex = at + 1;
    if (start === at || !DOMAIN.test(text)) continue;
    end = DOMAIN.lastIndex;
    yield [start, end];
  }
}

/**
 * Addresses in a text, for documents that hold text of every shape; the one that stands for an erased person is none. Looks from each `@` in
 * both directions: one pattern for all of it takes the square of the length of a text without any.
 */
export function mailsIn(text: string): string[] {
  const found = new Set<string>();
  for (const [start, end] of mailPlaces(text)) found.add(mailSubject(text.slice(start, end)));
  found.delete(ERASED_EMAIL);
  return [...found];
}

/** Addresses in the texts of a JSON document. A line break before an address, `\\n`, is not its first letter. */
export const mailsInJson = (json: string): string[] => mailsIn(json.replaceAll(/\\(?:u[\da-f]{4}|.)/gi, " "));

/**
 * The same value without the addresses of its texts that are gone, by one look at each: a document has room for 30,000, and to remove
 * them one by one takes minutes. The shape stays.
 */
const withoutMails = <T>(value: T, isGone: (email: string) => boolean): T =>
  JSON.parse(JSON.stringify(value), (_, text) => {
    if (typeof text !== "string") return text;
    let left = "";
    let from = 0;
    for (const [start, end] of mailPlaces(text)) {
      if (!isGone(mailSubject(text.slice(start, end)))) continue;
      left += text.slice(from, start) + ERASED_EMAIL;
      from = end;
    }
    return from === 0 ? text : left + text.slice(from);
  }) as T;

/** The same value with an address removed from all its texts. */
export function withoutMail<T>(value: T, email: string): T {
  const gone = mailSubject(email);
  return withoutMails(value, (found) => found === gone);
}

/** The same value with all addresses but these removed from its texts. */
export const withoutOtherMails = <T>(value: T, kept: ReadonlySet<string>): T =>
  withoutMails(value, (found) => !kept.has(found));
