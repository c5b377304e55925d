import { z } from "zod";

import { defineCollection, indexEntries, newestFirst, toText } from "../core/collection.ts";
import { invertedOrder, sha256Hex } from "../core/ids.ts";
import { Id, Instant } from "../core/schema.ts";
import type { Key, Op } from "../storage/contract.ts";
import { normaliseAddress } from "./address.ts";

/** All mail is stored in the platform's own partition, with the customers. */
export const MAIL_PART = "platform";

/**
 * `queued` waits for `next_at` · `sending` is claimed until `next_at` · `sent` was accepted by the next hop ·
 * `failed` was refused permanently · `dead` could not be delivered while it was worth delivering · `test` is a copy of a mail of
 * test data, for the inbox of development; it is not sent.
 */
export const MailState = z.enum(["queued", "sending", "sent", "failed", "dead", "test"]);

export const MailRecord = z.object({
  id: Id,
  state: MailState,
  /** Attempts begun, the running one included. */
  attempts: z.int().nonnegative(),
  /** Next attempt, or the end of the claim; null once finished. */
  next_at: Instant.nullable(),
  /** Why the latest attempt failed, in words an operator can use. */
  last_error: z.string().nullable(),
  message: z.object({
    to: z.string(),
    subject: z.string(),
    template: z.string(),
    text: z.string(),
    html: z.string(),
    /** With angle brackets; derived from the id and never changed. */
    message_id: z.string(),
    /** Only on marketing mail: where one POST unsubscribes (RFC 8058). Such a mail is sent at most once. */
    unsubscribe_url: z.string().optional(),
    /** Where one POST stops all such mail, without making it marketing mail. */
    stop_url: z.string().optional(),
    /** Name of the store, in place of that of the configured sender. */
    from_name: z.string().optional(),
    /** Where an answer goes, if not to the sender. */
    reply_to: z.string().optional(),
  }),
  /** Partition of the store that wrote it; absent on mail of the platform itself. */
  part: z.string().optional(),
  /** Address of the person concerned by a mail to another recipient. */
  about: z.string().optional(),
  /** The one link that the mail is about, for `platform mail link`. */
  link: z.string().nullable(),
  /** From here on the mail is of no use to its reader, and no longer sent. */
  expires_at: Instant,
  created_at: Instant,
  sent_at: Instant.nullable(),
  /** When a finished mail is deleted; null until it is finished. */
  purge_at: Instant.nullable(),
});
export type MailRecord = z.output<typeof MailRecord>;

/** An instant with milliseconds in UTC sorts as text; only `:` is not a key character. */
const toOrder = (instant: string): string => instant.replaceAll(":", "-");

export const toFiledAddress = (address: string): string => sha256Hex(normaliseAddress(address));

/** Shorter: with the prefix and two ids behind it a whole hash would be too long for a key. */
export const toFiledAbout = (address: string): string => `about.${toFiledAddress(address).slice(0, 40)}`;

/** Ids of engines' mails are hashes: only the instant says which mail is newer; of one millisecond, the end of the id. */
const newest = ({ created_at, id }: MailRecord): string =>
  `${newestFirst(created_at)}${invertedOrder(id).slice(10)}`;

export const mailCollection = defineCollection<MailRecord>({
  name: "mail",
  schema: MailRecord,
  indexes: {
    new: { values: () => [""], order: newest },
    /** Unfinished mail by the time at which the next step is due. */
    due: {
      values: (mail) => (mail.next_at === null ? [] : [""]),
      order: (mail) => toOrder(mail.next_at ?? ""),
    },
    /** Finished mail by the time of its deletion. */
    purge: {
      values: (mail) => (mail.purge_at === null ? [] : [""]),
      order: (mail) => toOrder(mail.purge_at ?? ""),
    },
    /** Also under the person concerned, so that it is found when they are to be erased. */
    to: {
      values: ({ about, message }) => [
        toFiledAddress(message.to),
        ...(about === undefined ? [] : [toFiledAbout(about)]),
      ],
      order: newest,
    },
  },
});

export const mailKey = (id: string): Key => `${MAIL_PART}:mail:${id}`;

const entryKeys = (mail: MailRecord): Key[] =>
  indexEntries(mailCollection, mail).map(([coll, id]): Key => `${MAIL_PART}:${coll}:${id}`);

/** Entries of a mail that a version before 0.2 stored, which ordered mails by their ids. */
const earlierKeys = (mail: MailRecord): Key[] =>
  ["new", "to"].flatMap((index) =>
    (mailCollection.indexes[index]?.values(mail) ?? []).map(
      (filed): Key => `${MAIL_PART}:ix.mail.${index}:${filed}@${invertedOrder(mail.id)}~${mail.id}`,
    ),
  );

/** The operations that store a new mail. Put into the commit of its cause, so that neither exists without the other. */
export const mailOps = (mail: MailRecord): Op[] => replaceOps(null, mail);

/** The operations that bring a stored mail from one state to the next; null stands for "not there". */
export function replaceOps(before: MailRecord | null, after: MailRecord | null): Op[] {
  const next = new Set(after === null ? [] : entryKeys(after));
  const gone = (before === null ? [] : entryKeys(before)).filter((key) => !next.delete(key));
  if (before !== null && after === null) gone.push(...earlierKeys(before));
  const document = after === null ? before : after;
  if (document === null) return [];
  const key = mailKey(document.id);
  return [
    after === null ? { del: key } : { put: key, value: toText(mailCollection, after) },
    ...gone.map((entry): Op => ({ del: entry })),
    ...[...next].map((entry): Op => ({ put: entry, value: "1" })),
  ];
}
