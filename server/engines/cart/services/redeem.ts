import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { conflict } from "../../../lib/errors.ts";
import { derivedId } from "../../../core/ids.ts";
import { allocate } from "../../../lib/money.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { CartWork } from "./cart-change.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { codeId, codes, offers, redemptions, useCounters } from "../repository.ts";
import type { Offer, Redemption, UseCounter } from "../schema/offer.ts";
import { usesOfCustomerId } from "../schema/personal.ts";
import { emit } from "./cart-change.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Counters that share an offer's uses, so that a crowd does not queue for one document. */
const SHARDS = 16;

export type Claim = Omit<Redemption, "id" | "created_at" | "updated_at" | "shard">;

export const redemptionId = (offerId: string, orderRef: string): string =>
  derivedId("red", new Uint8Array(), [offerId, orderRef]);

/**
 * Counts a use of an offer by an order, in one commit with the counters it rests on. The same order again finds its
 * redemption and counts nothing. Throws 404 for an unknown offer, 409 `exhausted` when the limit of the offer or of the
 * customer, its budget or the code is used up, and 409 `not_active` when the offer does not run.
 */
export async function redeem(tx: Tx, claim: Claim, work: CartWork): Promise<Stored<Redemption>> {
  const id = redemptionId(claim.offer_id, claim.order_ref);
  const known = await tx.get(redemptions, id);
  if (known !== null) return known;
  const { value: offer } = await tx.require(offers, claim.offer_id);
  if (!runsAt(offer, work.now)) {
    throw conflict("not_active", "This offer does not run now.");
  }
  await useCode(tx, offer, claim, work);
  await countCustomer(tx, offer, claim);
  const { shard, isFull } = await countUse(tx, offer, claim);
  if (isFull) await emitExhausted(tx, offer, work);
  const nowAt = toInstant(work.now);
  return tx.create(redemptions, { ...newResource(id, nowAt), ...claim, shard });
}

/** Frees what a redemption used, so that others can use it. */
export async function releaseRedemption(tx: Tx, stored: Stored<Redemption>, now: number): Promise<void> {
  const { offer_id: offer, customer_id: customer, code, shard, amount, order_ref: order } = stored.value;
  tx.remove(redemptions, stored);
  const counted = [shardId(offer, shard), ...(customer === null ? [] : [usesOfCustomerId(offer, customer)])];
  for (const id of counted) {
    const counter = await tx.get(useCounters, id);
    if (counter === null) continue;
    const { uses, spent } = counter.value;
    tx.put(useCounters, counter, {
      ...counter.value,
      uses: Math.max(0, uses - 1),
      spent: Math.max(0, spent - amount),
    });
  }
  const used = code === null ? null : await tx.get(codes, codeId(code));
  if (used !== null && used.value.used_by === order) {
    tx.put(codes, used, { ...used.value, used_by: null, updated_at: toInstant(now) });
  }
}

/** True while an offer may be applied: what the label says late, the times say at once. */
export const runsAt = (
  { status, starts_at: from, ends_at: to }: Pick<Offer, "status" | "starts_at" | "ends_at">,
  now: number,
): boolean =>
  (status === "active" || status === "scheduled") &&
  (from === null || fromInstant(from) <= now) &&
  (to === null || now < fromInstant(to));

export interface Uses {
  uses: number;
  spent: number;
}

