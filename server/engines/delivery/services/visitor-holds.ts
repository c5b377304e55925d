import { derivedId } from "../../../core/ids.ts";
import type { Ctx } from "../../../core/route.ts";
import { tooManyRequests } from "../../../lib/errors.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { holds, visitorHolds } from "../repository.ts";
import { holdStateAt } from "../rules/hold-state.ts";
import type { Hold } from "../schema/hold.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";

/**
 * Counts a hold of a visitor, in the commit that creates it. Throws 429 where the IP address, for IPv6 the /48, has as many active ones as
 * it may: each is a place that the shop cannot sell meanwhile.
 */
export async function countVisitorHold(
  { now, nowAt, tx, visitor }: Ctx,
  { id: holdId }: Hold,
): Promise<void> {
  const id = derivedId("vis", new Uint8Array(), [visitor().network_hash]);
  const counted = await tx.get(visitorHolds, id);
  const active = (await tx.getAll(holds, counted?.value.hold_ids ?? []))
    .filter((stored) => stored !== null)
    .map(({ value }) => value)
    .filter((hold) => holdStateAt(hold, now) === "held");
  if (active.length >= DELIVERY_LIMITS.visitorHolds) {
    const firstEnd = Math.min(...active.map(({ expires_at: at }) => fromInstant(at)));
    throw tooManyRequests(
      `This IP address has ${active.length} active holds, as many as it can have.`,
      firstEnd - now,
    );
  }
  const ids = [...active.map((hold) => hold.id), holdId];
  tx.save(visitorHolds, counted, { id, hold_ids: ids, at: nowAt });
}
