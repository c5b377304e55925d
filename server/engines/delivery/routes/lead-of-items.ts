import { invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";

/**
 * The longest lead time of menu items, in minutes; 0 without items. Throws 422 for an item that does not exist, as its
 * lead time is not known.
 */
export async function leadOfItems(
  { tx, ports }: Pick<Ctx, "tx" | "ports">,
  items: readonly { readonly menu_item_id: string }[] = [],
): Promise<number> {
  if (items.length === 0) return 0;
  const ids = items.map(({ menu_item_id: id }) => id);
  const minutes = await ports.engines.leadMinutesOf(tx, ids);
  const unknown = ids.findIndex((id) => !minutes.has(id));
  if (unknown >= 0) throw invalidField(["items", unknown, "menu_item_id"], "No menu item with this id.");
  return Math.max(0, ...minutes.values());
}
