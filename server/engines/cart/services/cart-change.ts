import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Work } from "../../../core/ports.ts";
import { derivedId } from "../../../core/ids.ts";
import { storeMails, withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { addressId, carts, codeId, codes, events, flows, mailboxes, readSettings } from "../repository.ts";
import { attribute } from "../rules/attribute.ts";
import { abandonedAt, DEFAULT_TERMS } from "../rules/plan-recovery.ts";
import type { EngineEvent, EventType } from "../schema.ts";
import type { Cart, Mailbox, RecoveryFlow, RecoveryStep, SkipReason } from "../schema/cart.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** What a change of a cart needs in addition to its transaction. */
export type CartWork = Pick<Work, "now" | "newId">;

export type Order = NonNullable<Mailbox["last_order"]>;

export const storeMailId = (cartId: string, n: number, dueAt: string): string =>
  derivedId("ltr", new Uint8Array(), [cartId, String(n), dueAt]);

/** What comes of the cart of any visitor by itself. */
const OF_VISITORS: ReadonlySet<EventType> = new Set(["abandoned", "lost"]);

/** Whether a server has said whose cart it is. */
export const isKnown = ({ customer: { id, email } }: Pick<Cart, "customer">): boolean =>
  id !== null || email !== null;

interface Happening {
  readonly type: EventType;
  readonly data?: EngineEvent["data"];
}

/** Emits what happened to a cart, or to an address. */
export function emit(
  tx: Tx,
  work: CartWork,
  { id: subject, customer }: { readonly id: string; readonly customer?: Cart["customer"] },
  { type, data = {} }: Happening,
): void {
  const at = toInstant(work.now);
  const id = work.newId("evt");
  // Visitors create as many carts as they like, and no quota refuses what a job stores of them.
  const isKept = customer === undefined || isKnown({ customer }) || !OF_VISITORS.has(type);
  if (isKept) tx.create(events, { id, created_at: at, type, subject_id: subject, data });
  tx.emit({ id, type: `cart.${type}`, at, data: { subject_id: subject, ...data } });
}

/** Writes a cart, with the time at which the worker must look at it next. */
export async function saveCart(
  tx: Tx,
  stored: Stored<Cart> | null,
  cart: Cart,
  work: CartWork,
): Promise<Stored<Cart>> {
  const next = { ...cart, next_action_at: await nextActionAt(tx, cart), updated_at: toInstant(work.now) };
  return tx.save(carts, stored, next);
}

async function nextActionAt(tx: Tx, cart: Cart): Promise<string | null> {
  if (cart.status === "converted" || cart.status === "lost") return null;
  const planned = cart.steps.find(({ state }) => state === "planned");
  const flow =
    cart.flow_id === null ? await activeFlow(tx, cart) : ((await tx.get(flows, cart.flow_id))?.value ?? null);
  // A cart that is being recovered has its steps already, whether or not it is abandoned again.
  if (planned !== undefined) return planned.due_at;
  if (cart.status === "active") return toInstant(abandonedAt(cart.last_activity_at, flow ?? DEFAULT_TERMS));
  return toInstant(lostAt(cart, flow));
}

/** Until when a cart that was left may still turn into an order: its customer may have come back after the last mail. */
export function lostAt(cart: Cart, flow: RecoveryFlow | null): number {
  const { abandoned_at: abandoned, last_activity_at: active, steps } = cart;
  const last = Math.max(fromInstant(steps.at(-1)?.due_at ?? abandoned ?? active), fromInstant(active));
  return last + (flow ?? DEFAULT_TERMS).max_age_days * DAY_MS;
}

/** The flow of a cart: the newest active one that its total is enough for. In another currency than the store's that is unknown. */
export async function activeFlow(
  tx: Tx,
  { currency, total }: Pick<Cart, "currency" | "total">,
): Promise<RecoveryFlow | null> {
  const { items } = await tx.peekPage(flows, { index: "active", limit: 50 });
  const isForeign = currency !== (await readSettings(tx)).currency;
  return items.find(({ value }) => (isForeign ? 0 : total) >= value.min_total)?.value ?? null;
}

/** Skips all that is still planned, and takes back a mail that has not left. */
export async function cancelSteps(tx: Tx, cart: Cart, reason: SkipReason, work: CartWork): Promise<Cart> {
  const at = toInstant(work.now);
  const steps: RecoveryStep[] = [];
  for (const step of cart.steps) {
    const storeMail = storeMailId(cart.id, step.n, step.due_at);
    const isWaiting = step.state === "sent" && (await tx.get(storeMails, storeMail)) !== null;
    if (isWaiting) await withdrawStoreMail(tx, storeMail);
    steps.push(step.state === "planned" || isWaiting ? { ...step, state: "skipped", reason, at } : step);
  }
  return { ...cart, steps };
}

/** Notes in the mailbox what a later decision to send rests on; in the same commit as its cause. */
export async function noteMailbox(tx: Tx, email: string | null, change: Partial<Mailbox>): Promise<void> {
  if (email === null) return;
  const id = addressId("mbx", email);
  const stored = await tx.get(mailboxes, id);
  const before = stored?.value ?? {
    id,
    cart_id: null,
    last_activity_at: null,
    last_order: null,
    mailed_cart_id: null,
    mailed_at: null,
  };
  tx.save(mailboxes, stored, { ...before, ...change });
}

export const mailboxOf = async (tx: Tx, { customer }: Cart): Promise<Mailbox | null> =>
  customer.email === null
    ? null
    : ((await tx.get(mailboxes, addressId("mbx", customer.email)))?.value ?? null);

/** The cart became an order: mails stop, and the source of the order is reported. */
export async function convert(tx: Tx, cart: Cart, order: Order, work: CartWork): Promise<Cart> {
  const stopped = await cancelSteps(tx, cart, "converted", work);
  return converted(tx, stopped, { order, attribution: attribute(stopped, order.placed_at) }, work);
}

/**
 * The address of the cart has ordered through another one since. The order is the effect of mails about this cart where the last mail to
 * the address was one of them, so that no two carts report its total.
 */
export async function convertByOther(tx: Tx, cart: Cart, mailbox: Mailbox, work: CartWork): Promise<Cart> {
  const { last_order: order, mailed_cart_id: mailed } = mailbox;
  if (order === null) return cart;
  const stopped = await cancelSteps(tx, cart, "ordered", work);
  const attribution = mailed === cart.id ? attribute(stopped, order.placed_at) : null;
  return converted(tx, stopped, { order, attribution }, work);
}

function converted(
  tx: Tx,
  cart: Cart,
  { order, attribution }: { readonly order: Order; readonly attribution: Cart["attribution"] },
  work: CartWork,
): Cart {
  const { ref, total, placed_at, cart_id: through, currency } = order;
  const data = { order_ref: ref, total, ...(currency === undefined ? {} : { currency }) };
  emit(tx, work, cart, { type: "converted", data });
  if (attribution !== null) emit(tx, work, cart, { type: attribution, data });
  const other = through === undefined || through === cart.id ? {} : { cart_id: through };
  return { ...cart, status: "converted", order: { ref, total, placed_at, ...other }, attribution };
}

/** A code of the step's own, the same whenever it is asked for. */
export async function mintCoupon(
  tx: Tx,
  coupon: {
    readonly offerId: string;
    readonly cartId: string;
    readonly n: number;
    readonly secret: Uint8Array;
  },
  work: CartWork,
): Promise<string> {
  const made = derivedId("c", coupon.secret, ["coupon", coupon.cartId, String(coupon.n)]);
  const code = `BACK-${made.slice(2, 14)}`;
  const id = codeId(code);
  if ((await tx.get(codes, id)) === null) {
    const at = toInstant(work.now);
    tx.create(codes, {
      ...newResource(id, at),
      offer_id: coupon.offerId,
      code,
      batch_id: null,
      used_by: null,
    });
  }
  return code;
}
