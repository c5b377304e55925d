import { z } from "zod";

import { defineCollection, timeOrder } from "./collection.ts";
import { mailsIn, mailSubject, withoutMail } from "./personal.ts";
import { Id, Instant } from "./schema.ts";
import type { Stored, Tx } from "./tx.ts";

/**
 * A mail that an engine wants sent: stored in the commit of its cause, in the store's own partition. The service moves
 * it to the mail outbox, once, by its id; a mail among test data stays where it is and is not sent.
 */
export const Letter = z.strictObject({
  /** Derived from what the mail is about, so that the same mail is not sent twice. */
  id: Id,
  to: z.string(),
  /** Name of a template of `server/mail/templates`. */
  template: z.string(),
  /** What the template's schema takes. */
  data: z.record(z.string(), z.unknown()),
  /** Address of the person concerned by a mail to another recipient: removed when they are erased, or they would still be in it. */
  about: z.string().optional(),
  created_at: Instant,
  /** When it is looked at again, where a budget was used up before. */
  due_at: Instant.optional(),
  /** `failed`: it does not fit its template or address, as the log says. */
  state: z.enum(["waiting", "failed"]),
});
export type Letter = z.output<typeof Letter>;

export const letterDueAt = ({ created_at, due_at }: Letter): string => due_at ?? created_at;

const ownersOf = ({ about, to }: Letter): string[] =>
  [to, ...(about === undefined ? [] : [about])].map(mailSubject);

export const letters = defineCollection({
  name: "kernel.letters",
  unlisted: true,
  schema: Letter,
  personal: {
    subjects: (letter) => [...new Set([...ownersOf(letter), ...mailsIn(JSON.stringify(letter.data))])],
    // A mail to another recipient that only mentions the person is sent all the same, without the address.
    erased: (letter, subject) =>
      ownersOf(letter).includes(subject) ? null : { ...letter, data: withoutMail(letter.data, subject) },
  },
  indexes: {
    /** By the time at which they are due. */
    waiting: {
      values: ({ state }) => (state === "waiting" ? [""] : []),
      order: (letter) => timeOrder(letterDueAt(letter)),
    },
  },
});

/** Stages a mail; one that was staged before and waits still is left as it is. */
export async function stageLetter(
  tx: Tx,
  letter: Pick<Letter, "id" | "to" | "template" | "data" | "about" | "created_at">,
): Promise<void> {
  if ((await tx.get(letters, letter.id)) === null) tx.create(letters, { ...letter, state: "waiting" });
}

/** Takes a mail back that has not been moved to the outbox yet. */
export async function withdrawLetter(tx: Tx, id: string): Promise<void> {
  const found: Stored<Letter> | null = await tx.get(letters, id);
  if (found !== null) tx.remove(letters, found);
}
