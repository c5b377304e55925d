import { z } from "zod";

import { defineCollection, newestFirst, timeOrder } from "./collection.ts";
import { mailsInJson, mailSubject, withoutMail, withoutOtherMails } from "./personal.ts";
import { Id, Instant } from "./schema.ts";
import type { Stored, Tx } from "./tx.ts";

/**
 * A mail that an engine wants sent: stored in the commit of its cause, in the store's own partition. The service moves
 * it to the mail outbox, once, by its id; a mail among test data stays where it is and is not sent.
 */
export const StoreMail = z.strictObject({
  /** Derived from what the mail is about, so that the same mail is not sent twice. */
  id: Id,
  to: z.string(),
  /** Name of a template of `server/mail/templates`. */
  template: z.string(),
  /** What the template's schema takes. */
  data: z.record(z.string(), z.unknown()),
  /** Address of the person concerned by a mail to another recipient: removed when they are erased, or they would still be in it. */
  about: z.string().optional(),
  /** Hash of the address of the internet of the visitor who caused it. */
  visitor: z.string().optional(),
  /** Language of the recipient, where it is known; default: that of the store. */
  locale: z.string().optional(),
  created_at: Instant,
  /** When it is looked at again, where a budget was used up before. */
  due_at: Instant.optional(),
  /** `failed`: it does not fit its template or address, as the log says. `kept`: it is test data, and is not sent. */
  state: z.enum(["waiting", "failed", "kept"]),
});
export type StoreMail = z.output<typeof StoreMail>;

export const mailDueAt = ({ created_at, due_at }: StoreMail): string => due_at ?? created_at;

const ownersOf = ({ about, to }: StoreMail): string[] =>
  [to, ...(about === undefined ? [] : [about])].map(mailSubject);

export const storeMails = defineCollection({
  name: "kernel.letters",
  unlisted: true,
  schema: StoreMail,
  personal: {
    subjects: (storeMail) => [
      ...new Set([...ownersOf(storeMail), ...mailsInJson(JSON.stringify(storeMail.data))]),
    ],
    // A mail to another recipient that only mentions the person is sent all the same, without the address.
    erased: (storeMail, subject) =>
      ownersOf(storeMail).includes(subject)
        ? null
        : { ...storeMail, data: withoutMail(storeMail.data, subject) },
    shown: (storeMail, known) => ({ ...storeMail, data: withoutOtherMails(storeMail.data, known) }),
  },
  indexes: {
    /** By the time at which they are due. */
    waiting: {
      values: ({ state }) => (state === "waiting" ? [""] : []),
      order: (storeMail) => timeOrder(mailDueAt(storeMail)),
    },
    time: { values: () => [""], order: ({ created_at }) => newestFirst(created_at) },
  },
});

/** Stages a mail; one that was staged before and waits still is left as it is. */
export async function stageStoreMail(
  tx: Tx,
  storeMail: Pick<StoreMail, "id" | "to" | "template" | "data" | "about" | "locale" | "created_at">,
): Promise<void> {
  if ((await tx.get(storeMails, storeMail.id)) !== null) return;
  const by = tx.visitor === undefined ? {} : { visitor: tx.visitor };
  tx.create(storeMails, { ...storeMail, ...by, state: "waiting" });
}

/** A mail of an engine of another package, in words of its own. */
export interface EngineMail extends Pick<StoreMail, "id" | "to" | "about" | "locale" | "created_at"> {
  /** One line. */
  readonly subject: string;
  /** Plain text; a blank line begins a paragraph. Addresses in it do not become links. */
  readonly text: string;
  readonly link?: { readonly url: string; readonly label: string };
}

/** Stages a mail in the store's layout. It is sent once the transaction is committed, and not twice under one id. */
export const sendMail = (tx: Tx, { subject, text, link, ...mail }: EngineMail): Promise<void> =>
  stageStoreMail(tx, { ...mail, template: "engine-message", data: { subject, text, ...link } });

/** Takes a mail back that has not been moved to the outbox yet. */
export async function withdrawStoreMail(tx: Tx, id: string): Promise<void> {
  const found: Stored<StoreMail> | null = await tx.get(storeMails, id);
  if (found !== null) tx.remove(storeMails, found);
}
