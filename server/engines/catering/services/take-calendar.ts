import { addDays } from "../../../lib/local-time.ts";
import { isTooComplex } from "../../../lib/worker-tasks.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { countBooks, headcountSources } from "../repository.ts";
import type { CountBook, DayCount, HeadcountSource } from "../schema/headcount.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import { countCalendar } from "./calendar-tasks.ts";
import { todayOf } from "./invoice-steps.ts";
import type { CateringWork } from "./work.ts";

export interface Taken {
  readonly source: Stored<HeadcountSource>;
  readonly days: readonly DayCount[];
}

/**
 * Reads a calendar into its source, where it takes the place of what was known from today on. A sentence where it cannot
 * be read, and nothing is staged then.
 */
export async function takeCalendar(
  work: CateringWork,
  before: Stored<HeadcountSource>,
  ics: string,
  feed: HeadcountSource["feed"] = before.value.feed,
): Promise<Taken | string> {
  const { nowAt, tx } = work;
  const source = before.value;
  const from = todayOf(work);
  const span = {
    from,
    to: addDays(from, CATERING_LIMITS.windowDays - 1),
    timezone: source.timezone ?? work.settings.timezone,
  };
  const found = await countCalendar(tx, { ics, span, counting: source }).catch((error: unknown) => {
    if (isTooComplex(error)) return { ok: false as const, detail: error.detail };
    throw error;
  });
  if (!found.ok) return found.detail;
  const days = found.days.map((day) => ({
    ...day,
    count: Math.min(day.count, CATERING_LIMITS.heads),
    evidence: day.evidence.map((text) => text.slice(0, 200)),
    dietary: [],
    at: nowAt,
  }));
  await saveBook(tx, { id: source.id, days });
  const warnings = [...found.warnings];
  const next = { ...source, feed, last_ok_at: nowAt, warnings, updated_at: nowAt };
  return { source: tx.put(headcountSources, before, next), days };
}

export async function saveBook(tx: Tx, book: CountBook): Promise<void> {
  const before = await tx.get(countBooks, book.id);
  tx.save(countBooks, before, book);
}
