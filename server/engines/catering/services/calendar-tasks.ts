import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { countDays, countEvent, matches } from "../rules/count-attendees.ts";
import type { ReadOptions } from "../rules/read-calendar.ts";
import type { Counting } from "../schema/headcount.ts";

interface Calendar {
  readonly ics: string;
  readonly span: Omit<ReadOptions, "wants">;
  readonly counting: Counting;
}

/** The library for calendars is loaded by the first one. */
async function readCounted({ ics, span, counting }: Calendar) {
  const { readCalendar } = await import("../rules/read-calendar.ts");
  return readCalendar(ics, { ...span, wants: (event) => matches(event, counting) });
}

/** The heads of each day in a calendar. */
export const countCalendar = defineWorkerTask({
  id: "catering.calendar",
  size: ({ ics }: Calendar) => ics.length,
  run: async (calendar) => {
    const read = await readCounted(calendar);
    return read.ok
      ? { ok: true as const, days: countDays(read.events, calendar.counting), warnings: read.warnings }
      : read;
  },
});

/** The same with each event and the reasons for its count. */
export const explainCalendar = defineWorkerTask({
  id: "catering.calendar-preview",
  size: ({ ics }: Calendar) => ics.length,
  run: async (calendar) => {
    const read = await readCounted(calendar);
    if (!read.ok) return read;
    const events = read.events.map((event) => ({
      ...countEvent(event, calendar.counting),
      starts_at: event.starts_at,
    }));
    return {
      ok: true as const,
      days: countDays(read.events, calendar.counting),
      events,
      warnings: read.warnings,
    };
  },
});