/** Uses of offers so far, by their ids: all counters of some of them in one read. */
export async function usesOf(
  tx: Tx,
  offerIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Uses>>> {
  const uses = new Map<string, Uses>();
  for (let from = 0; from < offerIds.length; from += OFFERS_READ) {
    const some = offerIds.slice(from, from + OFFERS_READ);
    const ids: string[] = [];
    for (const id of some) {
      await giveWay(tx.part);
      for (let shard = 0; shard < SHARDS; shard += 1) ids.push(shardId(id, shard));
    }
    const counters = await tx.getAll(useCounters, ids);
    for (const [at, id] of some.entries()) {
      await giveWay(tx.part);
      const sum = { uses: 0, spent: 0 };
      for (const counter of counters.slice(at * SHARDS, (at + 1) * SHARDS)) {
        sum.uses += counter?.value.uses ?? 0;
        sum.spent += counter?.value.spent ?? 0;
      }
      uses.set(id, sum);
    }
  }
  return uses;
}

/** Offers whose counters are read at once. */
const OFFERS_READ = 50;

/** Uses of offers by one customer, in the order of their ids. */
export const usesOfCustomer = async (
  tx: Tx,
  offerIds: readonly string[],
  customer: string,
): Promise<number[]> => {
  const counters = await tx.getAll(
    useCounters,
    offerIds.map((id) => usesOfCustomerId(id, customer)),
  );
  return counters.map((counter) => counter?.value.uses ?? 0);
};

/** Whether a use of an offer by a customer, whose id may not be known, would be refused. */
export async function isUsedUp(tx: Tx, offer: Offer, customer: string | null): Promise<boolean> {
  const { id, budget, max_uses: max, max_uses_per_customer: maxOwn } = offer;
  if (max !== null || budget !== null) {
    const { uses = 0, spent = 0 } = (await usesOf(tx, [id])).get(id) ?? {};
    if (uses >= (max ?? Infinity) || spent >= (budget ?? Infinity)) return true;
  }
  if (maxOwn === null || customer === null) return false;
  const [own = 0] = await usesOfCustomer(tx, [id], customer);
  return own >= maxOwn;
}

/** The counter of one part of an offer's uses. */
export const shardId = (offer: string, shard: number): string =>
  derivedId("use", new Uint8Array(), [offer, "shard", String(shard)]);

const exhausted = (what: string) => conflict("exhausted", what);

async function useCode(
  tx: Tx,
  offer: Offer,
  { code, order_ref: order }: Claim,
  { now }: CartWork,
): Promise<void> {
  if (code === null) {
    if (offer.trigger === "automatic") return;
    throw conflict("code_required", "This offer needs a code. Send the `code` that the customer entered.");
  }
  if (offer.codes.includes(code)) return;
  const stored = await tx.get(codes, codeId(code));
  if (stored === null || stored.value.offer_id !== offer.id) {
    throw conflict("unknown_code", "The code does not belong to this offer.");
  }
  if (stored.value.used_by !== null) throw exhausted("The code was used already.");
  tx.put(codes, stored, { ...stored.value, used_by: order, updated_at: toInstant(now) });
}

async function countCustomer(tx: Tx, offer: Offer, claim: Claim): Promise<void> {
  const { max_uses_per_customer: max } = offer;
  if (claim.customer_id === null) {
    if (max === null) return;
    throw conflict("customer_required", "This offer is limited per customer. Send `customer_id`.");
  }
  const id = usesOfCustomerId(offer.id, claim.customer_id);
  const counter = await tx.get(useCounters, id);
  if (max !== null && (counter?.value.uses ?? 0) >= max)
    throw exhausted("The customer has used this offer up.");
  count(tx, offer.id, { id, counter, amount: claim.amount });
}

/**
 * The parts of the limit add up to it, and a claim looks for room in one after the other, beginning where its order
 * points to: what all of them together allow is exactly the limit. A budget is counted in one part, since money does
 * not come in equal units.
 */
async function countUse(tx: Tx, offer: Offer, claim: Claim): Promise<{ shard: number; isFull: boolean }> {
  const { max_uses: max, budget } = offer;
  if (offer.revision > 1 && (max !== null || budget !== null)) await refuseBeyond(tx, offer, claim.amount);
  const parts = budget === null ? SHARDS : 1;
  const quotas =
    max === null
      ? null
      : allocate(
          max,
          Array.from({ length: parts }, () => 1),
        );
  const first = firstShard(claim, parts);
  for (let step = 0; step < parts; step += 1) {
    const shard = (first + step) % parts;
    const id = shardId(offer.id, shard);
    if (quotas !== null && (quotas[shard] ?? 0) === 0) continue;
    const counter = await tx.get(useCounters, id);
    const { uses, spent } = counter?.value ?? { uses: 0, spent: 0 };
    if (quotas !== null && uses >= (quotas[shard] ?? 0)) continue;
    if (budget !== null && spent + claim.amount > budget)
      throw exhausted("The budget of this offer is used up.");
    count(tx, offer.id, { id, counter, amount: claim.amount });
    return { shard, isFull: quotas !== null && uses + 1 >= (quotas[shard] ?? 0) };
  }
  throw exhausted("This offer is used up.");
}

/** By the terms that it had before, an offer was counted in other parts, or up to more in each: all of them are read. */
async function refuseBeyond(tx: Tx, { id, max_uses: max, budget }: Offer, amount: number): Promise<void> {
  const { uses = 0, spent = 0 } = (await usesOf(tx, [id])).get(id) ?? {};
  if (max !== null && uses >= max) throw exhausted("This offer is used up.");
  if (budget !== null && spent + amount > budget) throw exhausted("The budget of this offer is used up.");
}

/** The part in which an order looks for room first. */
export const firstShard = (claim: Pick<Claim, "offer_id" | "order_ref">, parts = SHARDS): number =>
  Number.parseInt(redemptionId(claim.offer_id, claim.order_ref).slice(-2), 36) % parts;

function count(
  tx: Tx,
  offerId: string,
  { id, counter, amount }: { id: string; counter: Stored<UseCounter> | null; amount: number },
): void {
  const { uses, spent } = counter?.value ?? { uses: 0, spent: 0 };
  tx.save(useCounters, counter, { id, offer_id: offerId, uses: uses + 1, spent: spent + amount });
}

/** Emits, once, that an offer has no uses left. Looked at only when one part is full: it reads them all. */
async function emitExhausted(tx: Tx, offer: Offer, { now, newId }: CartWork): Promise<void> {
  if (offer.max_uses === null) return;
  const used = (await usesOf(tx, [offer.id])).get(offer.id);
  if (used?.uses !== offer.max_uses) return;
  emit(tx, { now, newId }, offer, { type: "offer.exhausted", data: { max_uses: offer.max_uses } });
}
