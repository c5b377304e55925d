import { readShop } from "../../../core/shop.ts";
import type { Tx } from "../../../core/tx.ts";

const DEFAULT_LANGUAGE = "en";

/** The language of what is sent without one: that of the store's profile, without its region, by which lists would have to be filtered. */
export const storeLanguage = async (tx: Tx): Promise<string> =>
  (await readShop(tx))?.locale?.split("-", 1)[0] ?? DEFAULT_LANGUAGE;
