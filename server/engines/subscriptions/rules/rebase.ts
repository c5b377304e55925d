import type { Contract } from "../schema.ts";
import type { Interval } from "../schema/parts.ts";
import { dayOf } from "./calendar.ts";

/** A new interval counts from the day on which it begins. */
export function rebased(
  contract: Pick<Contract, "billing" | "next_cycle">,
  { unit, count }: Interval,
  start: string,
): Contract["billing"] {
  const isByMonth = unit === "month" || unit === "year";
  return {
    ...contract.billing,
    interval_unit: unit,
    interval_count: count,
    anchor_date: start,
    anchor_day: isByMonth ? dayOf(start) : null,
    anchor_index: contract.next_cycle,
    stub_start: null,
  };
}
