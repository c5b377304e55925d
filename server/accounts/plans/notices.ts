import { z } from "zod";

import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { defineCollection } from "../../core/collection.ts";
import { derivedId } from "../../core/ids.ts";
import { Instant } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import type { NewMail } from "../../mail/compose.ts";
import { mailOps } from "../../mail/record.ts";
import type { MailName } from "../../mail/render.ts";
import type { AccountsDeps } from "../deps.ts";
import { customers, instantOrder } from "../collections.ts";
import type { Customer } from "../collections.ts";
import { parseEmail } from "../customers/email.ts";

/** Longer than any clock is set back, and longer than the mail itself is kept. */
const REMEMBER_MS = 90 * DAY_MS;
const BATCH = 50;

/** Notices that a customer received, by an id that follows from the fact: nothing about a person, and kept when the mail is not. */
const notices = defineCollection({
  name: "platform.notices",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), forget_at: Instant }),
  indexes: { due: { values: () => [""], order: ({ forget_at }) => instantOrder(forget_at) } },
});

/** A mail about something that time brings. */
export interface Notice {
  /** What it is about, end included: sent once, by whichever watch comes first. */
  readonly fact: readonly string[];
  readonly customerId: string;
  /** The mail without its recipient; null when there is nothing to notify any more. */
  readonly write: (customer: Customer) => Promise<NoticeMail | null>;
}

export type NoticeMail = { [N in MailName]: Pick<NewMail<N>, "template" | "data"> }[MailName];

/**
 * Stages a mail into the commit of its fact, once per fact. Only a customer who is active and whose address was
 * confirmed gets one. Resolves to whether it did; a mail that cannot be written is logged and holds nothing else up.
 */
export async function stageNotice(
  deps: AccountsDeps,
  tx: Tx,
  now: number,
  { customerId, fact, write }: Notice,
): Promise<boolean> {
  const id = derivedId("ntc", deps.secret, fact);
  if ((await tx.get(notices, id)) !== null) return false;
  const customer = await tx.get(customers, customerId);
  if (customer?.value.status !== "active" || customer.value.verified_at === null) return false;
  const mail = await write(customer.value);
  if (mail === null) return false;
  const { email } = customer.value;
  try {
    tx.stage(mailOps(await deps.mail.compose({ ...mail, to: parseEmail(email)?.deliverable ?? email })));
  } catch (err) {
    deps.log.error({ err, customer: customerId }, "failed to create a mail");
    return false;
  }
  tx.create(notices, { id, forget_at: toInstant(now + REMEMBER_MS) });
  return true;
}

/** Removes old notices, a bounded number at a time. Resolves to that number. */
export async function forgetNotices(tx: Tx, now: number): Promise<number> {
  const { items } = await tx.peekPage(notices, { index: "due", limit: BATCH });
  const old = items.filter(({ value }) => Date.parse(value.forget_at) <= now);
  for (const { id } of old) {
    const stored = await tx.get(notices, id);
    if (stored !== null) tx.remove(notices, stored);
  }
  return old.length;
}
