import type { JsonText } from "../../../core/reply.ts";
import { toInstant } from "../../../lib/instant.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { countDays, countEvent, matches } from "../rules/count-attendees.ts";
import type { CalendarEvent, ReadOptions } from "../rules/read-calendar.ts";
import type { Counting } from "../schema/headcount.ts";

interface Calendar {
  readonly ics: string;
  readonly span: Omit<ReadOptions, "wants">;
  readonly counting: Counting;
}

/** Always for a thread: a recurrence rule of thirty characters may take longer than a long text. */
const sizeOf = ({ ics }: Calendar): number => 1_000 + ics.length;

/** The library for calendars is loaded by the first one. */
async function readCounted({ ics, span, counting }: Calendar) {
  const { readCalendar } = await import("../rules/read-calendar.ts");
  return readCalendar(ics, { ...span, wants: (event) => matches(event, counting) });
}

/** The heads of each day in a calendar. */
export const countCalendar = defineWorkerTask({
  id: "catering.calendar",
  size: sizeOf,
  run: async (calendar) => {
    const read = await readCounted(calendar);
    return read.ok
      ? { ok: true as const, days: countDays(read.events, calendar.counting), warnings: read.warnings }
      : read;
  },
});

/** Characters of the occurrences in a preview: it is one response, and passes from thread to thread. */
const MOST_CHARS = 4_000_000;

/** The same with each event and the reasons for its count, as JSON text: objects would be copied and written once more by the caller. */
export const explainCalendar = defineWorkerTask({
  id: "catering.calendar-preview",
  size: sizeOf,
  run: async (calendar) => {
    const read = await readCounted(calendar);
    if (!read.ok) return read;
    const occurrences = writeOccurrences(read.events, calendar.counting);
    if (occurrences === null) return { ok: false as const, detail: TOO_LONG };
    const days = countDays(read.events, calendar.counting).map(({ cancelled, count, date }) => ({
      date,
      count,
      cancelled,
    }));
    return { ok: true as const, days, occurrences, warnings: read.warnings };
  },
});

const TOO_LONG = `More than ${MOST_CHARS} characters of people in the window. Send a shorter one.`;

function writeOccurrences(events: readonly CalendarEvent[], counting: Counting): JsonText | null {
  const texts: string[] = [];
  let chars = 0;
  for (const event of events.toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)))) {
    const { starts_at: startsAt } = event;
    const text = JSON.stringify({
      ...countEvent(event, counting),
      starts_at: startsAt === null ? null : toInstant(startsAt),
    });
    chars += text.length;
    if (chars > MOST_CHARS) return null;
    texts.push(text);
  }
  const text = `[${texts.join(",")}]`;
  return { text, bytes: Buffer.byteLength(text) };
}
