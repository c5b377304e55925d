import { addDays, localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import { runAtOnce } from "../../../lib/slices.ts";
import type { BlockedDate, CalendarEvent } from "../schema/blocked-date.ts";
import type { Location } from "../schema/location.ts";
import type { Settings } from "../schema/settings.ts";
import type { SlotWindow } from "../schema/slot.ts";
import type { Zone } from "../schema/zone.ts";
import { expandBlocks } from "./expand-blocks.ts";
import type { DayBlocks } from "./expand-blocks.ts";
import { indexZonesSteps } from "./match-zone.ts";
import type { ZoneIndex } from "./match-zone.ts";
import type { Place } from "./places.ts";

/** The whole configuration of a store. */
export interface DeliveryConfig {
  readonly settings: Settings;
  readonly zones: readonly Zone[];
  readonly locations: readonly Location[];
  readonly windows: readonly SlotWindow[];
  readonly blockedDates: readonly BlockedDate[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
}

/** The configuration, indexed for queries. */
export interface Plan extends DeliveryConfig {
  readonly index: ZoneIndex;
  readonly zonesById: ReadonlyMap<string, Zone>;
  /** Zones and locations by id; the same object while the plan is the same. */
  readonly places: ReadonlyMap<string, Place>;
  readonly locationsById: ReadonlyMap<string, Location>;
  readonly windowsById: ReadonlyMap<string, SlotWindow>;
  /** Windows of a zone or location, by start. */
  windowsOf(placeId: string): readonly SlotWindow[];
  /** First and last day that can be booked at an instant: today, and `horizon_days` days in total. */
  horizonAt(now: number): Horizon;
  /** The same days, without what is blocked. */
  daysAt(now: number): Pick<Horizon, "today" | "last">;
  /** Whether the blocked days are computed for an instant. */
  isExpandedAt(now: number): boolean;
}

export interface Horizon {
  readonly today: string;
  readonly last: string;
  readonly blocks: DayBlocks;
}

/** Indexes a configuration. The blocked days depend on it and on the current day; they are computed once a day. */
export const compilePlan = (config: DeliveryConfig): Plan => runAtOnce(compilePlanSteps(config));

/** The same in steps: the zones of a store may have 20,000 patterns. */
export function* compilePlanSteps(config: DeliveryConfig): Generator<undefined, Plan> {
  const { settings, zones, locations, windows } = config;
  const byPlace = new Map<string, SlotWindow[]>();
  for (const window of [...windows].sort(byStart)) {
    for (const placeId of [...window.zone_ids, ...window.location_ids]) {
      const others = byPlace.get(placeId);
      if (others === undefined) byPlace.set(placeId, [window]);
      else others.push(window);
    }
    yield;
  }
  let day: { readonly horizon: Horizon; readonly from: number; readonly until: number } | null = null;
  const isExpandedAt = (now: number): boolean => day !== null && day.from <= now && now < day.until;
  const daysAt = (now: number) => {
    const today = localDateAt(now, settings.time_zone);
    return { today, last: addDays(today, settings.horizon_days - 1) };
  };
  return {
    ...config,
    index: yield* indexZonesSteps(zones),
    zonesById: new Map(zones.map((zone) => [zone.id, zone])),
    places: new Map<string, Place>([
      ...zones.map((zone) => [zone.id, { kind: "zone", zone }] as const),
      ...locations.map((location) => [location.id, { kind: "location", location }] as const),
    ]),
    locationsById: new Map(locations.map((location) => [location.id, location])),
    windowsById: new Map(windows.map((window) => [window.id, window])),
    windowsOf: (placeId) => byPlace.get(placeId) ?? [],
    horizonAt(now) {
      if (day !== null && day.from <= now && now < day.until) return day.horizon;
      const horizon = makeHorizon(config, daysAt(now));
      const until = toEpochMs(addDays(horizon.today, 1), "00:00", settings.time_zone);
      day = { horizon, from: now, until };
      return horizon;
    },
    daysAt,
    isExpandedAt,
  };
}

function makeHorizon(
  { settings, blockedDates, calendars }: DeliveryConfig,
  { today, last }: Pick<Horizon, "today" | "last">,
): Horizon {
  const source = { entries: blockedDates, calendars, calendarIds: settings.calendar_ids };
  return { today, last, blocks: expandBlocks(source, today, last) };
}

const byStart = (a: SlotWindow, b: SlotWindow): number =>
  a.start === b.start ? (a.id < b.id ? -1 : 1) : a.start < b.start ? -1 : 1;
