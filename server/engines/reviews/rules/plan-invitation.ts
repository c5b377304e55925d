import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Invitation, OrderItem } from "../schema/invitation.ts";
import type { Incentive } from "../schema/parts.ts";
import type { Settings } from "../schema/settings.ts";
import { afterQuietHours } from "../../../lib/quiet-hours.ts";

/** Days for which the link of an invitation is valid. */
export const LINK_DAYS = 60;
/** Minimum of days between two mails to an address, for any order. */
export const GAP_DAYS = 7;

type Terms = Pick<Settings, "timezone" | "invitations">;

/** When the invitation for an order is sent: after the longest delay of its items, never in quiet hours. */
export function sendAt(
  fulfilledAt: string,
  items: readonly OrderItem[],
  { timezone, invitations }: Terms,
): string {
  const days = items.map(({ category }) => delayOf(category, invitations));
  const dueMs = fromInstant(fulfilledAt) + Math.max(0, ...days) * DAY_MS;
  return toInstant(afterQuietHours(dueMs, invitations.quiet_hours, timezone));
}

/** Whether an invitation would be sent so long after its time that its link would have expired. */
export const isLate = (due: string, now: number): boolean => fromInstant(due) + LINK_DAYS * DAY_MS <= now;

function delayOf(category: string | null, { delay_days, category_delays }: Settings["invitations"]): number {
  const isOwn = category !== null && Object.hasOwn(category_delays, category);
  return (isOwn ? category_delays[category] : undefined) ?? delay_days;
}

/** State at the time when a mail would be sent. It contains no expectation of the opinion. */
export interface InvitationState {
  readonly invitation: Invitation;
  readonly is_suppressed: boolean;
  readonly is_refunded: boolean;
  /** Indices of items that have been reviewed, through this link or otherwise. */
  readonly reviewed: readonly number[];
  /** Time of the last mail to the address; null for never. */
  readonly mailed_at: string | null;
  readonly enabled: boolean;
  readonly terms: Terms;
  readonly now: number;
}

export type NextStep =
  | { readonly step: "send" }
  | { readonly step: "wait"; readonly until: string }
  | {
      readonly step: "end";
      readonly status: "suppressed" | "cancelled" | "submitted";
      readonly reason: string;
    };

/** The action for a due mail. Derived from the current state, so that no sequence of events sends a wrong mail. */
export function nextStep(moment: InvitationState): NextStep {
  const { invitation, now, terms } = moment;
  if (moment.is_suppressed) return { step: "end", status: "suppressed", reason: "unsubscribed" };
  if (moment.is_refunded) return { step: "end", status: "cancelled", reason: "refunded" };
  if (invitation.items.every((_, at) => moment.reviewed.includes(at))) {
    return { step: "end", status: "submitted", reason: "reviewed" };
  }
  if (!moment.enabled) return { step: "end", status: "cancelled", reason: "switched_off" };
  const gapEnds = moment.mailed_at === null ? now : fromInstant(moment.mailed_at) + GAP_DAYS * DAY_MS;
  const dueMs = afterQuietHours(Math.max(now, gapEnds), terms.invitations.quiet_hours, terms.timezone);
  return dueMs > now ? { step: "wait", until: toInstant(dueMs) } : { step: "send" };
}

/** The incentive to disclose with a review: what the mails offered, or what is offered now. It may have been removed from the settings since. */
export const offeredIn = (
  { incentive }: Pick<Invitation, "incentive">,
  { invitations }: Pick<Settings, "invitations">,
): Incentive => incentive ?? invitations.incentive;

/** When the reminder of an invitation sent now is due; null without a reminder. */
export function reminderAt(now: number, { timezone, invitations }: Terms): string | null {
  if (invitations.remind_after_days === null) return null;
  const dueMs = now + Math.max(GAP_DAYS, invitations.remind_after_days) * DAY_MS;
  return toInstant(afterQuietHours(dueMs, invitations.quiet_hours, timezone));
}
