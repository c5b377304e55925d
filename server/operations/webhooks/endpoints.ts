import { toInstant } from "../../lib/instant.ts";
import { conflict } from "../../lib/errors.ts";
import { eventFilters } from "../../core/events.ts";
import { derivedId } from "../../core/ids.ts";
import type { Random } from "../../core/ids.ts";
import { defineCollection } from "../../core/collection.ts";
import { Instant } from "../../core/schema.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { z } from "zod";
import type { Work } from "../../core/ports.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { deliveries, endpoints, endpointSecrets, notices } from "./collections.ts";
import type { Delivery, Endpoint } from "./collections.ts";
import { platformEvents } from "../../accounts/event-types.ts";
import { toSecret } from "../../core/standard-webhooks.ts";
import { newResource } from "../../lib/new-resource.ts";

/** Endpoints of one store: each event is one delivery for each of them. */
export const ENDPOINTS_MAX = 10;
/** Secrets of an endpoint that sign at the same time: the newest and the one before. */
const SECRETS_MAX = 2;
const SECRET_BYTES = 32;

/** What changes of endpoints need in addition to their transaction. */
export interface EndpointWork extends Pick<Work, "now" | "newId"> {
  readonly random: Pick<Random, "bytes">;
}

/** Without a URL: its deliveries wait until they are read. */
export const isListener = ({ url }: Pick<Endpoint, "url">): boolean => url === "";

/** A listener that nobody has read for so long receives no more events and is deleted. */
const LISTENER_MS = 3_600_000;
/** How often a listener that is read is written to. */
const TOUCH_MS = 600_000;

const isAbandoned = (endpoint: Endpoint, now: number): boolean =>
  isListener(endpoint) && Date.parse(endpoint.updated_at) + LISTENER_MS <= now;

/** Records, from time to time, that a listener is read. */
export async function touchListener(tx: Tx, now: number, id: string): Promise<void> {
  const stored = await tx.require(endpoints, id);
  if (Date.parse(stored.value.updated_at) + TOUCH_MS <= now) await changeEndpoint(tx, now, stored, {});
}

/** Deletes the listeners that nobody reads. */
export async function removeAbandoned(tx: Tx, now: number): Promise<void> {
  for (const stored of (await tx.peekAll(endpoints)).filter(({ value }) => isAbandoned(value, now)))
    await removeEndpoint(tx, await tx.require(endpoints, stored.id));
}

export type NewEndpoint = Pick<Endpoint, "url" | "description" | "types">;

/** Adds an endpoint; its secret leaves in the answer, once. Throws 409 past `ENDPOINTS_MAX`. */
export async function addEndpoint(
  tx: Tx,
  work: EndpointWork,
  input: NewEndpoint,
): Promise<{ readonly endpoint: Stored<Endpoint>; readonly secret: string }> {
  const others = await openEndpoints(tx);
  if (others.all.length >= ENDPOINTS_MAX) {
    throw conflict(
      "webhook_limit",
      `At most ${ENDPOINTS_MAX} webhook endpoints can exist. Delete one first.`,
    );
  }
  const at = toInstant(work.now);
  const secret = makeSecret(work.random);
  const endpoint = tx.create(endpoints, {
    ...newResource(work.newId("whk"), at),
    ...input,
    status: "enabled",
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
  });
  tx.create(endpointSecrets, { id: endpoint.id, secrets: [{ secret, expires_at: null }] });
  others.keep(endpoint.value);
  return { endpoint, secret };
}

/** Writes the next value of an endpoint, and which events are wanted from then on. */
export async function changeEndpoint(
  tx: Tx,
  now: number,
  before: Stored<Endpoint>,
  change: Partial<Endpoint>,
): Promise<Stored<Endpoint>> {
  const others = await openEndpoints(tx);
  const next = tx.put(endpoints, before, { ...before.value, ...change, updated_at: toInstant(now) });
  others.keep(next.value);
  return next;
}

/** Removes an endpoint; what waits for it is not sent any more. */
export async function removeEndpoint(tx: Tx, before: Stored<Endpoint>): Promise<void> {
  const others = await openEndpoints(tx);
  tx.remove(endpoints, before);
  const secrets = await tx.get(endpointSecrets, before.id);
  if (secrets !== null) tx.remove(endpointSecrets, secrets);
  others.keep(null, before.id);
}

export const enableEndpoint = (tx: Tx, now: number, before: Stored<Endpoint>): Promise<Stored<Endpoint>> =>
  before.value.status === "enabled"
    ? Promise.resolve(before)
    : changeEndpoint(tx, now, before, {
        status: "enabled",
        disabled_at: null,
        disabled_reason: null,
        failing_since: null,
      });

/** Disables an endpoint. Where that was not requested, its owner is notified. */
export async function disableEndpoint(
  tx: Tx,
  work: Pick<EndpointWork, "now" | "newId">,
  before: Stored<Endpoint>,
  reason: "manual" | "failing" | "gone",
): Promise<Stored<Endpoint>> {
  if (before.value.status === "disabled") return before;
  const at = toInstant(work.now);
  const next = await changeEndpoint(tx, work.now, before, {
    status: "disabled",
    disabled_at: at,
    disabled_reason: reason,
  });
  if (reason !== "manual") {
    const { id, url } = next.value;
    tx.create(notices, { id: work.newId("ntc"), created_at: at, endpoint_id: id, url, reason });
  }
  tx.emit({ id: work.newId("evt"), type: "webhook.disabled", at, data: { endpoint_id: before.id, reason } });
  return next;
}

