import type { Tenant } from "../core/budgets.ts";
import type { Clock } from "../core/clock.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { toQuota } from "../core/quota.ts";
import type { Quota } from "../storage/contract.ts";
import { MAIL_PART } from "../mail/record.ts";

/** So long a smaller plan may go unnoticed; a larger one is noticed at the next refusal. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 10_000;

/** The quota of each store's partition. What is stored is counted by the storage itself: only the size is remembered here. */
export function createQuotaOf(deps: {
  readonly findOwner: (part: string) => Promise<Pick<Tenant, "storage"> | null>;
  readonly clock: Clock;
}): (part: string, refresh: boolean) => Promise<Quota | undefined> {
  const known = new Map<string, { readonly quota: Quota | undefined; readonly readAtMs: number }>();
  return async (part, refresh) => {
    if (part === PLATFORM_PART || part === MAIL_PART) return undefined;
    const readAtMs = deps.clock.now();
    const found = known.get(part);
    if (!refresh && found !== undefined && Math.abs(readAtMs - found.readAtMs) < REMEMBERED_MS)
      return found.quota;
    const owner = await deps.findOwner(part);
    const quota = owner === null ? undefined : toQuota(owner.storage);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(part, { quota, readAtMs });
    return quota;
  };
}
