import { fromInstant, toInstant } from "../../../lib/instant.ts";
import type { RecoveryFlow, RecoveryStep } from "../schema/cart.ts";
import { afterQuietHours } from "../../../lib/quiet-hours.ts";

const MINUTE_MS = 60_000;
/** At least so long between two mails. */
const GAP_MS = 10 * 60 * MINUTE_MS;

export type FlowTerms = Pick<RecoveryFlow, "steps" | "quiet_hours" | "abandon_after_minutes">;

export const abandonedAt = (lastActivityAt: string, flow: FlowTerms): number =>
  fromInstant(lastActivityAt) + flow.abandon_after_minutes * MINUTE_MS;

/**
 * When each mail of a flow is due: counted from the last activity, at least ten hours after the one before, and out of
 * the quiet hours of the store's zone. Mails that went out before the customer came back are not planned again.
 */
export function planSteps(
  lastActivityAt: string,
  flow: FlowTerms,
  { timezone, sent = [] }: { readonly timezone: string; readonly sent?: readonly RecoveryStep[] },
): RecoveryStep[] {
  let before = Math.max(
    ...sent.map(({ at }) => (at === null ? 0 : fromInstant(at))),
    Number.NEGATIVE_INFINITY,
  );
  const done = Math.max(0, ...sent.map(({ n }) => n));
  return flow.steps.flatMap(
    ({ delay_minutes: delay, template, coupon_offer_id: coupon }, at): RecoveryStep[] => {
      if (at < done) return [];
      const wanted = Math.max(fromInstant(lastActivityAt) + delay * MINUTE_MS, before + GAP_MS);
      before = afterQuietHours(wanted, flow.quiet_hours, timezone);
      return [
        {
          n: at + 1,
          due_at: toInstant(before),
          state: "planned",
          reason: null,
          at: null,
          template,
          coupon_offer_id: coupon,
          coupon: null,
        },
      ];
    },
  );
}

/**
 * The first instant from `now` on at which another mail may be sent: ten hours after the one before, and out of the quiet hours.
 * After an outage several mails are due at once, and none of them follows another within that time.
 */
export function earliestMailAt(
  now: number,
  flow: Pick<FlowTerms, "quiet_hours">,
  { timezone, sent }: { readonly timezone: string; readonly sent: readonly RecoveryStep[] },
): number {
  const last = Math.max(0, ...sent.map(({ at }) => (at === null ? 0 : fromInstant(at))));
  return afterQuietHours(Math.max(now, last + GAP_MS), flow.quiet_hours, timezone);
}

/** A flow of the defaults: an hour, then mails after 4, 24 and 72 hours. */
export const DEFAULT_TERMS = {
  abandon_after_minutes: 60,
  steps: [
    { delay_minutes: 240, template: "abandoned-cart-first", coupon_offer_id: null },
    { delay_minutes: 1440, template: "abandoned-cart-second", coupon_offer_id: null },
    { delay_minutes: 4320, template: "abandoned-cart-last", coupon_offer_id: null },
  ],
  quiet_hours: { from: "21:00", to: "08:00" },
  cooldown_days: 7,
  max_age_days: 30,
  min_total: 0,
  holdout_bps: 0,
} satisfies Partial<RecoveryFlow>;
