/** Values as people read them in mails and on pages; in British English where no locale is given. */
const BRITISH = "en-GB";

/** Minor units: 2100 GBP is £21.00, 2100 JPY is JP¥2,100. */
export function showMoney(amount: number, currency: string, locale = BRITISH): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(amount / 10 ** digitsOf(currency));
}

/** Decimal places of a currency: 2 for GBP, none for JPY, 3 for KWD. */
export const digitsOf = (currency: string): number =>
  new Intl.NumberFormat(BRITISH, { style: "currency", currency }).resolvedOptions().maximumFractionDigits ??
  2;

/** "2026-06-30" → "30 June 2026"; full: "Tuesday, 30 June 2026". */
export const showDate = (date: string, dateStyle: "long" | "full" = "long", locale = BRITISH): string =>
  new Intl.DateTimeFormat(locale, { dateStyle, timeZone: "UTC" }).format(new Date(`${date}T12:00:00Z`));

/** "2026-06-30T16:00:00Z" → "30 June 2026 at 17:00", in a time zone. */
export const showInstant = (instant: string, timeZone: string, locale = BRITISH): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone }).format(
    new Date(instant),
  );

const TITLES_SHOWN = 3;

/** "2 × Coffee, 1 kg; Filters; Mug and 2 more". */
export function showLines(lines: readonly { readonly title: string; readonly quantity: number }[]): string {
  const named = lines
    .slice(0, TITLES_SHOWN)
    .map(({ title, quantity }) => (quantity === 1 ? title : `${quantity} × ${title}`))
    .join("; ");
  return lines.length > TITLES_SHOWN ? `${named} and ${lines.length - TITLES_SHOWN} more` : named;
}
