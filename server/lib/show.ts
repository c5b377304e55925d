import { createRecent } from "./recent.ts";

/** Values as people read them in mails and on pages; in British English where no locale is given. */
const BRITISH = "en-GB";

/** Minor units: 2100 GBP is £21.00, 2100 JPY is JP¥2,100. */
export function showMoney(amount: number, currency: string, locale = BRITISH): string {
  const { format, digits } = moneyIn(locale, currency);
  return format.format(amount / 10 ** digits);
}

/** Decimal places of a currency: 2 for GBP, none for JPY, 3 for KWD. */
export const digitsOf = (currency: string): number => moneyIn(BRITISH, currency).digits;

/** "2026-06-30" → "30 June 2026"; full: "Tuesday, 30 June 2026". */
export const showDate = (date: string, dateStyle: "long" | "full" = "long", locale = BRITISH): string =>
  timesIn(locale, { dateStyle, timeZone: "UTC" }).format(new Date(`${date}T12:00:00Z`));

/** "2026-06-30T16:00:00Z" → "30 June 2026 at 17:00", in a time zone. */
export const showInstant = (instant: string, timeZone: string, locale = BRITISH): string =>
  timesIn(locale, { dateStyle: "long", timeStyle: "short", timeZone }).format(new Date(instant));

// Making a format takes a hundred times as long as using it, and a page shows thousands of amounts.
const FORMATS_KEPT = 64;
const amounts = createRecent<{ readonly format: Intl.NumberFormat; readonly digits: number }>(FORMATS_KEPT);
const times = createRecent<Intl.DateTimeFormat>(FORMATS_KEPT);

function moneyIn(locale: string, currency: string) {
  const name = `${locale} ${currency}`;
  const known = amounts.get(name);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  const made = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 };
  amounts.keep(name, made);
  return made;
}

function timesIn(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = [locale, ...Object.values(options)].join(" ");
  const known = times.get(name);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  times.keep(name, made);
  return made;
}

const TITLES_SHOWN = 3;

/** "2 × Coffee, 1 kg; Filters; Mug and 2 more". */
export function showLines(lines: readonly { readonly title: string; readonly quantity: number }[]): string {
  const named = lines
    .slice(0, TITLES_SHOWN)
    .map(({ title, quantity }) => (quantity === 1 ? title : `${quantity} × ${title}`))
    .join("; ");
  return lines.length > TITLES_SHOWN ? `${named} and ${lines.length - TITLES_SHOWN} more` : named;
}
