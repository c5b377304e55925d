import { sum } from "../../../lib/money.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";
import type { Period } from "../schema/parts.ts";
import { isOwed, isWaived, refundedOf } from "./charge-state.ts";
import { fromMillionths, leastShare, shareLeft, toMinorUnits, worth } from "./prorate.ts";
import type { Share, ShareQuestion } from "./prorate.ts";

/** A cycle that is billed and not over: it runs, or it was billed ahead of its time. */
export interface Span {
  readonly cycle: number;
  readonly period: Period;
  /** What the whole period costs at the lines in force, tax included, delivery aside. */
  readonly lines: number;
  readonly delivery: number;
  /** What remained of it when its price last changed: later changes begin no earlier. */
  readonly left: Share | null;
  readonly changeId: string | null;
}

type Clock = Omit<ShareQuestion, "period">;

/** The charges whose cycles are not over on a date, in order of their cycles. */
export const coveringAt = (charges: readonly Charge[], date: string): Charge[] =>
  charges
    .filter((charge) => charge.kind === "recurring" && charge.status !== "skipped" && endOf(charge) > date)
    .sort((a, b) => a.cycle_index - b.cycle_index);

const endOf = ({ coverage, period }: Charge): string => coverage?.ends_on ?? period.end;

/** A waived charge is worth nothing, until a change of the contract is charged for the rest of its period. */
export function spanOf(charge: Charge): Span {
  const { cycle_index: cycle, period, coverage } = charge;
  const lines = linesOf(charge);
  return {
    cycle,
    period,
    lines: coverage?.lines_price ?? (isWaived(charge) ? 0 : lines),
    delivery: isWaived(charge) ? 0 : charge.total - charge.carried - lines,
    left: coverage === null ? null : { unused: coverage.unused, whole: coverage.whole },
    changeId: coverage?.change_id ?? null,
  };
}

/** What was charged for the lines, tax included. */
export const linesOf = ({ lines, tax_included: isIncluded }: Charge): number =>
  sum(lines.map(({ subtotal, discount, tax }) => subtotal - discount + (isIncluded ? 0 : tax)));

/** How much of a span is left, never more than when its price last changed. */
export const shareOf = ({ period, left }: Pick<Span, "period" | "left">, clock: Clock): Share =>
  leastShare(shareLeft({ ...clock, period }), left);

export interface Account {
  readonly contract: Pick<Contract, "credit" | "carried" | "rounding">;
  /** All charges of the contract. */
  readonly charges: readonly Charge[];
  /** When the contract ends. */
  readonly clock: Clock;
}

/**
 * What a customer gets back when a contract ends: what was paid for the cycles that are not over (`full`), or for the time of
 * them that is left (`prorated`), and the credit. What is still owed for that time and what was already refunded is set off.
 * Negative when more is owed than would be given back.
 */
export function amountToReturn(account: Account, how: "prorated" | "full"): number {
  const { contract, charges, clock } = account;
  const covering = coveringAt(charges, clock.date);
  const own = chargesFor(covering, charges, clock.date);
  const refunded = sum(own.map(refundedOf));
  const fixed = sum([
    contract.credit,
    ...contract.carried.map(({ amount }) => -amount),
    ...own.filter(isOwed).map(({ amount_due: due }) => -due),
  ]);
  if (how === "full") return sum([fixed, chargedFor(covering, own), -refunded]);
  const spans = covering.map(spanOf);
  const left = spans.reduce(
    (all, span) => all + worth(span.lines + span.delivery, shareOf(span, clock)),
    fromMillionths(contract.rounding),
  );
  const waived = own.filter(({ kind }) => kind === "adjustment").filter(isWaived);
  const unpaid = waived.reduce((all, charge) => all + unusedOf(charge, spans, clock), 0n);
  const setOff = sum(covering.map(({ coverage }) => coverage?.refunds_set_off ?? 0));
  return sum([fixed, toMinorUnits(left - unpaid), -Math.max(0, refunded - setOff)]);
}

/** The charges of covered cycles, and those of changes in them. */
export const chargesFor = (covering: readonly Charge[], charges: readonly Charge[], date: string): Charge[] =>
  charges.filter(
    (charge) => covering.includes(charge) || (charge.kind === "adjustment" && charge.period.end > date),
  );

/** What was charged for covered cycles, with all changes since. What earlier cycles carried over is not among it. */
const chargedFor = (covering: readonly Charge[], own: readonly Charge[]): number =>
  sum([
    ...covering.map((charge) => (isWaived(charge) ? 0 : charge.total - charge.carried)),
    ...covering.map(({ coverage }) => coverage?.adjusted ?? 0),
    ...own.map((charge) => (charge.kind === "adjustment" && isWaived(charge) ? -charge.total : 0)),
  ]);

/** The part of a waived difference that is in the price of the time that is left. */
function unusedOf({ change_id: id, total }: Charge, spans: readonly Span[], clock: Clock): bigint {
  const changed = spans.filter(({ changeId }) => changeId === id);
  const valueAt = (share: (span: Span) => Share): bigint =>
    changed.reduce((all, span) => all + worth(span.lines, share(span)), 0n);
  const then = valueAt(({ left }) => left ?? { unused: 0, whole: 1 });
  return then === 0n
    ? 0n
    : (worth(total, { unused: 1, whole: 1 }) * valueAt((span) => shareOf(span, clock))) / then;
}
