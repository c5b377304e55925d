import { z } from "zod";

import { Instant } from "../../core/schema.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import type { AccountsDeps } from "../deps.ts";
import { customers, Key, stores } from "../collections.ts";
import { isAccepted, keyStatusAt } from "./key-rules.ts";
import { findPlan, standingOf } from "../plans/plans.ts";

/** A key as it is shown: everything but the secret and its hash. */
export const KeyView = z.object({
  ...Key.shape,
  /** Name of the store that the key is bound to. */
  store: z.string(),
  status: Key.shape.status.meta({ description: "Current status, including expiry" }),
  accepted: z.boolean().meta({
    description: "Whether requests with the key are accepted: both the key and its customer are active",
  }),
  public_key: z.string().nullable().meta({
    description: "The key itself, for publishable keys only. Secret keys are shown once",
  }),
  tier: z.string().meta({ description: "Plan whose limits apply to the key" }),
  tier_pinned: z
    .boolean()
    .meta({ description: "Whether the tier is fixed, regardless of the customer's plan" }),
  requests_per_minute: z.int(),
  last_used_at: Instant.nullable(),
});
export type KeyView = z.output<typeof KeyView>;

/** A new key, shown once with its secret. */
export const IssuedView = KeyView.extend({
  api_key: z.string().meta({ description: "The key itself. Shown only once: only its SHA-256 is stored." }),
});

/** Shows a key as it is at an instant (epoch milliseconds). */
export async function toKeyView(
  deps: AccountsDeps,
  tx: Tx,
  { value: key }: Stored<Key>,
  now: number,
): Promise<KeyView> {
  const customer = (await tx.get(customers, key.customer_id))?.value ?? null;
  const store = await tx.get(stores, key.store_id);
  const { plans } = deps.config;
  const pinned = key.tier === null ? undefined : findPlan(plans, key.tier);
  const plan = pinned ?? standingOf(customer ?? NOBODY, plans, now).plan;
  return {
    ...key,
    // A key that was stored before there were publishable ones has no such member.
    public_key: key.public_key ?? null,
    store: store?.value.identifier ?? "",
    status: keyStatusAt(key, now),
    accepted: isAccepted(key, customer, now),
    tier: plan.id,
    tier_pinned: pinned !== undefined,
    requests_per_minute: plan.requestsPerMinute,
    last_used_at: await deps.usage.lastUsedAt(tx, key.id),
  };
}

const NOBODY = { plan: "free", trial_plan: null, trial_ends_at: null, plan_ends_at: null };

/** What the examples of the documentation show. */
export const keyExample: KeyView = {
  id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  store_id: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  store: "demo-bakery",
  prefix: "plat_live_4fZq",
  last4: "x9Tk",
  kind: "secret",
  public_key: null,
  mode: "live",
  status: "ACTIVE",
  accepted: true,
  tier: "free",
  tier_pinned: false,
  requests_per_minute: 60,
  scopes: ["reviews:read", "reviews:write"],
  name: "Signup key",
  activates_at: null,
  expires_at: null,
  revoked_at: null,
  revoked_reason: null,
  replaces: null,
  replaced_by: null,
  last_used_at: null,
};

export const revokedExample: KeyView = {
  ...keyExample,
  status: "revoked",
  accepted: false,
  revoked_at: "2026-06-02T09:00:00.000Z",
  revoked_reason: "leaked",
};

export const issuedExample: z.output<typeof IssuedView> = {
  ...keyExample,
  api_key: "plat_live_4fZq…x9Tk",
};
