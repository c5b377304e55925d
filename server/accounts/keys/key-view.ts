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

/** The key in the examples of requests. */
export const EXAMPLE_KEY = "key_01JD8Z5T9QK3M4N5P6R7S8T9V0";
