import { DAY_MS } from "../../../lib/instant.ts";
import { dayNumber } from "../../../lib/local-time.ts";
import type { Channel } from "../schema/parts.ts";
import type { Stock } from "../schema/stock.ts";
import type { TreeCategory, TreeItem, TreeModifier } from "../schema/tree.ts";
import { groupsOfItem, groupsOfModifier } from "./group-use.ts";
import type { UsedGroup } from "./group-use.ts";
import type { IndexedTree } from "./index-tree.ts";
import { intersect, openIntervals, unite } from "./open-times.ts";
import type { Interval } from "./open-times.ts";
import { stockBlock } from "./stock.ts";
import type { StockBlock } from "./stock.ts";
import { stretchesOf } from "./wall-clock.ts";

/** The first reason that applies, in this order. */
export type UnavailableReason =
  | "menu_schedule"
  | "category_schedule"
  | "item_schedule"
  | "channel"
  | "out_of_stock"
  | "suspended"
  | "required_group_unsatisfiable"
  | "allergens_unverified";

export interface Availability {
  readonly available: boolean;
  readonly reason: UnavailableReason | null;
  /** When `available` changes, according to current schedules and suspensions; null: not within the outlook. */
  readonly nextChangeMs: number | null;
}

/** How far ahead the next change is searched. */
export const OUTLOOK_DAYS = 14;

export interface Judge {
  readonly item: (item: TreeItem, path: readonly TreeCategory[]) => Availability;
  /** Why an item cannot be sold at any hour; null where its hours and channels allow it. */
  readonly soldOut: (item: TreeItem) => UnavailableReason | null;
  /** Why a modifier cannot be selected; null if it can. */
  readonly modifier: (modifier: TreeModifier) => StockBlock | null;
  /** Judges modifiers ahead in short steps: one can depend on all that its groups offer, and those on others. */
  readonly modifierSteps: (modifiers: readonly TreeModifier[]) => Generator<undefined, void>;
  readonly menu: () => Availability;
  readonly isOpen: (scheduleId: string) => boolean;
}

/**
 * Computes what can be sold of a menu at an instant. Availability = the menu's schedule and every category's on the
 * path
 * and the item's and the channel and stock. An object with several schedules is open while one of them is, one without
 * any always; unknown schedules are never open.
 */
export function createJudge(
  tree: IndexedTree,
  sale: {
    readonly nowMs: number;
    readonly channel: Channel | null;
    readonly stockOf: (targetId: string) => Stock | undefined;
    /** True for a part whose product must be verified before it is sold, and is not. */
    readonly isHeld?: (part: { readonly product_id: string | null }) => boolean;
  },
): Judge {
  const { nowMs, channel, isHeld = () => false } = sale;
  const span: Interval = { fromMs: nowMs, untilMs: nowMs + OUTLOOK_DAYS * DAY_MS };
  const hours = createHours(tree, span);
  const outlook = createOutlook(tree, sale);
  const isOffered = (parts: readonly Offered[]): boolean => areOffered(parts, channel);

  const groupsFromByItem = new Map<string, number>();
  /** From when on all groups of an item can be satisfied; computed once for all of its positions. */
  function groupsFromOf({ id, modifier_groups: uses }: TreeItem): number {
    const before = groupsFromByItem.get(id);
    if (before !== undefined) return before;
    const times = groupsOfItem(tree, uses).map((used) => outlook.satisfiableFrom(used));
    const fromMs = Math.max(nowMs, ...times);
    groupsFromByItem.set(id, fromMs);
    return fromMs;
  }

  function firstReason(item: TreeItem, path: readonly TreeCategory[]): UnavailableReason | null {
    if (!hours.isOpen([])) return "menu_schedule";
    if (!path.every((category) => hours.isOneOpen(category.schedule_ids))) return "category_schedule";
    if (!hours.isOneOpen(item.schedule_ids)) return "item_schedule";
    return isOffered([tree.menu, ...path, item]) ? null : "channel";
  }

  const soldOut = (item: TreeItem): UnavailableReason | null =>
    stockBlock(sale.stockOf(item.id), channel, nowMs)?.reason ??
    (groupsFromOf(item) > nowMs ? "required_group_unsatisfiable" : null);

  return {
    isOpen: (scheduleId) => hours.isOneOpen([scheduleId]),
    soldOut,
    modifier: outlook.modifier,
    modifierSteps: outlook.modifierSteps,
    menu() {
      const inChannel = isOffered([tree.menu]);
      const reason = hours.isOpen([]) ? (inChannel ? null : "channel") : "menu_schedule";
      const freeFrom = inChannel ? nowMs : Infinity;
      return toAvailability(reason, hours.timesOf([]), { nowMs, fromMs: freeFrom, endMs: span.untilMs });
    },
    item(item, path) {
      const times = hours.timesOf([...path.map((category) => category.schedule_ids), item.schedule_ids]);
      const groupsFrom = groupsFromOf(item);
      const block = stockBlock(sale.stockOf(item.id), channel, nowMs);
      const reason =
        firstReason(item, path) ?? soldOut(item) ?? (isHeld(item) ? ("allergens_unverified" as const) : null);
      const inStockFrom = isHeld(item) ? Infinity : Math.max(groupsFrom, block?.untilMs ?? nowMs);
      const fromMs = isOffered([tree.menu, ...path, item]) ? inStockFrom : Infinity;
      return toAvailability(reason, times, { nowMs, fromMs, endMs: span.untilMs });
    },
  };
}

interface Offered {
  readonly channels: readonly Channel[];
}

