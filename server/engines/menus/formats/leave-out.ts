import type { z } from "zod";

import { closestIssues, describeIssue } from "../../../core/issues.ts";
import { fail, Problem } from "../../../lib/errors.ts";
import { refuse } from "./check-draft.ts";
import { pointer } from "./losses.ts";
import type { Loss, Path } from "./losses.ts";

/** An entry of a document that was left out, as its place was at that moment. */
export interface LeftOut {
  readonly entry: Path;
  readonly fault: Path;
  readonly detail: string;
}

/** A document without its invalid entries. */
export interface Rest<T> {
  readonly document: T;
  readonly leftOut: readonly LeftOut[];
}

/** Readings of a document: most faults of one kind are found by one, and each of a large document takes a third of a second. */
const READINGS_MAX = 10;
/** More faults mean that it is the document that is wrong, not one of its entries. */
const LEFT_OUT_MAX = 50;

/** Lists and maps of what is sold. A menu or a category that is invalid is no single item: it refuses the document. */
const ENTRIES = new Set(
  (
    "objects variations items products modifiers modifier_groups modifierGroups menuItems " +
    "modifierGroupReferences modifierOptionReferences subProducts"
  ).split(" "),
);

/** The innermost entry that a path is in; null if there is none. */
function entryOf(path: Path): Path | null {
  for (let at = path.length - 1; at > 0; at -= 1) {
    if (ENTRIES.has(String(path[at - 1])) && !ENTRIES.has(String(path[at]))) return path.slice(0, at + 1);
  }
  return null;
}

/** The content of the field `data` of a request. */
interface Body {
  readonly data: unknown;
}

/**
 * A document without the entries that `schema` does not accept; its paths begin with `data`. Throws 422 with the faults of the whole
 * where leaving entries out is not enough.
 */
export function parseRest<S extends z.ZodType>(schema: S, data: unknown): Rest<{ data: z.output<S> }> {
  let first: z.ZodError | null = null;
  let rest: Rest<Body> = { document: { data }, leftOut: [] };
  for (;;) {
    const result = schema.safeParse(rest.document.data);
    if (result.success) return { document: { data: result.data }, leftOut: rest.leftOut };
    first ??= result.error;
    const faults = result.error.issues.map(({ path, message }) => ({
      path: ["data", ...path.map(keyOf)],
      detail: message,
    }));
    const less = without(rest, faults);
    if (less === null)
      throw refuse(
        first.issues
          .flatMap(closestIssues)
          .map((issue) => ({ path: issue.path.map(keyOf), detail: describeIssue(issue, data) })),
      );
    rest = less;
  }
}

const keyOf = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key));

/**
 * Reads a document, without the entries that `read` refuses with 422. Throws its first refusal where leaving entries out is not
 * enough, nor a few readings.
 */
export function readRest<T, R>(parsed: Rest<T>, read: (document: T) => R): { read: R; rest: Rest<T> } {
  let first: Problem | null = null;
  let rest = parsed;
  for (let readings = 1; ; readings += 1) {
    try {
      return { read: read(rest.document), rest };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      first ??= atOriginal(error, parsed.leftOut);
      const less = readings < READINGS_MAX ? without(rest, faultsOf(error)) : null;
      if (less === null) throw first;
      rest = less;
    }
  }
}

interface Fault {
  readonly path: Path;
  readonly detail: string;
}

const faultsOf = ({ options: { errors = [] } }: Problem): Fault[] =>
  errors.flatMap((error) =>
    "pointer" in error && error.pointer !== undefined
      ? [{ path: segmentsOf(error.pointer).map(toKey), detail: error.detail }]
      : [],
  );

const segmentsOf = (pointer: string): string[] => pointer.split("/").slice(1);
const toKey = (segment: string): string | number =>
  /^\d+$/.test(segment) ? Number(segment) : segment.replaceAll("~1", "/").replaceAll("~0", "~");

/** The document without the entries that have faults; null where a fault is in none, or there are too many. */
function without<T>({ document, leftOut }: Rest<T>, faults: readonly Fault[]): Rest<T> | null {
  const found = new Map<string, LeftOut>();
  for (const { path, detail } of faults) {
    const entry = entryOf(path);
    if (entry === null) return null;
    const key = JSON.stringify(entry);
    if (!found.has(key)) found.set(key, { entry, fault: path, detail });
  }
  if (found.size === 0 || leftOut.length + found.size > LEFT_OUT_MAX) return null;
  // The last first, so that no index moves before it is used; what is inside of another one goes with it.
  const last = [...found.values()].sort((a, b) => compare(b.entry, a.entry));
  const outer = last.filter(({ entry }) => !last.some((one) => isInside(entry, one.entry)));
  return {
    document: outer.reduce((rest, { entry }) => remove(rest, entry), document),
    leftOut: [...leftOut, ...outer],
  };
}

function compare(a: Path, b: Path): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [one, other] = [a[at], b[at]];
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one) < String(other) ? -1 : 1;
}

const isInside = (path: Path, outer: Path): boolean =>
  path.length > outer.length && outer.every((part, at) => part === path[at]);

function remove<T>(value: T, [key, ...inner]: Path): T;
function remove(value: unknown, [key, ...inner]: Path): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return inner.length === 0
      ? value.toSpliced(Number(key), 1)
      : value.with(Number(key), remove(value[Number(key)], inner));
  }
  const members = Object.entries(value);
  return Object.fromEntries(
    inner.length === 0
      ? members.filter(([name]) => name !== String(key))
      : members.map(([name, member]) => [name, name === String(key) ? remove(member, inner) : member]),
  );
}

/** A pointer into the rest of a document (`data`) as a pointer into the whole. */
export function originalPointer(place: string, leftOut: readonly LeftOut[]): string {
  const segments = `/data${place}`.split("/");
  for (const { entry } of leftOut.toReversed()) {
    const index = entry.at(-1);
    // The first segment is what is before the first slash.
    const at = entry.length;
    if (typeof index !== "number") continue;
    const isSameList = entry.slice(0, -1).every((part, place) => String(part) === segments[place + 1]);
    if (isSameList && Number(segments[at]) >= index) segments[at] = String(Number(segments[at]) + 1);
  }
  return segments
    .slice(2)
    .map((segment) => `/${segment}`)
    .join("");
}

/** What was left out, as losses: something cannot be sold, or not with all its choices. */
export const lossesOf = (leftOut: readonly LeftOut[]): Loss[] =>
  leftOut.map(({ fault, detail }, at) => ({
    path: originalPointer(pointer(fault.slice(1)), leftOut.slice(0, at)),
    reason: `The entry is invalid and was left out: ${detail}`,
    severity: "money",
    count: 1,
  }));

function atOriginal({ type, detail, options }: Problem, leftOut: readonly LeftOut[]): Problem {
  const errors = options.errors?.map((error) =>
    "pointer" in error && error.pointer !== undefined
      ? { ...error, pointer: `#/data${originalPointer(error.pointer.replace(/^#\/data/, ""), leftOut)}` }
      : error,
  );
  return fail(type, detail, errors === undefined ? options : { ...options, errors });
}
