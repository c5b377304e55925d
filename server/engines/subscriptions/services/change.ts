import type { z } from "zod";

import { charges } from "../repository.ts";
import { shareOf, spanOf } from "../rules/coverage.ts";
import type { Span } from "../rules/coverage.ts";
import { linesTotal } from "../rules/price-cycle.ts";
import type { ChargeMoney } from "../rules/price-cycle.ts";
import { chargeIdOf, newCharge } from "../rules/open-charge.ts";
import type { NewCharge } from "../rules/open-charge.ts";
import { withIds } from "../rules/new-contract.ts";
import { prorate } from "../rules/prorate.ts";
import type { ProratedPart, ProrationResult } from "../rules/prorate.ts";
import { countedFrom, keptOverrides, planned, rebased, stillPlanned } from "../rules/cycle-dates.ts";
import { ADJUSTMENT_TITLE, adjustmentMoney } from "../rules/adjust.ts";
import { creditAfter, creditOf } from "../rules/credit.ts";
import type { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { Line } from "../schema/parts.ts";
import type { ChangeRequest, Proration } from "../schema/requests.ts";
import type { ContractWork, OpenedContract } from "./contract-work.ts";
import { chargeOf, nextBillingDate } from "./contract-work.ts";
import type { Covered } from "./covered.ts";
import { collect } from "./cycles.ts";

type Change = z.output<typeof ChangeRequest>;

export interface Changed {
  readonly proration: Proration | null;
  readonly chargeId: string | null;
}

export interface ChangeTerms {
  /** Names the charge that the change may need. */
  readonly changeId: string;
  /** The charges of the cycles that are not over, and what was collected for them. */
  readonly covered: Covered;
}

/** Changes what a contract is about, now or when the cycle is over. */
export async function changeContract(
  opened: OpenedContract,
  change: Change,
  { changeId, covered }: ChangeTerms,
): Promise<Changed> {
  const { contract } = opened;
  const lines = change.lines === undefined ? null : withIds(change.lines, contract.lines);
  const interval = change.interval ?? null;
  if (change.effective === "cycle_end") {
    const after = { ...contract, pending_change: planned(contract, lines, interval) };
    opened.contract = { ...after, overrides: keptOverrides(contract, after) };
    opened.emit("contract.updated", null, { change: "planned", cycle_index: contract.next_cycle });
    return { proration: null, chargeId: null };
  }
  const spans = covered.covering.map(spanOf);
  const result =
    contract.current_period === null ? null : prorateChange(opened, { lines, spans }, change, covered.held);
  const after = {
    ...contract,
    lines: lines ?? contract.lines,
    pending_change: stillPlanned(contract, lines, interval),
    billing:
      interval === null ? contract.billing : rebased(contract, interval, countedFrom(contract, opened.today)),
    rounding: result?.rounding ?? contract.rounding,
  };
  opened.contract = { ...after, overrides: keptOverrides(contract, after) };
  const proration = result?.proration ?? null;
  opened.emit("contract.updated", null, { change: "now", net: proration?.net ?? 0 });
  if (result === null || proration === null) return { proration, chargeId: null };
  await cover(opened, change, { changeId, spans, result });
  const cycle = spans[0]?.cycle ?? contract.current_cycle ?? 0;
  const money = adjustmentMoney(contract, { from: contract.lines, to: after.lines, cycle }, proration);
  return { proration, chargeId: settle(opened, money, change, { changeId, spans }) };
}

/** Stores in the charges of the cycles that are not over what their time costs from now on. */
async function cover(
  opened: OpenedContract,
  change: Change,
  { changeId, spans, result }: { changeId: string; spans: readonly Span[]; result: ChangeResult },
): Promise<void> {
  if (change.proration === "none" && change.interval === undefined) return;
  for (const [index, span] of spans.entries()) {
    const charge = await chargeOfCycle(opened, span.cycle);
    const { coverage } = charge;
    const { share, newAmount } = result.parts[index] ?? { share: { unused: 0, whole: 1 }, newAmount: 0 };
    opened.put({
      ...charge,
      coverage: {
        change_id: changeId,
        lines_price: newAmount,
        adjusted: (coverage?.adjusted ?? 0) + (result.nets[index] ?? 0),
        refunds_set_off: (coverage?.refunds_set_off ?? 0) + (index === 0 ? result.refused : 0),
        ...share,
        ends_on: change.interval === undefined ? charge.period.end : opened.today,
      },
    });
  }
}

async function chargeOfCycle(opened: OpenedContract, cycle: number): Promise<Charge> {
  const id = chargeIdOf({ contractId: opened.contract.id, cycle, kind: "recurring" });
  if (!opened.charges.has(id)) opened.adopt(await opened.tx.require(charges, id));
  return chargeOf(opened, id);
}

export interface ChangeResult extends ProrationResult {
  readonly parts: readonly ProratedPart[];
}

/** What the rest of the cycles that are not over is worth, at the old and at the new price; `held` is the highest credit. */
export function prorateChange(
  { contract, now, today }: Pick<ContractWork, "contract" | "today" | "now">,
  { lines, spans }: { readonly lines: readonly Line[] | null; readonly spans: readonly Span[] },
  { interval, proration: mode }: Pick<Change, "interval" | "proration">,
  held: number,
): ChangeResult {
  const clock = {
    mode,
    at: now,
    date: today,
    timezone: contract.timezone,
    billingTime: contract.billing_time,
  };
  const parts = spans.map((span) => ({
    // With a new interval a cycle of its own begins today: goods and delivery of the old one are given back.
    oldAmount: interval === undefined ? span.lines : span.lines + span.delivery,
    newAmount: interval === undefined ? linesTotal(contract, lines ?? contract.lines, span.cycle) : 0,
    share: shareOf(span, clock),
  }));
  return { ...prorate(parts, { mode, held, rounding: contract.rounding }), parts };
}

function settle(
  opened: ContractWork,
  money: ChargeMoney,
  change: Change,
  { changeId, spans }: { readonly changeId: string; readonly spans: readonly Span[] },
): string | null {
  const { contract } = opened;
  const { lines, total: net, tax } = money;
  if (lines.length === 0) return null;
  const taxes = lines.map(({ subtotal, tax: own, tax_rate_bps }) => ({
    tax_rate_bps,
    net: money.tax_included ? subtotal - own : subtotal,
    tax: own,
  }));
  if (net < 0) {
    opened.contract = {
      ...contract,
      ...creditOf(contract.credit - net, contract.credit_taxes, { less: taxes }),
    };
    return null;
  }
  // Of a difference of nothing between two rates only the tax is to be settled: an invoice of its own would be a surprise.
  const isLater =
    change.settle === "next_cycle" || (net === 0 && contract.carried.length < SUBSCRIPTION_LIMITS.carried);
  if (isLater && nextBillingDate(contract) !== null) {
    const carried = { id: changeId, title: ADJUSTMENT_TITLE, amount: net, tax, taxes };
    opened.contract = { ...contract, carried: [...contract.carried, carried] };
    return null;
  }
  const cycle = spans[0]?.cycle ?? contract.current_cycle ?? 0;
  return openAdjustment(opened, {
    key: { contractId: contract.id, cycle, kind: "adjustment", changeId },
    period: { start: opened.today, end: spans.at(-1)?.period.end ?? opened.today },
    money,
    carried: [],
  });
}

function openAdjustment(
  opened: ContractWork,
  difference: Pick<NewCharge, "carried" | "key" | "money" | "period">,
): string {
  const { contract, now } = opened;
  const charge = newCharge(contract, { ...difference, credit: contract.credit, now });
  opened.contract = { ...contract, ...creditAfter(contract, charge) };
  collect(opened, charge);
  return charge.id;
}

/** Collects what changes carried to the next cycle, where none follows any more. */
export function collectCarried(opened: ContractWork): null {
  const { contract, today } = opened;
  const { carried, current_cycle: cycle, current_period: period } = contract;
  const end = period === null || period.end < today ? today : period.end;
  opened.contract = { ...contract, carried: [] };
  openAdjustment(opened, {
    key: { contractId: contract.id, cycle: cycle ?? 0, kind: "adjustment", changeId: carried[0]?.id ?? null },
    period: { start: today, end },
    money: adjustmentMoney(contract, { from: [], to: [], cycle: cycle ?? 0 }, NOTHING),
    carried,
  });
  return null;
}

const NOTHING = { credit: 0, debit: 0, net: 0 };
