import { dayNumber } from "../../../lib/local-time.ts";
import { ALL, ANY_WINDOW, DAY_MINUTES, NO_RANK, rankAt, spanOf } from "./expand-blocks.ts";
import type { DayBlocks, PartDays, PartList, Span, WholeDays } from "./expand-blocks.ts";

/** The subject: the slots of a window, or (without window and times) whole days. */
export interface BlockSubject {
  /** Zone or pickup location. */
  readonly placeId: string | null;
  readonly windowId: string | null;
  /** Local time, `HH:MM`; an end at or before the start is on the next day. */
  readonly time: { readonly start: string; readonly end: string } | null;
}

/** Why a slot or a day is blocked: the reason, or null if it is not. See `blockReader`. */
export const findBlock = (
  blocks: DayBlocks,
  query: BlockSubject & { readonly date: string },
): string | null => blockReader(blocks, query)(dayNumber(query.date));

/**
 * Prepares the question for one subject and returns why it is blocked on a day, in days since 1970-01-01: the reason, or
 * null if it is not.
 *
 * An `open` entry overrides blocks that come from a calendar or a recurrence, never a date or range set by hand.
 * Entries without ranges apply to slots that start on their date. A part-day block stops every slot that overlaps
 * it, also across midnight; a part-day opening must contain the whole slot. A day as such is blocked only if all of
 * it is blocked for every window of the place.
 */
export function blockReader(blocks: DayBlocks, subject: BlockSubject): (day: number) => string | null {
  const keys = [ALL, subject.placeId, subject.windowId ?? ANY_WINDOW].filter((key) => key !== null);
  const lines = keys.flatMap((key) => blocks.whole.get(key) ?? []);
  const lists = keys.flatMap((key) => blocks.parts.get(key) ?? []);
  const met = meetParts(blocks, lists, subject.time);
  return (day) => {
    const rank = firstRank(lines, met, day - blocks.first);
    return rank === null ? null : (blocks.reasons[rank] ?? null);
  };
}

/** False where no slot of a date is blocked, whatever its place and window. */
export function mayBlock({ first, parts, whole }: DayBlocks, date: string): boolean {
  const day = dayNumber(date) - first;
  const isSet = (ranks: Int32Array): boolean =>
    OFFSETS.some((offset) => (ranks[day + offset] ?? NO_RANK) !== NO_RANK);
  return (
    [...whole.values()].some(({ hand, soft }) =>
      [hand, soft].some((line) => rankAt(line, day) !== NO_RANK),
    ) || [...parts.values()].some((list) => partsOf(list).some(({ ranks }) => isSet(ranks)))
  );
}

/** Windows with the same times and the same entries share what they meet. */
const metParts = new WeakMap<DayBlocks, Map<string, MetParts>>();

function meetParts(blocks: DayBlocks, lists: readonly PartList[], time: BlockSubject["time"]): MetParts {
  const known = metParts.get(blocks) ?? new Map<string, MetParts>();
  metParts.set(blocks, known);
  const key = `${time?.start} ${time?.end} ${lists.map(({ id }) => id).join(" ")}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const slot = time === null ? null : spanOf(time);
  const meetings = lists
    .flatMap(partsOf)
    .flatMap((part) => OFFSETS.flatMap((offset) => meetOn(part, offset, slot) ?? []));
  const met = mergeParts(meetings);
  known.set(key, met);
  return met;
}

function partsOf(list: PartList): PartDays[] {
  const parts: PartDays[] = [];
  for (let at: PartList | null = list; at !== null; at = at.before) if (at.part !== null) parts.push(at.part);
  return parts;
}

/** A part-day entry that meets the slot when its date is `offset` days after the slot's. */
interface Meeting {
  readonly part: PartDays;
  readonly offset: number;
}

function meetOn(part: PartDays, offset: number, slot: Span | null): Meeting | null {
  if (slot === null) return part.action === "open" && offset === 0 ? { part, offset } : null;
  const shift = offset * DAY_MINUTES;
  const isMet = part.spans.some(({ from, to }) =>
    part.action === "open"
      ? from + shift <= slot.from && slot.to <= to + shift
      : from + shift < slot.to && slot.from < to + shift,
  );
  return isMet ? { part, offset } : null;
}

/** For each kind of part-day entry that meets the slots, the rank of the first one by the day of the slot. */
interface MetParts {
  readonly open: Ranks;
  readonly blocks: readonly { readonly offset: number; readonly hand: Ranks; readonly soft: Ranks }[];
}

/** Null: there is none on any day. */
type Ranks = Int32Array | null;

/** Merged once, so that the question about a day does not depend on the number of entries. */
function mergeParts(meetings: readonly Meeting[]): MetParts {
  const merge = (isWanted: (meeting: Meeting) => boolean): Ranks => {
    let merged: Ranks = null;
    for (const meeting of meetings) {
      if (!isWanted(meeting)) continue;
      const { ranks } = meeting.part;
      merged ??= new Int32Array(ranks.length).fill(NO_RANK);
      const [from, to] = [
        Math.max(0, -meeting.offset),
        Math.min(ranks.length, ranks.length - meeting.offset),
      ];
      for (let day = from; day < to; day += 1) {
        const rank = ranks[day + meeting.offset] ?? NO_RANK;
        if (rank < (merged[day] ?? NO_RANK)) merged[day] = rank;
      }
    }
    return merged;
  };
  const blocksAt = (offset: number, byHand: boolean): Ranks =>
    merge(
      ({ part, ...meeting }) => meeting.offset === offset && part.action !== "open" && part.byHand === byHand,
    );
  return {
    open: merge(({ part }) => part.action === "open"),
    blocks: OFFSETS.map((offset) => ({
      offset,
      hand: blocksAt(offset, true),
      soft: blocksAt(offset, false),
    })),
  };
}

/** The rank of the entry that blocks the day: of those of the day before, then of its own, then of the day after. */
function firstRank(lines: readonly WholeDays[], met: MetParts, day: number): number | null {
  const rankOf = (ranks: Ranks): number => ranks?.[day] ?? NO_RANK;
  const isOpened = rankOf(met.open) !== NO_RANK || lines.some(({ open }) => rankAt(open, day) !== NO_RANK);
  for (const { offset, hand, soft } of met.blocks) {
    let first = Math.min(rankOf(hand), isOpened ? NO_RANK : rankOf(soft));
    if (offset === 0) {
      for (const whole of lines) {
        first = Math.min(first, rankAt(whole.hand, day), isOpened ? NO_RANK : rankAt(whole.soft, day));
      }
    }
    if (first !== NO_RANK) return first;
  }
  return null;
}

const OFFSETS = [-1, 0, 1];
