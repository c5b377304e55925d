import { mulBps } from "../../../lib/money.ts";
import type { UnitValue } from "../schema/parts.ts";

/**
 * What a unit of this price saves. Rounded per unit, half up: the price that is advertised is the price that is charged,
 * and splitting a line changes nothing. Never more than the price; a fixed price never raises one.
 */
export function unitSaving(price: number, { kind, value }: Pick<UnitValue, "kind" | "value">): number {
  if (kind === "free") return price;
  if (kind === "percent_off") return Math.min(price, mulBps(price, value));
  return kind === "amount_off" ? Math.min(price, value) : Math.max(0, price - value);
}
