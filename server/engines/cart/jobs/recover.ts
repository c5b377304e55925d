import { storeFace } from "../../../core/face.ts";
import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { changeDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { stageStoreMail } from "../../../core/store-mail.ts";
import type { Tx } from "../../../core/tx.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import { watch } from "../../../core/watch.ts";
import { addressId, carts, flows, offers, readSettings, suppressions } from "../repository.ts";
import { hasOrdered, whyNotSend } from "../rules/check-send.ts";
import { abandonedAt, DEFAULT_TERMS, earliestMailAt, planSteps } from "../rules/plan-recovery.ts";
import type { Cart, RecoveryFlow, RecoveryStep } from "../schema/cart.ts";
import {
  activeFlow,
  convertByOther,
  emit,
  isKnown,
  storeMailId,
  lostAt,
  mailboxOf,
  mintCoupon,
  noteMailbox,
  saveCart,
} from "../services/cart-change.ts";
import { isUsedUp, runsAt } from "../services/redeem.ts";
import type { Ports } from "../../../core/ports.ts";
import { showLines } from "../../../lib/show.ts";
import type { Words } from "../../../core/words.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Settings } from "../schema.ts";

/** Carts that one run looks at; the rest waits for the next run. */
const CARTS_MAX = 2_000;
/** Things that one look at a cart does at most. */
const STEPS_MAX = 20;
/** Operations of a commit that one of them may need; what does not fit is due at the next look. */
const STEP_OPS = 20;

export type Work = Omit<JobContext, "nowAt" | "hasTime">;

export const recoverCarts: Job = {
  id: "cart.recover",
  summary: "Finds abandoned carts, and sends or skips the mails that are due",
  schedule: "*/30 * * * * *",
  watches: [watch(carts, { index: "due", due: ({ next_action_at: at }) => at })],
  run: (work) => recoverDue(work),
};

/** Works through the carts that are due. One that fails does not keep the others waiting. */
export async function recoverDue(work: Work): Promise<Record<"looked" | "failed", number>> {
  const due = {
    collection: carts,
    index: "due",
    isDue: ({ next_action_at: at }: Cart) => at !== null && fromInstant(at) <= work.now,
    max: CARTS_MAX,
  };
  const { looked, failed } = await changeDue(work, due, (tx, id) => recoverCart(work, tx, id));
  return { looked, failed };
}

async function recoverCart(work: Work, tx: Tx, id: string): Promise<number> {
  let steps = 0;
  while (steps < STEPS_MAX && (await doNext(work, tx, id))) {
    steps += 1;
    if (tx.room() < STEP_OPS) break;
  }
  return steps;
}

/** Stages the next thing that is due about a cart; false when there is none. */
async function doNext(work: Work, tx: Tx, id: string): Promise<boolean> {
  const stored = await tx.get(carts, id);
  if (stored === null || stored.value.status === "converted" || stored.value.status === "lost") return false;
  const cart = stored.value;
  const flow =
    cart.flow_id === null ? await activeFlow(tx, cart) : ((await tx.get(flows, cart.flow_id))?.value ?? null);
  // A test clock jumps: what came due on the way is judged as of its own time.
  const isJump = (await readTestClock(tx)) !== null;
  const dueAt = dueAtOf(cart, flow);
  const moment = isJump ? { ...work, now: Math.min(work.now, dueAt) } : work;
  const next = dueAt > work.now ? null : await changed(moment, tx, cart, flow);
  if (next === null && (cart.next_action_at === null || fromInstant(cart.next_action_at) > work.now))
    return false;
  if (next?.status === "lost" && isOfVisitor(cart)) {
    tx.remove(carts, stored);
    return false;
  }
  await saveCart(tx, stored, next ?? cart, work);
  return next !== null;
}

/** A cart of which nothing is left once it is lost: visitors could fill a store with them, and no request deletes one. */
const isOfVisitor = (cart: Cart): boolean =>
  !isKnown(cart) && cart.steps.length === 0 && cart.clicks.length === 0;

const plannedOf = ({ steps }: Cart): RecoveryStep | undefined =>
  steps.find(({ state }) => state === "planned");

/** When the next thing about a cart is due, epoch milliseconds. */
function dueAtOf(cart: Cart, flow: RecoveryFlow | null): number {
  const planned = plannedOf(cart);
  if (planned !== undefined) return fromInstant(planned.due_at);
  return cart.status === "active"
    ? abandonedAt(cart.last_activity_at, flow ?? DEFAULT_TERMS)
    : lostAt(cart, flow);
}

async function changed(work: Work, tx: Tx, cart: Cart, flow: RecoveryFlow | null): Promise<Cart | null> {
  const planned = plannedOf(cart);
  if (planned !== undefined) return takeStep(work, tx, { cart, step: planned, flow });
  if (cart.status === "active") return abandon(work, tx, cart, flow);
  const mailbox = await mailboxOf(tx, cart);
  if (mailbox !== null && hasOrdered(cart, mailbox)) return convertByOther(tx, cart, mailbox, work);
  emit(tx, work, cart, { type: "lost", data: { total: cart.total } });
  // What was in it has served its purpose, and so has whose it was.
  const customer = { id: null, email: null, name: "" };
  return { ...cart, status: "lost", lines: [], customer };
}

async function abandon(work: Work, tx: Tx, cart: Cart, flow: RecoveryFlow | null): Promise<Cart | null> {
  const mailbox = await mailboxOf(tx, cart);
  if (mailbox !== null && hasOrdered(cart, mailbox)) return convertByOther(tx, cart, mailbox, work);
  const isWorthIt = cart.customer.email !== null && cart.lines.length > 0 && cart.total > 0;
  const { timezone } = await readSettings(tx);
  const sent = cart.steps.filter(({ state }) => state === "sent");
  const steps = flow === null || !isWorthIt ? [] : planSteps(cart.last_activity_at, flow, { timezone, sent });
  emit(tx, work, cart, { type: "abandoned", data: { total: cart.total } });
  return {
    ...cart,
    status: "abandoned",
    abandoned_at: cart.abandoned_at ?? toInstant(work.now),
    flow_id: flow?.id ?? null,
    steps: [...cart.steps, ...steps].slice(-50),
  };
}

interface Due {
  readonly cart: Cart;
  readonly step: RecoveryStep;
  readonly flow: RecoveryFlow | null;
}

/** Sends a mail, or returns why not. The mail and the step that records it as sent are one commit: it is never sent twice. */
async function takeStep(work: Work, tx: Tx, { cart, step, flow }: Due): Promise<Cart> {
  const mailbox = await mailboxOf(tx, cart);
  const { email } = cart.customer;
  const isSuppressed = email === null || (await tx.get(suppressions, addressId("sup", email))) !== null;
  const offerId = step.coupon_offer_id;
  const offer = offerId === null ? null : ((await tx.get(offers, offerId))?.value ?? null);
  const isCouponValid =
    offerId === null ||
    (offer !== null && runsAt(offer, work.now) && !(await isUsedUp(tx, offer, cart.customer.id)));
  const reason = whyNotSend({ cart, step, flow, mailbox, isSuppressed, isCouponValid, now: work.now });
  if (reason === "ordered" && mailbox !== null) {
    emit(tx, work, cart, { type: "recovery.skipped", data: { n: step.n, reason } });
    return convertByOther(tx, cart, mailbox, work);
  }
  const at = toInstant(work.now);
  if (reason !== null || email === null) {
    emit(tx, work, cart, { type: "recovery.skipped", data: { n: step.n, reason: reason ?? "empty" } });
    return withStep(cart, { ...step, state: "skipped", reason: reason ?? "empty", at });
  }
  const settings = await readSettings(tx);
  const sentBefore = cart.steps.filter(({ state }) => state === "sent");
  const earliest = earliestMailAt(work.now, flow ?? DEFAULT_TERMS, {
    timezone: settings.timezone,
    sent: sentBefore,
  });
  if (earliest > work.now) return withStep(cart, { ...step, due_at: toInstant(earliest) });
  const secret = Buffer.from(work.ports.sign("cart.coupon", work.part));
  const coupon =
    offerId === null ? null : await mintCoupon(tx, { offerId, cartId: cart.id, n: step.n, secret }, work);
  const sent: RecoveryStep = { ...step, state: "sent", at, coupon };
  await stageStoreMail(tx, {
    id: storeMailId(cart.id, step.n, step.due_at),
    to: email,
    created_at: at,
    ...recoveryMail(work.ports, { part: work.part, cart, step: sent, settings, words: await storeFace(tx) }),
  });
  await noteMailbox(tx, email, { mailed_cart_id: cart.id, mailed_at: at });
  emit(tx, work, cart, { type: "recovery.sent", data: { n: step.n } });
  return withStep(cart, sent);
}

const withStep = (cart: Cart, step: RecoveryStep): Cart => ({
  ...cart,
  steps: cart.steps.map((own) => (own.state === "planned" && own.n === step.n ? step : own)),
});

/** The mail of a step: links to the cart and to unsubscribe are signed, so that they cannot be forged. */
function recoveryMail(
  ports: Ports,
  about: {
    readonly part: string;
    readonly cart: Cart;
    readonly step: RecoveryStep;
    readonly settings: Settings;
    readonly words: Words;
  },
): { template: string; data: Record<string, unknown> } {
  const { part, cart, step, settings, words } = about;
  const restore = makeToken(ports, "cart.restore", part, cart.id);
  const unsubscribe = makeToken(ports, "cart.unsubscribe", part, addressId("sup", cart.customer.email ?? ""));
  return {
    template: step.template,
    data: {
      shop_name: settings.shop_name,
      customer_name: cart.customer.name,
      lines: showLines(cart.lines),
      total: words.money(cart.total, cart.currency),
      coupon: step.coupon ?? "",
      cart_url: `${ports.baseUrl}/api/public/carts/${restore}`,
      unsubscribe_url: `${ports.baseUrl}/api/public/unsubscribe/${unsubscribe}`,
    },
  };
}
