import { isDeepStrictEqual } from "node:util";

import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import {
  addressHash,
  invitationId,
  invitations,
  mailboxes,
  mailboxId,
  orderId,
  orders,
  readSettings,
  reviews,
  slots,
  slotId,
  suppressionId,
  suppressions,
} from "../repository.ts";
import type { NextStep } from "../rules/plan-invitation.ts";
import { isLate, LINK_DAYS, nextStep, reminderAt, sendAt } from "../rules/plan-invitation.ts";
import { hasTarget } from "../rules/verification.ts";
import type { Invitation, InvitationStatus, Order, Suppression } from "../schema/invitation.ts";
import type { Target } from "../schema/parts.ts";
import type { Settings } from "../schema/settings.ts";
import type { ReviewWork } from "./work.ts";
import { invitationMailId, sendInvitation } from "./mails.ts";
import { storeLanguage } from "./store-language.ts";
import { newResource } from "../../../lib/new-resource.ts";

export type NewOrder = Pick<Order, "order_id" | "customer" | "items" | "fulfilled_at" | "refunded"> & {
  /** Null: that of the store. */
  readonly locale: string | null;
};
export type InvitationResult =
  | "scheduled"
  | "unchanged"
  | "waiting"
  | "cancelled"
  | "suppressed"
  | "switched_off"
  | "too_late";

/**
 * Ingests an order and plans the invitation once it is delivered. Idempotent;
 * every delivered order is invited, whatever opinion may be expected. An invitation that has not been sent follows its order.
 * `isHistory`: those of long ago are past orders, for verification alone.
 */
export async function ingestOrder(
  tx: Tx,
  work: ReviewWork,
  input: NewOrder,
  { isHistory }: { readonly isHistory: boolean },
): Promise<InvitationResult> {
  const id = orderId(input.order_id);
  const stored = await tx.get(orders, id);
  const { locale: given, ...fields } = input;
  const order: Order = {
    ...fields,
    id,
    created_at: stored?.value.created_at ?? work.nowAt,
    updated_at: work.nowAt,
  };
  tx.save(orders, stored, order);
  const invitation = await tx.get(invitations, invitationId(input.order_id));
  if (input.refunded) {
    if (invitation === null || !isOpen(invitation.value)) return "cancelled";
    await endInvitation(tx, work, invitation, { status: "cancelled", reason: "refunded" });
    return "cancelled";
  }
  if (input.fulfilled_at === null) return "waiting";
  const { customer, fulfilled_at, items, order_id } = input;
  const locale = given ?? (await storeLanguage(tx));
  const invited = { order_id, customer, items, locale, fulfilled_at };
  if (invitation !== null) return replan(tx, work, invitation, invited);
  return plan(tx, work, invited, isHistory);
}

type Invited = Pick<Invitation, "order_id" | "customer" | "items" | "locale" | "fulfilled_at">;

/** Replaces what an order says of an invitation that is still to be sent: it would go to an address that was corrected, or ask for an item that was returned. */
async function replan(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Invitation>,
  invited: Invited,
): Promise<InvitationResult> {
  const next = { ...stored.value, ...invited };
  if (stored.value.status !== "scheduled" || isDeepStrictEqual(next, stored.value)) return "unchanged";
  const at = sendAt(invited.fulfilled_at, invited.items, await readSettings(tx));
  tx.put(invitations, stored, { ...next, send_at: at, next_action_at: at, updated_at: work.nowAt });
  return "scheduled";
}

async function plan(
  tx: Tx,
  work: ReviewWork,
  invited: Invited,
  isHistory: boolean,
): Promise<InvitationResult> {
  const settings = await readSettings(tx);
  if (!settings.invitations.enabled) return "switched_off";
  if (await isSuppressed(tx, invited.customer.email)) return "suppressed";
  const at = sendAt(invited.fulfilled_at, invited.items, settings);
  if (isHistory && isLate(at, work.now)) return "too_late";
  tx.create(invitations, {
    ...newResource(invitationId(invited.order_id), work.nowAt),
    ...invited,
    reviewed: [],
    send_at: at,
    sent_at: null,
    status: "scheduled",
    reason: null,
    reminders: [],
    expires_at: null,
    legal_basis: settings.invitations.legal_basis,
    next_action_at: at,
  });
  return "scheduled";
}

