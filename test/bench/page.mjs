import { format, spread } from "./report.mjs";

const LOWER = new Set(["ms", "µs", "s", "MB", "MiB", "bytes"]);
/** Which direction of a unit is good: times and sizes are better when they are small, rates when they are large. */
export const directionOf = (unit) => (LOWER.has(unit) ? "lower" : "higher");

const escape = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char],
  );
const nameOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/**
 * A page for people: what was measured, which direction is good, the median and the spread of each row, and a picture of each section.
 * @param {{ machine: Record<string, string>, options: Record<string, number>, sections: object[] }} result as written by `--json`
 * @returns {Map<string, string>} texts by file name: `README.md` and an SVG for each section
 */
export function benchPage({ machine, options, sections }) {
  const files = new Map();
  const parts = sections.map((section) => {
    const picture = `${nameOf(section.title)}.svg`;
    files.set(picture, chart(section));
    return partOf(section, picture);
  });
  const about = `Node ${machine.node} on ${machine.platform} (${machine.arch}). ${options.rounds} rounds, measured in turns; figures are medians, with the least and the most. Compare rows of one run only.`;
  files.set("README.md", `# Benchmark\n\n${about}\n\n${parts.join("\n\n")}\n`);
  return files;
}

function partOf({ title, unit, rows, notes = [] }, picture) {
  const lines = rows.map(({ name, values, ratios = {} }) => {
    const { median, min, max } = spread(values);
    const told = Object.entries(ratios).map(([label, ratio]) => `${ratio.toFixed(2)} × ${label}`);
    return `| ${[name, format(median), format(min), format(max), told.join(", ")].join(" | ")} |`;
  });
  return [
    `## ${title}`,
    `In ${unit}; **${directionOf(unit)} is better**.`,
    `![${title}](${picture})`,
    ["| | Median | Least | Most | Ratio |", "|---|--:|--:|--:|---|", ...lines].join("\n"),
    ...notes.map((note) => `- ${note}`),
  ].join("\n\n");
}

const [LEFT, WIDE, ROW, GAP] = [250, 420, 18, 12];

/** Bars from zero to the median, with a line from the least to the most. */
function chart({ title, unit, rows }) {
  const all = rows.map(({ name, values }) => ({ name, ...spread(values) }));
  const top = Math.max(...all.map(({ max }) => max)) || 1;
  const x = (value) => (LEFT + (value / top) * WIDE).toFixed(1);
  const height = 46 + all.length * (ROW + GAP);
  const bars = all.map(({ name, median, min, max }, index) => {
    const y = 40 + index * (ROW + GAP);
    const middle = y + ROW / 2;
    return (
      `<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${escape(name)}</text>` +
      `<rect x="${LEFT}" y="${y}" width="${(Number(x(median)) - LEFT).toFixed(1)}" height="${ROW}" rx="2" fill="${index === 0 ? "#2f6f4f" : "#9db8a9"}"/>` +
      `<line x1="${x(min)}" x2="${x(max)}" y1="${middle}" y2="${middle}" stroke="#222" stroke-width="1.5"/>` +
      `<text x="${Number(x(Math.max(median, max))) + 8}" y="${middle + 4}">${escape(format(median))}</text>`
    );
  });
  const label = `${title}, in ${unit}; ${directionOf(unit)} is better`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDE + 110} ${height}" role="img" aria-label="${escape(label)}" font-family="system-ui, sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="#fff"/><text x="8" y="20" font-size="13" font-weight="600">${escape(label)}</text>${bars.join("")}</svg>\n`
  );
}
