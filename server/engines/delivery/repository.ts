import { shops } from "../../core/shop.ts";
import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { sha256Hex } from "../../core/ids.ts";
import { defineCollection, timeOrder } from "../../core/collection.ts";
import type { NewId } from "../../core/ids.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { createRecent } from "../../lib/recent.ts";
import { mapInSlices, runInSlices } from "../../lib/slices.ts";
import { bankHolidays } from "./data/bank-holidays.ts";
import { compilePlanSteps } from "./rules/compile-plan.ts";
import type { Plan } from "./rules/compile-plan.ts";
import { fromHolds } from "./rules/hold-usage.ts";
import { BlockedDate, Calendar } from "./schema/blocked-date.ts";
import { Hold, VisitorHolds } from "./schema/hold.ts";
import { Location } from "./schema/location.ts";
import { Settings } from "./schema/settings.ts";
import { SlotUsage, SlotWindow } from "./schema/slot.ts";
import { Zone } from "./schema/zone.ts";

export const zones = defineCollection({
  name: "delivery.zones",
  schema: Zone,
  schemaVersion: 2,
  upgrade: (old) => ({ ...old, area: null }),
});
export const slotWindows = defineCollection({
  name: "delivery.slot_windows",
  schema: SlotWindow,
  schemaVersion: 2,
  upgrade: (old) => ({ ...old, location_ids: [] }),
});
export const blockedDates = defineCollection({
  name: "delivery.blocked_dates",
  schema: BlockedDate,
  schemaVersion: 2,
  upgrade: (old) => ({ ...old, location_ids: [] }),
});
export const locations = defineCollection({ name: "delivery.locations", schema: Location });
export const calendars = defineCollection({ name: "delivery.calendars", schema: Calendar });

/** A reference is text of the caller, so only its hash is indexed. */
export const referenceKey = (reference: string): string => `ref-${sha256Hex(reference)}`;

export const holds = defineCollection({
  name: "delivery.holds",
  schema: Hold,
  schemaVersion: 2,
  upgrade: (old) => ({ ...old, location_id: null, channel: null }),
  isComputed: true,
  indexes: {
    /** Bookings by day, by zone or location, by both, and by reference, ordered by slot. */
    booked: {
      values: ({ state, date, zone_id, location_id, reference }) => {
        if (state !== "confirmed") return [];
        const place = zone_id ?? location_id;
        return [
          "",
          date,
          ...(place === null ? [] : [place, `${date}.${place}`]),
          ...(reference === null ? [] : [referenceKey(reference)]),
        ];
      },
      order: ({ starts_at }) => timeOrder(starts_at),
    },
    /** Holds that are not confirmed, by day. */
    held: { values: ({ state, date }) => (state === "held" ? [date] : []) },
    /** What can be swept: everything except bookings, by the instant at which it expired or was released. */
    due: {
      values: ({ state }) => (state === "confirmed" ? [] : [""]),
      order: ({ expires_at, released_at }) => timeOrder(released_at ?? expires_at),
    },
  },
});

export const visitorHolds = defineCollection({
  name: "delivery.visitor_holds",
  unlisted: true,
  schema: VisitorHolds,
  indexes: { old: { values: () => [""], order: ({ at }) => timeOrder(at) } },
});

/** Of version 1 of a usage. */
const StoredHolds = z.array(
  z.object({ zone_id: z.string().nullable(), quantity: z.int(), expires_at_ms: z.int() }),
);

export const slotUsages = defineCollection({
  name: "delivery.slot_usages",
  schema: SlotUsage,
  schemaVersion: 2,
  upgrade: ({ holds, ...old }) => ({ ...old, held: fromHolds(StoredHolds.parse(holds)) }),
  isComputed: true,
  indexes: {
    /** By zone (`none` without a zone), latest day first. */
    zone: {
      values: ({ held, confirmed }) => [
        ...new Set([...held, ...confirmed].map(({ zone_id }) => zone_id ?? "none")),
      ],
      order: ({ date }) => String(99_999_999 - Number(date.replaceAll("-", ""))),
    },
    /** By day, earliest first, for sweeping. */
    day: { values: () => [""], order: ({ date }) => date },
  },
});

/** `current` is replaced by every change of the configuration; `demo` exists with the demo documents only. */
export const revisions = defineCollection({
  name: "delivery.revisions",
  schema: z.object({ id: z.enum(["current", "demo"]), revision: z.string() }),
});

const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  country: "GB",
  time_zone: "Europe/London",
  currency: "GBP",
  horizon_days: 14,
  hold_ttl_seconds: 900,
  calendar_ids: [],
  default_lead_minutes: 0,
  autocorrect_postcodes: false,
  updated_at: null,
};

export const deliverySettings = defineSettings<Settings>({
  engine: "delivery",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: { country: "country", time_zone: "time_zone", currency: "currency" },
});

const readSettings = deliverySettings.read;

