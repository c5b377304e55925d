import { addDays, localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import type { BlockedDate, CalendarEvent, Settings, SlotWindow, Zone } from "../schema.ts";
import { expandBlocks } from "./blocked-dates.ts";
import type { DayBlocks } from "./blocked-dates.ts";
import { indexZones } from "./match-zone.ts";
import type { ZoneIndex } from "./match-zone.ts";
import { slotTimes } from "./slot-times.ts";
import type { SlotTimes } from "./slot-times.ts";

/** The whole configuration of a store. */
export interface DeliveryConfig {
  readonly settings: Settings;
  readonly zones: readonly Zone[];
  readonly windows: readonly SlotWindow[];
  readonly blockedDates: readonly BlockedDate[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
}

/** The configuration, indexed for queries. */
export interface Plan extends DeliveryConfig {
  readonly index: ZoneIndex;
  readonly zonesById: ReadonlyMap<string, Zone>;
  readonly windowsById: ReadonlyMap<string, SlotWindow>;
  /** Windows of a zone, by start. */
  windowsOf(zoneId: string): readonly SlotWindow[];
  /** First and last day that can be booked at an instant: today, and `horizon_days` days in total. */
  horizonAt(now: number): Horizon;
  /** Instants of a window on a date; null when it has no length. */
  timesOf(window: SlotWindow, date: string): SlotTimes | null;
}

export interface Horizon {
  readonly today: string;
  readonly last: string;
  readonly blocks: DayBlocks;
}

/** Limit of cached slot times: a year of 200 windows exceeds what is requested in a day. */
const TIMES_MAX = 20_000;

/**
 * Indexes a configuration. Results that depend only on it and on the day (slot times, blocked days) are computed once
 * and cached in the plan.
 */
export function compilePlan(config: DeliveryConfig): Plan {
  const { settings, zones, windows } = config;
  const byZone = new Map<string, SlotWindow[]>();
  for (const window of [...windows].sort(byStart)) {
    for (const zoneId of window.zone_ids) byZone.set(zoneId, [...(byZone.get(zoneId) ?? []), window]);
  }
  const times = new Map<string, SlotTimes | null>();
  let day: { readonly horizon: Horizon; readonly from: number; readonly until: number } | null = null;
  return {
    ...config,
    index: indexZones(zones),
    zonesById: new Map(zones.map((zone) => [zone.id, zone])),
    windowsById: new Map(windows.map((window) => [window.id, window])),
    windowsOf: (zoneId) => byZone.get(zoneId) ?? [],
    horizonAt(now) {
      if (day !== null && day.from <= now && now < day.until) return day.horizon;
      const horizon = makeHorizon(config, localDateAt(now, settings.time_zone));
      const until = toEpochMs(addDays(horizon.today, 1), "00:00", settings.time_zone);
      day = { horizon, from: now, until };
      return horizon;
    },
    timesOf(window, date) {
      const key = `${date}@${window.id}`;
      const cached = times.get(key);
      if (cached !== undefined) return cached;
      if (times.size >= TIMES_MAX) times.clear();
      const made = slotTimes(window, date, settings.time_zone);
      times.set(key, made);
      return made;
    },
  };
}

function makeHorizon({ settings, blockedDates, calendars }: DeliveryConfig, today: string): Horizon {
  const last = addDays(today, settings.horizon_days - 1);
  const source = { entries: blockedDates, calendars, calendarIds: settings.calendar_ids };
  return { today, last, blocks: expandBlocks(source, today, last) };
}

const byStart = (a: SlotWindow, b: SlotWindow): number =>
  a.start === b.start ? (a.id < b.id ? -1 : 1) : a.start < b.start ? -1 : 1;
