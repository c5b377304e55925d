import { tooManyRequests } from "../../../lib/errors.ts";
import { DAY_MS } from "../../../lib/instant.ts";
import { pageUses } from "../repository.ts";
import type { ContractWork } from "./contract-work.ts";

/**
 * What can be done in a day (UTC) on the page of a contract, whose link is in its mails. Each change leaves an event and a cancellation
 * sends a mail, and requests to the gateway come from a budget on which the job that bills depends.
 */
const PER_DAY = { changes: 20, requests: 50 } as const;

/** Counts a change, or a request to the gateway, in the commit of what it is about. Throws 429 where there were too many. */
export async function countUse(
  { contract: { id }, now, nowAt, tx }: Pick<ContractWork, "contract" | "now" | "nowAt" | "tx">,
  use: keyof typeof PER_DAY,
): Promise<void> {
  const day = nowAt.slice(0, 10);
  const stored = await tx.get(pageUses, id);
  const before = stored?.value.day === day ? stored.value : { id, day, changes: 0, requests: 0 };
  if (before[use] >= PER_DAY[use]) {
    const endMs = Date.parse(`${day}T00:00:00.000Z`) + DAY_MS;
    throw tooManyRequests(
      `This page was used too often today: at most ${PER_DAY[use]} ${use} per day.`,
      endMs - now,
    );
  }
  tx.save(pageUses, stored, { ...before, [use]: before[use] + 1 });
}
