/** Minor units as people write them: 2100 GBP is £21.00, 2100 JPY is ¥2,100. */
export function showMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-GB", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

const TITLES_SHOWN = 3;

/** "2 × Sourdough loaf; Butter and 2 more". */
export function showLines(lines: readonly { readonly title: string; readonly quantity: number }[]): string {
  const named = lines
    .slice(0, TITLES_SHOWN)
    .map(({ title, quantity }) => (quantity === 1 ? title : `${quantity} × ${title}`))
    .join("; ");
  return lines.length > TITLES_SHOWN ? `${named} and ${lines.length - TITLES_SHOWN} more` : named;
}
