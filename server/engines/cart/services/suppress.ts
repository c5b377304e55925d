import { toInstant } from "../../../lib/instant.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { carts, ofAddress, suppressions } from "../repository.ts";
import type { Suppression } from "../schema/cart.ts";
import type { CartWork } from "./cart-change.ts";
import { cancelSteps, emit, saveCart } from "./cart-change.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Carts that one commit includes; no address has more, and mail about others is checked against the note when it is due. */
const CARTS_MAX = 10;

/**
 * Sends an address no more mail about carts: noted under its hash, which every later mail is checked against, and the mails
 * of all its carts are cancelled in the same commit. Doing it twice changes nothing.
 */
export async function suppress(
  tx: Tx,
  id: string,
  source: Suppression["source"],
  work: CartWork,
): Promise<Stored<Suppression>> {
  const known = await tx.get(suppressions, id);
  if (known !== null) return known;
  const at = toInstant(work.now);
  const stored = tx.create(suppressions, { ...newResource(id, at), source });
  emit(tx, work, { id }, { type: "suppression.added", data: { source } });
  const { items } = await tx.peekPage(carts, { index: "by", value: ofAddress(id), limit: CARTS_MAX });
  for (const { id: cartId } of items) {
    // Read again by its id: what is read so is checked at the commit.
    const cart = await tx.get(carts, cartId);
    if (cart === null) continue;
    const stopped = await cancelSteps(tx, cart.value, "suppressed", work);
    await saveCart(tx, cart, { ...stopped, status: "suppressed" }, work);
  }
  return stored;
}
