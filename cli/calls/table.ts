import type { Cli } from "../command/command.ts";
import { printMoreHint } from "../client/operator.ts";
import { isObject, member, objectsOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { toCell } from "../terminal/output.ts";
import type { Column } from "../terminal/output.ts";

const CELL_MAX = 40;
const GAP = 2;
const LAST: ReadonlySet<string> = new Set(["created_at", "updated_at", "version"]);

/** Prints the envelope of an engine's route: a list as rows, a resource as one row per member. */
export async function printEnvelope(cli: Cli, envelope: unknown): Promise<void> {
  const data = member(envelope, "data");
  if (!Array.isArray(data) || !data.every(isObject)) return cli.out.value(data);
  const meta = member(envelope, "meta");
  await printRows(cli, data, isObject(meta) ? meta : {});
}

/** The rows of a list. Tab-separated values have all members, a table those that fit its width. */
export async function printRows(cli: Cli, data: readonly unknown[], meta: JsonObject): Promise<void> {
  const items = objectsOf(data);
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const columns = cli.out.isTable
    ? fitting(items, names, cli.io.stdout.columns || 100)
    : names.map((name): Column => [name, name]);
  await cli.out.list(items, columns);
  printMoreHint(cli, { items, meta });
}

/** The columns that fit, in the order of the resource with its timestamps last. Nested values are left to `--json`. */
function fitting(items: readonly JsonObject[], names: readonly string[], width: number): Column[] {
  const columns: Column[] = [];
  let left = width;
  for (const name of [
    ...names.filter((name) => !LAST.has(name)),
    ...names.filter((name) => LAST.has(name)),
  ]) {
    const values = items.map((item) => item[name]);
    if (!values.every(isFlat)) continue;
    const cells = values.map((value) => cut(toCell(value)));
    const needed = Math.max(name.length, ...cells.map((cell) => cell.length)) + GAP;
    if (needed > left) continue;
    left -= needed;
    columns.push([name.replaceAll("_", " ").toUpperCase(), (row) => cut(toCell(row[name]))]);
  }
  return columns;
}

const isFlat = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item !== "object") : !isObject(value);

const cut = (cell: string): string => (cell.length > CELL_MAX ? `${cell.slice(0, CELL_MAX - 1)}…` : cell);
