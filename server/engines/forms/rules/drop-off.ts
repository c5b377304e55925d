import type { Field } from "../schema/field.ts";
import { isDecoration } from "../schema/field.ts";

/** Counters of a form for one or several days. */
export interface Counts {
  readonly views: number;
  readonly starts: number;
  readonly submissions: number;
  readonly spam: number;
  /** Visits in which a field was filled in, by key. */
  readonly reached: Readonly<Record<string, number>>;
  /** Visits without a submission, by the last field that was filled in. */
  readonly left: Readonly<Record<string, number>>;
}

export const NO_COUNTS: Counts = { views: 0, starts: 0, submissions: 0, spam: 0, reached: {}, left: {} };

export const addCounts = (left: Counts, right: Counts): Counts => ({
  views: left.views + right.views,
  starts: left.starts + right.starts,
  submissions: left.submissions + right.submissions,
  spam: left.spam + right.spam,
  reached: addByKey(left.reached, right.reached),
  left: addByKey(left.left, right.left),
});

function addByKey(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = new Map(Object.entries(left));
  for (const [key, count] of Object.entries(right)) sums.set(key, (sums.get(key) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** Submissions per view in basis points; null without views. */
export const conversionBps = ({ submissions, views }: Counts): number | null =>
  views === 0 ? null : Math.min(10_000, Math.round((submissions * 10_000) / views));

/** Per field, in order: how many visitors filled it in, and how many left after it. */
export const dropOff = (
  fields: readonly Field[],
  counts: Counts,
): { readonly key: string; readonly reached: number; readonly left_after: number }[] =>
  fields
    .filter((field) => !isDecoration(field))
    .map(({ key }) => ({
      key,
      reached: countOf(counts.reached, key),
      left_after: countOf(counts.left, key),
    }));

/** A field may have the name of a member of every object. */
const countOf = (counts: Readonly<Record<string, number>>, key: string): number =>
  Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0;
