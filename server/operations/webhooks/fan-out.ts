import { storeIdOfPart } from "../../accounts/owner.ts";
import { batchOf, domainEvents, eventsOf, partsLeftOf, wantsEvent } from "../../core/events.ts";
import type { DomainEvent } from "../../core/events.ts";
import type { NewId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { toInstant } from "../../lib/instant.ts";
import { mapSome } from "../../lib/map-some.ts";
import type { RunTx, Stored, Tx } from "../../core/tx.ts";
import { COMMIT_OPS_MAX } from "../../storage/contract.ts";
import { customers, stores } from "../../accounts/collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { endpoints } from "./collections.ts";
import type { Endpoint } from "./collections.ts";
import { stageDelivery, takersOf } from "./endpoints.ts";

const BATCH = 25;
/** The document of a delivery and its index entries. */
const OPS_PER_DELIVERY = 7;
/** Its document is removed, and another may be written for the stores that do not have it yet. */
const OPS_PER_EVENT = 4;
/** Left free for the rest of a commit. */
const OPS_SPARE = 10;
/** Standard Webhooks wants bodies below 20 kB. */
const BODY_BYTES_MAX = 20_000;

/** Stores that get events of the platform at the same time, and when those that failed are tried again. */
const STORES_AT_ONCE = 8;
const RETRY_MS = 60_000;

export interface FanOutDeps {
  readonly runTx: RunTx;
  readonly newId: NewId;
  readonly log: Log;
  readonly secret: Uint8Array;
}

/**
 * Turns the oldest events of a partition into deliveries, one for each endpoint that wants them, in one commit: an event
 * is either still there or with everybody who asked for it. Resolves to the number of events; 0 when none is left.
 */
export async function fanOut(deps: FanOutDeps, part: string, now: string): Promise<number> {
  const notified = part === PLATFORM_PART ? await notifyStores(deps, now) : null;
  return deps.runTx(part, async (tx) => {
    const items = await listOldest(tx, now);
    if (items.length === 0) return 0;
    const takers = takersOf(await tx.peekAll(endpoints), Date.parse(now));
    let room = COMMIT_OPS_MAX - OPS_SPARE;
    let staged = 0;
    for (const { id } of items) {
      // Read by its id, so that of two workers one finds it gone.
      const stored = await tx.get(domainEvents, id);
      if (stored === null) continue;
      const all = eventsOf(stored.value);
      // What was written since the stores were notified waits for the next call.
      if (notified !== null && !all.every((event) => notified.has(event.id))) continue;
      const wanting = partsLeftOf(stored.value) === null ? takers : [];
      const perEvent = OPS_PER_EVENT + OPS_PER_DELIVERY * wanting.length;
      const some = all.slice(0, Math.floor(room / perEvent));
      for (const event of some) await stageFor(tx, deps, { event, takers: wanting, now });
      stageRetry(tx, deps, { events: some, notified, now });
      const [next] = all.slice(some.length);
      if (next === undefined) tx.remove(domainEvents, stored);
      else if (some.length > 0) {
        const parts = partsLeftOf(stored.value) ?? undefined;
        const rest = batchOf(all.slice(some.length), { id, at: stored.value.at }, parts);
        tx.put(domainEvents, stored, rest);
      }
      staged += some.length;
      room -= perEvent * some.length;
      if (next !== undefined) break;
    }
    return staged;
  });
}

/** The oldest documents of events, without those that are tried again later. */
async function listOldest(tx: Tx, now: string): Promise<readonly Stored<DomainEvent>[]> {
  const { items } = await tx.peekPage(domainEvents, { index: "time", limit: BATCH });
  return items.filter(({ value }) => eventsDueMs(value, now) <= Date.parse(now));
}

/** When the events of a document are due, in epoch milliseconds: at once, unless a store that failed is tried again later. */
export const eventsDueMs = (stored: DomainEvent, now: string): number =>
  Date.parse(partsLeftOf(stored) === null ? now : stored.at);

/** Keeps events for the stores that failed, and for no others. */
function stageRetry(
  tx: Tx,
  { newId }: FanOutDeps,
  {
    events,
    notified,
    now,
  }: { readonly events: readonly DomainEvent[]; readonly notified: Notified | null; readonly now: string },
): void {
  const failed = events.filter(({ id }) => (notified?.get(id) ?? []).length > 0);
  if (failed.length === 0) return;
  const parts = new Set(failed.flatMap(({ id }) => notified?.get(id) ?? []));
  const at = toInstant(Date.parse(now) + RETRY_MS);
  tx.create(domainEvents, batchOf(failed, { id: newId("evt"), at }, [...parts]));
}

async function stageFor(
  tx: Tx,
  { secret }: FanOutDeps,
  {
    event,
    takers,
    now,
  }: { readonly event: DomainEvent; readonly takers: readonly Endpoint[]; readonly now: string },
): Promise<void> {
  const { id, type } = event;
  const sent = { id, type, body: bodyOf(event, tx.part) };
  for (const endpoint of takers.filter(({ types }) => wantsEvent(types, type))) {
    await stageDelivery(tx, secret, { endpoint, event: sent, at: now });
  }
}

/** What is sent: type, time and data, and whose data they are. */
export function bodyOf({ type, at, data }: Pick<DomainEvent, "type" | "at" | "data">, part: string): string {
  const about = part === PLATFORM_PART ? {} : { store_id: storeIdOfPart(part), mode: modeOf(part) };
  const body = JSON.stringify({ type, timestamp: at, data, ...about });
  if (Buffer.byteLength(body) <= BODY_BYTES_MAX) return body;
  // What does not fit can be asked for: the ids stay.
  const ids = Object.entries(data).filter(
    ([name, value]) => /(^|_)id$/.test(name) && typeof value === "string",
  );
  return JSON.stringify({
    type,
    timestamp: at,
    data: { ...Object.fromEntries(ids), truncated: true },
    ...about,
  });
}

/** A partition's name is the store's id in lower case, and `_test` for its test data. */
export const modeOf = (part: string): "live" | "test" => (part.endsWith("_test") ? "test" : "live");

/** The partitions that failed, by the id of each event that the others have. */
type Notified = ReadonlyMap<string, readonly string[]>;

/**
 * Hands the platform's events to the stores that they are about, under the same id: repeated after a crash, they meet
 * the deliveries that were made already. A store that fails does not affect the others.
 */
async function notifyStores({ runTx, log }: FanOutDeps, now: string): Promise<Notified> {
  const pending = await runTx(PLATFORM_PART, async (tx) => {
    const events = (await listOldest(tx, now)).flatMap(({ value }) => {
      const left = partsLeftOf(value);
      return eventsOf(value).map((event) => ({ event, left }));
    });
    return Promise.all(
      events.map(async ({ event, left }) => ({
        event,
        parts: (await storesOf(tx, event)).filter((part) => left?.includes(part) ?? true),
      })),
    );
  });
  const failed = new Set<string>();
  const notify = async (part: string): Promise<void> => {
    const about = pending.filter(({ parts }) => parts.includes(part));
    try {
      await runTx(part, async (tx) => about.forEach(({ event }) => tx.emit(event)));
    } catch (err) {
      failed.add(part);
      log.error({ err, part }, "a store could not be notified of events of the platform, retrying later");
    }
  };
  await mapSome([...new Set(pending.flatMap(({ parts }) => parts))], notify, STORES_AT_ONCE);
  return new Map(pending.map(({ event, parts }) => [event.id, parts.filter((part) => failed.has(part))]));
}

const STORES_TOLD_MAX = 1_000;

async function storesOf(tx: Tx, { data }: DomainEvent): Promise<string[]> {
  const { store_id: storeId, customer_id: customerId } = data;
  if (typeof storeId === "string") return [storeId.toLowerCase()];
  if (typeof customerId !== "string" || (await tx.get(customers, customerId)) === null) return [];
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(stores, { index: "customer", value: customerId, limit: 500, cursor });
    parts.push(...page.items.map(({ id }) => id.toLowerCase()));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && parts.length < STORES_TOLD_MAX);
  return parts;
}
