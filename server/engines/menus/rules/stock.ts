import { fromInstant } from "../../../lib/instant.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Channel } from "../schema/parts.ts";
import type { Stock, Suspension } from "../schema/stock.ts";

/** Why something cannot be sold, and from when on it can be again; Infinity: unknown. */
export interface StockBlock {
  readonly reason: "out_of_stock" | "suspended" | "allergens_unverified";
  readonly untilMs: number;
}

/** Items and modifiers that cannot be sold, by id, and until when (null: not known). */
export type Unavailable = Readonly<Record<string, string | null>>;

/** The reason that blocks sale in a channel at an instant; null if there is none. */
export function stockBlock(
  stock: Pick<Stock, "status" | "suspensions"> | undefined,
  channel: Channel | null,
  nowMs: number,
): StockBlock | null {
  if (stock === undefined) return null;
  if (stock.status === "out_of_stock") return { reason: "out_of_stock", untilMs: Infinity };
  const ends = stock.suspensions
    .filter((suspension) => holdsFor(suspension, channel) && endOf(suspension) > nowMs)
    .map(endOf);
  return ends.length === 0 ? null : { reason: "suspended", untilMs: Math.max(...ends) };
}

/** Active suspensions: one with `until` ends exactly then. */
export const liveSuspensions = (stock: Pick<Stock, "suspensions">, nowMs: number): Suspension[] =>
  stock.suspensions.filter((suspension) => endOf(suspension) > nowMs);

/** Replaces the suspension of a channel. */
export const withSuspension = (stock: Stock, suspension: Suspension, nowMs: number): Stock => ({
  ...stock,
  suspensions: [
    ...liveSuspensions(stock, nowMs).filter(({ channel }) => channel !== suspension.channel),
    suspension,
  ],
});

/** Without the suspension of a channel; without any if none is specified. */
export const withoutSuspension = (stock: Stock, channel: Channel | null, nowMs: number): Stock => ({
  ...stock,
  suspensions:
    channel === null ? [] : liveSuspensions(stock, nowMs).filter((each) => each.channel !== channel),
});

/**
 * The quantity determines the status: 0 is out of stock (as in Toast's stock API), more is `quantity`. A status
 * without a quantity
 * stops counting.
 */
export function withCount(
  stock: Stock,
  change: { status?: Stock["status"] | undefined; quantity?: number | null | undefined },
): Stock {
  if (change.quantity === undefined && change.status === undefined) return stock;
  if (typeof change.quantity === "number") {
    return {
      ...stock,
      quantity: change.quantity,
      status: change.quantity === 0 ? "out_of_stock" : "quantity",
    };
  }
  return { ...stock, quantity: null, status: change.status ?? "in_stock" };
}

/** True if the quantity is at or below its threshold, including 0. */
export const isLow = (stock: Pick<Stock, "quantity" | "low_threshold">, storeThreshold: number): boolean =>
  stock.quantity !== null && stock.quantity <= (stock.low_threshold ?? storeThreshold);

/** How many can be sold; Infinity if not counted. */
export function leftOf(
  stock: Pick<Stock, "status" | "suspensions" | "quantity"> | undefined,
  channel: Channel | null,
  nowMs: number,
): number {
  if (stockBlock(stock, channel, nowMs) !== null) return 0;
  return stock?.quantity ?? Infinity;
}

/** The stock after a sale; uncounted stock does not change. The caller has verified that enough is left. */
export function withSale(stock: Stock, quantity: number): Stock {
  return stock.quantity === null ? stock : withCount(stock, { quantity: stock.quantity - quantity });
}

/** The stock after a cancelled sale, up to what can be counted; stock that is no longer counted does not change. */
export function withReturn(stock: Stock, quantity: number): Stock {
  if (stock.quantity === null) return stock;
  return withCount(stock, { quantity: Math.min(stock.quantity + quantity, MENU_LIMITS.unitsInStock) });
}

const holdsFor = (suspension: Suspension, channel: Channel | null): boolean =>
  suspension.channel === null || suspension.channel === channel;

const endOf = ({ until }: Suspension): number => (until === null ? Infinity : fromInstant(until));
