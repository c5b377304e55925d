import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";

/** Minor units as people write them: 2100 GBP is £21.00, 2100 JPY is ¥2,100. */
export function showMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-GB", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

/** "2026-06-30" → "30 June 2026". */
export const showDate = (date: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(
    new Date(`${date}T12:00:00Z`),
  );

const TITLES_SHOWN = 3;

/** "2 × Coffee, 1 kg; Filters and 2 more". */
export function showLines(lines: readonly Pick<Contract["lines"][number], "title" | "quantity">[]): string {
  const named = lines
    .slice(0, TITLES_SHOWN)
    .map(({ title, quantity }) => (quantity === 1 ? title : `${quantity} × ${title}`))
    .join("; ");
  return lines.length > TITLES_SHOWN ? `${named} and ${lines.length - TITLES_SHOWN} more` : named;
}

/** "every month", "every 2 weeks". */
export const showInterval = ({ interval_unit: unit, interval_count: count }: Contract["billing"]): string =>
  count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;

/** What a charge is for, in a few words. */
export const showPeriod = ({ period }: Pick<Charge, "period">): string =>
  `${showDate(period.start)} to ${showDate(period.end)}`;
