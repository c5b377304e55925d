import ICAL from "ical.js";

import { addDays, localAt, toEpochMs } from "../../../lib/local-time.ts";
import { zoneOf } from "./calendar-zone.ts";
import { parseSchedule } from "./month-end.ts";
import { inlineEpochMs, offsetMinutes } from "./inline-zone.ts";
import type { ZonePart } from "./inline-zone.ts";

/** Who is asked to an event. */
export interface Attendee {
  /** Lower-case address, or the text unchanged where it is none. */
  readonly who: string;
  readonly partstat: string;
  readonly cutype: string;
  readonly guests: number;
  /** Members of a group, where the calendar says so. */
  readonly size: number | null;
  readonly delegated_to: boolean;
}

/** One instance of an event. */
export interface CalendarEvent {
  readonly uid: string;
  readonly summary: string;
  readonly categories: readonly string[];
  /** Local day in the zone asked for. */
  readonly date: string;
  /** Null for a whole day. */
  readonly starts_at: number | null;
  readonly cancelled: boolean;
  readonly attendees: readonly Attendee[];
  readonly organizer: string | null;
  readonly headcount: number | null;
}

export interface ReadOptions {
  /** Local dates, both included. */
  readonly from: string;
  readonly to: string;
  /** Zone of the days, and of times without one. */
  readonly timezone: string;
  /** Events that are asked for; the others are not expanded. */
  readonly wants?: (event: EventName) => boolean;
}

/** What an event is recognised by. */
export type EventName = Pick<CalendarEvent, "uid" | "summary" | "categories">;

export type ReadCalendar =
  | { readonly ok: true; readonly events: readonly CalendarEvent[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly detail: string };

const CALENDAR_LIMITS = {
  chars: 5_000_000,
  events: 5_000,
  /** Of one unfolded line. */
  lineChars: 20_000,
  lines: 200_000,
  instances: 5_000,
  /** Of one event. */
  attendees: 2_000,
  /** Of all instances together. */
  people: 100_000,
  /** Recurring events: expanding one may take many milliseconds. */
  rules: 100,
  depth: 4,
  zones: 20,
  zoneParts: 200,
  /** Of the parts of a zone: those that recur, whose days are looked for. */
  zoneRules: 20,
  warnings: 20,
  /** Of the name of an attendee; an address has 254 at most. */
  whoChars: 300,
} as const;

/**
 * Reads an iCalendar text: the instances of its events in a span of days, with recurrences, exceptions, cancellations and
 * added dates. ical.js only splits the text into properties: a TZID without VTIMEZONE would be taken for the host's own
 * zone there, and an endless or impossible rule would be walked, so zones and rules are resolved here. Everything that
 * could grow is bounded; what is too large is refused, never cut.
 */
export function readCalendar(text: string, options: ReadOptions): ReadCalendar {
  const shape = shapeFault(text);
  if (shape !== null) return { ok: false, detail: shape };
  try {
    const root = new ICAL.Component(ICAL.parse(text));
    const calendars = root.name === "vcalendar" ? [root] : root.getAllSubcomponents("vcalendar");
    if (calendars.length === 0) return { ok: false, detail: "There is no VCALENDAR in it." };
    const reader = createReader(options);
    // A value is parsed when it is first read, and may be unreadable.
    for (const calendar of calendars) reader.read(calendar);
    return reader.result();
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 120) : "unreadable";
    return { ok: false, detail: `Not a calendar: ${reason}.` };
  }
}

/** What must not reach the parser; it walks a nested text by recursion and unfolds lines of any length. */
function shapeFault(text: string): string | null {
  const limits = CALENDAR_LIMITS;
  if (text.length > limits.chars) return `Longer than ${limits.chars} characters.`;
  let depth = 0;
  let events = 0;
  let length = 0;
  let lines = 0;
  for (const line of text.split(/\r?\n/)) {
    lines += 1;
    length = /^[ \t]/.test(line) ? length + line.length : line.length;
    if (length > limits.lineChars) return `A line is longer than ${limits.lineChars} characters.`;
    const [, edge, name] = /^(BEGIN|END):\s*([A-Za-z-]+)/i.exec(line) ?? [];
    if (edge === undefined) continue;
    depth += edge.toUpperCase() === "BEGIN" ? 1 : -1;
    if (depth > limits.depth) return "Nests too deep.";
    if (edge.toUpperCase() === "BEGIN" && name?.toUpperCase() === "VEVENT") events += 1;
  }
  if (lines > limits.lines) return `Has more than ${limits.lines} lines.`;
  return events > limits.events ? `Has more than ${limits.events} events.` : null;
}

