import type { Review } from "../schema.ts";
import type { Condition, ModerationRule } from "../schema/settings.ts";

/** Facts that a rule can use. None of them reflects an opinion of a product. */
const RULE_FIELDS = [
  "risk",
  "signal",
  "verification",
  "incentive",
  "relationship",
  "collection_method",
  "locale",
  "country",
  "target_type",
  "has_media",
  "has_email",
] as const;
type RuleField = (typeof RULE_FIELDS)[number];

/** Names that would refer to a rating or an opinion. */
const SENTIMENT =
  /rating|star|score|sentiment|recommend|pros|cons|title|body|text|words|attribute|helpful|opinion|nps/i;

export interface RuleProblem {
  /** Path in the list of rules. */
  readonly path: readonly (string | number)[];
  readonly code: "sentiment_conditional_moderation" | "unknown_field";
  readonly detail: string;
}

/**
 * The first error in the rules. Publishing or holding by rating or sentiment suppresses honest reviews
 * (16 CFR 465.7; DMCC Act 2024, Sch. 20 §13), so such a rule cannot be set.
 */
export function findRuleProblem(rules: readonly ModerationRule[]): RuleProblem | null {
  for (const [at, rule] of rules.entries()) {
    for (const { field, path } of fieldsOf(rule.if, [at, "if"])) {
      if (RULE_FIELDS.some((name) => name === field)) continue;
      return SENTIMENT.test(field)
        ? {
            path,
            code: "sentiment_conditional_moderation",
            detail:
              `Moderation must not depend on ${field}: reviews are moderated independently of their opinion of the product. ` +
              "Remove the condition.",
          }
        : { path, code: "unknown_field", detail: `Expected one of ${RULE_FIELDS.join(", ")}.` };
    }
  }
  return null;
}

function fieldsOf(
  condition: Condition,
  path: readonly (string | number)[],
): { readonly field: string; readonly path: readonly (string | number)[] }[] {
  if ("all" in condition) return condition.all.flatMap((part, at) => fieldsOf(part, [...path, "all", at]));
  if ("any" in condition) return condition.any.flatMap((part, at) => fieldsOf(part, [...path, "any", at]));
  if ("not" in condition) return fieldsOf(condition.not, [...path, "not"]);
  return [{ field: condition.field, path: [...path, "field"] }];
}

/** The action of the first matching rule; null without one. */
export const applyRules = (rules: readonly ModerationRule[], review: Review): ModerationRule["then"] | null =>
  rules.find((rule) => holds(rule.if, review))?.then ?? null;

export function holds(condition: Condition, review: Review): boolean {
  if ("all" in condition) return condition.all.every((part) => holds(part, review));
  if ("any" in condition) return condition.any.some((part) => holds(part, review));
  if ("not" in condition) return !holds(condition.not, review);
  const { field, op, value } = condition;
  const facts = factsOf(review)[RULE_FIELDS.find((name) => name === field) ?? "risk"];
  return facts.some((fact) => compare(fact, op, value));
}

type Fact = string | number | boolean;

const factsOf = (review: Review): Readonly<Record<RuleField, readonly Fact[]>> => ({
  risk: [review.moderation.risk],
  signal: review.moderation.signals.map(({ code }) => code),
  verification: [review.verification.level],
  incentive: [review.incentive.type],
  relationship: [review.relationship],
  collection_method: [review.collection_method],
  locale: [review.locale],
  country: review.country === null ? [] : [review.country],
  target_type: [review.target.type],
  has_media: [review.media.length > 0],
  has_email: [review.email !== null],
});

function compare(fact: Fact, op: string, value: Fact): boolean {
  if (op === "eq") return fact === value;
  if (op === "neq") return fact !== value;
  if (op === "contains") return String(fact).toLowerCase().includes(String(value).toLowerCase());
  if (typeof fact !== "number" || typeof value !== "number") return false;
  if (op === "gt") return fact > value;
  if (op === "gte") return fact >= value;
  if (op === "lt") return fact < value;
  return op === "lte" && fact <= value;
}
