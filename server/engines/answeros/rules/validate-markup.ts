import { DATE_MEMBERS, MARKUP_RULES, NUMBER_MEMBERS, URL_MEMBERS } from "../data/markup-rules.ts";
import { SCHEMA_TYPES } from "../data/schema-types.ts";
import type { MarkupFinding } from "../schema/markup.ts";
import { isObject, nestsTooDeep, nodesOf, valuesAt } from "./json-ld.ts";
import type { Node } from "./json-ld.ts";

/** Findings about JSON-LD: errors, and recommendations. */
export interface MarkupJudgement {
  readonly errors: readonly MarkupFinding[];
  readonly warnings: readonly MarkupFinding[];
}

/** Parses the text of a JSON-LD block; null if it is not a JSON object or list, or nested too deep. */
export function parseMarkup(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !nestsTooDeep(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Validates JSON-LD with the vocabulary and the dated table of required properties. Pure: comparison with the page is
 * done by `checkParity`.
 */
export function validateMarkup(jsonld: unknown): MarkupJudgement {
  const nodes = nodesOf(jsonld);
  const findings =
    nodes.length === 0
      ? [finding("", "unknown_type", "error", "No object has an @type from schema.org.")]
      : nodes.flatMap((node) => [
          ...unknownTypes(node),
          ...missingMembers(node),
          ...wrongValues(node),
          ...ratingFaults(node),
          ...faqFaults(node),
          ...qaFaults(node),
        ]);
  return {
    errors: findings.filter(({ severity }) => severity === "error"),
    warnings: findings.filter(({ severity }) => severity === "warning"),
  };
}

const finding = (
  path: string,
  code: MarkupFinding["code"],
  severity: MarkupFinding["severity"],
  message: string,
): MarkupFinding => ({ path, code, severity, message });

const unknownTypes = ({ path, types }: Node): MarkupFinding[] =>
  types
    .filter((type) => !SCHEMA_TYPES.has(type))
    .map((type) => finding(`${path}/@type`, "unknown_type", "error", `schema.org has no type ${type}.`));

function missingMembers({ path, types, value }: Node): MarkupFinding[] {
  const rules = MARKUP_RULES.filter((rule) => rule.types.some((type) => types.includes(type)));
  const lacks = (ways: readonly string[]): boolean =>
    ways.every((path) => valuesAt(value, path).length === 0);
  const place = (ways: readonly string[]): string => `${path}/${ways[0] ?? ""}`;
  return rules.flatMap((rule) => [
    ...rule.required
      .filter(lacks)
      .map((ways) =>
        finding(
          place(ways),
          "missing_required",
          "error",
          `${types[0]} needs ${ways.join(" or ")} (${rule.source}).`,
        ),
      ),
    ...rule.recommended
      .filter(lacks)
      .map((ways) =>
        finding(
          place(ways),
          "missing_recommended",
          "warning",
          `${types[0]} should have ${ways.join(" or ")} (${rule.source}).`,
        ),
      ),
  ]);
}

function wrongValues({ path, value }: Node): MarkupFinding[] {
  return Object.entries(value).flatMap(([name, member]) =>
    valuesAt(member, "").flatMap(({ path: below, value: one }) => {
      const place = `${path}/${name}${below}`;
      if (NUMBER_MEMBERS.has(name)) return numberFault(place, one);
      if (DATE_MEMBERS.has(name)) return dateFault(place, one);
      if (URL_MEMBERS.has(name)) return urlFault(place, one);
      if (name === "name" && typeof one !== "string") {
        return [finding(place, "wrong_type", "error", "Must be text.")];
      }
      return [];
    }),
  );
}

/** Number format of schema.org: digits 0–9 and a decimal point, no separators, no currency sign. */
const NUMBER = /^-?\d+(\.\d+)?$/;

function numberFault(path: string, value: unknown): MarkupFinding[] {
  const isNumber = typeof value === "number" || (typeof value === "string" && NUMBER.test(value));
  return isNumber
    ? []
    : [finding(path, "bad_number", "error", "Must be a number with a decimal point, as in 4.50.")];
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function dateFault(path: string, value: unknown): MarkupFinding[] {
  const isDate = typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value));
  return isDate ? [] : [finding(path, "bad_date", "error", "Must be an ISO 8601 date, as in 2026-06-01.")];
}

function urlFault(path: string, value: unknown): MarkupFinding[] {
  // An ImageObject or another node as its value is validated separately.
  if (isObject(value)) return [];
  const isAbsolute = typeof value === "string" && /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value);
  return isAbsolute ? [] : [finding(path, "relative_url", "error", "Must be an absolute URL.")];
}

function ratingFaults({ path, types, value }: Node): MarkupFinding[] {
  if (!types.includes("AggregateRating") && !types.includes("Rating")) return [];
  const numberOf = (name: string, fallback: number): number =>
    value[name] === undefined ? fallback : Number(value[name]);
  const rating = numberOf("ratingValue", Number.NaN);
  const [worst, best] = [numberOf("worstRating", 1), numberOf("bestRating", 5)];
  if (Number.isNaN(rating) || (rating >= worst && rating <= best)) return [];
  return [
    finding(
      `${path}/ratingValue`,
      "rating_out_of_range",
      "error",
      `${rating} is not between ${worst} and ${best}.`,
    ),
  ];
}

/** A QAPage is about one question, which its visitors answer. */
const qaFaults = ({ path, types, value }: Node): MarkupFinding[] =>
  types.includes("QAPage") && [value["mainEntity"]].flat().length > 1
    ? [
        finding(
          `${path}/mainEntity`,
          "wrong_type",
          "error",
          "A QAPage must have exactly one Question. Use FAQPage for several.",
        ),
      ]
    : [];

function faqFaults({ path, types, value }: Node): MarkupFinding[] {
  if (!types.includes("FAQPage")) return [];
  const questions = [value["mainEntity"]].flat();
  const faults = questions.flatMap((question, index) => {
    const place = `${path}/mainEntity/${index}`;
    if (!isObject(question)) return [finding(place, "wrong_type", "error", "Must be a Question.")];
    const answers = valuesAt(question["acceptedAnswer"], "text");
    if (valuesAt(question, "name").length === 0) {
      return [finding(`${place}/name`, "missing_required", "error", "Each Question requires a name.")];
    }
    return answers.length === 1
      ? []
      : [
          finding(
            `${place}/acceptedAnswer`,
            answers.length === 0 ? "missing_required" : "wrong_type",
            "error",
            "Each Question of a FAQPage requires exactly one accepted answer with a text.",
          ),
        ];
  });
  return [
    ...faults,
    finding(
      path,
      "ended_feature",
      "warning",
      "Google ended FAQ rich results on 2026-05-07: the markup is valid and machine-readable, but produces no rich " +
        "result.",
    ),
  ];
}
