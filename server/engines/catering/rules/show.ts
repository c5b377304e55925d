/** Minor units as people write them: 2100 GBP is £21.00, 2100 JPY is ¥2,100. */
export function showMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-GB", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

/** "2026-06-30" → "Tuesday, 30 June 2026". */
export const showDate = (date: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(
    new Date(`${date}T12:00:00Z`),
  );

/** An instant on the clock of a zone: "12 June 2026 at 17:00". */
export const showInstant = (instant: string, timezone: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: timezone }).format(
    new Date(instant),
  );

/** Basis points as a percentage: 1750 is 17.5%. */
export const showRate = (bps: number): string => `${bps / 100}%`;

/** "1 head", "20 heads". */
export const showHeads = (count: number): string => `${count} ${count === 1 ? "guest" : "guests"}`;
