import { html } from "../../kernel/html.ts";
import type { Html } from "../../kernel/html.ts";
import { text } from "./view.ts";
import type { Row } from "./view.ts";

const WIDTH = 720;
const HEIGHT = 160;
const LEFT = 56;
const BOTTOM = 24;
const KINDS = ["succeeded", "rejected", "rate_limited", "failed"] as const;

/**
 * Requests by day and outcome, as bars drawn on the server: nothing to load, nothing to run, the same on paper, and its
 * figures stand in the table below. Null where there is nothing to draw.
 */
export function drawUsage(rows: readonly Row[]): Html | null {
  const days = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const day = text(row, "day");
    const counts = days.get(day) ?? new Map<string, number>();
    for (const kind of KINDS) counts.set(kind, (counts.get(kind) ?? 0) + Number(row[kind] ?? 0));
    days.set(day, counts);
  }
  if (days.size === 0) return null;
  const bars = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const totals = bars.map(([, counts]) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const highest = Math.max(...totals, 1);
  const step = (WIDTH - LEFT) / bars.length;
  const scale = (HEIGHT - BOTTOM) / highest;
  const [first = ""] = bars[0] ?? [];
  const [last = ""] = bars.at(-1) ?? [];
  return html`<figure>
    <svg
      class="usage"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="Requests by day, highest ${highest}"
    >
      <text x="${LEFT - 6}" y="12" text-anchor="end">${highest}</text>
      <text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">0</text>
      <text x="${LEFT}" y="${HEIGHT - 6}">${first}</text>
      <text x="${WIDTH}" y="${HEIGHT - 6}" text-anchor="end">${last}</text>
      ${bars.map(([day, counts], at) => bar({ day, counts, x: LEFT + at * step, width: step * 0.8, scale }))}
    </svg>
    <figcaption>
      ${KINDS.map((kind) => html`<span class="key ${kind}">${kind.replace("_", " ")}</span> `)}
    </figcaption>
  </figure>`;
}

interface Bar {
  readonly day: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly x: number;
  readonly width: number;
  /** Units of height for one request. */
  readonly scale: number;
}

function bar({ day, counts, x, width, scale }: Bar): Html {
  let floor = HEIGHT - BOTTOM;
  const told = KINDS.map((kind) => `${counts.get(kind) ?? 0} ${kind.replace("_", " ")}`).join(", ");
  return html`<g>
    <title>${day}: ${told}</title>
    ${KINDS.map((kind) => {
      const height = (counts.get(kind) ?? 0) * scale;
      floor -= height;
      return html`<rect
        class="${kind}"
        x="${x.toFixed(1)}"
        y="${floor.toFixed(1)}"
        width="${width.toFixed(1)}"
        height="${height.toFixed(1)}"
      />`;
    })}
  </g>`;
}
