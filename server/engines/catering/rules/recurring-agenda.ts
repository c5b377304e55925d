import { fromInstant } from "../../../lib/instant.ts";
import type { Line } from "../schema/parts.ts";
import type { Occurrence, RecurringOrder } from "../schema/recurring.ts";
import { addDays, daysBetween } from "../../../lib/local-time.ts";
import { expandOccurrences, HORIZON_DAYS } from "./occurrences.ts";

const HOUR_MS = 3_600_000;
/** Days for which what became of an occurrence is kept; its order stays for ever. */
const KEEP_DAYS = 60;

export interface AgendaInput {
  readonly now: number;
  /** Local date of now. */
  readonly today: string;
  readonly holidays: ReadonlySet<string>;
}

/** Occurrences whose deadline has come and which have not been counted yet; those that began meanwhile are too late. */
export function dueOccurrences(order: RecurringOrder, input: AgendaInput): Occurrence[] {
  if (order.status !== "active") return [];
  return upcoming(order, input).filter(
    (occurrence) => isWaiting(occurrence) && fromInstant(occurrence.count_at) <= input.now,
  );
}

/** Counted occurrences that wait for an order: for an approval, or for credit. */
export const heldOccurrences = (order: RecurringOrder, input: AgendaInput): Occurrence[] =>
  upcoming(order, input).filter(({ state }) => state === "counted");

const isWaiting = ({ state }: Occurrence): boolean =>
  state === "planned" || state === "scheduled" || state === "moved";

const upcoming = (order: RecurringOrder, { now, today, holidays }: AgendaInput): Occurrence[] =>
  expandOccurrences(order.id, order, {
    from: addDays(today, -1),
    to: addDays(today, HORIZON_DAYS),
    holidays,
    today,
  }).filter(({ starts_at: at }) => fromInstant(at) > now);

/** When the jobs look at a recurring order next, epoch milliseconds: at the next deadline, and hourly while one is held. */
export function nextLook(order: RecurringOrder, input: AgendaInput): number | null {
  if (order.status !== "active") return null;
  const occurrences = upcoming(order, input);
  const isHeld = order.approval_mode === "auto" && occurrences.some(({ state }) => state === "counted");
  const deadlines = occurrences.filter(isWaiting).map(({ count_at: at }) => fromInstant(at));
  const next = Math.min(...deadlines, ...(isHeld ? [input.now + HOUR_MS] : []));
  if (Number.isFinite(next)) return next;
  // Nothing within the horizon: a rare rule is looked at again when the horizon has moved on.
  const isOver = order.until !== null && order.until < input.today;
  return isOver ? null : input.now + (HORIZON_DAYS / 2) * 24 * HOUR_MS;
}

/** The order without its old occurrences. */
export const pruned = (order: RecurringOrder, today: string): RecurringOrder => {
  const isRecent = ({ original_start: at }: { readonly original_start: string }): boolean =>
    daysBetween(at.slice(0, 10), today) <= KEEP_DAYS;
  return {
    ...order,
    edits: order.edits.filter((edit) => isRecent(edit) || (edit.date ?? "") >= today),
    progress: order.progress.filter(isRecent),
  };
};

/** The lines of an occurrence: menus take turns by the week since the beginning, so that a skipped week shifts none. */
export function linesFor(
  order: RecurringOrder,
  original: string,
): { readonly title: string; readonly lines: Line[] } {
  const weeks = Math.floor(daysBetween(order.dtstart.slice(0, 10), original.slice(0, 10)) / 7);
  const { length } = order.menu_rotation;
  const menu = length === 0 ? undefined : order.menu_rotation[((weeks % length) + length) % length];
  return menu === undefined
    ? { title: order.title, lines: order.lines }
    : { title: `${order.title}: ${menu.title}`.slice(0, 200), lines: menu.lines };
}
