/** Values as people read them in mails and on pages, in British English. */

/** Minor units: 2100 GBP is £21.00, 2100 JPY is JP¥2,100. */
export function showMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-GB", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

/** "2026-06-30" → "30 June 2026"; full: "Tuesday, 30 June 2026". */
export const showDate = (date: string, dateStyle: "long" | "full" = "long"): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle, timeZone: "UTC" }).format(new Date(`${date}T12:00:00Z`));

const TITLES_SHOWN = 3;

/** "2 × Coffee, 1 kg; Filters; Mug and 2 more". */
export function showLines(lines: readonly { readonly title: string; readonly quantity: number }[]): string {
  const named = lines
    .slice(0, TITLES_SHOWN)
    .map(({ title, quantity }) => (quantity === 1 ? title : `${quantity} × ${title}`))
    .join("; ");
  return lines.length > TITLES_SHOWN ? `${named} and ${lines.length - TITLES_SHOWN} more` : named;
}
