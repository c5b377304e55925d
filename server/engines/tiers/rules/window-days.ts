import type { Window } from "../schema/programme.ts";
import { addDays, addMonths } from "../../../lib/local-time.ts";

/** Local dates, inclusive. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

export interface WindowAnchors {
  /** Day of the member's first event. */
  readonly joinedOn: string;
  /** Day since which the member has the current level. */
  readonly since: string;
  /** First day of the programme. */
  readonly startDate: string;
}

/** The days of a window that ends on a date. */
export function windowDays(window: Window, day: string, anchors: WindowAnchors): DaySpan {
  switch (window.type) {
    case "rolling":
      return { from: addDays(addMonths(day, -window.months), 1), to: day };
    case "calendar":
      return { from: `${day.slice(0, 4)}-01-01`, to: day };
    case "anniversary":
      return { from: lastAnniversary(anchors.joinedOn, day), to: day };
    case "since_tier":
      return { from: anchors.since, to: day };
    case "lifetime":
      return { from: anchors.startDate, to: day };
  }
}

/** The last anniversary of joining on or before a day; for 29 February it is the 28th in other years. */
function lastAnniversary(joinedOn: string, day: string): string {
  const years = Number(day.slice(0, 4)) - Number(joinedOn.slice(0, 4));
  if (years <= 0) return joinedOn;
  const thisYear = addMonths(joinedOn, years * 12);
  return thisYear <= day ? thisYear : addMonths(joinedOn, (years - 1) * 12);
}
