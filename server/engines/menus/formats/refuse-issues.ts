import type { z } from "zod";

import { refuse } from "./check-draft.ts";

type Issue = z.core.$ZodIssue;

/** 422 for the issues of a document, `data` of the request, in the words in which the other fields of a request are refused. */
export function refuseIssues(issues: readonly Issue[], document: unknown) {
  return refuse(
    issues.flatMap(innermost).map((issue) => ({
      path: issue.path.map((part) => (typeof part === "number" ? part : String(part))),
      detail: describe(issue, valueAt(document, issue.path)),
    })),
  );
}

/** Of a value that may have one of several forms, the faults of the form that came closest. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const best = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))[0] ?? [];
  if (depthOf(best) === 0) return [issue];
  return best.flatMap((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }));
}

const depthOf = (issues: readonly Issue[]): number =>
  issues.reduce((depth, { path }) => Math.max(depth, path.length), 0);

function describe(issue: Issue, received: unknown): string {
  if (issue.code === "invalid_type") {
    if (received === undefined) return "Required.";
    return `Expected ${NAMES[issue.expected] ?? `a ${issue.expected}`}, received ${typeName(received)}.`;
  }
  const message = issue.message.replace(/^Invalid input: /, "").replace(/^expected/, "Expected");
  return message.endsWith(".") ? message : `${message}.`;
}

const NAMES: Readonly<Record<string, string>> = { int: "an integer", array: "an array", object: "an object" };

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a non-integer number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, part)?.value;
  }
  return value;
}