/** Calendars shipped with the service; an import with the same id replaces them. */
export const shippedCalendars: readonly Calendar[] = bankHolidays.divisions.map(({ id, name, events }) => ({
  id,
  name,
  source: bankHolidays.source,
  events: [...events],
  created_at: bankHolidays.updated_at,
  updated_at: bankHolidays.updated_at,
}));

interface ReadPlan {
  readonly plan: Plan;
  /** Characters of the documents that it was compiled from. */
  readonly chars: number;
}

/** A plan and the documents that show whether it is current. */
interface KnownPlan {
  readonly plan: Plan;
  readonly marks: Marks;
}

/** The shop's profile and the revisions of the configuration; null where there is none. */
type Marks = readonly (Pick<Stored<unknown>, "version" | "members"> | null)[];

/**
 * Cached plans by partition. A revision is a new id with every change and is read in each request, so a cached plan can
 * be unused but never stale.
 */
const plans = createRecent<KnownPlan>(8_000_000);
/** What the smallest plan counts for. Patterns take some thirty times the characters of their documents. */
const PLAN_CHARS_MIN = 20_000;
/** Plans that are being read: requests that arrive together compile a plan once. */
const reading = new Map<string, Promise<ReadPlan>>();

/**
 * The store's configuration in the form that the rules use. A later write in this transaction conflicts if it changes
 * concurrently.
 */
export async function loadPlan(tx: Tx): Promise<Plan> {
  const marks = await tx.getEach([shops, "shop"], [revisions, "current"], [revisions, "demo"]);
  const [shop, current, demo] = marks;
  // Without a revision, states cannot be distinguished: such a store is always reloaded; it is small.
  if (current === null && demo === null) return (await readPlan(tx)).plan;
  const { part } = tx;
  const known = plans.get(part);
  if (known !== undefined && isSame(known.marks, marks)) return known.plan;
  const key = `${part} ${shop?.version ?? 0} ${[current, demo].map((mark) => `${mark?.members} ${mark?.version}`).join()}`;
  const { plan, chars } = await readOnce(tx, key);
  plans.keep(part, { plan, marks: marks.map(toMark) }, PLAN_CHARS_MIN + chars);
  return plan;
}

/** Without the rest of the document. */
const toMark = (stored: Stored<unknown> | null): Marks[number] =>
  stored === null ? null : { version: stored.version, members: stored.members };

const isSame = (known: Marks, marks: Marks): boolean =>
  marks.every((mark, index) => {
    const old = known[index] ?? null;
    return mark === null || old === null
      ? mark === old
      : mark.version === old.version && mark.members === old.members;
  });

function readOnce(tx: Tx, key: string): Promise<ReadPlan> {
  const started = reading.get(key);
  if (started !== undefined) return started;
  const plan = readPlan(tx).finally(() => reading.delete(key));
  reading.set(key, plan);
  return plan;
}

async function readPlan(tx: Tx): Promise<ReadPlan> {
  const [settings, zoneDocs, locationDocs, windowDocs, blockDocs, calendarDocs] = await Promise.all([
    readSettings(tx),
    tx.peekAll(zones),
    tx.peekAll(locations),
    tx.peekAll(slotWindows),
    tx.peekAll(blockedDates),
    tx.peekAll(calendars),
  ]);
  const all = [...shippedCalendars, ...(await valuesOf(tx, calendarDocs))];
  const config = {
    settings,
    zones: await valuesOf(tx, zoneDocs),
    locations: await valuesOf(tx, locationDocs),
    windows: await valuesOf(tx, windowDocs),
    blockedDates: await valuesOf(tx, blockDocs),
    calendars: new Map(all.map(({ id, events }) => [id, events])),
  };
  const documents = [zoneDocs, locationDocs, windowDocs, blockDocs, calendarDocs].flat();
  const chars = documents.reduce((sum, { members }) => sum + members.length, 0);
  return { plan: await runInSlices(compilePlanSteps(config), tx.part), chars };
}

/** The values of documents, parsed with pauses. */
const valuesOf = <T>({ part }: Tx, stored: readonly Stored<T>[]): Promise<T[]> =>
  mapInSlices(stored, part, ({ value }) => value);

/**
 * Marks the configuration as changed, in the commit that changes it. Must be called with every write of configuration.
 */
export async function markChanged(tx: Tx, newId: NewId): Promise<void> {
  const before = await tx.get(revisions, "current");
  const value = { id: "current" as const, revision: newId("rev") };
  tx.save(revisions, before, value);
}

/** The usage of slots by id; unused slots have none. */
export async function readUsages(
  tx: Tx,
  usageIds: readonly string[],
): Promise<ReadonlyMap<string, Stored<SlotUsage>>> {
  const documents = await tx.getAll(slotUsages, usageIds);
  return new Map(documents.filter((stored) => stored !== null).map((stored) => [stored.id, stored]));
}

export function saveUsage(tx: Tx, before: Stored<SlotUsage> | null, value: SlotUsage): void {
  tx.save(slotUsages, before, value);
}
