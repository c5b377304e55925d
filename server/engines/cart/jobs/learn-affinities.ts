import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { giveWay } from "../../../lib/slices.ts";
import { removeOld } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { affinityDocs, affinityId, carts } from "../repository.ts";
import { affinities, createBaskets } from "../rules/affinities.ts";
import type { Baskets } from "../rules/affinities.ts";

const WINDOW_MS = 180 * DAY_MS;
/** Orders that are looked at, the newest first. */
const ORDERS_MAX = 20_000;
/** Carts of 200 lines each have several megabytes. */
const PAGE = 100;
const PER_COMMIT = 50;

/** Learns what is bought together from the orders of half a year. */
export const learnAffinities: Job = {
  id: "cart.learn-affinities",
  summary: "Works out which products are bought together",
  schedule: "41 3 * * *",
  async run(work) {
    const baskets = await readOrders(work);
    const found = [...(await affinities(baskets, work.part))];
    for (let at = 0; at < found.length && !work.signal.aborted; at += PER_COMMIT) {
      await work.runTx(work.part, async (tx) => {
        for (const [ref, others] of found.slice(at, at + PER_COMMIT)) {
          const value = { id: affinityId(ref), ref, computed_at: work.nowAt, with: others };
          const stored = await tx.get(affinityDocs, value.id);
          tx.save(affinityDocs, stored, value);
        }
      });
    }
    return { orders: baskets.orders.length, products: found.length, forgotten: await forgetOld(work) };
  },
};

async function readOrders({ runTx, part, now, signal }: JobContext): Promise<Baskets> {
  const baskets = createBaskets();
  let cursor: string | undefined;
  while (!signal.aborted && baskets.orders.length < ORDERS_MAX) {
    const page = await runTx(part, (tx) =>
      tx.peekPage(carts, { index: "by", value: "status.converted", limit: PAGE, cursor }),
    );
    for (const item of page.items) {
      await giveWay(part);
      const { value } = item;
      const { order } = value;
      const isRecent = order !== null && now - fromInstant(order.placed_at) < WINDOW_MS;
      // What came through another cart is counted there: this one may have been left as it was.
      if (isRecent && order.cart_id === undefined) baskets.add(value.lines.map(({ ref }) => ref));
    }
    const last = page.items.at(-1);
    if (page.next === null || last === undefined || now - fromInstant(last.value.created_at) >= WINDOW_MS)
      break;
    cursor = page.next;
  }
  return baskets;
}

/** What this run did not find again was bought together too long ago. */
const forgetOld = (work: JobContext): Promise<number> =>
  removeOld(work, affinityDocs, { index: "age", isOver: ({ computed_at: at }) => at < work.nowAt });
