import { MARKUP_RULES_AS_OF } from "../data/markup-rules.ts";
import { FINDINGS_MAX } from "../schema/markup.ts";
import type { Markup } from "../schema/markup.ts";
import { checkParity } from "../rules/check-parity.ts";
import { validateMarkup } from "../rules/validate-markup.ts";

export type JudgedMarkup = Pick<Markup, "errors" | "warnings" | "parity" | "rules_as_of">;

/** Validates JSON-LD with the rules and compares it with the text of its page; null if that is unknown. */
export function judgeMarkup(jsonld: unknown, pageText: string | null): JudgedMarkup {
  const { errors, warnings } = validateMarkup(jsonld);
  const { checked, missing } = checkParity(jsonld, pageText);
  const hidden = missing.map(({ path, value }) => ({
    path,
    code: "not_visible" as const,
    severity: "error" as const,
    message: `The page does not contain “${value.slice(0, 120)}”.`,
  }));
  return {
    errors: [...errors, ...hidden].slice(0, FINDINGS_MAX),
    warnings: warnings.slice(0, FINDINGS_MAX),
    parity: { checked, missing: missing.slice(0, FINDINGS_MAX) },
    rules_as_of: MARKUP_RULES_AS_OF,
  };
}
