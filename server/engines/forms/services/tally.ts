import { derivedId } from "../../../core/ids.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Tx } from "../../../core/tx.ts";
import { tallies } from "../repository.ts";
import type { Counts } from "../rules/drop-off.ts";
import { addCounts, NO_COUNTS } from "../rules/drop-off.ts";
import type { FormsWork } from "./work.ts";

/** Number of counter documents per day and form: concurrent visitors rarely conflict. */
const SHARDS = 4;

/** Updates the counters of a form, in the commit of the event. Days are UTC. */
export async function tally(
  { newId, nowAt, tx }: Pick<FormsWork, "newId" | "nowAt" | "tx">,
  formId: string,
  more: Partial<Counts>,
): Promise<void> {
  const date = nowAt.slice(0, "2026-06-01".length);
  // The last character of a new id is random, and comes from the only source of randomness.
  const shard = (newId("shd").at(-1) ?? "0").charCodeAt(0) % SHARDS;
  const id = derivedId("fty", new Uint8Array(), [formId, date, String(shard)]);
  const before = await tx.get(tallies, id);
  const base = before?.value ?? { ...NO_COUNTS, reached: {}, left: {} };
  const { left, reached, spam, starts, submissions, views } = addCounts(base, { ...NO_COUNTS, ...more });
  const value = {
    id,
    form_id: formId,
    date,
    views,
    starts,
    submissions,
    spam,
    reached: { ...reached },
    left: { ...left },
  };
  tx.save(tallies, before, value);
}

/** One day of a form. */
export interface Day extends Counts {
  readonly date: string;
}

/** Counters from day to day, inclusive, one row per day, oldest first. Added with pauses: a year of a form of 100 fields takes 300 ms. */
export async function readDays(tx: Tx, formId: string, from: string, to: string): Promise<Day[]> {
  const days = new Map<string, Counts>();
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(tallies, { index: "form", value: formId, limit: 500, from, cursor });
    for (const item of page.items) {
      await giveWay(tx.part);
      const { value } = item;
      if (value.date > to) return rows(days);
      days.set(value.date, addCounts(days.get(value.date) ?? NO_COUNTS, value));
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows(days);
}

const rows = (days: ReadonlyMap<string, Counts>): Day[] =>
  [...days].map(([date, counts]) => ({ date, ...counts }));
