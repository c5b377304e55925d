import type { Counting, DayCount } from "../schema/headcount.ts";
import type { Attendee, CalendarEvent, EventName } from "./read-calendar.ts";

/** Why a guest counts, or does not. */
export interface CountedPerson {
  readonly who: string;
  readonly counted: number;
  readonly reason: string;
}

export interface CountedEvent {
  readonly date: string;
  readonly summary: string;
  readonly cancelled: boolean;
  readonly count: number;
  readonly people: readonly CountedPerson[];
  readonly warnings: readonly string[];
}

/** Whether an event is one that a source is about. */
export function matches(event: EventName, { match }: Pick<Counting, "match">): boolean {
  const { category, summary_contains: part, uid } = match;
  return (
    (uid === null || event.uid === uid) &&
    (part === null || event.summary.toLowerCase().includes(part.toLowerCase())) &&
    (category === null || event.categories.some((own) => own.toLowerCase() === category.toLowerCase()))
  );
}

/** Heads of one event: those who take part, one for the event itself, or the number that it names. */
export function countEvent(event: CalendarEvent, counting: Counting): CountedEvent {
  const base = { date: event.date, summary: event.summary.slice(0, 120), cancelled: event.cancelled };
  if (event.cancelled) return { ...base, count: 0, people: [], warnings: [] };
  if (counting.mode === "events") {
    const who = event.attendees[0]?.who ?? event.organizer ?? base.summary;
    return { ...base, count: 1, people: [{ who, counted: 1, reason: "one event" }], warnings: [] };
  }
  if (counting.mode === "number") {
    const named = event.headcount ?? numberIn(event.summary);
    return {
      ...base,
      count: named ?? 0,
      people: [],
      warnings: named === null ? [`No number in ${JSON.stringify(base.summary)}.`] : [],
    };
  }
  const { people, warnings } = countPeople(event, counting);
  return { ...base, count: people.reduce((all, { counted }) => all + counted, 0), people, warnings };
}

/** The first whole number from 1 to 9999. */
function numberIn(summary: string): number | null {
  const found = (summary.match(/\d+/g) ?? []).map(Number).find((number) => number >= 1 && number <= 9999);
  return found ?? null;
}

function countPeople(
  event: CalendarEvent,
  counting: Counting,
): { readonly people: CountedPerson[]; readonly warnings: string[] } {
  const people = new Map<string, CountedPerson>();
  const warnings: string[] = [];
  for (const attendee of event.attendees) {
    const { warning, ...person } = judge(attendee, counting);
    if (warning !== null) warnings.push(warning);
    const before = people.get(person.who);
    // A guest who is listed twice counts once, by the answer that counts more.
    if (before === undefined || person.counted > before.counted) people.set(person.who, person);
  }
  const { organizer } = event;
  if (counting.count_organizer && organizer !== null && !people.has(organizer)) {
    people.set(organizer, { who: organizer, counted: 1, reason: "organizer" });
  }
  return { people: [...people.values()], warnings };
}

type Judged = CountedPerson & { readonly warning: string | null };

function judge(attendee: Attendee, { include_guests: withGuests, weights }: Counting): Judged {
  const { cutype, guests, partstat, size, who } = attendee;
  const out = (reason: string, warning: string | null = null): Judged => ({
    who,
    counted: 0,
    reason,
    warning,
  });
  if (cutype === "ROOM" || cutype === "RESOURCE") return out(cutype.toLowerCase());
  if (partstat === "DECLINED") return out("declined");
  if (partstat === "DELEGATED" || attendee.delegated_to) return out("delegated");
  if (cutype === "GROUP" && size === null) return out("group", `${who} is a group of unknown size.`);
  const weight = weightOf(partstat, weights);
  if (weight === 0) return out(`${partstat.toLowerCase()} does not count`);
  const heads = cutype === "GROUP" ? (size ?? 0) : 1;
  const extra = withGuests ? guests : 0;
  const reason = `${partstat.toLowerCase()}${extra > 0 ? ` with ${extra} guests` : ""}`;
  return { who, counted: heads + extra, reason, warning: null };
}

function weightOf(partstat: string, weights: Counting["weights"]): number {
  if (partstat === "ACCEPTED") return weights.accepted;
  if (partstat === "TENTATIVE") return weights.tentative;
  // RFC 5545 §3.2.12: a state that is not known is as NEEDS-ACTION.
  return weights.needs_action;
}

export type CountedDay = Pick<DayCount, "date" | "count" | "cancelled"> & {
  readonly evidence: readonly string[];
};

const AWAY: ReadonlySet<string> = new Set(["declined", "room", "resource"]);

/** An event that is cancelled, or that all who were invited declined. */
const isOff = ({ cancelled, people }: CountedEvent): boolean =>
  cancelled ||
  (people.some(({ reason }) => reason === "declined") && people.every(({ reason }) => AWAY.has(reason)));

/** What the matching events of a calendar come to by day: cancelled only when every one of the day is. */
export function countDays(events: readonly CalendarEvent[], counting: Counting): CountedDay[] {
  const days = new Map<string, CountedEvent[]>();
  const seen = new Set<string>();
  for (const event of events.filter((candidate) => matches(candidate, counting))) {
    // A calendar that lists an event twice means one.
    const name = `${event.date} ${event.uid} ${event.starts_at}`;
    if (event.uid !== "" && seen.has(name)) continue;
    seen.add(name);
    const day = days.get(event.date) ?? [];
    day.push(countEvent(event, counting));
    days.set(event.date, day);
  }
  return [...days]
    .map(([date, counted]) => ({
      date,
      count: counted.reduce((all, { count }) => all + count, 0),
      cancelled: counted.every(isOff),
      evidence: counted
        .slice(0, 10)
        .map(
          ({ cancelled, count, summary }) => `${summary.slice(0, 120)}: ${cancelled ? "cancelled" : count}`,
        ),
    }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}
