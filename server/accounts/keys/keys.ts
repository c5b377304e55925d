import { takeTurn } from "../../core/room.ts";
import { toInstant } from "../../lib/instant.ts";
import { conflict } from "../../lib/errors.ts";
import { sha256Hex } from "../../core/ids.ts";
import type { Stored } from "../../core/tx.ts";
import { runChange } from "../change.ts";
import type { Actor, Change } from "../change.ts";
import type { AccountsDeps } from "../deps.ts";
import { customers, keyHashes, keys, stores } from "../collections.ts";
import type { Customer, Key, Store } from "../collections.ts";
import { makeKey } from "../../core/key-format.ts";
import { keyStatusAt, overlapEnd, countsToLimit } from "./key-rules.ts";
import { standingOf } from "../plans/plans.ts";
import { newResource } from "../../lib/new-resource.ts";

export interface NewKey {
  readonly customer: Customer;
  readonly store: Store;
  readonly name: string;
  readonly kind: Key["kind"];
  readonly scopes: readonly string[];
  readonly mode: "live" | "test";
  /** Plan whose limits the key has whatever the customer pays for; null follows the customer. */
  readonly tier: string | null;
  readonly expires_at: string | null;
  /** Not usable until activated: by hand, or at `activates_at`. */
  readonly pending: boolean;
  readonly activates_at: string | null;
  /** Key that this one replaces. */
  readonly replaces: string | null;
}

export interface IssuedKey {
  readonly key: Stored<Key>;
  /** Leaves the process once, in the answer; only its SHA-256 is stored. */
  readonly plaintext: string;
}

/** Issues a key; `without` names a key that ends with this one and so takes no room. Throws 409 at the plan's cap. */
export async function issueKey(change: Change, input: NewKey, without?: string): Promise<IssuedKey> {
  const { tx, deps, nowAt, record } = change;
  const { customer, store, pending, ...rest } = input;
  if (!pending || input.activates_at !== null) await requireRoom(change, input, without);
  const isPublic = input.kind === "publishable";
  const plaintext = makeKey(isPublic ? "pub" : input.mode, deps.random);
  const id = deps.newId("key");
  tx.create(keyHashes, { id: sha256Hex(plaintext), key_id: id });
  const key = tx.create(keys, {
    ...rest,
    scopes: [...input.scopes],
    ...newResource(id, nowAt),
    customer_id: customer.id,
    store_id: store.id,
    prefix: plaintext.slice(0, PREFIX_CHARS),
    last4: plaintext.slice(-4),
    public_key: isPublic ? plaintext : null,
    status: pending ? "pending" : "ACTIVE",
    revoked_at: null,
    revoked_reason: null,
    replaced_by: null,
  });
  const { kind, mode, tier } = input;
  const details = { store_id: store.id, status: key.value.status, kind, mode, tier };
  record({
    action: "key.issued",
    subject: id,
    customer_id: customer.id,
    details: {
      ...details,
      expires_at: input.expires_at,
      replaces: input.replaces,
      scopes: [...input.scopes],
    },
  });
  return { key, plaintext };
}

/** `plat_live_` and four characters of the secret: enough to recognise a key, far too little to guess it. */
const PREFIX_CHARS = 14;

/** pending → ACTIVE. Throws 409 for any other state, for a customer who is not active, and at the plan's cap. */
export async function activateKey(change: Change, before: Stored<Key>): Promise<Stored<Key>> {
  const status = keyStatusAt(before.value, change.now);
  if (status !== "pending") {
    throw conflict("key_not_pending", `Only a pending key can be activated. This key is ${status}.`);
  }
  const customer = await requireActiveCustomer(change, before.value.customer_id);
  await requireRoom(change, { customer, kind: before.value.kind }, before.id);
  change.record({ action: "key.activated", subject: before.id, customer_id: customer.id });
  return put(change, before, { status: "ACTIVE", activates_at: change.nowAt });
}

/**
 * Replaces an ACTIVE key by a new one with the same store, tier, scopes, mode, name and end of life. Both work during
 * the overlap, with a limit each, so both count towards the cap; an overlap of 0 ends the old key at once.
 * Throws 409 unless the key is ACTIVE and not yet replaced, and at the cap.
 */
