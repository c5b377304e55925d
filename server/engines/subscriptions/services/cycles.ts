import { giveWay } from "../../../lib/slices.ts";
import { decide } from "../rules/apply-result.ts";
import { renewedCompliance } from "../rules/compliance.ts";
import { billingAt } from "../rules/cycle-dates.ts";
import { creditAfter } from "../rules/credit.ts";
import { cycleCharge, dueCycles } from "../rules/open-charge.ts";
import type { Charge } from "../schema/charge.ts";
import type { ContractWork } from "./contract-work.ts";
import { chargeOf } from "./contract-work.ts";
import { onPaid } from "./effects.ts";

/** Cycles that one commit deals with: each takes about twenty of its operations, and with many lines much of its bytes. */
const CYCLES_PER_COMMIT = 5;

/**
 * Moves the contract to the next cycle that is not due, opening a charge for what is billed now. In order, with pauses: a contract can be
 * hundreds of cycles behind, and what does not fit into the commit is due at once again.
 */
export async function openCharges(opened: ContractWork): Promise<null> {
  const { policy } = opened;
  const { next_cycle: first } = opened.contract;
  const due = dueCycles(opened.contract, opened.now, policy.max_catch_up);
  const next = Math.min(due.next, first + CYCLES_PER_COMMIT);
  for (let index = first; index < next; index += 1) {
    await giveWay(opened.part);
    if (due.bill.includes(index)) openCycle(opened, index);
    else closeCycle(opened, index, due.skipped.includes(index) ? "skipped" : "missed");
  }
  opened.contract = { ...opened.contract, next_cycle: next };
  return null;
}

/** A cycle that is not billed leaves a charge that says so. */
function closeCycle(opened: ContractWork, index: number, why: "skipped" | "missed"): void {
  applyPending(opened, index);
  const charge = cycleCharge({ ...opened.contract, carried: [], credit: 0 }, index, opened);
  const isSkipped = why === "skipped";
  opened.put({
    ...charge,
    status: isSkipped ? "skipped" : "voided",
    voided_reason: isSkipped ? null : "missed",
  });
  opened.emit(isSkipped ? "cycle.skipped" : "cycle.missed", charge, { cycle_index: index });
}

/** Opens the charge of a cycle; it says itself whether anything is left to collect. */
export function openCycle(opened: ContractWork, index: number): Charge {
  applyPending(opened, index);
  const { contract } = opened;
  const charge = cycleCharge(contract, index, opened);
  opened.contract = {
    ...contract,
    compliance: renewedCompliance({ ...contract, next_cycle: index + 1 }, index, opened.today),
    ...creditAfter(contract, charge),
    carried: [],
    current_cycle: index,
    current_period: charge.period,
    overrides: withoutOld(contract.overrides, index),
  };
  return collect(opened, charge);
}

/**
 * What was agreed for cycles that are billed is in their charges: a contract keeps no more of it than the day of the
 * last one, which bounds the next.
 */
const withoutOld = (
  overrides: ContractWork["contract"]["overrides"],
  index: number,
): ContractWork["contract"]["overrides"] =>
  Object.fromEntries(
    Object.entries(overrides).flatMap(([at, known]) => {
      if (Number(at) > index) return [[at, known]];
      return Number(at) === index && known.date !== null ? [[at, { ...known, lines: null }]] : [];
    }),
  );

/** Puts a new charge on its way: nothing to collect is paid at once, an invoice waits for its payment. */
export function collect(opened: ContractWork, charge: Charge): Charge {
  const { contract } = opened;
  opened.emit("charge.due", charge, { amount: charge.amount_due, currency: charge.currency });
  if (charge.amount_due === 0) {
    const paid = { ...charge, status: "succeeded" as const, paid_at: opened.nowAt };
    opened.put(decide(paid, "Nothing to collect.", opened.now));
    onPaid(opened, chargeOf(opened, charge.id));
    return chargeOf(opened, charge.id);
  }
  const isInvoice = contract.collection === "send_invoice";
  const open = { ...charge, status: isInvoice ? ("pending_manual" as const) : ("processing" as const) };
  opened.put(open);
  return open;
}

/** A change that was agreed for this cycle takes effect; a new interval counts from here. */
export function applyPending(opened: ContractWork, index: number): void {
  const { contract } = opened;
  const { pending_change: change } = contract;
  if (change === null || index < change.at_cycle) return;
  const billing = billingAt(contract, index);
  opened.contract = { ...contract, lines: change.lines ?? contract.lines, billing, pending_change: null };
  opened.emit("contract.updated", null, { change: "applied", cycle_index: index });
}
