import { conflict, Problem } from "../lib/errors.ts";
import type { Quota, Usage } from "../storage/contract.ts";

/** What each store of a customer may hold, of live data and again of test data; null is unlimited. */
export interface StorageLimits {
  readonly documents: number | null;
  readonly bytes: number | null;
}

/** What the platform stores for its own work on a store has as much room as the store's data, and takes none of it. */
export const toQuota = ({ documents, bytes }: StorageLimits): Quota => ({
  documents: documents ?? Infinity,
  bytes: bytes ?? Infinity,
  systemBytes: bytes ?? Infinity,
});

type QuotaOf = (part: string, refresh: boolean) => Promise<Quota | undefined>;

/**
 * The quotas for jobs, which finish what requests began: they have as much room again. A customer decides how much they write, as by its
 * contracts and by the clock of its test data.
 */
export const forJobs =
  (quotaOf: QuotaOf): QuotaOf =>
  async (...asked) => {
    const quota = await quotaOf(...asked);
    if (quota === undefined) return undefined;
    const { documents, bytes, systemBytes } = quota;
    return { documents: 2 * documents, bytes: 2 * bytes, systemBytes: 2 * systemBytes };
  };

/** Percent of a quota that visitors of a shop can fill by what they hand in: the rest stays free for the shop, which can delete some of it. */
const VISITORS_PERCENT = 90;

export const toVisitors = ({ documents, bytes, systemBytes }: Quota): Quota => {
  const share = (size: number): number => Math.floor((size * VISITORS_PERCENT) / 100);
  return { documents: share(documents), bytes: share(bytes), systemBytes: share(systemBytes) };
};

/** Whether a commit was refused for what the store contains. */
export const isFull = (error: unknown): boolean =>
  error instanceof Problem && error.options.code === EXCEEDED;
const EXCEEDED = "quota_exceeded";

/** The refusal of a commit that would exceed a quota: names what is stored, the size and what to do. */
export function quotaExceeded(usage: Usage, quota: Quota): Problem {
  const sums = [
    `${usage.documents} of ${quota.documents} documents`,
    `${usage.bytes} of ${quota.bytes} bytes with files and index entries`,
    `${usage.systemBytes} of ${quota.systemBytes} bytes of stored responses, outgoing messages and logs`,
  ];
  const finite = sums.filter((sum) => !sum.includes("Infinity"));
  return conflict(
    EXCEEDED,
    `This request would exceed the storage quota of the store, which contains ${finite.join(", ")}. ` +
      "Delete data that is no longer needed, or choose a larger plan.",
  );
}