/** Whether each of some parts is offered in a channel; null: without considering channels. */
export const areOffered = (parts: readonly Offered[], channel: Channel | null): boolean =>
  parts.every(({ channels }) => channel === null || channels.length === 0 || channels.includes(channel));

interface Hours {
  /** When the menu and all of some lists of schedules are open, in order. */
  readonly timesOf: (lists: readonly (readonly string[])[]) => readonly Interval[];
  readonly isOpen: (lists: readonly (readonly string[])[]) => boolean;
  /** True if a list of schedules is open now. */
  readonly isOneOpen: (ids: readonly string[]) => boolean;
}

/** How many intervals of combined lists are remembered: each placement can have thousands of its own, which took 0.5 MB. */
const REMEMBERED_MAX = 50_000;

/** Open times of a period that starts now, computed once as far as they are few: most items share theirs with many others. */
function createHours(tree: IndexedTree, span: Interval): Hours {
  const byId = new Map<string, readonly Interval[]>();
  const byLists = new Map<string, readonly Interval[]>();
  let remembered = 0;
  const timesOfOne = (scheduleId: string): readonly Interval[] => {
    const cached = byId.get(scheduleId);
    if (cached !== undefined) return cached;
    const schedule = tree.scheduleById.get(scheduleId);
    const times = schedule === undefined ? [] : openIntervals(schedule, tree.menu.time_zone, span);
    byId.set(scheduleId, times);
    return times;
  };
  const narrow = (open: readonly Interval[], ids: readonly string[]): readonly Interval[] =>
    ids.length === 0 ? open : intersect(open, unite(ids.flatMap(timesOfOne)));
  const ofMenu = narrow(validTimes(tree, span), tree.menu.schedule_ids);
  const timesOf: Hours["timesOf"] = (lists) => {
    const key = lists.map((ids) => ids.join()).join(";");
    const cached = byLists.get(key);
    if (cached !== undefined) return cached;
    const times = lists.reduce(narrow, ofMenu);
    remembered += times.length + 1;
    if (remembered > REMEMBERED_MAX) {
      byLists.clear();
      remembered = times.length + 1;
    }
    byLists.set(key, times);
    return times;
  };
  const isNow = (times: readonly Interval[]): boolean => times[0]?.fromMs === span.fromMs;
  return {
    timesOf,
    isOpen: (lists) => isNow(timesOf(lists)),
    isOneOpen: (ids) => ids.length === 0 || ids.some((id) => isNow(timesOfOne(id))),
  };
}

interface Outlook extends Pick<Judge, "modifier" | "modifierSteps"> {
  /** Time from which enough modifiers are available to satisfy a group; Infinity: unknown. */
  readonly satisfiableFrom: (used: UsedGroup) => number;
}

/** Judges modifiers and groups, each once for all that use it. */
export function createOutlook(
  tree: IndexedTree,
  { nowMs, channel, stockOf, isHeld = () => false }: Parameters<typeof createJudge>[1],
): Outlook {
  const blocks = new Map<string, StockBlock | null>();
  const modifierBlock: Outlook["modifier"] = (modifier) => {
    const before = blocks.get(modifier.id);
    if (before !== undefined) return before;
    const block = judgeModifier(modifier);
    blocks.set(modifier.id, block);
    return block;
  };
  const judgeModifier: Outlook["modifier"] = (modifier) => {
    if (isHeld(modifier)) return { reason: "allergens_unverified", untilMs: Infinity };
    const ids = modifier.item_id === null ? [modifier.id] : [modifier.id, modifier.item_id];
    const own = ids.flatMap((id) => stockBlock(stockOf(id), channel, nowMs) ?? []);
    const nested = groupsOfModifier(tree, modifier).map((used) => satisfiableFrom(used));
    const untilMs = Math.max(nowMs, ...own.map((block) => block.untilMs), ...nested);
    const [first] = own;
    if (first !== undefined) return { reason: first.reason, untilMs };
    return untilMs > nowMs ? { reason: "out_of_stock", untilMs } : null;
  };
  // Modifiers share their nested groups.
  const times = new WeakMap<UsedGroup, number>();
  const satisfiableFrom: Outlook["satisfiableFrom"] = (used) => {
    const before = times.get(used);
    if (before !== undefined) return before;
    const fromMs = judgeGroup(used);
    times.set(used, fromMs);
    return fromMs;
  };
  const judgeGroup: Outlook["satisfiableFrom"] = ({ min, modifiers }) => {
    if (min === 0) return nowMs;
    const offers = modifiers
      .map((modifier) => ({ modifier, fromMs: modifierBlock(modifier)?.untilMs ?? nowMs }))
      .filter(({ fromMs }) => fromMs < Infinity)
      .sort((a, b) => a.fromMs - b.fromMs);
    let units = 0;
    for (const { modifier, fromMs } of offers) {
      units += modifier.max_quantity;
      if (units >= min) return fromMs;
    }
    return Infinity;
  };
  function* modifierSteps(modifiers: readonly TreeModifier[]): Generator<undefined, void> {
    for (const modifier of modifiers) {
      if (blocks.has(modifier.id)) continue;
      // What a group offers is judged first, one step each.
      for (const used of groupsOfModifier(tree, modifier)) {
        if (used.min === 0 || times.has(used)) continue;
        yield* modifierSteps(used.modifiers);
        satisfiableFrom(used);
        yield;
      }
      modifierBlock(modifier);
      yield;
    }
  }
  return { modifier: modifierBlock, modifierSteps, satisfiableFrom };
}

/**
 * `times` are the open times, `fromMs` is when stock allows it: an available item changes at the end of the current
 * open
 * time, an unavailable one at the first open instant from `fromMs` on.
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

/** The days of a menu, first and last included, as intervals of its local time. */
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
