import { toInstant } from "../../../lib/instant.ts";
import { datesFrom, dayNumber, weekdayOfDay } from "../../../lib/local-time.ts";
import type { Weekday } from "../../../lib/local-time.ts";
import type { Slot, SlotUsage, SlotWindow } from "../schema/slot.ts";
import { blockReader } from "./blocked-dates.ts";
import type { Horizon, Plan } from "./compile-plan.ts";
import { countUsage, remainingOf } from "./hold-usage.ts";
import { isInHours, isOffered, leadOf, placeIdOf, placeOffers, termsOf } from "./places.ts";
import type { Place } from "./places.ts";
import { quoteFee } from "./quote-fee.ts";
import { closedBy, judgeSlot } from "./slot-status.ts";
import type { SlotFacts } from "./slot-status.ts";
import { runsOn, slotTimes } from "./slot-times.ts";
import type { SlotTimes } from "./slot-times.ts";

/** A slot before its usage is considered. */
export interface Candidate {
  readonly slotId: string;
  /** Id of its usage document. */
  readonly usageId: string;
  readonly window: SlotWindow;
  /** Where it is offered; null if a hold has no zone and the window serves several. */
  readonly place: Place | null;
  readonly date: string;
  readonly facts: Omit<SlotFacts, "remaining">;
}

export const slotIdOf = (windowId: string, date: string): string => `${windowId}@${date}`;
/** Date first, so that the usage of consecutive days is adjacent. */
export const usageIdOf = (windowId: string, date: string): string => `${date}@${windowId}`;
export const splitSlotId = (slotId: string): { windowId: string; date: string } => ({
  windowId: slotId.slice(0, -11),
  date: slotId.slice(-10),
});

/** Filters of the slots of a place: from one date to another, inclusive, in one channel or all. */
export interface SlotSpan {
  readonly from: string;
  readonly to: string;
  readonly channel?: string | undefined;
  /** Epoch milliseconds: slots that have started by then may be left out. */
  readonly startedBy?: number | undefined;
}

/** The slots of a place, ordered by start. Each day is computed when it is reached. */
export function* candidatesOf(
  plan: Plan,
  place: Place,
  { from, to, channel, startedBy }: SlotSpan,
  horizon: Horizon,
): Generator<Candidate> {
  if (channel !== undefined && !placeOffers(place, channel)) return;
  for (const date of datesFrom(from, to)) {
    for (const candidate of candidatesOn(plan, { place, date, startedBy }, horizon)) {
      if (channel === undefined || isOffered(candidate.window, channel)) yield candidate;
    }
  }
}

interface PlaceDay {
  readonly place: Place;
  readonly date: string;
  readonly startedBy: number | undefined;
}

/** What was computed for a place, valid while the plan and the day are the same. */
interface Cached {
  readonly makers: readonly CandidateMaker[];
  readonly days: Map<string, Day>;
}

/** The candidates of a day, as far as they are computed. */
interface Day {
  readonly candidates: Candidate[];
  /** Number of makers that have been asked. */
  asked: number;
  /** Number of first candidates that had started by an instant. */
  started: number;
  startedBy: number;
}

const cachedPlaces = new WeakMap<Horizon, Map<string, Cached>>();
/** Places whose slots are cached; two months of a zone with 200 windows are 12,000 slots. */
const PLACES_MAX = 20;

/** Computes each candidate when it is asked for: those of 200 windows take too long for one turn of the event loop. */
function* candidatesOn(
  plan: Plan,
  { place, date, startedBy }: PlaceDay,
  horizon: Horizon,
): Generator<Candidate> {
  const { makers, days } = cacheOf(plan, place, horizon);
  const day = days.get(date) ?? { candidates: [], asked: 0, started: 0, startedBy: 0 };
  if (horizon.today <= date && date <= horizon.last) days.set(date, day);
  const calendarDay = dayOf(date);
  for (let index = startedBy === undefined ? 0 : skipStarted(day, startedBy); ; index += 1) {
    while (index >= day.candidates.length && day.asked < makers.length) {
      const candidate = makers[day.asked]?.(calendarDay) ?? null;
      day.asked += 1;
      if (candidate !== null) day.candidates.push(candidate);
    }
    const candidate = day.candidates[index];
    if (candidate === undefined) return;
    yield candidate;
  }
}

/** The number of first candidates that have started, as far as they are computed: in the evening those of a whole day. */
function skipStarted(day: Day, now: number): number {
  // A test clock can be replaced by an earlier one.
  if (now < day.startedBy) day.started = 0;
  day.startedBy = now;
  while ((day.candidates[day.started]?.facts.times.startsAt ?? Infinity) <= now) day.started += 1;
  return day.started;
}

function cacheOf(plan: Plan, place: Place, horizon: Horizon): Cached {
  const places = cachedPlaces.get(horizon) ?? new Map<string, Cached>();
  cachedPlaces.set(horizon, places);
  const id = placeIdOf(place);
  const known = places.get(id);
  if (known !== undefined) return known;
  if (places.size >= PLACES_MAX) places.clear();
  const makers = plan.windowsOf(id).map((window) => candidateMaker(plan, { window, place }, horizon));
  const cached: Cached = { makers, days: new Map() };
  places.set(id, cached);
  return cached;
}

/** One slot; null if the window has none on this date. */
export const candidateOf = (
  plan: Plan,
  { date, ...offer }: Offer & { readonly date: string },
  horizon: Horizon,
): Candidate | null => candidateMaker(plan, offer, horizon)(dayOf(date));

interface Offer {
  readonly window: SlotWindow;
  readonly place: Place | null;
}

/** A date with what is derived from it, once for all windows. */
interface CalendarDay {
  readonly date: string;
  /** Days since 1970-01-01. */
  readonly number: number;
  readonly weekday: Weekday;
}

