import { z } from "zod";

import type { ScheduledJob } from "../core/engine.ts";
import { toInstant } from "../lib/instant.ts";
import { defineCollection } from "../core/collection.ts";
import type { JobContext } from "../core/engine.ts";
import { derivedId } from "../core/ids.ts";
import { Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import type { AccountsDeps } from "./deps.ts";
import { instantOrder } from "./collections.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { keyEndings, trialEndings } from "./plans/endings.ts";
import type { Ending } from "./plans/endings.ts";
import { forgetNotices, stageNotice } from "./plans/notices.ts";

/** Documents per commit; one with an event and a mail is eight operations at most. */
const BATCH = 20;

/** The job that notifies, by event and by mail, of what time alone brings: no code runs at the moment when a key or a trial ends. */
export const createWatchJob = (deps: AccountsDeps): ScheduledJob => ({
  id: "webhooks.watch",
  summary: "Sends events and mails about keys and trials that are about to end or have ended",
  schedule: "*/15 * * * *",
  on: "platform",
  async run(work) {
    const mails = { count: 0 };
    let keys = 0;
    let trials = 0;
    for (const ending of keyEndings) keys += await notifyEnding(deps, work, ending, mails);
    for (const ending of trialEndings(deps.config.plans)) {
      trials += await notifyEnding(deps, work, ending, mails);
    }
    for (let isMore = true; isMore && !work.signal.aborted;) {
      isMore = (await work.runTx(PLATFORM_PART, (tx) => forgetNotices(tx, work.now))) > 0;
    }
    return { keys, trials, mails: mails.count };
  },
});

/** Until when notices were sent, for each kind of ending. */
const watches = defineCollection({
  name: "webhooks.watches",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), until: Instant }),
});

/**
 * Notifies of everything that came into the reach of an ending since the last run. Each page is one commit; how far
 * it came is written with the last of them. After a crash, on a second node and where the clock was set back it repeats some
 * of it again: ids that follow from the facts keep that from arriving twice. Resolves to the number of events.
 */
async function notifyEnding<T extends { id: string }>(
  deps: AccountsDeps,
  { now, runTx, signal }: JobContext,
  ending: Ending<T>,
  mails: { count: number },
): Promise<number> {
  let notices = 0;
  let cursor: string | undefined;
  for (let isMore = true; isMore && !signal.aborted;) {
    const done = await runTx(PLATFORM_PART, async (tx) => {
      const stored = await tx.get(watches, ending.id);
      // What ended before anybody watched is no news.
      const fromMs = (stored === null ? now : Date.parse(stored.value.until)) + ending.leadMs;
      const where = cursor === undefined ? { from: instantOrder(toInstant(fromMs)) } : { cursor };
      const page = await tx.peekPage(ending.collection, { index: ending.index, limit: BATCH, ...where });
      const isDue = (value: T): boolean => (ending.endMs(value) ?? Infinity) - ending.leadMs <= now;
      const due = page.items.filter(({ value }) => isDue(value));
      const counts = { events: 0, mails: 0 };
      for (const { id } of due) {
        // Read again by its id, so that the commit notices what changed meanwhile.
        const value = (await tx.get(ending.collection, id))?.value;
        if (value === undefined || !isDue(value)) continue;
        counts.events += emitEnding(deps, tx, ending, value);
        const notice = ending.notice(value, { now, tx });
        if (notice !== null && (await stageNotice(deps, tx, now, notice))) counts.mails += 1;
      }
      const next = due.length === page.items.length ? page.next : null;
      if (next === null) {
        const watched = { id: ending.id, until: toInstant(now + 1) };
        if (stored === null) tx.create(watches, watched);
        else if (stored.value.until !== watched.until) tx.put(watches, stored, watched);
      }
      return { ...counts, next };
    });
    notices += done.events;
    mails.count += done.mails;
    isMore = done.next !== null;
    cursor = done.next ?? undefined;
  }
  return notices;
}

/** Emits the event of one ending, if it has one, with the id and the time of the fact: a repetition is identical. */
function emitEnding<T extends { id: string }>(
  { secret }: AccountsDeps,
  tx: Tx,
  ending: Ending<T>,
  value: T,
): number {
  const event = ending.event(value);
  const endMs = ending.endMs(value);
  if (event === null || endMs === null) return 0;
  const id = derivedId("evt", secret, [ending.id, value.id, String(endMs)]);
  tx.emit({ id, type: event.type, at: toInstant(endMs - ending.leadMs), data: event.data });
  return 1;
}
