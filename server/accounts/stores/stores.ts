import { takeTurn } from "../../core/room.ts";
import { toInstant } from "../../lib/instant.ts";
import { conflict } from "../../lib/errors.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import type { Change } from "../change.ts";
import { erasures, storeNameId, storeNames, stores } from "../collections.ts";
import type { Customer, Store } from "../collections.ts";
import { standingOf } from "../plans/plans.ts";
import { newResource } from "../../lib/new-resource.ts";

/** Data of a removed store is kept this long, so that a mistake can be undone. */
const KEEP_MS = 30 * 86_400_000;

/** Adds a further store. Throws 409 when the customer has one of that name, or as many as its plan allows. */
export async function addStore(
  change: Change,
  customer: Customer,
  identifier: string,
): Promise<Stored<Store>> {
  const { plan } = standingOf(customer, change.deps.config.plans, change.now);
  if (customer.status !== "active") {
    throw conflict("customer_not_active", `The customer is ${customer.status}, not active.`);
  }
  if ((await findStore(change.tx, customer.id, identifier)) !== null) {
    throw conflict("store_exists", "The customer already has a store with this identifier.");
  }
  await takeTurn(change.tx, `${stores.name}.${customer.id}`);
  if (plan.stores !== null && (await hasStores(change.tx, customer.id, plan.stores))) {
    throw conflict(
      "store_limit",
      `The plan ${plan.id} allows ${plan.stores} ${plan.stores === 1 ? "store" : "stores"}. Delete a store or change the plan.`,
    );
  }
  return createStore(change, { customerId: customer.id, identifier, primary: false });
}

/** Stages a store and its name. */
export function createStore(
  change: Change,
  input: { readonly customerId: string; readonly identifier: string; readonly primary: boolean },
): Stored<Store> {
  const { tx, deps, nowAt, record } = change;
  const { customerId, identifier, primary } = input;
  const id = deps.newId("sto");
  tx.create(storeNames, { id: storeNameId(customerId, identifier), store_id: id });
  record({ action: "store.added", subject: id, customer_id: customerId, details: { primary } });
  return tx.create(stores, {
    ...newResource(id, nowAt),
    customer_id: customerId,
    identifier,
    primary,
  });
}

/** Removes a further store; its data is erased after 30 days. Its keys find no store any more. Throws 409 for the primary one. */
export async function removeStore(change: Change, before: Stored<Store>): Promise<void> {
  if (before.value.primary) {
    throw conflict(
      "store_primary",
      "This store was created at signup and cannot be deleted. Close the customer instead.",
    );
  }
  await dropStore(change, before, change.now + KEEP_MS);
}

/** Stages the end of a store's records, and the erasure of its data at an instant (epoch milliseconds). */
export async function dropStore(change: Change, before: Stored<Store>, eraseAtMs: number): Promise<void> {
  const { tx, record } = change;
  const { customer_id, identifier } = before.value;
  tx.remove(stores, before);
  const name = await tx.get(storeNames, storeNameId(customer_id, identifier));
  if (name !== null) tx.remove(storeNames, name);
  tx.create(erasures, { id: before.id, due_at: toInstant(eraseAtMs) });
  record({ action: "store.removed", subject: before.id, customer_id });
}

/** A customer's store by the name the shop gave it, or by its id; null when the customer has none such. */
export async function findStore(tx: Tx, customerId: string, named: string): Promise<Stored<Store> | null> {
  const name = await tx.get(storeNames, storeNameId(customerId, named));
  const store = await tx.get(stores, name?.value.store_id ?? named);
  return store?.value.customer_id === customerId ? store : null;
}

/** The store that came with the signup. */
export async function requirePrimaryStore(tx: Tx, customerId: string): Promise<Store> {
  const { items } = await tx.peekPage(stores, { index: "primary", value: customerId, limit: 1 });
  const primary = items[0];
  if (primary === undefined) throw new Error(`Customer ${customerId} has no primary store.`);
  return primary.value;
}

/** Whether a customer has at least so many stores. */
async function hasStores(tx: Tx, customerId: string, count: number): Promise<boolean> {
  let seen = 0;
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(stores, { index: "customer", value: customerId, limit: 500, cursor });
    seen += page.items.length;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && seen < count);
  return seen >= count;
}