function dayOf(date: string): CalendarDay {
  const number = dayNumber(date);
  return { date, number, weekday: weekdayOfDay(number) };
}

type CandidateMaker = (day: CalendarDay) => Candidate | null;

/** Times by start, end and cut-off, then by day: many windows have the same ones. */
const cachedTimes = new WeakMap<Horizon, Map<string, Map<number, SlotTimes | null>>>();

function timesOf(
  window: SlotWindow,
  timeZone: string,
  horizon: Horizon,
): (day: CalendarDay) => SlotTimes | null {
  const all = cachedTimes.get(horizon) ?? new Map<string, Map<number, SlotTimes | null>>();
  cachedTimes.set(horizon, all);
  const key = JSON.stringify([window.start, window.end, window.cut_off]);
  const own = all.get(key) ?? new Map<number, SlotTimes | null>();
  all.set(key, own);
  return ({ date, number }) => {
    const known = own.get(number);
    if (known !== undefined) return known;
    const times = slotTimes(window, date, timeZone);
    if (horizon.today <= date && date <= horizon.last) own.set(number, times);
    return times;
  };
}

/** Prepares what all slots of a window at a place share. */
function candidateMaker(plan: Plan, { window, place }: Offer, horizon: Horizon): CandidateMaker {
  const { settings } = plan;
  const leads = placesOf(plan, window, place).map((own) => leadOf(own) ?? settings.default_lead_minutes);
  const leadMinutes =
    window.lead_minutes ?? Math.min(...(leads.length === 0 ? [settings.default_lead_minutes] : leads));
  const timesOn = timesOf(window, settings.time_zone, horizon);
  // Compares the window with every entry for parts of a day: only once a slot needs it.
  let blockOn: ReturnType<typeof blockOf> | null = null;
  return (day) => {
    const { date, weekday } = day;
    if (!runsOn(window, date, weekday) || (place !== null && !isInHours(place, window, weekday))) return null;
    const times = timesOn(day);
    if (times === null) return null;
    blockOn ??= blockOf(window, place, horizon);
    const inHorizon = horizon.today <= date && date <= horizon.last;
    return {
      slotId: slotIdOf(window.id, date),
      usageId: usageIdOf(window.id, date),
      window,
      place,
      date,
      facts: { times, block: blockOn(day.number), inHorizon, leadMinutes },
    };
  };
}

/** The place of a slot; without one, those that its window serves. */
const placesOf = ({ places }: Plan, window: SlotWindow, place: Place | null): readonly Place[] =>
  place === null ? placeIdsOf(window).flatMap((id) => places.get(id) ?? []) : [place];

const placeIdsOf = ({ zone_ids, location_ids }: SlotWindow): string[] => [...zone_ids, ...location_ids];

/** Without a place, the slot is blocked only if it is blocked for every zone and location of the window. */
function blockOf(
  window: SlotWindow,
  place: Place | null,
  { blocks }: Horizon,
): (day: number) => string | null {
  const subject = { windowId: window.id, time: { start: window.start, end: window.end } };
  if (place !== null) return blockReader(blocks, { ...subject, placeId: placeIdOf(place) });
  const readers = placeIdsOf(window).map((placeId) => blockReader(blocks, { ...subject, placeId }));
  const [first = blockReader(blocks, { ...subject, placeId: null })] = readers;
  return (day) => (readers.some((read) => read(day) === null) ? null : first(day));
}

/** True if only capacity could keep the slot from being open. */
export const mayBeOpen = (candidate: Candidate, now: number, itemMinutes = 0): boolean =>
  closedBy(candidate.facts, now, itemMinutes) === null;

/** What a slot is listed for. */
export interface SlotTerms {
  readonly now: number;
  /** Without a basket total, a slot has no fee. */
  readonly basketTotal: number | null;
  /** Longest lead time of the items ordered. */
  readonly itemMinutes: number;
}

/** The slot as returned, with its usage. */
export function toSlot(
  candidate: Candidate & { readonly place: Place },
  usage: SlotUsage | null,
  { now, basketTotal, itemMinutes }: SlotTerms,
): Slot {
  const { window, place, date, facts } = candidate;
  const remaining = remainingOf(usage, window.capacity, now);
  const instants = instantsOf(facts.times);
  return {
    id: candidate.slotId,
    slot_window_id: window.id,
    zone_id: place.kind === "zone" ? place.zone.id : null,
    location_id: place.kind === "location" ? place.location.id : null,
    starts_at: instants.startsAt,
    ends_at: instants.endsAt,
    local: { date, start: window.start, end: window.end },
    capacity: window.capacity,
    ...countUsage(usage, now),
    remaining,
    cut_off_at: instants.cutOffAt,
    fee: basketTotal === null ? null : quoteFee(termsOf(place), basketTotal, window.fee_delta).fee,
    fee_delta: window.fee_delta,
    channels: window.channels,
    ...judgeSlot({ ...facts, remaining }, now, { itemMinutes }),
  };
}

interface Instants {
  readonly startsAt: string;
  readonly endsAt: string;
  readonly cutOffAt: string | null;
}

const cachedInstants = new WeakMap<SlotTimes, Instants>();

/** The times of a slot as text: the next slots of a place are returned again and again. */
function instantsOf(times: SlotTimes): Instants {
  const known = cachedInstants.get(times);
  if (known !== undefined) return known;
  const { startsAt, endsAt, cutOffAt } = times;
  const instants = {
    startsAt: toInstant(startsAt),
    endsAt: toInstant(endsAt),
    cutOffAt: cutOffAt === null ? null : toInstant(cutOffAt),
  };
  cachedInstants.set(times, instants);
  return instants;
}
