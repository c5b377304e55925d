import type { StoreDriver } from "../storage/contract.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { giveWay } from "../lib/slices.ts";
import { isStorePart } from "./marks.ts";
import type { Marks } from "./marks.ts";

/**
 * Work is marked as it is written, and found by its mark. What has none (restored, migrated, written by an older version, or by a
 * process that could not write the mark) is found here, at the price of a look at every store.
 */
export const createFindWork = (
  store: Pick<StoreDriver, "partitions" | "caps">,
  marks: Marks,
): ScheduledJob => ({
  id: "jobs.find-work",
  summary: "Scans all stores for due work that was not marked",
  // Where each look is charged for, once an hour.
  schedule: store.caps.pollFloorMs === undefined ? "*/10 * * * *" : "3 * * * *",
  on: "platform",
  async run({ signal, log }) {
    let found = 0;
    let failed = 0;
    for (const part of (await store.partitions()).filter(isStorePart)) {
      await giveWay("jobs.find-work");
      if (signal.aborted) break;
      try {
        const missing = await marks.missing(part);
        if (missing.length > 0) await marks.write(part, missing);
        found += missing.length;
      } catch (err) {
        // The stores after it are looked at all the same.
        log.error({ err, part }, "failed to look for work");
        failed += 1;
      }
    }
    if (failed > 0) throw new Error(`${failed} stores could not be looked at.`);
    return { found };
  },
});
