import { z } from "zod";

import { defineCollection, newestFirst } from "../core/collection.ts";
import { sha256Hex } from "../core/ids.ts";
import { DAY_MS } from "../lib/instant.ts";
import { Instant, resourceFields } from "../core/schema.ts";
import { emailHash, mailboxHash } from "./customers/email.ts";

const nullableInstant = Instant.nullable();

/** Ascending text of an instant, fit for a storage key. */
export const instantOrder = (instant: string): string => String(Date.parse(instant)).padStart(15, "0");

/** A customer and what it pays for; trial and cancellation are instants, the state is computed from them. */
export const Customer = z.strictObject({
  ...resourceFields,
  /** As typed at signup. */
  email: z.string(),
  status: z.enum(["pending", "active", "suspended", "closed"]),
  /** Paid plan, or `free`. */
  plan: z.string(),
  /** Plan on trial; counts while `now < trial_ends_at`. */
  trial_plan: z.string().nullable(),
  trial_started_at: nullableInstant,
  trial_ends_at: nullableInstant,
  /** Paid plans whose trial was used: one per plan and customer. */
  trials_used: z.array(z.string()),
  /** A cancelled plan holds until then. */
  plan_ends_at: nullableInstant,
  verified_at: nullableInstant,
  suspended_at: nullableInstant,
  /** The operator's words for it; null once the customer is resumed. */
  suspended_reason: z.string().nullable(),
  closed_at: nullableInstant,
  /** Since when the operator lets its stores write to new recipients without the small budget of its plan. */
  trusted_at: nullableInstant,
});
export type Customer = z.output<typeof Customer>;

const byCreation = (customer: Customer): string => newestFirst(customer.created_at);

export const customers = defineCollection({
  name: "platform.customers",
  schema: Customer,
  schemaVersion: 3,
  upgrade: (old) => ({ trusted_at: null, suspended_reason: null, ...old }),
  indexes: {
    // A customer's id is derived from its address, so its order says nothing.
    new: { values: () => [""], order: byCreation },
    status: { values: (customer) => [customer.status], order: byCreation },
    /** Customers of one address, one per store identifier. */
    email: { values: (customer) => [emailHash(customer.email)], order: byCreation },
    /** Suspended customers of one mailbox, whatever tag its address has. */
    suspended: {
      values: ({ status, email }) => (status === "suspended" ? [mailboxHash(email)] : []),
      order: byCreation,
    },
    /** Customers with a trial, by its end. */
    trial: {
      values: ({ trial_ends_at }) => (trial_ends_at === null ? [] : [""]),
      order: ({ trial_ends_at }) => instantOrder(trial_ends_at ?? "1970-01-01T00:00:00.000Z"),
    },
    /** By the time since which nothing happened: pending ones are purged, closed ones erased. */
    idle: {
      values: ({ status }) => (status === "pending" || status === "closed" ? [status] : []),
      order: (customer) => instantOrder(customer.updated_at),
    },
  },
});

export const Store = z.strictObject({
  ...resourceFields,
  customer_id: z.string(),
  /** As the shop typed it; unique per customer, never across customers. */
  identifier: z.string(),
  /** The store that came with the signup; the others need a multi-store plan. */
  primary: z.boolean(),
});
export type Store = z.output<typeof Store>;

export const stores = defineCollection({
  name: "platform.stores",
  schema: Store,
  indexes: {
    customer: { values: (store) => [store.customer_id] },
    primary: { values: (store) => (store.primary ? [store.customer_id] : []) },
    /** By name: of all customers, and of one. */
    name: {
      values: ({ identifier, customer_id }) => [nameValue(identifier), nameValue(identifier, customer_id)],
    },
  },
});

const nameHash = (text: string): string => sha256Hex(text).slice(0, 40);

/** A name, or a customer's name, as a value of the index: of one length, whatever it is written with. */
export const nameValue = (identifier: string, customerId?: string): string =>
  // No name has a line break in it.
  nameHash(customerId === undefined ? identifier : `${customerId}\n${identifier}`);

/** The id of a customer's name for a store. */
export const storeNameId = (customerId: string, identifier: string): string =>
  `${customerId}.${nameHash(identifier)}`;

/** `<customer id>.<sha256 of the identifier>` → store, for X-Service-Store. */
export const storeNames = defineCollection({
  name: "platform.store_names",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), store_id: z.string() }),
});

