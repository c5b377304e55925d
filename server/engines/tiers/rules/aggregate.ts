import { sha256Hex } from "../../../core/ids.ts";
import type { CustomerAggregate, Member } from "../schema.ts";
import type { Rules } from "../schema/programme.ts";
import type { Standing, Finding } from "../schema/standing.ts";
import { entryOf, retention } from "./evaluate.ts";
import type { Facts } from "./facts.ts";
import { addMonths } from "../../../lib/local-time.ts";
import { NEVER_DAYS, orderTotals } from "./metric-value.ts";
import { shownTier } from "./override.ts";
import { rfmOf } from "./rfm.ts";
import type { RfmCuts, RfmFigures } from "./rfm.ts";

export interface AggregateSource {
  readonly member: Omit<Member, "ledger">;
  readonly standing: Standing;
  readonly facts: Facts;
  readonly rules: Rules;
  readonly cuts: RfmCuts | null;
}

/** A member as returned on the day of its evaluation, without the programme and the time of evaluation. */
export function toAggregate({
  member,
  standing,
  facts,
  rules,
  cuts,
}: AggregateSource): Omit<CustomerAggregate, "programme_id" | "programme_version" | "as_of" | "updated_at"> {
  const day = standing.as_of;
  const tier = shownTier(standing, member.overrides, { rules, day });
  const joinedOn = facts.joinedOn ?? day;
  const { recency_days: recency, ...totals } = orderTotals(
    facts,
    { type: "lifetime" },
    { from: "0000-01-01", to: day },
  );
  const next = rules.levels
    .filter(({ rank }) => rank > tier.rank)
    .reduce<Rules["levels"][number] | null>((a, b) => (a === null || b.rank < a.rank ? b : a), null);
  const ahead = next === null ? null : entryOf({ facts, rules, joinedOn }, next, day, standing);
  const deadline = standing.until ?? standing.expires_on;
  const kept = deadline === null ? null : retention({ facts, rules, joinedOn }, standing, day);
  return {
    id: member.id,
    created_at: member.created_at,
    customer_id: member.customer_id,
    email_hash: member.email === null ? null : sha256Hex(member.email.trim().toLowerCase()),
    tier,
    benefits: rules.levels.find(({ id }) => id === tier.level_id)?.benefits ?? [],
    totals: {
      orders: totals.orders,
      spend: totals.spend,
      refunds: refundsOf(facts, day),
      aov: totals.aov,
    },
    currency: rules.currency,
    windows: distinct([...(ahead?.findings ?? []), ...(kept?.findings ?? [])]),
    recency_days: recency === NEVER_DAYS ? null : recency,
    ...orderTimes(facts),
    rfm: rfmOf(rfmFigures(facts, day), cuts, rules.min_members),
    next_level:
      next === null || ahead === null
        ? null
        : {
            level_id: next.id,
            name: next.name,
            missing: ahead.findings.filter(({ met }) => !met),
            progress_bps: ahead.progress,
          },
    retain:
      deadline === null || kept === null
        ? null
        : { by: deadline, missing: kept.met ? [] : kept.findings.filter(({ met }) => !met) },
    overrides: member.overrides,
  };
}

const RFM_MONTHS = 24;

/** The values of a member for RFM; null without an order in 24 months. */
export function rfmFigures(facts: Facts, day: string): RfmFigures | null {
  const span = { from: addMonths(day, -RFM_MONTHS), to: day };
  const { recency_days, orders, spend } = orderTotals(facts, { type: "rolling", months: RFM_MONTHS }, span);
  return orders === 0 ? null : { recency: recency_days, frequency: orders, monetary: spend };
}

const refundsOf = ({ facts, folded }: Facts, day: string): number =>
  facts.reduce(
    (total, { isReversal, countsFrom, value }) => (isReversal && countsFrom <= day ? total - value : total),
    folded.refunds,
  );

/** Times of the first and the last order that counts. */
const orderTimes = ({
  orderTimes: times,
  folded,
}: Facts): Pick<CustomerAggregate, "first_order_at" | "last_order_at"> => ({
  first_order_at: folded.first_at ?? times.first,
  last_order_at: times.last ?? folded.last_at,
});

/** A window used by several levels is shown once. */
function distinct(findings: readonly Finding[]): CustomerAggregate["windows"] {
  const shown = new Map<string, CustomerAggregate["windows"][number]>();
  for (const { metric, key, window, from, to, have } of findings) {
    shown.set(JSON.stringify([metric, key, window]), { metric, key, window, from, to, value: have });
  }
  return [...shown.values()];
}