/** A moment as a calendar writes it: on the wall clock of a zone, or a whole day. */
interface Moment {
  /** `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`. */
  readonly local: string;
  /** Name of an IANA zone, or the parts of a zone that the calendar defines itself. */
  readonly zone: string | readonly ZonePart[];
}

/** What a calendar says once for all its events. */
interface Home {
  /** Zone of times without one. */
  readonly zone: string;
  readonly inline: ReadonlyMap<string, readonly ZonePart[]>;
  readonly warn: (text: string) => void;
}

function createReader(options: ReadOptions) {
  const events: CalendarEvent[] = [];
  const warnings = new Set<string>();
  let rules = 0;
  let people = 0;
  let tooMuch: string | null = null;
  const warn = (text: string): void => {
    if (warnings.size < CALENDAR_LIMITS.warnings) warnings.add(text.slice(0, 300));
  };

  function read(calendar: ICAL.Component): void {
    const named = textOf(calendar, "x-wr-timezone");
    const zone = (named === "" ? null : zoneOf(named)) ?? options.timezone;
    const home = { zone, inline: inlineZones(calendar), warn };
    const found = calendar.getAllSubcomponents("vevent");
    const overrides = new Map<string, ICAL.Component[]>();
    for (const event of found.filter(isOverride)) {
      const uid = textOf(event, "uid");
      overrides.set(uid, [...(overrides.get(uid) ?? []), event]);
    }
    for (const event of found.filter((candidate) => !isOverride(candidate))) {
      readEvent(event, overrides.get(textOf(event, "uid")) ?? [], home);
      overrides.delete(textOf(event, "uid"));
    }
    // An invitation to one instance alone comes without its series.
    for (const left of overrides.values()) for (const event of left) readEvent(event, [], home);
  }

  function readEvent(event: ICAL.Component, overrides: readonly ICAL.Component[], home: Home): void {
    if (tooMuch !== null || options.wants?.(nameOf(event)) === false) return;
    const start = momentOf(event.getFirstProperty("dtstart"), home);
    if (start === null) return warn("An event without a readable DTSTART was left out.");
    const replaced = new Set(overrides.flatMap((one) => localsOf(one, "recurrence-id", home, start)));
    const gone = new Set(localsOf(event, "exdate", home, start));
    const starts = isOverride(event) ? [start.local] : instancesOf(event, start, home);
    // An event may have a hundred thousand properties, and thousands of instances.
    let details: EventDetails | undefined;
    const own = (): EventDetails => (details ??= detailsOf(event));
    // Calendars also write the days that are left out or moved without the time: all of the day is meant.
    const isIn = (days: ReadonlySet<string>, local: string): boolean =>
      days.has(local) || days.has(local.slice(0, 10));
    for (const local of starts) {
      if (isIn(gone, local)) add(own, { ...start, local }, true);
      else if (!isIn(replaced, local)) add(own, { ...start, local });
    }
    for (const one of overrides) {
      const at = momentOf(one.getFirstProperty("dtstart"), home);
      if (at !== null) add(() => detailsOf(one), at);
    }
  }

  /** Local starts of an event in the window and a day around it, which another zone may need. */
  function instancesOf(event: ICAL.Component, start: Moment, home: Home): string[] {
    const first = addDays(options.from, -1);
    const last = addDays(options.to, 1);
    const added = localsOf(event, "rdate", home, start);
    const texts = event
      .getAllProperties("rrule")
      .map((rule) => ruleOf(rule, typeof start.zone === "string" ? start.zone : home.zone));
    if (texts.length === 0) return [...new Set([start.local, ...added])];
    rules += texts.length;
    if (rules > CALENDAR_LIMITS.rules) tooMuch = `Has more than ${CALENDAR_LIMITS.rules} recurring events.`;
    if (tooMuch !== null) return [];
    const time = start.local.slice(10);
    const ruled = texts.flatMap((rule) => {
      const parsed = parseSchedule(rule, start.local.slice(0, 10));
      if (parsed.ok) return parsed.between(first, last).map((date) => `${date}${time}`);
      warn(`A recurrence rule was not understood, and only its first day counts: ${parsed.detail}`);
      return [start.local];
    });
    return [...new Set([...ruled, ...added])];
  }

  const isFar = (local: string): boolean =>
    local.slice(0, 10) < addDays(options.from, -FAR_DAYS) ||
    local.slice(0, 10) > addDays(options.to, FAR_DAYS);

  function add(detailed: () => EventDetails, at: Moment, isGone = false): void {
    if (tooMuch !== null || isFar(at.local)) return;
    const isDay = at.local.length === 10;
    const startsAt = isDay ? null : epochOf(at);
    const date = startsAt === null ? at.local : localAt(startsAt, options.timezone).slice(0, 10);
    if (date < options.from || date > options.to) return;
    if (events.length >= CALENDAR_LIMITS.instances) {
      tooMuch = `Has more than ${CALENDAR_LIMITS.instances} instances in the window.`;
      return;
    }
    const { isCancelled, ...details } = detailed();
    people += details.attendees.length;
    if (people > CALENDAR_LIMITS.people)
      tooMuch = `Has more than ${CALENDAR_LIMITS.people} attendees in the window.`;
    events.push({ ...details, date, starts_at: startsAt, cancelled: isGone || isCancelled });
  }

  return {
    read,
    result: (): ReadCalendar =>
      tooMuch !== null ? { ok: false, detail: tooMuch } : { ok: true, events, warnings: [...warnings] },
  };
}

