import { z } from "zod";

import { defineCollection, fromText } from "../core/collection.ts";
import { sha256Hex } from "../core/ids.ts";
import { makeToken } from "../core/link-token.ts";
import type { Ports } from "../core/ports.ts";
import { Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import type { Key, StoreDriver } from "../storage/contract.ts";
import { normaliseAddress } from "./address.ts";
import { MAIL_PART } from "./record.ts";

/**
 * What the reader of an address decided about mail: in a store's partition about the mail of that store, in the platform's
 * about all mail. Kept under a hash, so that a stop outlives the erasure of the address itself.
 */
const MailChoice = z.strictObject({
  /** SHA-256 of the address. */
  id: z.string(),
  /** `welcome`: its mail costs no budget of new recipients. `stopped`: none is sent. */
  choice: z.enum(["welcome", "stopped"]),
  chosen_at: Instant,
  /** Partition of the store whose mail was reported; null where it was not, or by the operator. */
  reported_part: z.string().nullable(),
});
type MailChoice = z.output<typeof MailChoice>;

const mailChoices = defineCollection({
  name: "kernel.mail_choices",
  unlisted: true,
  schema: MailChoice,
});

const hashOf = (address: string): string => sha256Hex(normaliseAddress(address));

const choiceKey = (part: string, address: string): Key => `${part}:${mailChoices.name}:${hashOf(address)}`;

export const CHOICES_PURPOSE = "mail.choices";

/** Where the reader of an address stops the mail of a store (of the platform: all mail), reports it or says that it is welcome. */
export const choicesUrl = (ports: Pick<Ports, "sign" | "baseUrl">, part: string, address: string): string =>
  `${ports.baseUrl}/api/public/mail/${makeToken(ports, CHOICES_PURPOSE, part, hashOf(address))}`;

/** The choices that hold for the mail of a store to an address. */
export async function readChoices(
  store: Pick<StoreDriver, "getMany">,
  part: string,
  address: string,
): Promise<{ readonly isStopped: boolean; readonly isWelcome: boolean }> {
  const found = await store.getMany([choiceKey(part, address), choiceKey(MAIL_PART, address)]);
  const [own, all] = found.map((doc) => (doc === null ? null : fromText(mailChoices, doc.value).choice));
  return { isStopped: own === "stopped" || all === "stopped", isWelcome: own === "welcome" };
}

/** Writes a choice, in place of an earlier one. */
export async function choose(tx: Tx, choice: MailChoice): Promise<void> {
  const before = await tx.get(mailChoices, choice.id);
  tx.save(mailChoices, before, choice);
}

/** Stops all mail of the platform to an address, or lifts that. */
export async function suppressAddress(
  tx: Tx,
  address: string,
  { isSuppressed, nowAt }: { readonly isSuppressed: boolean; readonly nowAt: string },
): Promise<void> {
  const id = hashOf(address);
  const before = await tx.get(mailChoices, id);
  if (isSuppressed) await choose(tx, { id, choice: "stopped", chosen_at: nowAt, reported_part: null });
  else if (before !== null) tx.remove(mailChoices, before);
}
