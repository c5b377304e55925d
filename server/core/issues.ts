import type { z } from "zod";

/** An invalid place, as zod found it. */
export type Issue = z.core.$ZodIssue;

/** Of a value that may have one of several forms, the issues of the form that came closest: the one with the deepest. */
export function closestIssues(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const best = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))[0] ?? [];
  if (depthOf(best) === 0) return [issue];
  return best.flatMap((inner) => closestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

const depthOf = (issues: readonly Issue[]): number =>
  issues.reduce((depth, { path }) => Math.max(depth, path.length), 0);

/** What is wrong with a place, as a sentence; `root`: the value that was checked. */
export function describeIssue(issue: Issue, root: unknown): string {
  const received = valueAt(root, issue.path);
  if (issue.code === "invalid_type") {
    if (received === undefined) return "Required.";
    return `Expected ${article(issue.expected)}, received ${typeName(received)}.`;
  }
  // A message that is costly to write: zod would write it for each of tens of thousands of places.
  const write: unknown = issue.code === "custom" ? issue.params?.["describe"] : undefined;
  if (typeof write === "function") return String(write(received));
  const size = describeSize(issue);
  if (size !== null) return size;
  if (issue.message === "Invalid ISO date") return "Expected a date such as 2026-11-21.";
  const message = issue.message.replace(/^Invalid input: /, "").replace(/^expected/, "Expected");
  return message.endsWith(".") ? message : `${message}.`;
}

const UNITS: Readonly<Record<string, string>> = { string: "character", array: "item" };

/** A limit that is not met, in place of zod's "Too big: expected string to have <=80 characters"; null where the schema has words of its own. */
function describeSize(issue: Issue): string | null {
  if (issue.code !== "too_big" && issue.code !== "too_small") return null;
  if (!/^Too (?:big|small): expected /.test(issue.message)) return null;
  const limit = issue.code === "too_big" ? issue.maximum : issue.minimum;
  const bound = issue.code === "too_big" ? "at most" : "at least";
  const unit = UNITS[issue.origin];
  if (unit !== undefined) return `Must have ${bound} ${limit} ${unit}${Number(limit) === 1 ? "" : "s"}.`;
  const isNumber = issue.origin === "number" || issue.origin === "int";
  return isNumber && issue.inclusive === true ? `Must be ${bound} ${limit}.` : null;
}

const NAMES: Readonly<Record<string, string>> = { int: "an integer", array: "an array", object: "an object" };
const article = (expected: string): string => NAMES[expected] ?? `a ${expected}`;

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a non-integer number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, part)?.value;
  }
  return value;
}
