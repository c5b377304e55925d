import type { JsonObject } from "../terminal/json.ts";
import { numberOf, textOf } from "../terminal/json.ts";
import { clean } from "../../server/lib/terminal-text.ts";

/** State of one key, from the events of the stream of limits. */
export interface TopRow {
  readonly key: string;
  readonly customer: string;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds; null while no window is open. */
  readonly resetMs: number | null;
  /** Refused requests since the start. */
  readonly refused: number;
  readonly route: string;
  /** Epoch seconds of the requests seen in the last minute. */
  readonly seconds: readonly number[];
}

export type TopRows = ReadonlyMap<string, TopRow>;

export interface TopView {
  readonly isPaused: boolean;
  readonly filter: string;
  /** The filter is being typed. */
  readonly isTyping: boolean;
  readonly isDone: boolean;
}

export const FIRST_VIEW: TopView = { isPaused: false, filter: "", isTyping: false, isDone: false };

const MINUTE_S = 60;

/** The rows after one event. */
export function addEvent(rows: TopRows, event: JsonObject, nowMs: number): TopRows {
  const key = textOf(event, "key");
  if (key === "") return rows;
  const before = rows.get(key);
  const type = textOf(event, "type");
  const nowS = Math.floor(nowMs / 1000);
  const isRequest = type === "update" || type === "rejected";
  const reset = numberOf(event, "reset");
  const row: TopRow = {
    key,
    customer: textOf(event, "customer"),
    limit: numberOf(event, "limit") ?? 0,
    remaining: numberOf(event, "remaining") ?? 0,
    resetMs: reset === null ? null : reset * 1000,
    refused: (before?.refused ?? 0) + (type === "rejected" ? 1 : 0),
    route: textOf(event, "route") || (before?.route ?? ""),
    seconds: [
      ...(before?.seconds ?? []).filter((second) => nowS - second < MINUTE_S),
      ...(isRequest ? [nowS] : []),
    ],
  };
  return new Map(rows).set(key, row);
}

/** The view after a key was pressed: q ends, p pauses, / types a filter. */
export function pressKey(view: TopView, key: string): TopView {
  if (key === "\u0003" || (key === "q" && !view.isTyping)) return { ...view, isDone: true };
  if (!view.isTyping) {
    if (key === "p") return { ...view, isPaused: !view.isPaused };
    return key === "/" ? { ...view, isTyping: true, filter: "" } : view;
  }
  if (key === "\r" || key === "\n") return { ...view, isTyping: false };
  if (key === "\u001b") return { ...view, isTyping: false, filter: "" };
  if (key === "\u007f" || key === "\b") return { ...view, filter: view.filter.slice(0, -1) };
  return { ...view, filter: view.filter + clean(key).trim() };
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

/** The lines of the table: a row per key whose window is open, the fullest first. */
export function renderTop(rows: TopRows, view: TopView, screen: Screen): string[] {
  const shown = [...rows.values()]
    .map((row) => atNow(row, screen.nowMs))
    .filter((row) => isWanted(row, view.filter))
    .sort((a, b) => usedShare(b) - usedShare(a) || (a.key < b.key ? -1 : 1));
  const room = Math.max(1, screen.rows - 3);
  const more = shown.length > room ? `, ${shown.length - room} more` : "";
  const help = view.isTyping
    ? `/${view.filter}▏`
    : `q end   p ${view.isPaused ? "resume" : "pause"}   / filter`;
  const filter = view.filter === "" || view.isTyping ? "" : `   filter ${view.filter}`;
  return [
    cut(HEAD, screen.columns),
    ...shown.slice(0, room).map((row) => cut(toLine(row, screen.nowMs), screen.columns)),
    "",
    cut(`${shown.length} keys${more}   ${help}${filter}${view.isPaused ? "   PAUSED" : ""}`, screen.columns),
  ];
}

const BAR = 12;
const SPARK = 20;
const HEAD = [
  "KEY".padEnd(30),
  "USED".padEnd(BAR + 5),
  "LEFT".padStart(12),
  "RESET".padStart(6),
  "429".padStart(5),
  "LAST 60 S".padEnd(SPARK),
  "ROUTE",
].join("  ");

function toLine(row: TopRow, nowMs: number): string {
  const share = usedShare(row);
  const full = Math.round(share * BAR);
  const bar = `${"█".repeat(full)}${"░".repeat(BAR - full)} ${String(Math.round(share * 100)).padStart(3)}%`;
  const reset = row.resetMs === null ? "–" : `${Math.max(0, Math.ceil((row.resetMs - nowMs) / 1000))} s`;
  return [
    clean(row.key).padEnd(30),
    bar,
    `${row.remaining}/${row.limit}`.padStart(12),
    reset.padStart(6),
    String(row.refused).padStart(5),
    sparkline(row.seconds, Math.floor(nowMs / 1000)),
    clean(row.route),
  ].join("  ");
}

/** A window that has ended is reset, with or without an event. */
const atNow = (row: TopRow, nowMs: number): TopRow =>
  row.resetMs !== null && row.resetMs <= nowMs ? { ...row, remaining: row.limit, resetMs: null } : row;

const isWanted = ({ key, customer, route }: TopRow, filter: string): boolean =>
  filter === "" || [key, customer, route].some((text) => text.includes(filter));

const usedShare = ({ limit, remaining }: TopRow): number => (limit === 0 ? 1 : 1 - remaining / limit);

const LEVELS = " ▁▂▃▄▅▆▇█";

/** Requests of the last minute, three seconds a column, the latest on the right. */
function sparkline(seconds: readonly number[], nowS: number): string {
  const width = MINUTE_S / SPARK;
  const counts = Array.from({ length: SPARK }, () => 0);
  for (const second of seconds) {
    const column = SPARK - 1 - Math.floor((nowS - second) / width);
    if (column >= 0 && column < SPARK) counts[column] = (counts[column] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  return counts.map((count) => LEVELS.charAt(Math.ceil((count / most) * (LEVELS.length - 1)))).join("");
}

const cut = (line: string, columns: number): string => line.slice(0, columns).trimEnd();
