import { toInstant } from "../../lib/instant.ts";
import { timeOrder } from "../../core/collection.ts";
import { conflict } from "../../lib/errors.ts";
import type { NewId } from "../../core/ids.ts";
import { takeTurn } from "../../core/room.ts";
import type { RunTx, Stored, Tx } from "../../core/tx.ts";
import { wantsEvent } from "../../core/events.ts";
import { deliveries, endpoints, replays } from "./collections.ts";
import type { Delivery, Endpoint, Replay } from "./collections.ts";
import { resend } from "./endpoints.ts";
import { newResource } from "../../lib/new-resource.ts";

/** Deliveries per commit; each is its document and four index entries at most. */
const BATCH = 25;
/** More than endpoints can have: those of deleted endpoints end with the next look. */
const OPEN_MAX = 100;

/**
 * Orders that what was not delivered in a span of time, or all of it, is sent again. Throws 409 for a disabled endpoint, and while
 * another one of it is running.
 */
export async function startReplay(
  tx: Tx,
  { now, newId }: { readonly now: number; readonly newId: NewId },
  endpoint: Stored<Endpoint>,
  input: Pick<Replay, "since" | "only"> & { readonly until: string | undefined },
): Promise<Stored<Replay>> {
  requireEnabled(endpoint);
  await takeTurn(tx, replays.name);
  const { items } = await tx.peekPage(replays, { index: "open", limit: OPEN_MAX });
  if (items.some(({ value }) => value.endpoint_id === endpoint.id)) {
    throw conflict(
      "webhook_resend_running",
      "A resend of this webhook endpoint is running. Wait until it is done.",
    );
  }
  const at = toInstant(now);
  return tx.create(replays, {
    ...newResource(newId("rpl"), at),
    endpoint_id: endpoint.id,
    since: input.since,
    until: input.until ?? at,
    only: input.only,
    status: "running",
    resent: 0,
    cursor: null,
  });
}

export function requireEnabled({ value }: Stored<Endpoint>): void {
  if (value.status === "enabled") return;
  throw conflict("webhook_disabled", "The webhook endpoint is disabled. Enable it first.");
}

/** Goes on with the replays of a partition, a page in each commit. Resolves to the number of pages. */
export async function continueReplays(
  { runTx }: { readonly runTx: RunTx },
  part: string,
  now: number,
): Promise<number> {
  const { items } = await runTx(part, (tx) => tx.peekPage(replays, { index: "open", limit: BATCH }));
  for (const { id } of items) await runTx(part, (tx) => continueReplay(tx, id, now));
  return items.length;
}

async function continueReplay(tx: Tx, id: string, now: number): Promise<void> {
  const replay = await tx.get(replays, id);
  if (replay === null || replay.value.status === "done") return;
  const { since, until, cursor, resent } = replay.value;
  const from = cursor === null ? { from: timeOrder(since) } : { cursor };
  const page = await tx.peekPage(deliveries, { index: "age", limit: BATCH, ...from });
  const types = (await tx.get(endpoints, replay.value.endpoint_id))?.value.types ?? [];
  const inTime = page.items.filter(({ value }) => value.created_at <= until);
  let count = 0;
  for (const { id: deliveryId } of inTime) {
    const stored = await tx.get(deliveries, deliveryId);
    if (stored === null || !isMeant(stored.value, replay.value)) continue;
    // What the endpoint no longer asks for may not be meant for its present owner.
    if (!wantsEvent(["webhook.*", ...types], stored.value.type)) continue;
    resend(tx, now, stored);
    count += 1;
  }
  const isDone = page.next === null || inTime.length < page.items.length;
  tx.put(replays, replay, {
    ...replay.value,
    resent: resent + count,
    cursor: isDone ? null : page.next,
    status: isDone ? "done" : "running",
    updated_at: toInstant(now),
  });
}

/** What waits for its next attempt, up to a day, is sent now; what waits for its first one is sent by itself. */
const isMeant = ({ endpoint_id, status, attempts }: Delivery, replay: Replay): boolean =>
  endpoint_id === replay.endpoint_id &&
  (status === "pending"
    ? attempts > 0
    : status === "delivered"
      ? replay.only === "all"
      : status !== "sending");
