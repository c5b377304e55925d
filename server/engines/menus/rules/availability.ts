import type { Channel, Stock, TreeCategory, TreeItem, TreeModifier } from "../schema.ts";
import { groupsOfItem, groupsOfModifier, reachOf } from "./group-use.ts";
import type { UsedGroup } from "./group-use.ts";
import type { IndexedTree } from "./index-tree.ts";
import { intersect, openIntervals, unite } from "./open-times.ts";
import type { Interval } from "./open-times.ts";
import { stockBlock } from "./stock.ts";
import type { StockBlock } from "./stock.ts";
import { DAY_MS, dayNumber, stretchesOf } from "./wall-clock.ts";

/** The first thing that stands in the way, in this order. */
export type UnavailableReason =
  | "menu_schedule"
  | "category_schedule"
  | "item_schedule"
  | "channel"
  | "out_of_stock"
  | "suspended"
  | "required_group_unsatisfiable";

export interface Availability {
  readonly available: boolean;
  readonly reason: UnavailableReason | null;
  /** When `available` turns over, as far as the schedules and suspensions of today tell; null: not within the outlook. */
  readonly nextChangeMs: number | null;
}

/** How far ahead the next change is looked for. */
export const OUTLOOK_DAYS = 14;

export interface Judge {
  item(item: TreeItem, path: readonly TreeCategory[]): Availability;
  /** Why a modifier cannot be chosen; null when it can. */
  modifier(modifier: TreeModifier): StockBlock | null;
  menu(): Availability;
  isOpen(scheduleId: string): boolean;
}

/**
 * Judges what can be sold of a menu at an instant. Availability = the menu's schedule and every category's on the path
 * and the item's and the channel and stock. An object with several schedules is open while one of them is, one without
 * any always; ids that name nothing are never open.
 */
export function createJudge(
  tree: IndexedTree,
  sale: {
    readonly nowMs: number;
    readonly channel: Channel | null;
    readonly stockOf: (targetId: string) => Stock | undefined;
  },
): Judge {
  const { nowMs, channel } = sale;
  const span: Interval = { fromMs: nowMs, untilMs: nowMs + OUTLOOK_DAYS * DAY_MS };
  const always: readonly Interval[] = [span];
  const timesById = new Map<string, readonly Interval[]>();
  const timesByKey = new Map<string, readonly Interval[]>();

  function timesOf(scheduleId: string): readonly Interval[] {
    const known = timesById.get(scheduleId);
    if (known !== undefined) return known;
    const schedule = tree.scheduleById.get(scheduleId);
    const times = schedule === undefined ? [] : openIntervals(schedule, tree.menu.time_zone, span);
    timesById.set(scheduleId, times);
    return times;
  }

  /** When all of some lists of schedules are open; most items share theirs with many others. */
  function timesOfAll(lists: readonly (readonly string[])[]): readonly Interval[] {
    const key = lists.map((ids) => ids.join()).join(";");
    const known = timesByKey.get(key);
    if (known !== undefined) return known;
    const times = lists.reduce<readonly Interval[]>(
      (open, ids) => (ids.length === 0 ? open : intersect(open, unite(ids.flatMap(timesOf)))),
      menuTimes,
    );
    timesByKey.set(key, times);
    return times;
  }

  const isOpenNow = (times: readonly Interval[]): boolean => times[0]?.fromMs === nowMs;
  const isListOpen = (ids: readonly string[]): boolean =>
    ids.length === 0 || ids.some((id) => isOpenNow(timesOf(id)));
  const menuTimes = intersect(
    validTimes(tree, span),
    tree.menu.schedule_ids.length === 0 ? always : unite(tree.menu.schedule_ids.flatMap(timesOf)),
  );

  function modifierBlock(modifier: TreeModifier): StockBlock | null {
    const blocks = [modifier.id, ...(modifier.item_id === null ? [] : [modifier.item_id])].flatMap(
      (id) => stockBlock(sale.stockOf(id), channel, nowMs) ?? [],
    );
    const nested = groupsOfModifier(tree, modifier).map(satisfiableFrom);
    const untilMs = Math.max(...blocks.map((block) => block.untilMs), ...nested);
    const [first] = blocks;
    if (first !== undefined) return { reason: first.reason, untilMs };
    return untilMs > nowMs ? { reason: "out_of_stock", untilMs } : null;
  }

  /** From when on enough modifiers can be had to fill a group; Infinity: nobody knows. */
  function satisfiableFrom({ min, modifiers }: UsedGroup): number {
    if (min === 0) return nowMs;
    const freeFrom = modifiers.map((modifier) => ({
      modifier,
      fromMs: modifierBlock(modifier)?.untilMs ?? nowMs,
    }));
    const times = [nowMs, ...freeFrom.map(({ fromMs }) => fromMs)].sort((a, b) => a - b);
    const found = times.find(
      (at) =>
        reachOf(freeFrom.filter(({ fromMs }) => fromMs <= at && at < Infinity).map(({ modifier }) => modifier)) >=
        min,
    );
    return found ?? Infinity;
  }

  function firstReason(item: TreeItem, path: readonly TreeCategory[]): UnavailableReason | null {
    if (!isOpenNow(menuTimes)) return "menu_schedule";
    if (!path.every((category) => isListOpen(category.schedule_ids))) return "category_schedule";
    if (!isListOpen(item.schedule_ids)) return "item_schedule";
    return [tree.menu, ...path, item].every((part) => isInChannel(part, channel)) ? null : "channel";
  }

  return {
    isOpen: (scheduleId) => isOpenNow(timesOf(scheduleId)),
    modifier: modifierBlock,
    menu: () => {
      const reason = isOpenNow(menuTimes) ? (isInChannel(tree.menu, channel) ? null : "channel") : "menu_schedule";
      const opensAgain = reason === "channel" ? Infinity : nowMs;
      return toAvailability(reason, menuTimes, { nowMs, fromMs: opensAgain, endMs: span.untilMs });
    },
    item(item, path) {
      const times = timesOfAll([...path.map((category) => category.schedule_ids), item.schedule_ids]);
      const groupsFrom = Math.max(nowMs, ...groupsOfItem(tree, item.modifier_groups).map(satisfiableFrom));
      const block = stockBlock(sale.stockOf(item.id), channel, nowMs);
      const reason =
        firstReason(item, path) ??
        block?.reason ??
        (groupsFrom > nowMs ? ("required_group_unsatisfiable" as const) : null);
      const isOffered = [tree.menu, ...path, item].every((part) => isInChannel(part, channel));
      const fromMs = isOffered ? Math.max(groupsFrom, block?.untilMs ?? nowMs) : Infinity;
      return toAvailability(reason, times, { nowMs, fromMs, endMs: span.untilMs });
    },
  };
}

