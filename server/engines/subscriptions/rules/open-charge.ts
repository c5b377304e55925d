import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import { sum } from "../../../lib/money.ts";
import { taxesByRate } from "../../../lib/vat.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";
import type { Period } from "../schema/parts.ts";
import { openingAt } from "./agenda.ts";
import { creditOf } from "./credit.ts";
import { billingDate, billingInstant } from "./cycle-dates.ts";
import { priceCycle } from "./price-cycle.ts";
import type { ChargeMoney } from "./price-cycle.ts";
import { newResource } from "../../../lib/new-resource.ts";

export interface ChargeKey {
  readonly contractId: string;
  readonly cycle: number;
  readonly kind: Charge["kind"];
  readonly changeId?: string | null;
}

/**
 * The id of a charge follows from what it is for: every attempt to open the charge of a cycle finds the same
 * document. All that keeps a customer from paying twice rests on this. Contracts have ids of their own in the whole world, so
 * the store needs no mention, and a restored or moved store asks its gateway under the same keys.
 */
export const chargeIdOf = ({ contractId, cycle, kind, changeId = null }: ChargeKey): string =>
  derivedId("chg", new Uint8Array(), [
    contractId,
    String(cycle),
    kind,
    ...(changeId === null ? [] : [changeId]),
  ]);

export const attemptId = (chargeId: string, n: number): string => `${chargeId}-${n}`;

/** The number of an attempt, from its id. */
export const attemptNumber = (key: string): number => Number(key.slice(key.lastIndexOf("-") + 1));

/** The charge of an attempt, from its id. */
export const chargeIdOfAttempt = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf("-")));

/** Cycles from the next one on whose time has come: to be billed (the newest), missed (older ones) or skipped. */
export interface DueCycles {
  readonly bill: readonly number[];
  readonly missed: readonly number[];
  readonly skipped: readonly number[];
  /** The first that is not due. */
  readonly next: number;
}

/** Cycles that one look may find overdue: more than three years of weeks. */
const OVERDUE_MAX = 200;

/**
 * What is due at an instant. After an outage only the newest cycles are billed, `maxCatchUp` of them: no customer wants to
 * pay for, or be sent, three deliveries in one morning.
 */
export function dueCycles(contract: Contract, now: number, maxCatchUp: number): DueCycles {
  const { next_cycle: first, max_cycles: most } = contract;
  const due: number[] = [];
  const skipped: number[] = [];
  const end = Math.min(first + OVERDUE_MAX, most ?? Infinity);
  let index = first;
  for (; index < end; index += 1) {
    const at = index === first ? openingAt(contract) : billingInstant(contract, billingDate(contract, index));
    if (at > now) break;
    if (contract.overrides[String(index)]?.skip === true) skipped.push(index);
    else due.push(index);
  }
  const bill = due.slice(-maxCatchUp);
  return { bill, missed: due.slice(0, due.length - bill.length), skipped, next: index };
}

/** The charge of a cycle, as a preview shows it and the worker opens it. `credit` is what the contract has left over. */
export function cycleCharge(contract: Contract, index: number, by: { readonly now: number }): Charge {
  const { period, money } = priceCycle(contract, index);
  const key: ChargeKey = { contractId: contract.id, cycle: index, kind: "recurring" };
  const { carried } = contract;
  return newCharge(contract, { key, period, money, carried, credit: contract.credit, now: by.now });
}

export interface NewCharge {
  readonly key: ChargeKey;
  readonly period: Period;
  readonly money: ChargeMoney;
  readonly carried: Contract["carried"];
  readonly credit: number;
  readonly now: number;
}

export function newCharge(
  contract: Contract,
  { key, period, money, carried, credit, now }: NewCharge,
): Charge {
  const carriedTotal = sum(carried.map(({ amount }) => amount));
  const total = sum([money.total, carriedTotal]);
  const creditApplied = Math.min(credit, total);
  const nowAt = toInstant(now);
  const due = key.kind === "recurring" ? Math.min(now, openingAtOf(contract, key.cycle)) : now;
  return {
    ...newResource(chargeIdOf(key), nowAt),
    contract_id: contract.id,
    cycle_index: key.cycle,
    kind: key.kind,
    change_id: key.changeId ?? null,
    period,
    currency: contract.currency,
    ...money,
    carried: carriedTotal,
    carried_tax: sum(carried.map(({ tax }) => tax)),
    carried_taxes: taxesByRate(carried.flatMap(({ taxes }) => taxes ?? [])),
    total,
    credit_applied: creditApplied,
    credit_taxes: creditOf(creditApplied, contract.credit_taxes).credit_taxes,
    amount_due: total - creditApplied,
    status: "scheduled",
    due_at: toInstant(due),
    dunning: {
      stage: 0,
      first_failed_at: null,
      next_retry_at: null,
      give_up_at: null,
      category: null,
      system_retries: 0,
    },
    decisions: [],
    attempts: [],
    refunds: [],
    review: null,
    dispute: null,
    order_ref: null,
    coverage: null,
    paid_at: null,
    payment_reference: null,
    voided_reason: null,
  };
}

function openingAtOf(contract: Contract, cycle: number): number {
  if (cycle === contract.next_cycle) return openingAt(contract);
  return Math.max(fromInstant(contract.created_at), billingInstant(contract, billingDate(contract, cycle)));
}
