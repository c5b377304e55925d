import { DEMO_SHOP } from "../../../core/shop.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { isInvoiced, newCreditNote, newInvoice } from "../rules/new-invoice.ts";
import type { Charge } from "../schema/charge.ts";
import type { Invoice } from "../schema/invoice.ts";
import type { Contract, Settings } from "../schema.ts";

interface Billed {
  readonly contract: Contract;
  readonly charges: readonly Charge[];
}

/** Invoices and credit notes of the demo charges, numbered in the order of their issue. */
export function demoInvoices(histories: readonly Billed[], settings: Settings): Invoice[] {
  const billed = histories
    .flatMap(({ charges, contract }) =>
      charges
        .filter(isInvoiced)
        .map((charge) => ({ charge, contract, now: fromInstant(charge.paid_at ?? charge.due_at) })),
    )
    .toSorted((a, b) => a.now - b.now);
  const common = { shop: DEMO_SHOP, settings };
  const issued = billed.map((input, at) => newInvoice({ ...common, ...input, number: `S-${at + 1}` }));
  const refunds = billed
    .flatMap(({ charge, contract }, at) => {
      const invoice = issued[at];
      return invoice === undefined
        ? []
        : charge.refunds.map((refund) => ({ charge, contract, invoice, refund }));
    })
    .toSorted((a, b) => fromInstant(a.refund.created_at) - fromInstant(b.refund.created_at));
  const notes = refunds.map(({ charge, contract, invoice, refund }, at) => {
    const input = {
      ...common,
      charge,
      contract,
      now: fromInstant(refund.created_at),
      number: `SC-${at + 1}`,
    };
    return newCreditNote(input, invoice, { ...refund, title: "Refund" }, 0);
  });
  return [...issued, ...notes];
}

/** A paid charge of which the test gateway gave some back. */
export function withRefund(
  charge: Charge,
  {
    at,
    ...refund
  }: { readonly id: string; readonly amount: number; readonly reason: string; readonly at: string },
): Charge {
  const settled = { failure: null, tries: 1, next_try_at: null, created_at: at, resolved_at: at };
  const refunds = [{ ...refund, ...settled, state: "succeeded" as const, gateway_ref: `test_${refund.id}` }];
  return { ...charge, status: "partially_refunded", refunds };
}
