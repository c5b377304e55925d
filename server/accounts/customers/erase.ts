import { removeContents } from "../../core/contents.ts";
import { storePartition } from "../../core/partitions.ts";
import type { Collection } from "../../core/collection.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { runChange } from "../change.ts";
import type { Actor, Change } from "../change.ts";
import type { AccountsDeps } from "../deps.ts";
import { customers, keyHashes, keys, linkRounds, mailErasures, stores } from "../collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import type { Customer, Key } from "../collections.ts";
import { parseEmail } from "./email.ts";
import { listCustomersOf } from "./customers.ts";
import { dropStore } from "../stores/stores.ts";
import { keyUses } from "../usage/usage.ts";

/** Keys or stores per commit; each is a dozen operations. */
const PER_COMMIT = 10;
const DOCUMENTS_PER_COMMIT = { limit: 100, bytes: 1_000_000 };

export interface Erasure {
  readonly customerId: string;
  /** `customer.purged` or `customer.erased`. */
  readonly action: string;
  /** Asked again in every commit, because a pending customer may verify meanwhile. */
  readonly isDue: (customer: Customer) => boolean;
}

/**
 * Deletes a customer with its keys, stores, links and mails; the data of its stores is due for erasure at once.
 * Several commits, each whole in itself: a crash between them leaves a customer that the next run goes on with.
 * Resolves to false when the customer was not due.
 */
export async function eraseCustomer(deps: AccountsDeps, by: Actor, erasure: Erasure): Promise<boolean> {
  for (;;) {
    const step = await runChange(deps, by, (change) => eraseStep(change, erasure));
    if (step === "not_due") return false;
    if (step === "more") continue;
    await forgetMail(deps, erasure.customerId);
    return true;
  }
}

async function eraseStep(change: Change, erasure: Erasure): Promise<"not_due" | "more" | "done"> {
  const customer = await change.tx.get(customers, erasure.customerId);
  if (customer === null || !erasure.isDue(customer.value)) return "not_due";
  if (await dropSome(change, customer.id)) return "more";
  await dropCustomer(change, customer, erasure.action);
  return "done";
}

/** Drops some keys, else some further stores; false when none is left. */
async function dropSome(change: Change, customerId: string): Promise<boolean> {
  const { tx, now } = change;
  const owned = { index: "customer", value: customerId, limit: PER_COMMIT };
  const { items: someKeys } = await tx.peekPage(keys, owned);
  for (const key of someKeys) await dropKey(change, key);
  if (someKeys.length > 0) return true;
  const { items } = await tx.peekPage(stores, owned);
  const further = items.filter(({ value }) => !value.primary);
  for (const store of further) await dropStore(change, store, now);
  return further.length > 0;
}

/** Forgets a key: from then on its plaintext is invalid. */
export async function dropKey(change: Change, key: Stored<Key>): Promise<void> {
  const { tx, record } = change;
  tx.remove(keys, key);
  for (const hash of await tx.peekAll(keyHashes, { index: "key", value: key.id })) tx.remove(keyHashes, hash);
  const use = await tx.get(keyUses, key.id);
  if (use !== null) tx.remove(keyUses, use);
  record({ action: "key.deleted", subject: key.id, customer_id: key.value.customer_id });
}

async function dropCustomer(change: Change, customer: Stored<Customer>, action: string): Promise<void> {
  const { tx, now, nowAt, record } = change;
  for (const store of await tx.peekAll(stores, { index: "customer", value: customer.id })) {
    await dropStore(change, store, now);
  }
  const round = await tx.get(linkRounds, customer.id);
  if (round !== null) tx.remove(linkRounds, round);
  tx.remove(customers, customer);
  // The same customer can sign up and be erased again before.
  const before = await tx.get(mailErasures, customer.id);
  tx.save(mailErasures, before, { id: customer.id, email: customer.value.email, created_at: nowAt });
  record({ action, subject: customer.id, customer_id: customer.id });
}

/**
 * Deletes the mail of an erased customer. An address may have further customers, one per store; its mail is deleted with the last of
 * them.
 */
export async function forgetMail(deps: AccountsDeps, customerId: string): Promise<void> {
  const email = await deps.runTx(PLATFORM_PART, async (tx) => {
    const erasure = await tx.get(mailErasures, customerId);
    if (erasure === null) return null;
    const others = await listCustomersOf(tx, erasure.value.email);
    if (others.length > 0) tx.remove(mailErasures, erasure);
    return others.length > 0 ? null : erasure.value.email;
  });
  if (email === null) return;
  await deps.mail.forget(parseEmail(email)?.deliverable ?? email);
  await deps.runTx(PLATFORM_PART, (tx) => removeIfThere(tx, mailErasures, customerId));
}

/** Deletes every document of a store, its test data included. Resolves to their number, index entries aside. */
export async function eraseStoreData(
  deps: AccountsDeps,
  storeId: string,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  for (const mode of ["live", "test"] as const) {
    const part = storePartition(storeId, mode);
    for (const { name } of await deps.store.collections(part)) {
      const count = await eraseCollection(deps, part, name, signal);
      if (!name.startsWith("ix.")) erased += count;
    }
  }
  return erased;
}

async function eraseCollection(
  deps: AccountsDeps,
  part: string,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  while (!signal.aborted) {
    const { items } = await deps.store.page(part, name, DOCUMENTS_PER_COMMIT);
    if (items.length === 0) break;
    await removeContents(
      deps.ports.files,
      items.map(({ key }) => key),
    );
    await deps.store.commit(
      part,
      items.map(({ key }) => ({ del: key })),
    );
    erased += items.length;
  }
  return erased;
}

export async function removeIfThere<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  id: string,
): Promise<void> {
  const found = await tx.get(collection, id);
  if (found !== null) tx.remove(collection, found);
}
