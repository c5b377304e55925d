import { BPS } from "../../../lib/money.ts";
import type { Sizing } from "../schema/headcount.ts";

/**
 * Heads to order for: the count with its buffer, rounded up, within the bounds, and then up to whole packs, which may
 * pass the upper bound by less than a pack. Without guests there is nothing to order.
 */
export function orderSize(count: number, { buffer_bps: buffer, max, min, pack_size: pack }: Sizing): number {
  if (count === 0) return 0;
  const buffered = Number((BigInt(count) * BigInt(BPS + buffer) + BigInt(BPS - 1)) / BigInt(BPS));
  const bounded = Math.min(Math.max(buffered, min), max);
  return Math.ceil(bounded / pack) * pack;
}
