import { BPS, mulBps } from "../../../lib/money.ts";

/** Fee for cancelling: a share of what the order comes to. */
export const cancelFee = (total: number, bps: number): number => mulBps(total, bps);

/** Fee for fewer heads: a share of what falls away. 100 → 80 heads at 1295 in the 50% band costs 12950. */
export const reduceFee = (before: number, after: number, bps: number): number =>
  mulBps(Math.max(0, before - after), bps);

/** Surcharge for more heads after the deadline: what they cost beyond their price. At 15000, half of it on top. */
export const increaseFee = (before: number, after: number, multiplierBps: number): number =>
  mulBps(Math.max(0, after - before), multiplierBps - BPS);

/** Heads that are paid for: those who were promised or those who came, whichever is more. */
export const billedHeads = (guaranteed: number, served: number | null): number =>
  Math.max(guaranteed, served ?? 0);
