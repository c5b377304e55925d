import { showDate } from "../../../kernel/show.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";

/** "every month", "every 2 weeks". */
export const showInterval = ({ interval_unit: unit, interval_count: count }: Contract["billing"]): string =>
  count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;

/** What a charge is for, in a few words. */
export const showPeriod = ({ period }: Pick<Charge, "period">): string =>
  `${showDate(period.start)} to ${showDate(period.end)}`;
