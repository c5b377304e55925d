import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Names } from "./names.ts";
import { rowsOf, text } from "./view.ts";
import type { Row } from "./view.ts";

const WIDTH = 720;
const HEIGHT = 140;

/** One colour of the bars: its name for people, its class in the style sheet, and its share of a row. */
interface Series {
  readonly name: string;
  readonly look: string;
  readonly of: (row: Row) => number;
}

const OUTCOMES: readonly Series[] = ["succeeded", "rejected", "rate_limited", "failed"].map((kind) => ({
  name: kind.replace("_", " "),
  look: kind,
  of: (row) => Number(row[kind] ?? 0),
}));

/** Requests by day and outcome. Null where there is nothing to draw. */
export const drawOutcomes = (rows: readonly Row[]): Html | null =>
  drawDays(rows, OUTCOMES, "Requests by day and outcome");

/** As many routes as have a colour of their own; the rest are shown together. */
const ROUTES_SHOWN = 5;

/** Requests by day and route, the most used routes by name. Null where there is nothing to draw. */
export function drawRoutes(rows: readonly Row[]): Html | null {
  const totals = new Map<string, number>();
  for (const row of rows)
    for (const [route, count] of routesOf(row)) totals.set(route, (totals.get(route) ?? 0) + count);
  const byUse = [...totals].toSorted(([, a], [, b]) => b - a).map(([route]) => route);
  const named = byUse.slice(0, ROUTES_SHOWN);
  const series = named.map((name, at) => ({
    name,
    look: `route-${at}`,
    of: (row: Row) => sum(routesOf(row).filter(([route]) => route === name)),
  }));
  const rest = {
    name: `${byUse.length - named.length} other routes`,
    look: "route-rest",
    of: (row: Row) => sum(routesOf(row).filter(([route]) => !named.includes(route))),
  };
  return drawDays(
    rows,
    byUse.length > named.length ? [...series, rest] : series,
    "Requests by day and route",
  );
}

const routesOf = (row: Row): readonly (readonly [string, number])[] =>
  rowsOf(row["routes"]).map(
    (entry) => [text(entry, "route") || "no route", Number(entry["requests"] ?? 0)] as const,
  );
const sum = (counts: readonly (readonly [string, number])[]): number =>
  counts.reduce((total, [, count]) => total + count, 0);

/** As many keys as have a colour of their own: the most refused come first. */
const KEYS_SHOWN = 5;

/** Requests refused with 429 by hour and key. Null where there were none. */
export function drawRefusals(rows: readonly Row[], names: Names): Html | null {
  const hours = rows.flatMap((row, place) =>
    (Array.isArray(row["by_hour"]) ? row["by_hour"] : []).map((count, hour) => ({
      day: `${String(hour).padStart(2, "0")}:00`,
      place: Math.min(place, KEYS_SHOWN),
      count: Number(count),
    })),
  );
  const series = rows.slice(0, KEYS_SHOWN + 1).map((row, place) => ({
    name: place === KEYS_SHOWN ? "other keys" : (names.get(text(row, "key_id")) ?? text(row, "key_id")),
    look: place === KEYS_SHOWN ? "route-rest" : `route-${place}`,
    of: (bar: Row) => (bar["place"] === place ? Number(bar["count"]) : 0),
  }));
  return drawDays(hours, series, "Refused requests by hour (UTC) and key", "hour");
}

/**
 * Days as bars drawn on the server: nothing to load, nothing to run, the same on paper, and the figures are in the table
 * below.
 */
function drawDays(rows: readonly Row[], series: readonly Series[], title: string, unit = "day"): Html | null {
  const days = new Map<string, number[]>();
  for (const row of rows) {
    const day = text(row, "day");
    const before = days.get(day);
    days.set(
      day,
      series.map(({ of }, at) => (before?.[at] ?? 0) + of(row)),
    );
  }
  if (days.size === 0) return null;
  const bars = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const highest = Math.max(...bars.map(([, counts]) => counts.reduce((total, count) => total + count, 0)), 1);
  const step = WIDTH / bars.length;
  const scale = HEIGHT / highest;
  const [first = ""] = bars[0] ?? [];
  const [last = ""] = bars.at(-1) ?? [];
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg
      class="usage"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${title}, highest ${highest}"
    >
      ${bars.map(([day, counts], at) =>
        drawBar({ day, counts, series, x: at * step, width: Math.min(step * 0.8, BAR_MAX), scale }),
      )}
    </svg>
    <p class="axis">
      <span>${first}</span>
      <span>maximum ${highest} per ${unit}</span> ${bars.length > 1 && html`<span>${last}</span>`}
    </p>
    <p>${series.map(({ name, look }) => html`<span class="legend ${look}">${name}</span> `)}</p>
  </figure>`;
}

const BAR_MAX = 60;

interface Bar {
  readonly day: string;
  /** One for each of the series. */
  readonly counts: readonly number[];
  readonly series: readonly Series[];
  readonly x: number;
  readonly width: number;
  /** Units of height for one request. */
  readonly scale: number;
}

function drawBar({ day, counts, series, x, width, scale }: Bar): Html {
  let floor = HEIGHT;
  const summary = series.map(({ name }, at) => `${counts[at] ?? 0} ${name}`).join(", ");
  return html`<g>
    <title>${day}: ${summary}</title>
    ${series.map(({ look }, at) => {
      const height = (counts[at] ?? 0) * scale;
      floor -= height;
      return html`<rect
        class="${look}"
        x="${x.toFixed(1)}"
        y="${floor.toFixed(1)}"
        width="${width.toFixed(1)}"
        height="${height.toFixed(1)}"
      />`;
    })}
  </g>`;
}
