import { toInstant } from "../../../kernel/clock.ts";
import type { Stored, Tx } from "../../../kernel/tx.ts";
import { carts, mailboxes, suppressions } from "../repository.ts";
import type { Suppression } from "../schema/cart.ts";
import type { Env } from "./cart-change.ts";
import { cancelSteps, emit, saveCart } from "./cart-change.ts";

/**
 * Sends an address no more mail about carts: noted under its hash, which every later mail is held against, and the mails
 * of its newest cart are cancelled in the same commit. Doing it twice changes nothing.
 */
export async function suppress(
  tx: Tx,
  id: string,
  source: Suppression["source"],
  env: Env,
): Promise<Stored<Suppression>> {
  const known = await tx.get(suppressions, id);
  if (known !== null) return known;
  const at = toInstant(env.now);
  const stored = tx.create(suppressions, { id, created_at: at, updated_at: at, source });
  emit(tx, env, { id }, { type: "suppression.added", data: { source } });
  const newest = (await tx.get(mailboxes, id.replace(/^sup_/, "mbx_")))?.value.cart_id ?? null;
  const cart = newest === null ? null : await tx.get(carts, newest);
  if (cart !== null && (cart.value.status === "active" || cart.value.status === "abandoned")) {
    const stopped = await cancelSteps(tx, cart.value, "suppressed", env);
    await saveCart(tx, cart, { ...stopped, status: "suppressed" }, env);
  }
  return stored;
}
