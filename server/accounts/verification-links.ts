import { fail } from "../lib/errors.ts";
import { sha256Hex } from "../core/ids.ts";
import { toInstant } from "../lib/instant.ts";
import type { Stored, Tx } from "../core/tx.ts";
import type { Change } from "./change.ts";
import { customers, keys, linkRounds, links } from "./collections.ts";
import type { Customer, Store } from "./collections.ts";
import { isSuspendedAddress } from "./customers/suspended-address.ts";
import { issueKey, revokeKey } from "./keys/keys.ts";
import type { IssuedKey } from "./keys/keys.ts";
import { requirePrimaryStore } from "./stores/stores.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const HOUR_MS = 3_600_000;

export interface IssuedLink {
  /** `{base_url}/api/platform/verify?token=…`; the token leaves the process in the mail and is kept only as SHA-256. */
  readonly url: string;
  readonly expiresAt: string;
}

/** Issues a verification link. Earlier links of the customer stay valid until one of them is consumed. */
export async function issueLink(change: Change, customerId: string): Promise<IssuedLink> {
  const { tx, deps, now, nowAt } = change;
  const token = Buffer.from(deps.random.bytes(TOKEN_BYTES)).toString("base64url");
  const round = await tx.get(linkRounds, customerId);
  const current = round?.value.round ?? deps.newId("rnd");
  if (round === null) tx.create(linkRounds, { id: customerId, round: current, issued_key_id: null });
  const expiresAt = toInstant(now + deps.config.signup.verificationTtlHours * HOUR_MS);
  tx.create(links, {
    id: sha256Hex(token),
    customer_id: customerId,
    round: current,
    created_at: nowAt,
    expires_at: expiresAt,
  });
  return { url: `${deps.config.baseUrl}/api/platform/verify?token=${token}`, expiresAt };
}

export interface OpenLink {
  readonly customer: Stored<Customer>;
  readonly store: Store;
  readonly expiresAt: string;
}

/**
 * Reads a link without consuming it. Throws 404 for an unknown token, 410 for one that is used, void or expired,
 * 403 while the customer is suspended, or another one of the same address is and this one was not verified before.
 */
export async function requireLink(tx: Tx, token: string, now: number): Promise<OpenLink> {
  const link = TOKEN.test(token) ? await tx.get(links, sha256Hex(token)) : null;
  if (link === null)
    throw fail("not_found", "This verification link is invalid. Use the link in your latest mail.", {
      code: "link_unknown",
    });
  const { customer_id, round, expires_at } = link.value;
  const current = await tx.get(linkRounds, customer_id);
  const customer = await tx.get(customers, customer_id);
  if (current?.value.round !== round || customer === null || customer.value.status === "closed") {
    throw fail("gone", "This verification link was already used. Sign up again to get a new one.", {
      code: "link_used",
    });
  }
  if (now >= Date.parse(expires_at)) {
    throw fail("gone", "This verification link has expired. Sign up again to get a new one.", {
      code: "link_expired",
    });
  }
  const { status, email } = customer.value;
  if (status === "suspended" || (status === "pending" && (await isSuspendedAddress(tx, email)))) {
    throw fail("forbidden", "This account is suspended.");
  }
  return { customer, store: await requirePrimaryStore(tx, customer_id), expiresAt: expires_at };
}

export interface Verified extends IssuedKey {
  readonly customer: Stored<Customer>;
  readonly store: Store;
}

/** Consumes a link: the customer is active from here on and gets a key. Throws as `requireLink`, and 409 at the cap. */
export async function consumeLink(change: Change, token: string): Promise<Verified> {
  const { customer, store } = await requireLink(change.tx, token, change.now);
  return verifyCustomer(change, customer, store);
}

/**
 * Makes a customer active and issues a key, as a consumed link does. A key that an earlier link issued and that was
 * never used is revoked: its plaintext was most likely lost on the way.
 */
export async function verifyCustomer(
  change: Change,
  before: Stored<Customer>,
  store: Store,
): Promise<Verified> {
  const { tx, deps, nowAt, record } = change;
  const round = await tx.get(linkRounds, before.id);
  const unused = await retireUnusedKey(change, round?.value.issued_key_id ?? null);
  const customer =
    before.value.status === "active"
      ? before
      : tx.put(customers, before, {
          ...before.value,
          status: "active",
          verified_at: nowAt,
          updated_at: nowAt,
        });
  if (customer !== before) {
    record({ action: "customer.verified", subject: before.id, customer_id: before.id });
  }
  const input = {
    name: "Signup key",
    kind: "secret" as const,
    scopes: deps.scopes,
    mode: "live" as const,
    tier: null,
    expires_at: null,
  };
  const more = { pending: false, activates_at: null, replaces: null };
  const issued = await issueKey(
    change,
    { customer: customer.value, store, ...input, ...more },
    unused ?? undefined,
  );
  const next = { id: before.id, round: deps.newId("rnd"), issued_key_id: issued.key.id };
  tx.save(linkRounds, round, next);
  return { customer, store, ...issued };
}

/** Begins the customer's next round, which voids every open link. */
export async function voidLinks(change: Change, customerId: string): Promise<void> {
  const round = await change.tx.get(linkRounds, customerId);
  if (round === null) return;
  change.tx.put(linkRounds, round, { ...round.value, round: change.deps.newId("rnd") });
}

async function retireUnusedKey(change: Change, keyId: string | null): Promise<string | null> {
  const key = keyId === null ? null : await change.tx.get(keys, keyId);
  if (key === null || (await change.deps.usage.lastUsedAt(change.tx, key.id)) !== null) return null;
  revokeKey(change, key, "never used, replaced through a new link");
  return key.id;
}
