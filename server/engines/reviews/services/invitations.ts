import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import {
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
import { LINK_DAYS, nextStep, reminderAt, sendAt } from "../rules/plan-invitation.ts";
import type { Invitation, InvitationStatus, Order, Suppression } from "../schema/invitation.ts";
import type { Settings } from "../schema/settings.ts";
import type { ReviewWork } from "./work.ts";
import { invitationMailId, sendInvitation } from "./mails.ts";
import { newResource } from "../../../lib/new-resource.ts";

export type NewOrder = Pick<Order, "order_id" | "customer" | "items" | "fulfilled_at" | "refunded"> & {
  readonly locale: string;
};
export type InvitationResult =
  | "scheduled"
  | "unchanged"
  | "waiting"
  | "cancelled"
  | "suppressed"
  | "switched_off";

/**
 * Ingests an order and plans the invitation once it is delivered. Idempotent;
 * every delivered order is invited, whatever opinion may be expected.
 */
export async function ingestOrder(tx: Tx, work: ReviewWork, input: NewOrder): Promise<InvitationResult> {
  const id = orderId(input.order_id);
  const stored = await tx.get(orders, id);
  const { locale, ...fields } = input;
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
  if (invitation !== null) return "unchanged";
  return plan(tx, work, { ...order, fulfilled_at: input.fulfilled_at }, locale);
}

async function plan(
  tx: Tx,
  work: ReviewWork,
  order: Order & { readonly fulfilled_at: string },
  locale: string,
): Promise<InvitationResult> {
  const settings = await readSettings(tx);
  if (!settings.invitations.enabled) return "switched_off";
  if (await isSuppressed(tx, order.customer.email)) return "suppressed";
  const at = sendAt(order.fulfilled_at, order.items, settings);
  tx.create(invitations, {
    ...newResource(invitationId(order.order_id), work.nowAt),
    order_id: order.order_id,
    customer: order.customer,
    items: order.items,
    reviewed: [],
    locale,
    fulfilled_at: order.fulfilled_at,
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
    reviewed: await reviewedPlaces(tx, invitation),
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
    for (const order of [invitation.order_id, null]) {
      const slot = await tx.get(slots, slotId(target, invitation.customer.email, order));
      if (slot !== null && (await tx.get(reviews, slot.value.review_id)) !== null) indices.add(at);
    }
  }
  return [...indices].sort((a, b) => a - b);
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
  const next = putNext(tx, work, stored, {
    status: stored.value.status === "scheduled" ? "sent" : stored.value.status,
    sent_at: stored.value.sent_at ?? work.nowAt,
    expires_at: expires,
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
