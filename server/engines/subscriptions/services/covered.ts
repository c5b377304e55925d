import { conflict } from "../../../lib/errors.ts";
import { sum } from "../../../lib/money.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { mapPage } from "../../../core/map-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { charges } from "../repository.ts";
import { isOwed, isWaived, refundedOf } from "../rules/charge-state.ts";
import { chargesFor, coveringAt } from "../rules/coverage.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";

/** Charges of a contract that are read, newest first: those of cycles that are not over are among them. */
const CHARGES_READ = 200;

/** The newest charges of a contract. They are not checked at the commit: a change of one writes the contract too. */
export async function readCharges(tx: Tx, contract: Pick<Contract, "id">): Promise<Charge[]> {
  const { items } = await tx.peekPage(charges, { index: "by", value: contract.id, limit: CHARGES_READ });
  return mapInSlices(items, tx.part, ({ value }) => value);
}

/** Cycles of a contract that were billed, as far as `min_cycles`: not those that were skipped, missed or passed in a pause. */
export async function countBilled(
  tx: Tx,
  { id, min_cycles: least }: Pick<Contract, "id" | "min_cycles">,
): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const place = { index: "by", value: id, limit: CHARGES_READ, cursor };
    const page = await mapPage(tx, charges, place, ({ value }) => isBilled(value));
    count += page.items.filter(Boolean).length;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && count < least);
  return count;
}

const isBilled = ({ kind, status, voided_reason: reason }: Charge): boolean =>
  kind === "recurring" && status !== "skipped" && reason !== "missed";

/** What a change of a contract begins with: the charges of the cycles that are not over, and what was collected for them. */
export interface Covered {
  readonly covering: readonly Charge[];
  /** Money that was collected or is on its way: no credit exceeds it. */
  readonly held: number;
}

/** With proration, throws 409 `cycle_unpaid` where a charge was due and was not paid: unpaid days give no credit. */
export async function coveredAt(
  tx: Tx,
  contract: Contract,
  { date, isProrated }: { readonly date: string; readonly isProrated: boolean },
): Promise<Covered> {
  const all = await readCharges(tx, contract);
  const covering = coveringAt(all, date);
  const own = chargesFor(covering, all, date);
  if (isProrated && own.some(isUnpaid)) {
    throw conflict(
      "cycle_unpaid",
      "The current cycle is not paid. Collect or void its charge first, or send `proration: none` or `effective: cycle_end`.",
    );
  }
  return { covering, held: sum([...own.map(heldIn), ...contract.carried.map(({ amount }) => amount)]) };
}

/** It was refused or not confirmed; a first attempt that is under way is expected to succeed. */
const isUnpaid = (charge: Charge): boolean =>
  isOwed(charge) && (charge.dunning.first_failed_at !== null || charge.status === "requires_action");

const heldIn = (charge: Charge): number =>
  isWaived(charge) || charge.status === "skipped" || charge.status === "exhausted"
    ? 0
    : Math.max(0, charge.total - refundedOf(charge));
