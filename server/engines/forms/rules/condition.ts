import type { Comparison, Condition } from "../schema/condition.ts";

/** Answers by key, as far as known. */
export type Known = Readonly<Record<string, unknown>>;

/**
 * Whether the answers meet a condition. A comparison with an empty operand is false, also `neq` and `not_in`
 * (vector A26): nothing differs from a missing answer. `not` inverts that.
 */
export function holds(condition: Condition, answers: Known): boolean {
  if ("all" in condition) return condition.all.every((inner) => holds(inner, answers));
  if ("any" in condition) return condition.any.some((inner) => holds(inner, answers));
  if ("not" in condition) return !holds(condition.not, answers);
  return compare(condition, Object.hasOwn(answers, condition.field) ? answers[condition.field] : undefined);
}

/** Keys of the fields that a condition refers to. */
export function fieldsOf(condition: Condition): string[] {
  if ("all" in condition) return condition.all.flatMap(fieldsOf);
  if ("any" in condition) return condition.any.flatMap(fieldsOf);
  return "not" in condition ? fieldsOf(condition.not) : [condition.field];
}

/** Number of nodes of a condition and their depth, for the limits. */
export function sizeOf(condition: Condition): { readonly nodes: number; readonly depth: number } {
  const inner =
    "all" in condition
      ? condition.all
      : "any" in condition
        ? condition.any
        : "not" in condition
          ? [condition.not]
          : [];
  const sizes = inner.map(sizeOf);
  return {
    nodes: 1 + sizes.reduce((all, { nodes }) => all + nodes, 0),
    depth: 1 + Math.max(0, ...sizes.map(({ depth }) => depth)),
  };
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

function compare({ op, value: expected }: Comparison, answer: unknown): boolean {
  if (op === "empty") return isEmpty(answer);
  if (op === "not_empty") return !isEmpty(answer);
  if (isEmpty(answer) || isEmpty(expected)) return false;
  switch (op) {
    case "eq":
      return isEqual(answer, expected);
    case "neq":
      return !isEqual(answer, expected);
    case "in":
      return isAmong(answer, expected);
    case "not_in":
      return !isAmong(answer, expected);
    case "contains":
      return holdsWithin(answer, expected);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return isOrdered(op, answer, expected);
  }
}

const isEqual = (answer: unknown, expected: unknown): boolean =>
  Array.isArray(answer) && Array.isArray(expected)
    ? answer.length === expected.length && answer.every((one, at) => one === expected[at])
    : answer === expected;

/** Any of several answers matches. */
function isAmong(answer: unknown, expected: unknown): boolean {
  const choices: readonly unknown[] = Array.isArray(expected) ? expected : [expected];
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return answers.some((one) => choices.includes(one));
}

function holdsWithin(answer: unknown, expected: unknown): boolean {
  if (Array.isArray(answer)) return answer.includes(expected);
  if (typeof answer !== "string" || typeof expected !== "string") return false;
  return includesText(answer.toLowerCase(), expected.toLowerCase());
}

/**
 * `text.includes(part)` in time that grows with the length of both (Knuth-Morris-Pratt): the built-in one takes text times part for
 * some, and conditions search the answers of anyone.
 */
function includesText(text: string, part: string): boolean {
  const overlaps = overlapsOf(part);
  let matched = 0;
  for (let index = 0; index < text.length && matched < part.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = overlaps[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
  }
  return matched === part.length;
}

/** For each beginning of a text the length of the longest shorter beginning that it ends with. */
function overlapsOf(part: string): Uint16Array {
  const overlaps = new Uint16Array(part.length);
  let matched = 0;
  for (let index = 1; index < part.length; index += 1) {
    const unit = part.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = overlaps[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    overlaps[index] = matched;
  }
  return overlaps;
}

/** Numbers by value; dates and times, which are strings of a fixed format, by their text. Nothing else is ordered. */
function isOrdered(op: "gt" | "gte" | "lt" | "lte", answer: unknown, expected: unknown): boolean {
  const areNumbers = typeof answer === "number" && typeof expected === "number";
  const areTexts = typeof answer === "string" && typeof expected === "string";
  if (!areNumbers && !areTexts) return false;
  if (op === "gt") return answer > expected;
  if (op === "gte") return answer >= expected;
  return op === "lt" ? answer < expected : answer <= expected;
}
