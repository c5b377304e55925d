import type { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import { addDays, localDateAt } from "../../../lib/local-time.ts";
import type { Contract, Plan, Settings } from "../schema.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { Line, NewLine } from "../schema/parts.ts";
import type { ContractDraft } from "../schema/requests.ts";
import { firstCompliance } from "./compliance.ts";
import { billingDate, scheduleFrom } from "./cycle-dates.ts";
import { newResource } from "../../../lib/new-resource.ts";

export type Draft = z.output<typeof ContractDraft>;

export interface DraftContext {
  readonly id: string;
  /** Epoch milliseconds: the day of a draft without a start. */
  readonly now: number;
  readonly plan: Plan | null;
  readonly settings: Settings;
}

/** One field of a draft that cannot be, and why. */
export interface DraftFault {
  readonly path: readonly (string | number)[];
  readonly detail: string;
}

/** A draft as a contract: the same for a preview and for the real thing. */
export function toContract(draft: Draft, { id, now, plan, settings }: DraftContext): Contract {
  const timezone = draft.timezone ?? settings.timezone;
  const start = draft.start_date ?? localDateAt(now, timezone);
  const trialDays = draft.trial_days ?? plan?.trial_days ?? 0;
  const trialEnds = trialDays > 0 ? addDays(start, trialDays) : null;
  const firstPeriod = draft.first_period ?? plan?.first_period ?? "full";
  const cutoff = draft.cutoff_days ?? plan?.cutoff_days ?? 0;
  const terms = {
    interval: intervalIn(draft, plan),
    anchor: anchorIn(draft, plan),
    start: trialEnds ?? start,
  };
  const { billing, delivery_from: deliveryFrom } = scheduleFrom({
    ...terms,
    first_period: firstPeriod,
    cutoff_days: cutoff,
  });
  const nowAt = toInstant(now);
  const delivery = draft.delivery ?? null;
  const base: Contract = {
    ...newResource(id, nowAt),
    customer: draft.customer,
    consumer: draft.consumer,
    status: "active",
    plan_id: plan?.id ?? null,
    collection: draft.collection,
    currency: draft.currency ?? settings.currency,
    tax_included: draft.tax_included ?? settings.tax_included,
    timezone,
    billing_time: draft.billing_time,
    lines: withIds(draft.lines, []),
    billing,
    delivery: delivery === null ? null : { ...delivery, interval: plan?.delivery_every ?? delivery.interval },
    delivery_from: deliveryFrom,
    shipping_price: draft.shipping_price,
    shipping_tax_rate_bps: draft.shipping_tax_rate_bps,
    discounts: draft.discounts,
    price_adjustments: draft.price_adjustments ?? plan?.price_adjustments ?? [],
    payment_method_id: draft.payment_method_id,
    dunning_policy_id: draft.dunning_policy_id,
    start_date: start,
    trial_ends_on: trialEnds,
    min_cycles: draft.min_cycles ?? plan?.min_cycles ?? 0,
    max_cycles: draft.max_cycles ?? plan?.max_cycles ?? null,
    current_cycle: null,
    current_period: null,
    next_cycle: 0,
    next_billing_date: null,
    overrides: {},
    pending_change: null,
    credit: 0,
    rounding: 0,
    carried: [],
    pause: null,
    cancellation: null,
    overdue: null,
    compliance: { profile: draft.compliance_profile, cooling_off: [], notices: [] },
    renewal_notice_days: draft.renewal_notice_days ?? plan?.renewal_notice_days ?? null,
    next_action_at: null,
    ended_at: null,
    metadata: draft.metadata,
  };
  return { ...base, status: firstStatus(base, now), compliance: firstCompliance(base) };
}

/** A contract that is to be paid at once comes to nothing without it; one that begins later is active until then. */
function firstStatus(contract: Contract, now: number): Contract["status"] {
  if (contract.trial_ends_on !== null) return "trialing";
  const isDueNow = billingDate(contract, 0) <= localDateAt(now, contract.timezone);
  return contract.collection === "automatic" && isDueNow ? "pending" : "active";
}

const intervalIn = (draft: Draft, plan: Plan | null) =>
  draft.interval ??
  (plan === null
    ? { unit: "month" as const, count: 1 }
    : { unit: plan.interval_unit, count: plan.interval_count });

const anchorIn = (draft: Draft, plan: Plan | null) =>
  draft.anchor ?? plan?.anchor ?? { type: "none" as const };

const UNIT_OF = { weekday: "week", monthday: "month", yearday: "year" } as const;

/** The first contradiction in a draft; null when it can be a contract. */
export function faultOf(draft: Draft, plan: Plan | null): DraftFault | null {
  if (draft.interval === undefined && plan === null) {
    return { path: ["interval"], detail: "Required without a plan_id." };
  }
  const [interval, anchor] = [intervalIn(draft, plan), anchorIn(draft, plan)];
  if (anchor.type !== "none" && UNIT_OF[anchor.type] !== interval.unit) {
    return {
      path: ["anchor", "type"],
      detail: `An anchor of type \`${anchor.type}\` needs an interval of ${UNIT_OF[anchor.type]}s.`,
    };
  }
  if (draft.start_date !== undefined && draft.start_date > SUBSCRIPTION_LIMITS.lastDay) {
    return { path: ["start_date"], detail: `Must not be later than ${SUBSCRIPTION_LIMITS.lastDay}.` };
  }
  const least = draft.min_cycles ?? plan?.min_cycles ?? 0;
  const most = draft.max_cycles === undefined ? (plan?.max_cycles ?? null) : draft.max_cycles;
  if (most !== null && least > most) {
    return { path: ["min_cycles"], detail: `The contract ends after ${most} cycles.` };
  }
  const deliveries = plan?.delivery_every ?? draft.delivery?.interval ?? 1;
  if (interval.count % deliveries !== 0) {
    const detail = `${deliveries} deliveries do not divide ${interval.count} ${interval.unit}s evenly.`;
    return { path: ["delivery", "interval"], detail };
  }
  if (plan === null) return null;
  if (!plan.active) return { path: ["plan_id"], detail: "The plan is not active." };
  const foreign = draft.lines.findIndex(
    ({ product_ref: product }) =>
      plan.eligible_products.length > 0 && !plan.eligible_products.includes(product),
  );
  return foreign < 0
    ? null
    : { path: ["lines", foreign, "product_ref"], detail: "The plan does not include this product." };
}

/**
 * Lines with their ids: those they came with, those that the same products have so far, or the next free ones. Discounts
 * refer to lines by their ids.
 */
export function withIds(
  lines: readonly NewLine[],
  known: readonly Pick<Line, "id" | "product_ref" | "variant_ref">[],
): Line[] {
  const taken = new Set([...known, ...lines].flatMap(({ id }) => (id === undefined ? [] : [id])));
  const left = known.filter(({ id }) => lines.every((line) => line.id !== id));
  let next = 1;
  return lines.map((line) => {
    if (line.id !== undefined) return { ...line, id: line.id };
    const same = left.findIndex(
      ({ product_ref: product, variant_ref: variant }) =>
        product === line.product_ref && variant === line.variant_ref,
    );
    const [own] = same < 0 ? [] : left.splice(same, 1);
    if (own !== undefined) return { ...line, id: own.id };
    while (taken.has(`lin_${next}`)) next += 1;
    const id = `lin_${next}`;
    taken.add(id);
    return { ...line, id };
  });
}
