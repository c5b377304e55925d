import type { Job } from "../../../core/engine.ts";
import { addDays } from "../../../lib/local-time.ts";
import { watch } from "../../../core/watch.ts";
import { invoices } from "../repository.ts";
import { personalInvoice } from "../schema/personal.ts";
import type { Invoice } from "../schema/invoice.ts";
import { eachDue } from "../../../core/batches.ts";

/** Erases customers from their invoices when the law no longer requires them; all else about them was erased before. */
export const eraseInvoices: Job = {
  id: "catering.erasures",
  summary: "Takes erased customers out of invoices that the law wanted kept until now",
  schedule: "19 4 * * *",
  watches: [
    watch(invoices, {
      index: "erasing",
      due: ({ retained_until: until }) => (until === null ? null : `${addDays(until, 1)}T00:00:00.000Z`),
    }),
  ],
  async run(work) {
    const { nowAt, part, runTx } = work;
    const today = nowAt.slice(0, "2026-06-01".length);
    const isDue = ({ retained_until: until }: Invoice): boolean => (until ?? "") < today;
    const { done } = await eachDue(work, { collection: invoices, index: "erasing", isDue }, (id) =>
      runTx(part, async (tx) => {
        const stored = await tx.get(invoices, id);
        if (stored === null || !stored.value.erasure_due) return 0;
        const left = personalInvoice.erased(stored.value, stored.value.bill_to.email);
        if (left !== null) tx.put(invoices, stored, { ...left, updated_at: nowAt });
        return 1;
      }),
    );
    return { erased: done };
  },
};