export const isSuppressed = async (tx: Tx, email: string): Promise<boolean> =>
  (await tx.get(suppressions, suppressionId(email))) !== null;

export const isOpen = ({ status }: Pick<Invitation, "status">): boolean =>
  status === "scheduled" || status === "sent" || status === "clicked";

/** Cancels an invitation and its unsent mail. */
export async function endInvitation(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Invitation>,
  { status, reason }: { readonly status: InvitationStatus; readonly reason: string | null },
): Promise<Stored<Invitation>> {
  await withdrawStoreMail(tx, invitationMailId(stored.value, 0));
  await withdrawStoreMail(tx, invitationMailId(stored.value, 1));
  return tx.put(invitations, stored, {
    ...stored.value,
    status,
    reason,
    next_action_at: null,
    updated_at: work.nowAt,
  });
}

/** Processes a due invitation: one mail, one delay, or its end. The mail and its record are one commit. */
export async function advanceInvitation(
  tx: Tx,
  work: ReviewWork,
  id: string,
): Promise<"sent" | "waited" | "ended" | "none"> {
  const stored = await tx.get(invitations, id);
  if (stored === null || !isOpen(stored.value)) return "none";
  const { next_action_at: due, expires_at: expires } = stored.value;
  if (due === null || fromInstant(due) > work.now) return "none";
  if (expires !== null && fromInstant(expires) <= work.now) {
    await endInvitation(tx, work, stored, { status: "expired", reason: null });
    return "ended";
  }
  const isReminded = stored.value.reminders.every(({ sent_at: at }) => at !== null);
  if (stored.value.sent_at !== null && isReminded) {
    putNext(tx, work, stored, { next_action_at: expires });
    return "waited";
  }
  const settings = await readSettings(tx);
  const step = nextStep({ ...(await momentOf(tx, stored.value, settings)), now: work.now });
  return takeStep(tx, work, stored, { step, settings });
}

const putNext = (
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Invitation>,
  change: Partial<Invitation>,
): Stored<Invitation> => tx.put(invitations, stored, { ...stored.value, ...change, updated_at: work.nowAt });

async function momentOf(tx: Tx, invitation: Invitation, settings: Settings) {
  const { email } = invitation.customer;
  const order = await tx.get(orders, orderId(invitation.order_id));
  return {
    invitation,
    is_suppressed: await isSuppressed(tx, email),
    is_refunded: order?.value.refunded ?? false,
    reviewed: await reviewedBefore(tx, invitation),
    mailed_at: (await tx.get(mailboxes, mailboxId(email)))?.value.mailed_at ?? null,
    enabled: settings.invitations.enabled,
    terms: settings,
  };
}

/** Items that the customer has reviewed, through this link or otherwise. */
export async function reviewedPlaces(tx: Tx, invitation: Invitation): Promise<number[]> {
  const indices = new Set(invitation.reviewed);
  for (const [at, { target }] of invitation.items.entries()) {
    if (indices.has(at)) continue;
    for (const order of [invitation.order_id, null])
      if (await isReviewed(tx, target, invitation.customer, order)) indices.add(at);
  }
  return [...indices].sort((a, b) => a - b);
}

/** Whether a customer has reviewed a target, known by the address or, to the store's own server, by the id. */
async function isReviewed(
  tx: Tx,
  target: Target,
  { email, id }: Invitation["customer"],
  order: string | null,
): Promise<boolean> {
  for (const author of id === null ? [email] : [email, `customer:${id}`]) {
    const slot = await tx.get(slots, slotId(target, author, order));
    if (slot !== null && (await tx.get(reviews, slot.value.review_id)) !== null) return true;
  }
  return false;
}

/** The latest orders of a customer that are looked at. */
const ORDERS_READ = 20;

