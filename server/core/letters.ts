import { z } from "zod";

import { defineCollection, timeOrder } from "./collection.ts";
import { mailsIn, mailSubject, withoutMail } from "./personal.ts";
import { Id, Instant } from "./schema.ts";
import type { Stored, Tx } from "./tx.ts";

/**
 * A mail that an engine wants sent: stored in the commit of its cause, in the store's own partition. The service moves
 * it to the mail outbox, once, by its id; a letter among test data stays where it is and is sent to nobody.
 */
export const Letter = z.strictObject({
  /** Derived from what the mail is about, so that the same mail is not sent twice. */
  id: Id,
  to: z.string(),
  /** Name of a template of `server/mail/templates`. */
  template: z.string(),
  /** What the template's schema takes. */
  data: z.record(z.string(), z.unknown()),
  /** Address of the person whom a mail to somebody else tells of: it goes when they are erased, or they stand in it still. */
  about: z.string().optional(),
  created_at: Instant,
  /** `failed`: it does not fit its template or address, as the log says. */
  state: z.enum(["waiting", "failed"]),
});
export type Letter = z.output<typeof Letter>;

const ownersOf = ({ about, to }: Letter): string[] =>
  [to, ...(about === undefined ? [] : [about])].map(mailSubject);

export const letters = defineCollection({
  name: "kernel.letters",
  unlisted: true,
  schema: Letter,
  personal: {
    subjects: (letter) => [...new Set([...ownersOf(letter), ...mailsIn(JSON.stringify(letter.data))])],
    // A mail to somebody else that only names the person goes all the same, without the address.
    erased: (letter, subject) =>
      ownersOf(letter).includes(subject) ? null : { ...letter, data: withoutMail(letter.data, subject) },
  },
  indexes: {
    /** In the order of their making. */
    waiting: {
      values: ({ state }) => (state === "waiting" ? [""] : []),
      order: ({ created_at }) => timeOrder(created_at),
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
