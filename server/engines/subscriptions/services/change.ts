import type { z } from "zod";

import { periodOf } from "../rules/cycle-dates.ts";
import { linesTotal } from "../rules/price-cycle.ts";
import type { ChargeMoney } from "../rules/price-cycle.ts";
import { newCharge } from "../rules/open-charge.ts";
import { withIds } from "../rules/new-contract.ts";
import { prorate } from "../rules/prorate.ts";
import type { Proration } from "../rules/prorate.ts";
import { keptOverrides, rebased } from "../rules/cycle-dates.ts";
import { ADJUSTMENT_TITLE, adjustmentMoney } from "../rules/adjust.ts";
import type { Line } from "../schema/parts.ts";
import type { ChangeRequest } from "../schema/requests.ts";
import type { Book } from "./book.ts";
import { collect } from "./cycles.ts";

type Change = z.output<typeof ChangeRequest>;

export interface Changed {
  readonly proration: Proration | null;
  readonly chargeId: string | null;
}

export interface ChangeTerms {
  /** Names the charge that the change may need. */
  readonly changeId: string;
  /** Money of the current cycle that may be given back. */
  readonly held: number;
}

/** Changes what a contract is about, now or when the cycle is over. */
export function changeContract(book: Book, change: Change, { changeId, held }: ChangeTerms): Changed {
  const { contract } = book;
  const lines = change.lines === undefined ? null : withIds(change.lines, contract.lines);
  const interval = change.interval ?? null;
  if (change.effective === "cycle_end") {
    const planned = { ...contract, pending_change: { at_cycle: contract.next_cycle, lines, interval } };
    book.contract = { ...planned, overrides: keptOverrides(contract, planned) };
    book.emit("contract.updated", null, { change: "planned", cycle_index: contract.next_cycle });
    return { proration: null, chargeId: null };
  }
  const proration = contract.current_period === null ? null : prorateChange(book, lines, change, held);
  const after = {
    ...contract,
    lines: lines ?? contract.lines,
    pending_change: null,
    billing: interval === null ? contract.billing : rebased(contract, interval, book.today),
  };
  book.contract = { ...after, overrides: keptOverrides(contract, after) };
  book.emit("contract.updated", null, { change: "now", net: proration?.net ?? 0 });
  if (proration === null) return { proration, chargeId: null };
  const exchange = { from: contract.lines, to: after.lines, cycle: contract.current_cycle ?? 0 };
  const money = adjustmentMoney(contract, exchange, proration);
  return { proration, chargeId: settle(book, money, change, changeId) };
}

/** What the rest of the current period is worth, at the old and at the new price; `held` bounds what is given back. */
export function prorateChange(
  { contract, env, today }: Pick<Book, "contract" | "today"> & { readonly env: Pick<Book["env"], "now"> },
  lines: readonly Line[] | null,
  change: Pick<Change, "interval" | "proration">,
  held: number,
): Proration {
  const index = contract.current_cycle ?? 0;
  const period = contract.current_period ?? periodOf(contract.billing, contract.next_cycle);
  const oldAmount = linesTotal(contract, contract.lines, index);
  // With a new interval the new price is charged for a cycle of its own, which begins today.
  const newAmount = change.interval === undefined ? linesTotal(contract, lines ?? contract.lines, index) : 0;
  return prorate({
    mode: change.proration,
    oldAmount,
    newAmount,
    period,
    held,
    at: env.now,
    date: today,
    timezone: contract.timezone,
    billingTime: contract.billing_time,
  });
}

function settle(book: Book, money: ChargeMoney, change: Change, changeId: string): string | null {
  const { contract, env } = book;
  const { total: net, tax } = money;
  if (net === 0) return null;
  if (net < 0) {
    book.contract = { ...contract, credit: contract.credit - net };
    return null;
  }
  if (change.settle === "next_cycle") {
    const carried = { id: changeId, title: ADJUSTMENT_TITLE, amount: net, tax };
    book.contract = { ...contract, carried: [...contract.carried, carried] };
    return null;
  }
  const cycle = contract.current_cycle ?? 0;
  const charge = newCharge(contract, {
    key: { contractId: contract.id, cycle, kind: "adjustment", changeId },
    period: { start: book.today, end: contract.current_period?.end ?? book.today },
    money,
    carried: [],
    credit: contract.credit,
    now: env.now,
  });
  book.contract = { ...contract, credit: contract.credit - charge.credit_applied };
  collect(book, charge);
  return charge.id;
}
