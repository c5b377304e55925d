import { once } from "node:events";
import { styleText } from "node:util";

import { clean, cleanText, escapeControls } from "../../server/lib/terminal-text.ts";
import type { Io, Terminal } from "./io.ts";
import { isObject } from "./json.ts";
import type { JsonObject } from "./json.ts";

export interface OutputOptions {
  readonly json: boolean;
  readonly jq?: string | undefined;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
}

/** A column of a table: its title, and the member with its value or a function that computes it. */
export type Column = readonly [title: string, value: string | ((row: JsonObject) => unknown)];

/**
 * The only writer of a command. Data goes to stdout: a table on a terminal, tab-separated values in a pipe,
 * one document with `--json`. Everything else goes to stderr.
 */
export interface Output {
  readonly isJson: boolean;
  /** Stdout is a terminal and neither --json nor --plain is set. */
  readonly isTable: boolean;
  /** A list: each item is a row. `meta` is added to the JSON document. */
  list(items: readonly JsonObject[], columns: readonly Column[], meta?: JsonObject): Promise<void>;
  /** One resource. `alone` is the value for scripts: printed as the only line unless JSON was requested. */
  value(data: unknown, alone?: string): Promise<void>;
  /** One event of a stream: a line of JSON, or the given cells. */
  event(data: JsonObject, cells: readonly unknown[]): Promise<void>;
  /** A stream of the service: unchanged in a pipe; on a terminal, control characters are removed. */
  copy(chunks: AsyncIterable<string | Uint8Array>): Promise<void>;
  /** One JSON document, on a terminal and in a pipe. */
  document(content: unknown): Promise<void>;
  /** Unchanged to stdout. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Diagnostics on stderr; suppressed by `--quiet`. */
  info(line: string): void;
  /** With `--verbose` only. */
  debug(line: string): void;
  /** Even with `--quiet`: errors and warnings. */
  warn(line: string): void;
}

export function createOutput(io: Pick<Io, "stdout" | "stderr" | "env">, options: OutputOptions): Output {
  const isTable = io.stdout.isTTY === true && !options.json && !options.plain;
  const bold = createStyle(io.stdout, io.env, options.color);
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    if (!io.stdout.write(chunk)) await once(io.stdout, "drain");
  };
  /** One JSON document, or the output of the filter. */
  const document = async (content: unknown, indent?: number): Promise<void> => {
    if (options.jq === undefined) return write(`${toJson(content, indent)}\n`);
    const { runJq } = await import("./jq.ts");
    const text = await runJq(JSON.stringify(content), options.jq);
    return write(io.stdout.isTTY === true ? cleanText(text) : text);
  };
  const warn = (line: string): void => void io.stderr.write(`${cleanText(line)}\n`);

  return {
    isJson: options.json,
    isTable,
    document: (content) => document(content, 2),
    write,
    async copy(chunks) {
      const decoder = io.stdout.isTTY === true ? new TextDecoder() : null;
      for await (const chunk of chunks) {
        if (decoder === null) await write(chunk);
        else
          await write(cleanText(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })));
      }
    },
    warn,
    info: (line) => (options.quiet ? undefined : warn(line)),
    debug: (line) => (options.verbose ? warn(line) : undefined),
    async list(items, columns, meta = {}) {
      if (options.json) return document({ data: items, meta: { count: items.length, ...meta } }, 2);
      const rows = items.map((row) => columns.map((column) => cellOf(row, column)));
      if (!isTable) return write(rows.map(toTsv).join(""));
      if (rows.length === 0) return;
      const head = columns.map(([title]) => bold(title));
      return write(await toTable([head, ...rows.map((row) => row.map(toCell))]));
    },
    async value(data, alone) {
      if (options.json) return document({ data }, 2);
      if (alone !== undefined) return write(`${clean(alone)}\n`);
      const entries = isObject(data) ? Object.entries(data) : [["value", data]];
      if (!isTable) return write(entries.map(toTsv).join(""));
      return write(await toTable(entries.map(([name, value]) => [bold(String(name)), toCell(value)])));
    },
    async event(data, cells) {
      if (options.json) return document(data);
      return write(isTable ? `${cells.map(toCell).join("  ")}\n` : toTsv(cells));
    },
  };
}

/** Colors only on a terminal that wants them (NO_COLOR, FORCE_COLOR, TERM=dumb, --no-color). */
export function createStyle(
  stream: Terminal,
  env: Io["env"],
  wanted: boolean,
  format: "bold" | "red" = "bold",
): (text: string) => string {
  const forced = (env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0";
  const refused = !wanted || (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const coloured = wanted && (forced || (stream.isTTY === true && !refused));
  return (text) => (coloured ? styleText(format, text, { validateStream: false }) : text);
}

/** JSON that is safe on a terminal. */
export const toJson = (value: unknown, indent?: number): string =>
  escapeControls(JSON.stringify(value, null, indent));

/** An instant in the local time zone. */
export function localTime(instant: string): string {
  // Created at the first use: it costs more than all of `--help`.
  local ??= new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
  return local.format(Date.parse(instant));
}

let local: Intl.DateTimeFormat | undefined;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const cellOf = (row: JsonObject, [, value]: Column): unknown =>
  typeof value === "string" ? row[value] : value(row);

export function toCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return INSTANT.test(value) ? localTime(value) : clean(value);
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(toCell).join(", ");
  return clean(toPlain(value));
}

const toTsv = (cells: readonly unknown[]): string =>
  `${cells.map((cell) => clean(toPlain(cell))).join("\t")}\n`;

function toPlain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toPlain).join(",");
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

/** Columns with two spaces between them, by the width that a terminal shows. */
async function toTable(rows: readonly (readonly string[])[]): Promise<string> {
  const { default: widthOf } = await import("fast-string-width");
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - widthOf(cell) + 2))
      .join("")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
