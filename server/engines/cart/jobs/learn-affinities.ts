import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { removeOld } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { affinityDocs, affinityId, carts } from "../repository.ts";
import { affinities } from "../rules/affinities.ts";

const WINDOW_MS = 180 * DAY_MS;
/** Orders that are looked at, the newest first. */
const ORDERS_MAX = 20_000;
const PER_COMMIT = 50;

/** Learns what is bought together from the orders of half a year. */
export const learnAffinities: Job = {
  id: "cart.learn-affinities",
  summary: "Works out which products are bought together",
  schedule: "41 3 * * *",
  async run(work) {
    const orders = await readOrders(work);
    const found = [...affinities(orders)];
    for (let at = 0; at < found.length && !work.signal.aborted; at += PER_COMMIT) {
      await work.runTx(work.part, async (tx) => {
        for (const [ref, others] of found.slice(at, at + PER_COMMIT)) {
          const value = { id: affinityId(ref), ref, computed_at: work.nowAt, with: others };
          const stored = await tx.get(affinityDocs, value.id);
          tx.save(affinityDocs, stored, value);
        }
      });
    }
    return { orders: orders.length, products: found.length, forgotten: await forgetOld(work) };
  },
};

async function readOrders({ runTx, part, now, signal }: JobContext): Promise<string[][]> {
  const orders: string[][] = [];
  let cursor: string | undefined;
  while (!signal.aborted && orders.length < ORDERS_MAX) {
    const page = await runTx(part, (tx) =>
      tx.peekPage(carts, { index: "by", value: "status.converted", limit: 500, cursor }),
    );
    for (const { value } of page.items) {
      const isRecent = value.order !== null && now - fromInstant(value.order.placed_at) < WINDOW_MS;
      if (isRecent) orders.push(value.lines.map(({ ref }) => ref));
    }
    const last = page.items.at(-1);
    if (page.next === null || last === undefined || now - fromInstant(last.value.created_at) >= WINDOW_MS)
      break;
    cursor = page.next;
  }
  return orders;
}

/** What this run did not find again was bought together too long ago. */
const forgetOld = (work: JobContext): Promise<number> =>
  removeOld(work, affinityDocs, { index: "age", isOver: ({ computed_at: at }) => at < work.nowAt });
