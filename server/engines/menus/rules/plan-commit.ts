import type { Channel } from "../schema/parts.ts";
import type { Stock } from "../schema/stock.ts";
import type { Taken } from "../schema/stock.ts";
import { leftOf, withSale } from "./stock.ts";

export interface Shortage {
  readonly id: string;
  readonly left: number;
  readonly asked: number;
}

export type CommitPlan =
  | { readonly ok: true; readonly taken: Taken[]; readonly next: Stock[] }
  | { readonly ok: false; readonly shortages: Shortage[] };

/**
 * Effect of an order on stock: all or nothing. `next` are the counted records after it; uncounted ones
 * are recorded, and do not change. Nothing falls below 0.
 */
export function planCommit(
  needs: readonly { readonly id: string; readonly target: Stock["target"]; readonly quantity: number }[],
  stockOf: (id: string) => Stock | undefined,
  sale: { readonly channel: Channel | null; readonly nowMs: number },
): CommitPlan {
  const shortages = needs.flatMap(({ id, quantity }) => {
    const left = leftOf(stockOf(id), sale.channel, sale.nowMs);
    return left < quantity ? [{ id, left, asked: quantity }] : [];
  });
  if (shortages.length > 0) return { ok: false, shortages };
  const next = needs.flatMap(({ id, quantity }) => {
    const stock = stockOf(id);
    return stock === undefined || stock.quantity === null ? [] : [withSale(stock, quantity)];
  });
  const leftById = new Map(next.map((stock) => [stock.id, stock.quantity]));
  const taken = needs.map(({ id, target, quantity }) => ({
    id,
    target,
    quantity,
    left: leftById.get(id) ?? null,
  }));
  return { ok: true, taken, next };
}
