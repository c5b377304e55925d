import { addDays } from "../lib/local-time.ts";
import { changeDue } from "./batches.ts";
import type { Collection, Retained } from "./collection.ts";
import type { Job } from "./engine.ts";
import { watch } from "./watch.ts";

/** An invoice that names its customer for as long as tax law requires, even after the customer was erased. */
interface RetainedInvoice {
  readonly id: string;
  readonly updated_at: string;
  /** Last day; null without such a duty. */
  readonly retained_until: string | null;
  /** Its customer was erased everywhere else. */
  readonly erasure_due: boolean;
}

/**
 * Last day on which tax law requires an invoice to be retained whole: so many full years after the year of its issue; null for a
 * draft, and for 0 years. Calendar years, as in AO §147(4); with one year more they cover the six after the end of any financial
 * year that HMRC requires (VAT Notice 700/21).
 */
export function retainedUntil(issuedOn: string | null, years: number): string | null {
  if (issuedOn === null || years === 0) return null;
  return `${Number(issuedOn.slice(0, 4)) + years}-12-31`;
}

/** Why invoices are retained, as responses state it; pages have it in their language. */
export const TAX_REASON = "Tax law requires complete invoices to be retained until then.";

/** `retained` of a collection of invoices: an invoice without its customer is not a valid one. */
export const retainInvoice = <T extends RetainedInvoice>(invoice: T, today: string): Retained<T> | null => {
  const { retained_until: until } = invoice;
  if (until === null || today > until) return null;
  return { value: { ...invoice, erasure_due: true }, until, reason: TAX_REASON };
};

/** Invoices whose customer was erased, by the last day of their retention. */
export const erasingIndex = {
  values: ({ erasure_due: isDue }: RetainedInvoice) => (isDue ? [""] : []),
  order: ({ retained_until: until }: RetainedInvoice) => until ?? "",
};

/** Erases customers from invoices whose retention is over. The collection has `erasingIndex` as its index `erasing`. */
export const erasureJob = <T extends RetainedInvoice>(id: string, collection: Collection<T>): Job => ({
  id,
  summary: "Erases customers from invoices whose legal retention is over",
  schedule: "19 4 * * *",
  watches: [
    watch(collection, {
      index: "erasing",
      due: ({ retained_until: until }) => (until === null ? null : `${addDays(until, 1)}T00:00:00.000Z`),
    }),
  ],
  async run(work) {
    const { nowAt } = work;
    const today = nowAt.slice(0, "2026-06-01".length);
    const isDue = ({ retained_until: until }: T): boolean => (until ?? "") < today;
    const due = { collection, index: "erasing", isDue };
    const { done } = await changeDue(work, due, async (tx, invoiceId) => {
      const stored = await tx.get(collection, invoiceId);
      if (stored === null || !stored.value.erasure_due) return 0;
      const left = collection.personal?.erased(stored.value, "") ?? null;
      if (left !== null) tx.put(collection, stored, { ...left, updated_at: nowAt });
      return 1;
    });
    return { erased: done };
  },
});
