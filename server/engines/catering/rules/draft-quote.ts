import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { sum } from "../../../lib/money.ts";
import type { Account } from "../schema/account.ts";
import type { DepositRule, Dietary, EventInfo, Line } from "../schema/parts.ts";
import type { PolicyTerms } from "../schema/policy.ts";
import { pickShown } from "../../../core/schema.ts";
import { QuoteVersion } from "../schema.ts";
import type { Quote } from "../schema.ts";
import { toEpochMs } from "../../../lib/local-time.ts";
import { depositSchedule } from "./deposit-schedule.ts";
import { priceEvent } from "./price-event.ts";

const HOUR_MS = 3_600_000;

export interface DraftToFill {
  readonly lines: readonly Line[];
  readonly event: EventInfo;
  readonly headcount: Quote["headcount"];
  readonly tax_included: boolean;
  readonly policy: PolicyTerms;
  /** Null: those of the policy for who pays beforehand, none on credit. */
  readonly deposits: readonly DepositRule[] | null;
  readonly account: Pick<Account, "terms"> | null;
}

/** What follows from a draft: its price for the estimated heads, and the deposits. */
export function fillDraft(draft: DraftToFill): Pick<Quote, "totals" | "total" | "deposit_schedule"> {
  const { account, deposits, event, headcount, lines, policy, tax_included } = draft;
  const totals = priceEvent({ lines, heads: headcount.estimate, tax_included });
  const onCredit = account !== null && account.terms.kind !== "prepay";
  const rules = deposits ?? (onCredit ? [] : policy.deposits);
  return { totals, total: totals.total, deposit_schedule: depositSchedule(totals.total, rules, event.date) };
}

/** Until when a quote without an end is valid: the policy's days, and never past the event. */
export const defaultValidUntil = (event: EventInfo, policy: PolicyTerms, now: number): string =>
  toInstant(Math.min(now + policy.valid_days * DAY_MS, toEpochMs(event.date, event.start, event.timezone)));

/** Until when a quote can be accepted: not after its event has begun, whatever end was written. */
export const endOf = ({ event, valid_until: until }: Pick<Quote, "event" | "valid_until">): string =>
  toInstant(Math.min(Date.parse(until), toEpochMs(event.date, event.start, event.timezone)));

export interface DraftFault {
  readonly path: readonly (string | number)[];
  readonly detail: string;
}

/** What contradicts itself in a draft; null for a sound one. */
export function draftFault(
  headcount: Quote["headcount"],
  dietary: Dietary,
  lines: readonly Line[],
): DraftFault | null {
  const { estimate, max, min } = headcount;
  if (min > estimate) return { path: ["headcount", "min"], detail: "Must not exceed the estimate." };
  if (max < estimate) return { path: ["headcount", "max"], detail: "Must not be below the estimate." };
  const dietaryFault = tooManyDiets(dietary, max);
  return dietaryFault ?? linesFault(lines);
}

/** What contradicts itself in lines: what each comes to is listed by its id. Null for sound ones. */
export function linesFault(lines: readonly Line[], path: DraftFault["path"] = ["lines"]): DraftFault | null {
  const ids = lines.map(({ id }) => id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  if (twice !== -1) return { path: [...path, twice, "id"], detail: "Another line has this id." };
  const bad = lines.findIndex(
    ({ rate_bps: rate, type }) => rate !== null && type !== "service_charge" && type !== "discount",
  );
  return bad === -1
    ? null
    : {
        path: [...path, bad, "rate_bps"],
        detail: "Only allowed for lines of type `service_charge` and `discount`.",
      };
}

/** C6: not more dietary needs than heads. */
export const tooManyDiets = (dietary: Dietary, heads: number): DraftFault | null =>
  sum(dietary.map(({ count }) => count)) > heads
    ? { path: ["dietary"], detail: `The counts add up to more than ${heads} heads.` }
    : null;

export interface SendRefusal {
  readonly code: "no_lines" | "lead_time" | "below_min_spend" | "over_capacity" | "ends_in_the_past";
  readonly detail: string;
}

/** Why a draft cannot be sent now; null when it can. */
export function sendRefusal(
  quote: Pick<Quote, "lines" | "event" | "headcount" | "policy" | "totals" | "valid_until">,
  now: number,
): SendRefusal | null {
  const { event, headcount, lines, policy, totals, valid_until: until } = quote;
  if (lines.length === 0) return { code: "no_lines", detail: "A quote needs at least one line." };
  if (Date.parse(until) <= now) return { code: "ends_in_the_past", detail: "valid_until has passed." };
  const startsAt = toEpochMs(event.date, event.start, event.timezone);
  if (startsAt < now + policy.lead_time_hours * HOUR_MS) {
    return {
      code: "lead_time",
      detail: `The event must be at least ${policy.lead_time_hours} hours from now.`,
    };
  }
  const spend = totals.subtotal - totals.discount;
  if (spend < policy.min_spend) {
    return {
      code: "below_min_spend",
      detail: `The food costs ${spend}; the minimum is ${policy.min_spend}.`,
    };
  }
  return overCapacity(policy, headcount.max);
}

/** Why so many heads are not catered for; null when they are. */
export const overCapacity = ({ capacity }: Pick<PolicyTerms, "capacity">, heads: number) =>
  capacity !== null && heads > capacity
    ? { code: "over_capacity" as const, detail: `At most ${capacity} heads can be catered for.` }
    : null;

/** What a customer agrees to, taken from a quote as it is. */
export const contentOf = (quote: Quote): QuoteVersion["content"] =>
  pickShown(QuoteVersion.shape.content, quote);