/** The same, with what the customer has reviewed after another order: who buys a loaf each week is not asked for it each week. */
async function reviewedBefore(tx: Tx, invitation: Invitation): Promise<number[]> {
  const { customer, items } = invitation;
  const indices = new Set(await reviewedPlaces(tx, invitation));
  const value = addressHash(customer.email);
  const page = await tx.peekPage(orders, { index: "buyer", value, limit: ORDERS_READ });
  for (const { value: order } of page.items) {
    for (const [at, { target }] of items.entries()) {
      if (indices.has(at) || !hasTarget(order, target)) continue;
      if (await isReviewed(tx, target, customer, order.order_id)) indices.add(at);
    }
  }
  return [...indices];
}

async function takeStep(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Invitation>,
  { step, settings }: { readonly step: NextStep; readonly settings: Settings },
): Promise<"sent" | "waited" | "ended"> {
  if (step.step === "wait") {
    putNext(tx, work, stored, { next_action_at: step.until });
    return "waited";
  }
  if (step.step === "end") {
    await endInvitation(tx, work, stored, step);
    return "ended";
  }
  await sendNow(tx, work, stored, settings);
  return "sent";
}

/** Stages the next mail of an invitation: the first, or its reminder. */
export async function sendNow(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Invitation>,
  settings: Settings,
): Promise<Stored<Invitation>> {
  const isFirst = stored.value.sent_at === null;
  const expires = stored.value.expires_at ?? toInstant(work.now + LINK_DAYS * DAY_MS);
  const reminder = isFirst ? reminderAt(work.now, settings) : null;
  const { incentive } = settings.invitations;
  const next = putNext(tx, work, stored, {
    status: stored.value.status === "scheduled" ? "sent" : stored.value.status,
    sent_at: stored.value.sent_at ?? work.nowAt,
    expires_at: expires,
    ...(incentive.type === "none" ? {} : { incentive }),
    reminders: isFirst
      ? reminder === null
        ? []
        : [{ due_at: reminder, sent_at: null }]
      : stored.value.reminders.map((one) => ({ ...one, sent_at: one.sent_at ?? work.nowAt })),
    next_action_at: reminder ?? expires,
  });
  await sendInvitation(tx, work, { invitation: next.value, settings, n: isFirst ? 0 : 1 });
  await noteMailed(tx, work, next.value.customer.email);
  tx.emit({
    id: work.newId("evt"),
    type: "reviews.invitation.sent",
    at: work.nowAt,
    data: { invitation_id: stored.id, order_id: next.value.order_id, is_reminder: !isFirst },
  });
  return next;
}

async function noteMailed(tx: Tx, work: ReviewWork, email: string): Promise<void> {
  const id = mailboxId(email);
  const mailbox = await tx.get(mailboxes, id);
  tx.save(mailboxes, mailbox, { id, mailed_at: work.nowAt });
}

const OPEN_OF_ADDRESS = 50;
/** Operations that ending an invitation may need, with its mails: those that do not fit end when they are due. */
const ENDED_OPS = 20;

/** Suppresses invitations to an address: planned ones are cancelled in the same commit, as many as fit. Idempotent. */
export async function suppress(
  tx: Tx,
  work: ReviewWork,
  id: string,
  source: Suppression["source"],
): Promise<Stored<Suppression>> {
  const suppression = await tx.get(suppressions, id);
  if (suppression !== null) return suppression;
  const hash = id.replace(/^sup_/, "");
  const { items } = await tx.peekPage(invitations, {
    index: "by",
    value: `to.${hash}`,
    limit: OPEN_OF_ADDRESS,
  });
  for (const { id: invitation } of items) {
    if (tx.room() < ENDED_OPS) break;
    const stored = await tx.get(invitations, invitation);
    if (stored === null || !isOpen(stored.value)) continue;
    const status = source === "unsubscribe" ? "unsubscribed" : source === "bounce" ? "bounced" : "suppressed";
    await endInvitation(tx, work, stored, { status, reason: source });
  }
  return tx.create(suppressions, { ...newResource(id, work.nowAt), source });
}
