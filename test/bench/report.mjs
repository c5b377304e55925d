/** Median, least and most of a list of numbers. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
}

/** A section: title, unit, rows {name, values, ratios?: {label: number}}. Ratios are of medians in this run. */
export function printSection({ title, unit, rows, notes = [] }) {
  console.log(`\n${title}`);
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const { name, values, ratios = {} } of rows) {
    const { median, min, max } = spread(values);
    const told = Object.entries(ratios).map(([label, ratio]) => `${ratio.toFixed(2)} × ${label}`);
    const figures = `${format(median).padStart(9)} ${unit}  (${format(min)} to ${format(max)})`;
    console.log(`  ${name.padEnd(width)}  ${figures}${told.length > 0 ? `   ${told.join(", ")}` : ""}`);
  }
  for (const note of notes) console.log(`  ${note}`);
}

export const format = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en-GB") : value.toPrecision(3);
