import { derivedId } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { tallies } from "../repository.ts";
import type { Counts } from "../rules/drop-off.ts";
import { addCounts, NO_COUNTS } from "../rules/drop-off.ts";
import type { World } from "./world.ts";

/** Documents that one day of a form is counted in: visitors at the same moment seldom meet in one. */
const SHARDS = 4;

/** Adds to what is counted about a form, in the commit of what happened. Days are UTC. */
export async function tally(
  { newId, nowAt, tx }: Pick<World, "newId" | "nowAt" | "tx">,
  formId: string,
  more: Partial<Counts>,
): Promise<void> {
  const date = nowAt.slice(0, "2026-06-01".length);
  // The last character of a new id is as good as random, and comes from the one source of randomness there is.
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
  if (before === null) tx.create(tallies, value);
  else tx.put(tallies, before, value);
}

/** One day of a form. */
export interface Day extends Counts {
  readonly date: string;
}

/** What was counted from a day to a day, both included, a row a day, oldest first. */
export async function readDays(tx: Tx, formId: string, from: string, to: string): Promise<Day[]> {
  const days = new Map<string, Counts>();
  let cursor: string | undefined;
  do {
    const page = await tx.page(tallies, { index: "form", value: formId, limit: 500, from, cursor });
    for (const { value } of page.items) {
      if (value.date > to) return rows(days);
      days.set(value.date, addCounts(days.get(value.date) ?? NO_COUNTS, value));
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows(days);
}

const rows = (days: ReadonlyMap<string, Counts>): Day[] =>
  [...days].map(([date, counts]) => ({ date, ...counts }));
