import type { z } from "zod";

import { periodOf } from "../rules/cycle-dates.ts";
import { linesTotal } from "../rules/price-cycle.ts";
import { newCharge } from "../rules/open-charge.ts";
import { withIds } from "../rules/new-contract.ts";
import { prorate } from "../rules/prorate.ts";
import type { Proration } from "../rules/prorate.ts";
import { rebased } from "../rules/cycle-dates.ts";
import type { Line } from "../schema/parts.ts";
import type { ChangeRequest } from "../schema/requests.ts";
import type { Book } from "./book.ts";
import { collect } from "./cycles.ts";

type Change = z.output<typeof ChangeRequest>;

export interface Changed {
  readonly proration: Proration | null;
  readonly chargeId: string | null;
}

/** Changes what a contract is about, now or when the cycle is over. `changeId` names the charge that it may need. */
export function changeContract(book: Book, change: Change, changeId: string): Changed {
  const { contract } = book;
  const lines = change.lines === undefined ? null : withIds(change.lines, contract.lines);
  const interval = change.interval ?? null;
  if (change.effective === "cycle_end") {
    book.contract = { ...contract, pending_change: { at_cycle: contract.next_cycle, lines, interval } };
    book.emit("contract.updated", null, { change: "planned", cycle_index: contract.next_cycle });
    return { proration: null, chargeId: null };
  }
  const proration = contract.current_period === null ? null : prorateChange(book, lines, change);
  book.contract = {
    ...contract,
    lines: lines ?? contract.lines,
    pending_change: null,
    billing: interval === null ? contract.billing : rebased(contract, interval, book.today),
  };
  book.emit("contract.updated", null, { change: "now", net: proration?.net ?? 0 });
  return { proration, chargeId: proration === null ? null : settle(book, proration, change, changeId) };
}

/** What the rest of the current period is worth, at the old and at the new price. */
export function prorateChange(
  { contract, env, today }: Pick<Book, "contract" | "today"> & { readonly env: Pick<Book["env"], "now"> },
  lines: readonly Line[] | null,
  change: Pick<Change, "interval" | "proration">,
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
    at: env.now,
    date: today,
    timezone: contract.timezone,
    billingTime: contract.billing_time,
  });
}

function settle(book: Book, { net }: Proration, change: Change, changeId: string): string | null {
  const { contract, env } = book;
  if (net === 0) return null;
  if (net < 0) {
    book.contract = { ...contract, credit: contract.credit - net };
    return null;
  }
  const title = "Change in the middle of a cycle";
  if (change.settle === "next_cycle") {
    book.contract = { ...contract, carried: [...contract.carried, { id: changeId, title, amount: net }] };
    return null;
  }
  const cycle = contract.current_cycle ?? 0;
  const charge = newCharge(contract, {
    key: { contractId: contract.id, cycle, kind: "adjustment", changeId },
    period: { start: book.today, end: contract.current_period?.end ?? book.today },
    money: {
      lines: [],
      subtotal: 0,
      discount: 0,
      shipping: 0,
      tax: 0,
      tax_included: contract.tax_included,
      total: 0,
    },
    carried: net,
    credit: contract.credit,
    now: env.now,
  });
  book.contract = { ...contract, credit: contract.credit - charge.credit_applied };
  collect(book, charge);
  return charge.id;
}
