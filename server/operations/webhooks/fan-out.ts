import { storeIdOfPart } from "../../accounts/owner.ts";
import { batchOf, domainEvents, eventsOf, wantsEvent } from "../../core/events.ts";
import type { DomainEvent } from "../../core/events.ts";
import type { RunTx, Tx } from "../../core/tx.ts";
import { COMMIT_OPS_MAX } from "../../storage/contract.ts";
import { customers, stores } from "../../accounts/collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { endpoints } from "./collections.ts";
import type { Endpoint } from "./collections.ts";
import { stageDelivery, takersOf } from "./endpoints.ts";

const BATCH = 25;
/** The document of a delivery and its index entries. */
const OPS_PER_DELIVERY = 7;
const OPS_PER_EVENT = 2;
/** Left free for the rest of a commit. */
const OPS_SPARE = 10;
/** Standard Webhooks wants bodies below 20 kB. */
const BODY_BYTES_MAX = 20_000;

export interface FanOutDeps {
  readonly runTx: RunTx;
  readonly secret: Uint8Array;
}

/**
 * Turns the oldest events of a partition into deliveries, one for each endpoint that wants them, in one commit: an event
 * is either still there or with everybody who asked for it. Resolves to the number of events; 0 when none is left.
 */
export async function fanOut(deps: FanOutDeps, part: string, now: string): Promise<number> {
  if (part === PLATFORM_PART) await notifyStores(deps);
  return deps.runTx(part, async (tx) => {
    const { items } = await tx.peekPage(domainEvents, { index: "time", limit: BATCH });
    if (items.length === 0) return 0;
    const takers = takersOf(await tx.peekAll(endpoints), Date.parse(now));
    let room = COMMIT_OPS_MAX - OPS_SPARE;
    let staged = 0;
    for (const { id } of items) {
      // Read by its id, so that of two workers one finds it gone.
      const stored = await tx.get(domainEvents, id);
      if (stored === null) continue;
      const all = eventsOf(stored.value);
      const perEvent = OPS_PER_EVENT + OPS_PER_DELIVERY * takers.length;
      const some = all.slice(0, Math.floor(room / perEvent));
      for (const event of some) await stageFor(tx, deps, { event, takers, now });
      const [next] = all.slice(some.length);
      if (next === undefined) tx.remove(domainEvents, stored);
      else if (some.length > 0) {
        const rest = { ...batchOf(all.slice(some.length), next), id, at: stored.value.at };
        tx.put(domainEvents, stored, rest);
      }
      staged += some.length;
      room -= perEvent * some.length;
      if (next !== undefined) break;
    }
    return staged;
  });
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

/**
 * Hands the platform's events to the stores that they are about, under the same id: repeated after a crash, they meet
 * the deliveries that were made already.
 */
async function notifyStores({ runTx }: FanOutDeps): Promise<void> {
  const pending = await runTx(PLATFORM_PART, async (tx) => {
    const { items } = await tx.peekPage(domainEvents, { index: "time", limit: BATCH });
    const events = items.flatMap(({ value }) => eventsOf(value));
    return Promise.all(events.map(async (event) => ({ event, stores: await storesOf(tx, event) })));
  });
  for (const { event, stores: parts } of pending) {
    for (const part of parts) await runTx(part, async (tx) => tx.emit(event));
  }
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