const makeSecret = (random: Pick<Random, "bytes">): string => toSecret(random.bytes(SECRET_BYTES));

/** Gives an endpoint a new secret; the one before also signs for a while, older ones no longer. */
export async function rotateSecret(
  tx: Tx,
  work: EndpointWork,
  endpointId: string,
  overlapSeconds: number,
): Promise<{ readonly secret: string; readonly oldExpiresAt: string }> {
  const stored = await tx.require(endpointSecrets, endpointId);
  const secret = makeSecret(work.random);
  const oldExpiresAt = toInstant(work.now + overlapSeconds * 1000);
  // One that ends earlier anyway is not given more time by another change.
  const old = stored.value.secrets
    .map((known) => ({ ...known, expires_at: earlier(known.expires_at, oldExpiresAt) }))
    .filter(({ expires_at }) => Date.parse(expires_at) > work.now);
  const secrets = [{ secret, expires_at: null }, ...old].slice(0, SECRETS_MAX);
  tx.put(endpointSecrets, stored, { id: endpointId, secrets });
  return { secret, oldExpiresAt };
}

const earlier = (one: string | null, other: string): string => (one === null || one > other ? other : one);

/** The secrets that sign now, the newest first. */
export async function secretsOf(tx: Tx, endpointId: string, now: number): Promise<string[]> {
  const stored = await tx.get(endpointSecrets, endpointId);
  return (stored?.value.secrets ?? [])
    .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now)
    .slice(0, SECRETS_MAX)
    .map(({ secret }) => secret);
}

/** A delivery for one endpoint; null where that event was handed to it before. */
export async function stageDelivery(
  tx: Tx,
  secret: Uint8Array,
  input: {
    readonly endpoint: Endpoint;
    readonly event: Pick<Delivery, "type" | "body"> & { readonly id: string };
    readonly at: string;
  },
): Promise<Stored<Delivery> | null> {
  const { endpoint, event, at } = input;
  const id = derivedId("dlv", secret, [event.id, endpoint.id]);
  if ((await tx.get(deliveries, id)) !== null) return null;
  const isDue = endpoint.status === "enabled";
  return tx.create(deliveries, {
    ...newResource(id, at),
    endpoint_id: endpoint.id,
    event_id: event.id,
    type: event.type,
    status: isDue ? "pending" : "skipped",
    attempts: 0,
    next_at: isDue ? at : null,
    delivered_at: null,
    history: [],
    body: event.body,
  });
}

/** Makes a delivery due again, as if it had never been attempted. */
export function resend(tx: Tx, now: number, before: Stored<Delivery>): Stored<Delivery> {
  const at = toInstant(now);
  if (before.value.status === "sending") return before;
  const due = { status: "pending", attempts: 0, next_at: at, updated_at: at } as const;
  return tx.put(deliveries, before, { ...before.value, ...due });
}

/** Whether events are stored for an endpoint: while it is enabled, and while it is disabled only because it failed. */
const takesEvents = ({ status, disabled_reason }: Endpoint): boolean =>
  status === "enabled" || disabled_reason === "failing";

/** The endpoints that events of this moment are stored for. */
export const takersOf = (all: readonly Stored<Endpoint>[], now: number): Endpoint[] =>
  all.map(({ value }) => value).filter((endpoint) => takesEvents(endpoint) && !isAbandoned(endpoint, now));

/** That some store wants events of the platform itself; it stays when the last of them goes. */
const interest = defineCollection({
  name: "webhooks.interest",
  unlisted: true,
  schema: z.strictObject({ id: z.literal("stores"), since: Instant }),
});

/** Notes, in the platform's partition, that stores want its events. Comes before the endpoint that wants them. */
export async function notePlatformInterest(tx: Tx, now: number): Promise<void> {
  if ((await tx.get(interest, "stores")) !== null) return;
  tx.create(interest, { id: "stores", since: toInstant(now) });
  (await openEndpoints(tx)).keep(null);
}

/**
 * The endpoints of a partition, and the document that lists for transactions which events are wanted. That document is read
 * before the endpoints and always written, so that of two concurrent changes of endpoints one starts again.
 */
async function openEndpoints(tx: Tx) {
  const filter = await tx.get(eventFilters, "wanted");
  const all = await tx.peekAll(endpoints);
  const isOfInterest = tx.part === PLATFORM_PART && (await tx.get(interest, "stores")) !== null;
  const ofStores = isOfInterest ? platformEvents.map(({ type }) => type) : [];
  return {
    all,
    /** Writes what is wanted with `changed` in place of what is stored; `removedId` is that of one that goes. */
    keep(changed: Endpoint | null, removedId?: string): void {
      const rest = all.map(({ value }) => value).filter(({ id }) => id !== changed?.id && id !== removedId);
      const kept = changed === null ? rest : [...rest, changed];
      const types = [
        ...new Set([...kept.filter(takesEvents).flatMap((endpoint) => endpoint.types), ...ofStores]),
      ];
      const value = { id: "wanted" as const, types };
      if (types.length === 0) {
        if (filter !== null) tx.remove(eventFilters, filter);
      } else tx.save(eventFilters, filter, value);
    },
  };
}