/** Days by which no zone moves an event. */
const FAR_DAYS = 5;

/** Reads the first value of a property; null for what is no moment. */
const momentOf = (property: ICAL.Property | null, home: Home): Moment | null =>
  property === null ? null : (momentsOf(property, home, 1)[0] ?? null);

/** Reads the first values of a property; null for each that is no moment. */
function momentsOf(property: ICAL.Property, home: Home, most: number): (Moment | null)[] {
  let known: Moment["zone"] | undefined;
  const zone = (): Moment["zone"] => (known ??= zoneIn(property, home));
  // The texts as they were parsed: the values themselves have rolled 31 February over into March.
  return property
    .toJSON()
    .slice(3, 3 + most)
    .map((value: unknown) => toMoment(String(value), home, zone));
}

function toMoment(value: string, home: Home, zone: () => Moment["zone"]): Moment | null {
  const local = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?/.exec(value)?.[0];
  if (local === undefined || !isReal(local)) return null;
  if (local.length === 10) return { local, zone: home.zone };
  if (value.endsWith("Z")) {
    const epochMs = toEpochMs(local.slice(0, 10), local.slice(11), "UTC");
    return { local: localAt(epochMs, home.zone), zone: home.zone };
  }
  return { local, zone: zone() };
}

/** The zone of the times of a property. */
function zoneIn(property: ICAL.Property, home: Home): Moment["zone"] {
  const tzid = [property.getParameter("tzid")].flat()[0];
  if (tzid === undefined) return home.zone;
  // The name first: tables of zones are kept up to date, and what calendars copy of them often ends years ago.
  const zone = zoneOf(tzid) ?? home.inline.get(tzid) ?? null;
  if (zone === null) home.warn(`The time zone ${tzid.slice(0, 80)} is not known; ${home.zone} was taken.`);
  return zone ?? home.zone;
}

const localsOf = (event: ICAL.Component, name: string, home: Home, start: Moment): string[] =>
  event
    .getAllProperties(name)
    .flatMap((property) =>
      momentsOf(property, home, CALENDAR_LIMITS.instances).flatMap((moment) => localIn(start, moment) ?? []),
    );

/** A moment on the wall clock of its event: calendars also write the days of a series that are left out or moved in UTC. */
const localIn = ({ zone }: Moment, moment: Moment | null): string | null =>
  moment === null || moment.local.length === 10 || moment.zone === zone || typeof zone !== "string"
    ? (moment?.local ?? null)
    : localAt(epochOf(moment), zone);

const epochOf = ({ local, zone }: Moment): number =>
  typeof zone === "string"
    ? toEpochMs(local.slice(0, 10), local.slice(11), zone)
    : inlineEpochMs(zone, local);