/** A key without its secret. `status` is what was decided; what holds now also depends on time and customer. */
export const Key = z.strictObject({
  ...resourceFields,
  customer_id: z.string(),
  store_id: z.string(),
  /** First characters and last four of the plaintext, to recognise it by. */
  prefix: z.string(),
  last4: z.string(),
  kind: z.enum(["secret", "publishable"]),
  /** The whole key, of a publishable one alone: it is in public pages anyway, and can be read again. */
  public_key: z.string().nullable().default(null),
  mode: z.enum(["live", "test"]),
  status: z.enum(["pending", "ACTIVE", "revoked", "expired"]),
  /** Plan whose limits the key has; null follows the customer's plan. */
  tier: z.string().nullable(),
  scopes: z.array(z.string()),
  name: z.string(),
  activates_at: nullableInstant,
  expires_at: nullableInstant,
  revoked_at: nullableInstant,
  revoked_reason: z.string().nullable(),
  replaces: z.string().nullable(),
  replaced_by: z.string().nullable(),
});
export type Key = z.output<typeof Key>;

const isLive = (key: Key): boolean => key.status === "ACTIVE" || key.status === "pending";

export const keys = defineCollection({
  name: "platform.keys",
  schema: Key,
  indexes: {
    customer: { values: (key) => [key.customer_id] },
    status: { values: (key) => [key.status] },
    /** Keys of a customer that may still be used, for the cap of its plan. */
    live: { values: (key) => (isLive(key) ? [key.customer_id] : []) },
    /** Keys that will expire, by when. */
    expiry: {
      values: (key) => (isLive(key) && endsAtMs(key) !== null ? [""] : []),
      order: (key) => String(endsAtMs(key) ?? 0).padStart(15, "0"),
    },
    /** Keys that will never be used again, by the time they ended. */
    ended: {
      values: (key) => (isLive(key) ? [] : [""]),
      order: (key) => instantOrder(key.updated_at),
    },
  },
});

/** SHA-256 of a plaintext key → key id. Written once, never changed: safe to remember. */
export const keyHashes = defineCollection({
  name: "platform.key_hashes",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), key_id: z.string() }),
  indexes: { key: { values: (hash) => [hash.key_id] } },
});

/** A mailed verification link; the id is the SHA-256 of its token, which is kept nowhere here. */
export const links = defineCollection({
  name: "platform.links",
  unlisted: true,
  schema: z.strictObject({
    id: z.string(),
    customer_id: z.string(),
    /** Round of the customer in which it was issued: the link is void once the customer is in another. */
    round: z.string(),
    created_at: Instant,
    expires_at: Instant,
  }),
  indexes: { due: { values: () => [""], order: (link) => instantOrder(link.expires_at) } },
});

/**
 * The round of a customer's links. Consuming one begins the next round, which voids all its siblings with one write,
 * however many there are, and lets only one of two simultaneous consumers win.
 */
export const linkRounds = defineCollection({
  name: "platform.link_rounds",
  unlisted: true,
  schema: z.strictObject({
    /** Customer id. */
    id: z.string(),
    round: z.string(),
    /** Key that the latest consumed link issued: retired by the next one if it was never used. */
    issued_key_id: z.string().nullable(),
  }),
});

/** Data of a store that is to be erased from then on. */
export const erasures = defineCollection({
  name: "platform.erasures",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), due_at: Instant }),
  indexes: { due: { values: () => [""], order: (erasure) => instantOrder(erasure.due_at) } },
});

/** Address of an erased customer, whose mail is to be deleted: another process goes on with it when one dies before. */
export const mailErasures = defineCollection({
  name: "platform.mail_erasures",
  unlisted: true,
  schema: z.strictObject({
    /** Customer id. */
    id: z.string(),
    email: z.string(),
    created_at: Instant,
  }),
  indexes: { due: { values: () => [""], order: (erasure) => instantOrder(erasure.created_at) } },
});

/** A pending key that was not activated ends after this. */
const PENDING_LIFE_MS = 30 * DAY_MS;

/** When a key expires by itself, as epoch milliseconds: at its end of life, or when it is not activated; null for never. */
export function endsAtMs(key: Key): number | null {
  const isWaiting = key.status === "pending" && key.activates_at === null;
  const ends = [
    ...(key.expires_at === null ? [] : [Date.parse(key.expires_at)]),
    ...(isWaiting ? [Date.parse(key.created_at) + PENDING_LIFE_MS] : []),
  ];
  return ends.length === 0 ? null : Math.min(...ends);
}
