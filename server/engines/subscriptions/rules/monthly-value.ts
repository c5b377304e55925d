import { mulRatio } from "../../../lib/money.ts";
import type { Contract } from "../schema.ts";
import { priceCycle } from "./price-cycle.ts";

/** What a contract brings in a month, by its next cycle: a year is twelve months, and a month is a twelfth of 365 days. */
export function monthlyValue(contract: Contract): number {
  const { total } = priceCycle(contract, contract.next_cycle).money;
  const { interval_unit: unit, interval_count: count } = contract.billing;
  if (unit === "month") return mulRatio(total, 1, count);
  if (unit === "year") return mulRatio(total, 1, 12 * count);
  return mulRatio(total, 365, 12 * count * (unit === "week" ? 7 : 1));
}
