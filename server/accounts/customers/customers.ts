import { conflict, fail } from "../../lib/errors.ts";
import { derivedId } from "../../core/ids.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import type { Change } from "../change.ts";
import { customers } from "../collections.ts";
import type { Customer } from "../collections.ts";
import { emailHash, parseEmail } from "./email.ts";
import { voidLinks } from "../verification-links.ts";
import { createStore, findStore } from "../stores/stores.ts";
import { newResource } from "../../lib/new-resource.ts";

/** What a customer signs up with. */
export interface Signup {
  readonly email: string;
  readonly storeIdentifier: string;
}

/** The id of a customer is derived from both, so that a repeated or simultaneous signup cannot make a second one. */
export const customerIdOf = (secret: Uint8Array, { email, storeIdentifier }: Signup): string =>
  derivedId("cus", secret, [parseEmail(email)?.identity ?? email, storeIdentifier]);

/** Finds the customer of an address and a store identifier, or makes it: `pending`, on the free plan, with its store. */
export async function findOrCreateCustomer(change: Change, input: Signup): Promise<Stored<Customer>> {
  const { tx, deps, nowAt, record } = change;
  const id = customerIdOf(deps.secret, input);
  const found = await tx.get(customers, id);
  if (found !== null) return found;
  record({ action: "customer.signed_up", subject: id, customer_id: id });
  createStore(change, { customerId: id, identifier: input.storeIdentifier, primary: true });
  return tx.create(customers, {
    ...NEW_CUSTOMER,
    ...newResource(id, nowAt),
    email: input.email,
  });
}

const NEW_CUSTOMER = {
  status: "pending",
  plan: "free",
  trial_plan: null,
  trial_started_at: null,
  trial_ends_at: null,
  trials_used: [],
  plan_ends_at: null,
  verified_at: null,
  suspended_at: null,
  suspended_reason: null,
  closed_at: null,
  trusted_at: null,
} satisfies Partial<Customer>;

/** active → suspended: every key is refused from the next request on, until `resumeCustomer`. Throws 409 from another state. */
export function suspendCustomer(
  change: Change,
  before: Stored<Customer>,
  reason: string | null,
): Stored<Customer> {
  if (before.value.status === "suspended") return before;
  if (before.value.status !== "active") throw wrongState(before.value, "active");
  const about = { subject: before.id, customer_id: before.id };
  change.record({
    action: "customer.suspended",
    ...about,
    ...(reason === null ? {} : { details: { reason } }),
  });
  return put(change, before, {
    status: "suspended",
    suspended_at: change.nowAt,
    suspended_reason: reason,
  });
}

/** suspended → active: the keys work again. Throws 409 from another state. */
export function resumeCustomer(change: Change, before: Stored<Customer>): Stored<Customer> {
  if (before.value.status === "active") return before;
  if (before.value.status !== "suspended") throw wrongState(before.value, "suspended");
  change.record({ action: "customer.resumed", subject: before.id, customer_id: before.id });
  return put(change, before, { status: "active", suspended_at: null, suspended_reason: null });
}

/** Lifts the budget of mails to new recipients, or puts it back. */
export function trustCustomer(
  change: Change,
  before: Stored<Customer>,
  isTrusted: boolean,
): Stored<Customer> {
  if ((before.value.trusted_at !== null) === isTrusted) return before;
  const action = isTrusted ? "customer.trusted" : "customer.distrusted";
  change.record({ action, subject: before.id, customer_id: before.id });
  return put(change, before, { trusted_at: isTrusted ? change.nowAt : null });
}

/** Ends a customer: every key is refused from the next request on, every link is void. Data is erased 30 days later. */
export async function closeCustomer(change: Change, before: Stored<Customer>): Promise<void> {
  if (before.value.status === "closed") return;
  await voidLinks(change, before.id);
  change.record({ action: "customer.closed", subject: before.id, customer_id: before.id });
  put(change, before, { status: "closed", closed_at: change.nowAt });
}

/** Customers of an address, newest first; at most one page of them. */
export async function listCustomersOf(tx: Tx, email: string): Promise<Stored<Customer>[]> {
  const { items } = await tx.peekPage(customers, { index: "email", value: emailHash(email), limit: 100 });
  return [...items];
}

/**
 * The customer that an operator names by id or by address, where an address with several customers needs the store.
 * Throws 404 when there is none, 409 when the address alone is ambiguous.
 */
export async function requireNamedCustomer(
  tx: Tx,
  named: {
    readonly customer_id?: string | undefined;
    readonly email?: string | undefined;
    readonly store?: string | undefined;
  },
): Promise<Stored<Customer>> {
  if (named.customer_id !== undefined) return tx.require(customers, named.customer_id);
  const found = await listCustomersOf(tx, named.email ?? "");
  const matching = named.store === undefined ? found : await havingStore(tx, found, named.store);
  // One that was closed gets no more keys: it is meant only where there is no other.
  const open = matching.filter(({ value }) => value.status !== "closed");
  const [customer, another] = open.length > 0 ? open : matching;
  if (customer === undefined) throw fail("not_found", "No customer with this address (and store).");
  if (another !== undefined) {
    throw conflict(
      "customer_ambiguous",
      "Several customers have this address. Specify the store or the customer id.",
    );
  }
  return tx.require(customers, customer.id);
}

async function havingStore(tx: Tx, found: Stored<Customer>[], store: string): Promise<Stored<Customer>[]> {
  const owned = await Promise.all(found.map(({ id }) => findStore(tx, id, store)));
  return found.filter((_, index) => owned[index] !== null);
}

const put = (change: Change, before: Stored<Customer>, changed: Partial<Customer>): Stored<Customer> =>
  change.tx.put(customers, before, { ...before.value, ...changed, updated_at: change.nowAt });

const wrongState = ({ status }: Customer, needed: string): Error =>
  conflict(`customer_not_${needed}`, `The customer is ${status}, not ${needed}.`);
