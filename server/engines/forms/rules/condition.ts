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

function compare({ op, value: wanted }: Comparison, answer: unknown): boolean {
  if (op === "empty") return isEmpty(answer);
  if (op === "not_empty") return !isEmpty(answer);
  if (isEmpty(answer) || isEmpty(wanted)) return false;
  switch (op) {
    case "eq":
      return isEqual(answer, wanted);
    case "neq":
      return !isEqual(answer, wanted);
    case "in":
      return isAmong(answer, wanted);
    case "not_in":
      return !isAmong(answer, wanted);
    case "contains":
      return holdsWithin(answer, wanted);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return isOrdered(op, answer, wanted);
  }
}

const isEqual = (answer: unknown, wanted: unknown): boolean =>
  Array.isArray(answer) && Array.isArray(wanted)
    ? answer.length === wanted.length && answer.every((one, at) => one === wanted[at])
    : answer === wanted;

/** Any of several answers matches. */
function isAmong(answer: unknown, wanted: unknown): boolean {
  const choices: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return answers.some((one) => choices.includes(one));
}

function holdsWithin(answer: unknown, wanted: unknown): boolean {
  if (Array.isArray(answer)) return answer.includes(wanted);
  if (typeof answer !== "string" || typeof wanted !== "string") return false;
  return answer.toLowerCase().includes(wanted.toLowerCase());
}

/** Numbers by value; dates and times, which are strings of a fixed format, by their text. Nothing else is ordered. */
function isOrdered(op: "gt" | "gte" | "lt" | "lte", answer: unknown, wanted: unknown): boolean {
  const areNumbers = typeof answer === "number" && typeof wanted === "number";
  const areTexts = typeof answer === "string" && typeof wanted === "string";
  if (!areNumbers && !areTexts) return false;
  if (op === "gt") return answer > wanted;
  if (op === "gte") return answer >= wanted;
  return op === "lt" ? answer < wanted : answer <= wanted;
}
