import { readShop } from "../../../core/shop.ts";
import type { Tx } from "../../../core/tx.ts";
import { localDateAt } from "../../../lib/local-time.ts";

/** The date where the shop is, on which certificates are in force; in UTC while its profile has no time zone. */
export const shopDateAt = async (tx: Tx, now: number): Promise<string> =>
  localDateAt(now, (await readShop(tx))?.time_zone ?? "UTC");
