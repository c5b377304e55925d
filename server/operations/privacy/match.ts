import type { Personal, Retained } from "../../core/collection.ts";
import { customerSubject, hashSubject, isMailSubject, refSubject } from "../../core/personal.ts";
import { sha256Hex } from "../../core/ids.ts";
import { giveWay } from "../../lib/slices.ts";

/** Digits of a hash under which documents without the address itself are filed. */
const HASH_DIGITS = 40;
const CUSTOMER = "customer:";

/** Everything that an address and customer ids are known under, from the start. */
export function firstSubjects(email: string, customerIds: readonly string[]): string[] {
  const own = [email, ...customerIds.map(customerSubject)];
  return [...own, ...own.map(hashOf)];
}

const hashOf = (subject: string): string =>
  hashSubject(
    sha256Hex(subject.startsWith(CUSTOMER) ? subject.slice(CUSTOMER.length) : subject).slice(0, HASH_DIGITS),
  );

/** Whether a subject of a document is one of the person's. */
export const isKnown = (known: ReadonlySet<string>, subject: string): boolean =>
  known.has(subject) || (subject.startsWith(MENTION) && known.has(refSubject(subject.slice(MENTION.length))));
const MENTION = "mention:";

export interface Followed {
  /** Newly found. */
  readonly added: readonly string[];
  /** Customer ids that turn out to belong to others as well. */
  readonly shared: readonly string[];
}

/**
 * Where one document leads: from who is known to customer ids and documents that belong to the same person. A document that names
 * several people identifies no one, or their documents would be erased with this person's; and a customer id next to another
 * address as well ("guest") is no single person's own.
 */
export function follow(found: readonly string[], known: ReadonlySet<string>, email: string): Followed {
  const mails = found.filter(isMailSubject);
  const customers = found.filter((subject) => subject.startsWith(CUSTOMER));
  const isForeign = mails.length > 0 && !mails.includes(email);
  if (isForeign) return { added: [], shared: customers };
  const isOne = mails.length <= 1 && customers.length <= 1 && mails.length + customers.length > 0;
  if (!isOne || !found.some((subject) => known.has(subject))) return { added: [], shared: [] };
  const more = [...found.filter((subject) => !subject.startsWith(MENTION)), ...customers.map(hashOf)];
  return { added: more.filter((subject) => !known.has(subject)), shared: [] };
}

/** What becomes of a document when a person is erased. */
export interface Freed<T> {
  /** Itself when nothing of it has to change; null when it goes whole. */
  readonly value: T | null;
  /** Why the person is still in it, and until when; null where they are not. */
  readonly held: Pick<Retained<T>, "until" | "reason"> | null;
}

/** A document without the person, or with as much of them as a law wants kept on that day. */
export function withoutPerson<T>(
  personal: Personal<T>,
  value: T,
  known: ReadonlySet<string>,
  today: string,
): Freed<T> {
  let left = value;
  let held: Freed<T>["held"] = null;
  for (const subject of personal.subjects(value)) {
    if (!isKnown(known, subject)) continue;
    const retained = personal.retained?.(left, subject, today) ?? null;
    const next = retained === null ? personal.erased(left, subject) : retained.value;
    if (next === null) return { value: null, held: null };
    left = next;
    held = retained ?? held;
  }
  return { value: JSON.stringify(left) === JSON.stringify(value) ? value : left, held };
}

/** What of a document may be handed to the person: other people in it are removed. With pauses, as work for `part`. */
export async function withoutOthers<T>(
  personal: Personal<T>,
  value: T,
  known: ReadonlySet<string>,
  part: string,
): Promise<T> {
  if (personal.shown !== undefined) return personal.shown(value, known);
  let left = value;
  for (const subject of personal.subjects(value)) {
    if (known.has(subject) || !isMailSubject(subject)) continue;
    await giveWay(part);
    left = personal.erased(left, subject) ?? left;
  }
  return left;
}
