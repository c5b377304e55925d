import { toInstant } from "../../../lib/instant.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { derivedId } from "../../../core/ids.ts";
import { watch } from "../../../core/watch.ts";
import { codeBatches, codeId, codes } from "../repository.ts";

/** A code is two operations, and a commit holds two hundred, the batch itself included. */
const PER_COMMIT = 95;

/** Makes the codes that were ordered. Each follows from its batch and its number, so that a repeated run makes no more. */
export const makeCodes: Job = {
  id: "cart.make-codes",
  summary: "Generates offer codes ordered in bulk",
  schedule: "*/5 * * * * *",
  watches: [watch(codeBatches, { index: "running" })],
  async run(work) {
    const { items } = await work.runTx(work.part, (tx) =>
      tx.peekPage(codeBatches, { index: "running", limit: 10 }),
    );
    let made = 0;
    for (const { id } of items) {
      for (;;) {
        if (!work.hasTime()) return { made };
        const count = await makeSome(work, id);
        if (count === 0) break;
        made += count;
      }
    }
    return { made };
  },
};

function makeSome({ runTx, part, now, ports }: JobContext, batchId: string): Promise<number> {
  const secret = Buffer.from(ports.sign("cart.codes", part));
  return runTx(part, async (tx) => {
    const batch = await tx.get(codeBatches, batchId);
    if (batch === null || batch.value.state === "done") return 0;
    const { made, count, prefix, offer_id } = batch.value;
    const at = toInstant(now);
    const until = Math.min(count, made + PER_COMMIT);
    for (let number = made; number < until; number += 1) {
      const code = `${prefix}${derivedId("c", secret, [batchId, String(number)]).slice(2, 14)}`;
      const times = { created_at: at, updated_at: at };
      tx.create(codes, { id: codeId(code), ...times, offer_id, code, batch_id: batchId, used_by: null });
    }
    const state = until === count ? "done" : "running";
    tx.put(codeBatches, batch, { ...batch.value, made: until, state, updated_at: at });
    return until - made;
  });
}