/** Zones that a calendar defines itself, by TZID. */
function inlineZones(calendar: ICAL.Component): Map<string, ZonePart[]> {
  const zones = calendar.getAllSubcomponents("vtimezone").slice(0, CALENDAR_LIMITS.zones);
  return new Map(zones.map((zone) => [textOf(zone, "tzid"), zoneParts(zone)]));
}

function zoneParts(zone: ICAL.Component): ZonePart[] {
  const parts = zone.getAllSubcomponents().slice(0, CALENDAR_LIMITS.zoneParts).flatMap(partOf);
  const recurring = new Set(parts.filter(({ rrule }) => rrule !== null).slice(0, CALENDAR_LIMITS.zoneRules));
  return parts.filter((part) => part.rrule === null || recurring.has(part));
}

function partOf(part: ICAL.Component): ZonePart[] {
  const dtstart = textOf(part, "dtstart").slice(0, 16);
  const offset = offsetMinutes(textOf(part, "tzoffsetto"));
  if (offset === null || !isReal(dtstart) || dtstart.length !== 16) return [];
  const rule = part.getFirstProperty("rrule");
  return [{ dtstart, rrule: rule === null ? null : ruleOf(rule, "UTC"), offset_to: offset }];
}

const nameOf = (event: ICAL.Component): EventName => ({
  uid: textOf(event, "uid"),
  summary: textOf(event, "summary"),
  categories: event.getAllProperties("categories").flatMap((property) => property.getValues().map(String)),
});

/** What all instances of an event share. */
type EventDetails = EventName &
  Pick<CalendarEvent, "organizer" | "headcount" | "attendees"> & { readonly isCancelled: boolean };

const detailsOf = (event: ICAL.Component): EventDetails => ({
  ...nameOf(event),
  organizer: event.hasProperty("organizer") ? addressOf(textOf(event, "organizer")) : null,
  headcount: integerOf(textOf(event, "x-headcount")),
  attendees: event.getAllProperties("attendee").slice(0, CALENDAR_LIMITS.attendees).map(toAttendee),
  isCancelled: textOf(event, "status").toUpperCase() === "CANCELLED",
});

const isOverride = (event: ICAL.Component): boolean => event.hasProperty("recurrence-id");

const textOf = (component: ICAL.Component, name: string): string => {
  const value = component.getFirstPropertyValue(name);
  return value === null ? "" : String(value);
};

/** A rule as text; its UNTIL is an instant in UTC, and counts as the day that it is in the event's zone. */
function ruleOf(property: ICAL.Property, zone: string): string {
  const text = String(property.getFirstValue());
  const [found, until = ""] = /UNTIL=([\dT:-]+)Z/.exec(text) ?? [];
  const [, year, month, day, hour, minute] = /^(\d{4})-?(\d{2})-?(\d{2})T(\d{2}):?(\d{2})/.exec(until) ?? [];
  const local = `${year}-${month}-${day}T${hour}:${minute}`;
  if (found === undefined || year === undefined || !isReal(local)) return text;
  const last = localAt(toEpochMs(local.slice(0, 10), local.slice(11), "UTC"), zone).slice(0, 10);
  return text.replace(found, `UNTIL=${last.replaceAll("-", "")}`);
}

const isReal = (local: string): boolean => {
  const parsed = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  const time = local.slice(11);
  return (
    !Number.isNaN(parsed.getTime()) &&
    parsed.toISOString().startsWith(local.slice(0, 10)) &&
    (time === "" || /^([01]\d|2[0-3]):[0-5]\d$/.test(time))
  );
};

const parameterOf = (property: ICAL.Property, name: string): string =>
  String([property.getParameter(name)].flat()[0] ?? "");

const toAttendee = (property: ICAL.Property): Attendee => ({
  who: addressOf(String(property.getFirstValue())),
  partstat: parameterOf(property, "partstat").toUpperCase() || "NEEDS-ACTION",
  cutype: parameterOf(property, "cutype").toUpperCase() || "INDIVIDUAL",
  guests: integerOf(parameterOf(property, "x-num-guests")) ?? 0,
  size: integerOf(parameterOf(property, "x-size")),
  delegated_to: parameterOf(property, "delegated-to") !== "",
});

const addressOf = (text: string): string =>
  text
    .trim()
    .replace(/^mailto:/i, "")
    .slice(0, CALENDAR_LIMITS.whoChars)
    .toLowerCase();

const integerOf = (text: string): number | null => (/^\d{1,4}$/.test(text) ? Number(text) : null);