/**
 * `times` are the open times, `fromMs` is when stock allows it: what is available turns over at the end of the open
 * time it is in, what is not at the first open instant from `fromMs` on.
 */
function toAvailability(
  reason: UnavailableReason | null,
  times: readonly Interval[],
  { nowMs, fromMs, endMs }: { readonly nowMs: number; readonly fromMs: number; readonly endMs: number },
): Availability {
  if (reason === null) {
    const untilMs = times.find((time) => time.fromMs <= nowMs && nowMs < time.untilMs)?.untilMs ?? endMs;
    return { available: true, reason, nextChangeMs: untilMs < endMs ? untilMs : null };
  }
  const opens = times.find((time) => time.untilMs > fromMs);
  const nextChangeMs = opens === undefined ? null : Math.max(opens.fromMs, fromMs);
  return { available: false, reason, nextChangeMs };
}

const isInChannel = ({ channels }: { readonly channels: readonly Channel[] }, channel: Channel | null): boolean =>
  channel === null || channels.length === 0 || channels.includes(channel);

/** The days of a menu, first and last included, as stretches of its wall clock. */
function validTimes({ menu }: IndexedTree, span: Interval): readonly Interval[] {
  const { valid_from: first, valid_until: last, time_zone: timeZone } = menu;
  if (first === null && last === null) return [span];
  const fromLocal = first === null ? -Infinity : dayNumber(first) * DAY_MS;
  const untilLocal = last === null ? Infinity : (dayNumber(last) + 1) * DAY_MS;
  return unite(
    stretchesOf(timeZone, span.fromMs, span.untilMs)
      .map(({ fromMs, untilMs, offsetMs }) => ({
        fromMs: Math.max(fromMs, fromLocal - offsetMs),
        untilMs: Math.min(untilMs, untilLocal - offsetMs),
      }))
      .filter(({ fromMs, untilMs }) => fromMs < untilMs),
  );
}
