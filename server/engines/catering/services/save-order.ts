import type { Stored } from "../../../core/tx.ts";
import { accounts, orders } from "../repository.ts";
import type { Claim, CreditFault } from "../rules/credit.ts";
import { creditFault, poFault, rebook } from "../rules/credit.ts";
import { claimOf, settledOrder } from "../rules/new-order.ts";
import type { Account } from "../schema/account.ts";
import type { Order } from "../schema/order.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import { refused } from "./work.ts";
import type { CateringWork } from "./work.ts";

export interface SaveOptions {
  /** Also beyond the credit limit: for those who may. */
  readonly force?: boolean;
  /** Whether limit and purchase order are looked at; not for steps that only take away. */
  readonly check?: boolean;
}

/**
 * Writes an order with all that follows from it, and its claim on the account's credit, purchase order and budget in
 * the same commit: a concurrent change of the account makes this run again (C4, C5). Throws 409 with the rule's code.
 */
export async function saveOrder(
  work: CateringWork,
  before: Stored<Order> | null,
  draft: Order,
  { force = false, check = true }: SaveOptions = {},
): Promise<Stored<Order>> {
  const order: Order = { ...settledOrder(draft, work), updated_at: work.nowAt };
  if (order.account_id !== null) {
    const account = await work.tx.require(accounts, order.account_id);
    const old = before === null ? null : claimOf(before.value);
    const next = claimOf(order);
    const fault = next === null || !check ? null : claimFault(account.value, old, next, force);
    if (fault !== null) throw refused(fault);
    book(work, account, old, next);
  }
  return work.tx.save(orders, before, order);
}

/** Why an account does not bear a claim; `force` looks past the credit limit only. */
export function claimFault(
  account: Account,
  before: Claim | null,
  after: Claim,
  force: boolean,
): CreditFault | null {
  const fault = poFault(account, before, after) ?? creditFault(account, before, after);
  return force && fault?.code === "over_credit_limit" ? null : fault;
}

/** Puts a claim into an account's books in the place of another. */
export function book(
  { nowAt, tx }: CateringWork,
  account: Stored<Account>,
  before: Claim | null,
  after: Claim | null,
): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const next = rebook(account.value, before, after);
  // What was invoiced or paid is open again when that is taken back, and is no new claim.
  if (next.open_items.length > CATERING_LIMITS.openItems)
    throw refused({ code: "too_many_open", detail: "The account has too many open orders and invoices." });
  tx.put(accounts, account, { ...next, updated_at: nowAt });
}
