import type { Engine, EventType } from "../core/engine.ts";
import { wantsEvent } from "../core/events.ts";

const key = {
  id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
};
const customer = { id: key.customer_id, customer_id: key.customer_id };
const STORE = "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1";
const END = "2026-06-15T09:00:00.000Z";

/** Events of the platform itself: keys, plans and stores of a customer. */
export const platformEvents: readonly EventType[] = [
  { type: "customer.verified", summary: "A customer verified their address.", example: customer },
  {
    type: "key.issued",
    summary: "An API key was created.",
    example: {
      ...key,
      store_id: STORE,
      status: "ACTIVE",
      kind: "secret",
      mode: "live",
      tier: null,
      expires_at: null,
      replaces: null,
      scopes: ["menus:read"],
    },
  },
  { type: "key.activated", summary: "A pending API key was activated.", example: key },
  {
    type: "key.rotated",
    summary: "An API key was rotated. The old key stays valid during the overlap.",
    example: { ...key, replaced_by: "key_01JD8Z5T9QK3M4N5P6R7S8T9V2", overlap_seconds: 86_400 },
  },
  { type: "key.revoked", summary: "An API key was revoked.", example: { ...key, reason: "leaked" } },
  {
    type: "key.expiring",
    summary: "An API key expires in seven days; sent again one day before.",
    example: { ...key, store_id: STORE, expires_at: END, days_left: 7 },
  },
  {
    type: "trial.started",
    summary: "A trial started.",
    example: {
      ...customer,
      from: "free",
      from_state: "free",
      to: "growth",
      to_state: "trialing",
      ends_at: END,
    },
  },
  {
    type: "trial.ending",
    summary: "A trial ends in three days.",
    example: { ...customer, plan: "growth", ends_at: END },
  },
  {
    type: "trial.ended",
    summary: "A trial ended, and the previous plan applies again.",
    example: { ...customer, plan: "growth", ends_at: END },
  },
  {
    type: "plan.changed",
    summary: "The plan of a customer changed.",
    example: { ...customer, from: "free", from_state: "free", to: "growth", to_state: "paid", ends_at: null },
  },
  {
    type: "rate_limit.exceeded",
    summary: "An API key exceeded its rate limit. Sent at most once a minute.",
    example: { ...key, store_id: STORE, limit: 60, reset_at: END },
  },
  {
    type: "store.added",
    summary: "An additional store was created for a customer.",
    example: { ...customer, id: STORE, primary: false },
  },
];

/** Events about webhooks themselves. */
const webhookEvents: readonly EventType[] = [
  {
    type: "webhook.test",
    summary: "A test of this endpoint was requested.",
    example: { endpoint_id: "whk_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  {
    type: "webhook.disabled",
    summary: "A webhook endpoint was disabled because it failed for 120 hours or responded with 410.",
    example: { endpoint_id: "whk_01JD8Z5T9QK3M4N5P6R7S8T9V0", reason: "failing" },
  },
];

/** THE list of types of event, by name within each group: engines in the registry's order, then the platform's own. */
export const eventTypesOf = (engines: readonly Pick<Engine, "events">[]): readonly EventType[] => [
  ...engines.flatMap(({ events }) => events),
  ...platformEvents,
  ...webhookEvents,
];

/** Whether a pattern (a type, `reviews.*`, `*`) can ever be met by one of these types. */
export const isKnownPattern = (pattern: string, types: readonly EventType[]): boolean =>
  pattern === "*" || types.some(({ type }) => wantsEvent([pattern], type));

/** Whether patterns ask for events of the platform itself, which are in another partition than a store's own. */
export const wantsPlatform = (patterns: readonly string[]): boolean =>
  platformEvents.some(({ type }) => wantsEvent(patterns, type));
