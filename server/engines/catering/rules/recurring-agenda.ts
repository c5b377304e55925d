import { fromInstant } from "../../../lib/instant.ts";
import type { Line } from "../schema/parts.ts";
import type { Occurrence, RecurringOrder } from "../schema/recurring.ts";
import { addDays, daysBetween } from "../../../lib/local-time.ts";
import { HORIZON_DAYS, occurrenceSteps } from "./occurrences.ts";

const HOUR_MS = 3_600_000;
/** Days for which what became of an occurrence is kept; its order stays for ever. */
const KEEP_DAYS = 60;

export interface AgendaInput {
  readonly now: number;
  /** Local date of now. */
  readonly today: string;
  readonly holidays: ReadonlySet<string>;
}

/** Occurrences of an active order that have not begun, in steps: all that the jobs do follows from them, and they take milliseconds. */
export function* upcomingSteps(
  order: RecurringOrder,
  { now, today, holidays }: AgendaInput,
): Generator<undefined, Occurrence[]> {
  if (order.status !== "active") return [];
  const window = { from: addDays(today, -1), to: addDays(today, HORIZON_DAYS), holidays, today };
  const occurrences = yield* occurrenceSteps(order.id, order, window);
  return occurrences.filter(({ starts_at: at }) => fromInstant(at) > now);
}

/** Upcoming occurrences whose deadline has come and which have not been counted yet. */
export const dueOccurrences = (upcoming: readonly Occurrence[], now: number): Occurrence[] =>
  upcoming.filter((occurrence) => isWaiting(occurrence) && fromInstant(occurrence.count_at) <= now);

/** Counted occurrences that wait for an order: for an approval, or for credit. */
export const heldOccurrences = (upcoming: readonly Occurrence[]): Occurrence[] =>
  upcoming.filter(({ state }) => state === "counted");

const isWaiting = ({ state }: Occurrence): boolean =>
  state === "planned" || state === "scheduled" || state === "moved";

/** The occurrences with what became of them meanwhile. */
export function withStates(
  upcoming: readonly Occurrence[],
  { progress }: Pick<RecurringOrder, "progress">,
): Occurrence[] {
  const states = new Map(progress.map(({ original_start: at, state }) => [at, state]));
  return upcoming.map((occurrence) => ({
    ...occurrence,
    state: states.get(occurrence.original_start) ?? occurrence.state,
  }));
}

/** When the jobs look at a recurring order next, epoch milliseconds: at the next deadline, and hourly while one is held. */
export function nextLook(
  order: RecurringOrder,
  upcoming: readonly Occurrence[],
  { now, today }: Pick<AgendaInput, "now" | "today">,
): number | null {
  if (order.status !== "active") return null;
  const isHeld = order.approval_mode === "auto" && heldOccurrences(upcoming).length > 0;
  const deadlines = upcoming.filter(isWaiting).map(({ count_at: at }) => fromInstant(at));
  const next = Math.min(...deadlines, ...(isHeld ? [now + HOUR_MS] : []));
  if (Number.isFinite(next)) return next;
  // Nothing within the horizon: a rare rule is looked at again when the horizon has moved on.
  const isOver = order.until !== null && order.until < today;
  return isOver ? null : now + (HORIZON_DAYS / 2) * 24 * HOUR_MS;
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
