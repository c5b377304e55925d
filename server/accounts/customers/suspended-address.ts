import type { Tx } from "../../core/tx.ts";
import { customers } from "../collections.ts";
import { emailHash, mailboxHash } from "./email.ts";

/** Pages of customers of one address that are read; no honest address has as many stores of its own. */
const ADDRESS_PAGES_MAX = 20;

/**
 * Whether a customer of an address, or of its mailbox under another tag, is suspended: then the address gets no customer and no key for
 * another store identifier either. Also true of an address with more customers than are read.
 */
export async function isSuspendedAddress(tx: Tx, email: string): Promise<boolean> {
  const { items: ofMailbox } = await tx.peekPage(customers, {
    index: "suspended",
    value: mailboxHash(email),
    limit: 1,
  });
  if (ofMailbox.length > 0) return true;
  // Who was suspended by an earlier version is not in that index.
  let cursor: string | undefined;
  for (let page = 0; page < ADDRESS_PAGES_MAX; page += 1) {
    const query = { index: "email", value: emailHash(email), limit: 100, cursor };
    const { items, next } = await tx.peekPage(customers, query);
    if (items.some(({ value }) => value.status === "suspended")) return true;
    if (next === null) return false;
    cursor = next;
  }
  return true;
}