export async function rotateKey(
  change: Change,
  before: Stored<Key>,
  overlapSeconds: number,
): Promise<IssuedKey & { readonly replaced: Stored<Key> }> {
  const { tx, now, nowAt, record } = change;
  const old = before.value;
  const status = keyStatusAt(old, now);
  if (status !== "ACTIVE") {
    throw conflict("key_not_active", `Only an active key can be rotated. This key is ${status}.`);
  }
  if (old.replaced_by !== null) {
    throw conflict(
      "key_replaced",
      `This key was already rotated. Rotate its successor ${old.replaced_by} instead.`,
    );
  }
  const customer = await requireActiveCustomer(change, old.customer_id);
  const store = (await tx.require(stores, old.store_id)).value;
  const { name, kind, scopes, mode, tier, expires_at } = old;
  const kept = { name, kind, scopes, mode, tier, expires_at };
  const input = { customer, store, ...kept, pending: false, activates_at: null };
  const ends = overlapSeconds === 0;
  const issued = await issueKey(change, { ...input, replaces: old.id }, ends ? old.id : undefined);
  const end: Partial<Key> = ends
    ? { status: "revoked", revoked_at: nowAt, revoked_reason: "rotated" }
    : { expires_at: toInstant(overlapEnd(old, now, overlapSeconds)) };
  const replaced = put(change, before, { ...end, replaced_by: issued.key.id });
  record({
    action: "key.rotated",
    subject: old.id,
    customer_id: customer.id,
    details: { replaced_by: issued.key.id, overlap_seconds: overlapSeconds },
  });
  return { ...issued, replaced };
}

/** Ends a key permanently, from the very next request on. A key that has ended already is left as it is. */
export function revokeKey(change: Change, before: Stored<Key>, reason: string): Stored<Key> {
  const status = keyStatusAt(before.value, change.now);
  if (status === "revoked" || status === "expired") return before;
  change.record({
    action: "key.revoked",
    subject: before.id,
    customer_id: before.value.customer_id,
    details: { reason },
  });
  return put(change, before, { status: "revoked", revoked_at: change.nowAt, revoked_reason: reason });
}

/** Revokes every key of a customer that `which` picks, a few per commit, since a commit has a bounded size. */
export async function revokeKeysOf(
  deps: AccountsDeps,
  by: Actor,
  customerId: string,
  pick: { readonly which: (key: Key) => boolean; readonly reason: string },
): Promise<void> {
  let isMore = true;
  while (isMore) {
    isMore = await runChange(deps, by, async (change) => {
      const live = (await liveKeysOf(change, customerId)).filter(({ value }) => pick.which(value));
      for (const { id } of live.slice(0, KEYS_PER_COMMIT)) {
        endKey(change, await change.tx.require(keys, id), pick.reason);
      }
      return live.length > KEYS_PER_COMMIT;
    });
  }
}

const KEYS_PER_COMMIT = 10;

/** Revokes a key, or writes down that it expired before: either way it is no longer among the live ones. */
const endKey = (change: Change, key: Stored<Key>, reason: string): Stored<Key> =>
  keyStatusAt(key.value, change.now) === "expired" ? expireKey(change, key) : revokeKey(change, key, reason);

/** Writes down that a key expired, so that listings by state find it; it was refused since its time already. */
export function expireKey(change: Change, before: Stored<Key>): Stored<Key> {
  change.record({ action: "key.expired", subject: before.id, customer_id: before.value.customer_id });
  return put(change, before, { status: "expired" });
}

/** Every key of a customer that may still be used, pending ones included. */
const liveKeysOf = (change: Change, customerId: string): Promise<Stored<Key>[]> =>
  change.tx.peekAll(keys, { index: "live", value: customerId });

const put = (change: Change, before: Stored<Key>, changed: Partial<Key>): Stored<Key> =>
  change.tx.put(keys, before, { ...before.value, ...changed, updated_at: change.nowAt });

async function requireActiveCustomer(change: Change, id: string): Promise<Customer> {
  const { value: customer } = await change.tx.require(customers, id);
  if (customer.status === "active") return customer;
  throw conflict("customer_not_active", `The customer is ${customer.status}, not active.`);
}

/** Throws 409 when the customer has as many keys of a kind in use as its plan allows: publishable ones take no room from the others. */
async function requireRoom(
  change: Change,
  { customer, kind }: Pick<NewKey, "customer" | "kind">,
  without?: string,
): Promise<void> {
  const { plan } = standingOf(customer, change.deps.config.plans, change.now);
  await takeTurn(change.tx, `${keys.name}.${customer.id}`);
  const live = await liveKeysOf(change, customer.id);
  const used = live.filter(
    ({ id, value }) => id !== without && value.kind === kind && countsToLimit(value, change.now),
  ).length;
  if (used < plan.activeKeys) return;
  throw conflict(
    "active_key_limit",
    `The plan ${plan.id} allows ${plan.activeKeys} active ${kind} keys, and ${used} are active. Revoke a key, or rotate with an overlap of 0 seconds.`,
  );
}
