import type { ScheduledJob } from "../../core/engine.ts";
import { removeOld } from "../../core/batches.ts";
import type { JobContext } from "../../core/engine.ts";
import type { Stored } from "../../core/tx.ts";
import { MINUTE_MS, toInstant } from "../../lib/instant.ts";
import { watch } from "../../core/watch.ts";
import { createCompact } from "./compaction.ts";
import { isUncompacted, laterAt, privacyParts, privacyRequests } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";
import { compactAfter, stepRequest } from "./work.ts";
import type { PrivacyDeps, PrivacyWork } from "./progress.ts";

const BATCH = 20;
/** One that fails, such as an export for which the store has no room, would otherwise be tried every ten seconds. */
const RETRY_MS = 10 * MINUTE_MS;

/** Exports and erases what was asked for, removes what was not confirmed, and exports that are out of date. */
export function createPrivacyJob(privacyDeps: PrivacyDeps): ScheduledJob {
  const deps = { ...privacyDeps, compact: createCompact(privacyDeps) };
  return {
    id: "privacy.work",
    summary: "Processes privacy requests: exports and erasures",
    schedule: "*/10 * * * * *",
    watches: [
      watch(privacyRequests, {
        index: "due",
        due: (request) => (request.status === "verified" ? request.retry_at : laterAt(request)),
      }),
    ],
    on: "stores",
    async run(work) {
      const { items } = await work.runTx(work.part, (tx) =>
        tx.peekPage(privacyRequests, { index: "due", limit: BATCH }),
      );
      const counts = { done: 0, rejected: 0, forgotten: 0 };
      const uncompacted: PrivacyRequest[] = [];
      for (const { id, value } of items) {
        if (work.signal.aborted) break;
        const at = value.status === "verified" ? (value.retry_at ?? value.created_at) : laterAt(value);
        const isOver = at !== null && Date.parse(at) <= work.now;
        if (value.status === "verified") {
          if (isOver && (await tryOut(deps, work, id))) counts.done += 1;
        } else if (isUncompacted(value)) {
          if (isOver) uncompacted.push(value);
        } else if (isOver && value.status === "received") {
          await close(work, id, "rejected");
          counts.rejected += 1;
        } else if (isOver) {
          await forgetExport(work, id);
          counts.forgotten += 1;
        }
      }
      for (const request of uncompacted) await compactAfter({ ...deps, part: work.part }, request);
      return counts;
    },
  };
}

/** One that fails keeps no other waiting, and is tried again later. */
async function tryOut(
  deps: Omit<PrivacyWork, "part" | "now">,
  work: JobContext,
  id: string,
): Promise<boolean> {
  try {
    return await carryOut(deps, work, id);
  } catch (err) {
    work.log.error({ err, id, part: work.part }, "a privacy request could not be processed, retrying later");
    await work.runTx(work.part, async (tx) => {
      const stored = await tx.get(privacyRequests, id);
      if (stored?.value.status !== "verified") return;
      tx.put(privacyRequests, stored, { ...stored.value, retry_at: toInstant(work.now + RETRY_MS) });
    });
    return false;
  }
}

async function carryOut(
  deps: Omit<PrivacyWork, "part" | "now">,
  work: JobContext,
  id: string,
): Promise<boolean> {
  while (work.hasTime()) {
    if (!(await stepRequest({ ...deps, part: work.part, now: work.now }, id))) return true;
  }
  return false;
}

/** Ends a request without work, or after it: nothing of the person stays in it. */
export const closed = (
  request: PrivacyRequest,
  status: PrivacyRequest["status"],
  nowAt: string,
): PrivacyRequest => ({
  ...request,
  status,
  email: null,
  customer_ids: [],
  progress: null,
  retry_at: null,
  expires_at: null,
  parts: 0,
  updated_at: nowAt,
});

async function close(
  { runTx, part, nowAt }: JobContext,
  id: string,
  status: PrivacyRequest["status"],
): Promise<void> {
  await runTx(part, async (tx) => {
    const stored: Stored<PrivacyRequest> | null = await tx.get(privacyRequests, id);
    if (stored !== null) tx.put(privacyRequests, stored, closed(stored.value, status, nowAt));
  });
}

async function forgetExport(work: JobContext, id: string): Promise<void> {
  await removeOld(work, privacyParts, { index: "request", value: id });
  if (!work.signal.aborted) await close(work, id, "done");
}
