import { fail } from "../../../lib/errors.ts";
import { sum } from "../../../lib/money.ts";
import type { Tx } from "../../../core/tx.ts";
import { charges, isOwed } from "../repository.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";

/** Charges of a contract that are looked through for those of its current cycle: they are the newest. */
const CHARGES_SEEN = 200;

/**
 * Money of the current cycle that was collected or is on its way: a change in its middle gives back no more than that.
 * Throws 409 `cycle_unpaid` where it was due and did not come: days that nobody paid for are no credit.
 */
export async function heldFor(tx: Tx, contract: Contract): Promise<number> {
  const { current_cycle: cycle } = contract;
  if (cycle === null) return 0;
  const page = await tx.page(charges, { index: "by", value: contract.id, limit: CHARGES_SEEN });
  const own = page.items
    .map(({ value }) => value)
    .filter(
      ({ kind, cycle_index: index }) => index === cycle && (kind === "recurring" || kind === "adjustment"),
    );
  if (own.some(isUnpaid)) {
    throw fail(
      "conflict",
      "The current cycle is not paid. Collect or void its charge first, ask for proration none, or let the change take effect at " +
        "the cycle's end.",
      { code: "cycle_unpaid" },
    );
  }
  return sum([...own.map(heldIn), ...contract.carried.map(({ amount }) => amount)]);
}

/** It was asked for, and refused or not confirmed; a first attempt that is under way is expected to succeed. */
const isUnpaid = (charge: Charge): boolean =>
  isOwed(charge) && (charge.dunning.first_failed_at !== null || charge.status === "requires_action");

function heldIn({ status, total, refunds }: Charge): number {
  if (status === "voided" || status === "skipped" || status === "exhausted") return 0;
  const back = refunds.flatMap(({ state, amount }) => (state === "failed" ? [] : [amount]));
  return Math.max(0, total - sum(back));
}
