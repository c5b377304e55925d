import { z } from "zod";

import { defineCollection } from "../kernel/collection.ts";
import { Instant, resourceFields } from "../kernel/schema.ts";

/** Partition of everything that is not a store's own data. */
export const PLATFORM_PART = "platform";

const nullableInstant = Instant.nullable();

/** A customer and what it pays for; trial and cancellation are instants, the state is computed from them. */
export const Customer = z.strictObject({
  ...resourceFields,
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
  closed_at: nullableInstant,
});
export type Customer = z.output<typeof Customer>;

export const customers = defineCollection({
  name: "platform.customers",
  schema: Customer,
  indexes: { status: { values: (customer) => [customer.status] } },
});

/** SHA-256 of the normalised address → its customers (one per store identifier). */
export const customerEmails = defineCollection({
  name: "platform.customer_emails",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), customer_ids: z.array(z.string()) }),
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
  indexes: { customer: { values: (store) => [store.customer_id] } },
});

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

export const keys = defineCollection({
  name: "platform.keys",
  schema: Key,
  indexes: {
    customer: { values: (key) => [key.customer_id] },
    status: { values: (key) => [key.status] },
    expiry: {
      values: (key) => (key.expires_at === null ? [] : [""]),
      order: (key) => instantOrder(key.expires_at ?? ""),
    },
  },
});

/** SHA-256 of a plaintext key → key id. Written once, never changed: safe to remember. */
export const keyHashes = defineCollection({
  name: "platform.key_hashes",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), key_id: z.string() }),
});

/** Ascending text of an instant, fit for a storage key. */
export const instantOrder = (instant: string): string => String(Date.parse(instant)).padStart(15, "0");
