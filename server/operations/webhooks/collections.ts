import { z } from "zod";

import { defineCollection, newestFirst, timeOrder } from "../../core/collection.ts";
import { invertedOrder } from "../../core/ids.ts";
import { Id, Instant, resourceFields } from "../../core/schema.ts";

// All of it is in the partition whose events it is about: a store's own, its test data's, or the platform's.

const EndpointStatus = z.enum(["enabled", "disabled"]);

/** Where events are sent to. */
export const Endpoint = z.strictObject({
  ...resourceFields,
  url: z.string().meta({ description: "https URL that receives the events. Empty for a listener" }),
  description: z.string(),
  types: z
    .array(z.string())
    .meta({ description: "Event types that are sent; `reviews.*` for all types of an engine, `*` for all" }),
  status: EndpointStatus,
  disabled_at: Instant.nullable(),
  disabled_reason: z.enum(["manual", "failing", "gone"]).nullable().meta({
    description: "`failing`: all deliveries failed for 120 hours. `gone`: the receiver responded with 410",
  }),
  failing_since: Instant.nullable().meta({ description: "Time of the first failure since the last success" }),
});
export type Endpoint = z.output<typeof Endpoint>;

export const endpoints = defineCollection({ name: "webhooks.endpoints", schema: Endpoint });

/** Secrets of an endpoint, the newest first; an older one signs too until it ends. */
export const endpointSecrets = defineCollection({
  name: "webhooks.secrets",
  unlisted: true,
  schema: z.strictObject({
    /** Id of the endpoint. */
    id: Id,
    secrets: z.array(z.strictObject({ secret: z.string(), expires_at: Instant.nullable() })),
  }),
});

const AttemptRecord = z.strictObject({
  at: Instant,
  status: z.int().nullable().meta({ description: "Status of the response; null if there was none" }),
  duration_ms: z.int().nonnegative(),
  error: z.string().nullable(),
});

/**
 * `pending` waits for `next_at` · `sending` is claimed until `next_at` · `delivered` was answered with 2xx · `failed` was
 * attempted as often as it is worth · `skipped` was not attempted, because its endpoint was disabled.
 */
const DeliveryStatus = z.enum(["pending", "sending", "delivered", "failed", "skipped"]);

/** One event on its way to one endpoint, and the log of it. */
export const Delivery = z.strictObject({
  ...resourceFields,
  endpoint_id: Id,
  event_id: Id.meta({ description: "Also sent as the `webhook-id` header. Identical across retries" }),
  type: z.string(),
  status: DeliveryStatus,
  attempts: z
    .int()
    .nonnegative()
    .meta({ description: "Number of attempts since the delivery was created or resent" }),
  next_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  history: z.array(AttemptRecord).meta({ description: "The latest attempts, oldest first" }),
  body: z.string().meta({ description: "The payload, exactly as signed" }),
});
export type Delivery = z.output<typeof Delivery>;

const byCreation = ({ created_at, event_id }: Delivery): string =>
  `${newestFirst(created_at)}.${invertedOrder(event_id)}`;

export const deliveries = defineCollection({
  name: "webhooks.deliveries",
  schema: Delivery,
  indexes: {
    // An id is derived from event and endpoint, so its order says nothing.
    new: { values: () => [""], order: byCreation },
    endpoint: {
      values: (delivery) => [delivery.endpoint_id, `${delivery.endpoint_id}.${delivery.status}`],
      order: byCreation,
    },
    /** Unfinished ones, by the time at which the next step is due. */
    due: {
      values: ({ next_at }) => (next_at === null ? [] : [""]),
      order: ({ next_at }) => timeOrder(next_at ?? ""),
    },
    /** All of them, oldest first: for sending again what happened since, and for forgetting. */
    age: {
      values: () => [""],
      order: ({ created_at, event_id }) => `${timeOrder(created_at)}.${event_id}`,
    },
  },
});

/** Deliveries of an endpoint that are to be sent again, page by page. */
export const Replay = z.strictObject({
  ...resourceFields,
  endpoint_id: Id,
  since: Instant,
  until: Instant,
  only: z.enum(["undelivered", "all"]),
  status: z.enum(["running", "done"]),
  resent: z.int().nonnegative().meta({ description: "Number of deliveries scheduled again so far" }),
  cursor: z.string().nullable(),
});
export type Replay = z.output<typeof Replay>;

export const replays = defineCollection({
  name: "webhooks.replays",
  schema: Replay,
  indexes: { open: { values: ({ status }) => (status === "running" ? [""] : []) } },
});

/** That an endpoint was disabled automatically: audit trail and owner are to be notified. */
export const notices = defineCollection({
  name: "webhooks.notices",
  unlisted: true,
  schema: z.strictObject({
    id: Id,
    created_at: Instant,
    endpoint_id: Id,
    url: z.string(),
    reason: z.enum(["failing", "gone"]),
  }),
  indexes: {
    waiting: { values: () => [""], order: ({ created_at }) => timeOrder(created_at) },
  },
});
