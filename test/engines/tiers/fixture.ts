import { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import { programmeDefaults, Rules } from "../../../server/engines/tiers/schema/programme.ts";
import type { Criteria, Window } from "../../../server/engines/tiers/schema/programme.ts";
import { evaluate } from "../../../server/engines/tiers/rules/evaluate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { joinLedgers, ledgerOf } from "../../../server/engines/tiers/rules/ledger.ts";
import { EMPTY_LEDGER } from "../../../server/engines/tiers/schema/ledger.ts";
import type { Ledger } from "../../../server/engines/tiers/schema/ledger.ts";
import type { Standing } from "../../../server/engines/tiers/schema/standing.ts";

export const year = { type: "rolling", months: 12 } as const;

/** At least so much spend in a rolling year, unless told. */
export const spends = (
  value: number,
  window: Window = year,
  metric: "spend" | "points" | "orders" = "spend",
): Criteria => ({ all: [{ metric, key: null, op: "gte", value, window }] });

export const level = (rank: number, name: string, entry: Criteria = { all: [] }, more: object = {}) => ({
  id: `lvl_${name.toLowerCase()}`,
  name,
  rank,
  entry,
  retain: null,
  benefits: [],
  badge: "",
  colour: null,
  ...more,
});

/** Base, Silver from 500.00 and Gold from 1000.00 in a rolling year, terms of a year. */
export const rulesOf = (more: Partial<Rules> = {}): Rules =>
  Rules.parse({
    name: "Club",
    ...programmeDefaults,
    notice_days: [],
    levels: [level(0, "Base"), level(1, "Silver", spends(50_000)), level(2, "Gold", spends(100_000))],
    ...more,
  });

let made = 0;
export const order = (on: string, amount: number, more: object = {}): EventFacts => {
  made += 1;
  return EventFacts.parse({
    type: "order",
    source: "test",
    external_id: `e${made}`,
    order_ref: `o${made}`,
    occurred_at: `${on}T10:00:00.000Z`,
    currency: "GBP",
    amount,
    ...more,
  });
};
export const event = (type: string, on: string, more: object = {}): EventFacts => {
  made += 1;
  return EventFacts.parse({
    type,
    source: "test",
    external_id: `e${made}`,
    occurred_at: `${on}T12:00:00.000Z`,
    ...more,
  });
};
export const refundOf = (of: EventFacts, on: string, amount: number): EventFacts =>
  event("refund", on, { order_ref: "order_ref" in of ? of.order_ref : "", amount, currency: "GBP" });
export const cancelOf = (of: EventFacts, on: string, more: object = {}): EventFacts =>
  event("cancel", on, { order_ref: "order_ref" in of ? of.order_ref : "", ...more });

/** By halves: each join sorts the whole of both. */
export function mapOf(events: readonly EventFacts[]): Ledger {
  const [one] = events;
  if (one === undefined) return EMPTY_LEDGER;
  if (events.length === 1) return joinLedgers(EMPTY_LEDGER, ledgerOf(one));
  const middle = Math.floor(events.length / 2);
  return joinLedgers(mapOf(events.slice(0, middle)), mapOf(events.slice(middle)));
}

export const standingOf = (
  events: readonly EventFacts[],
  asOf: string,
  { rules = rulesOf(), current = null }: { rules?: Rules; current?: Standing | null } = {},
) => evaluate({ facts: factsOf(mapOf(events), rules), rules, asOf, current });

export const heldSince = (
  levelId: string,
  rank: number,
  since: string,
  expiresOn: string | null,
): Standing => ({
  level_id: levelId,
  rank,
  since,
  renewals: 0,
  expires_on: expiresOn,
  state: "held",
  until: null,
  before: null,
  noticed: null,
  as_of: since,
});
