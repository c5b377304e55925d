import { MARKUP_RULES_AS_OF } from "../data/markup-rules.ts";
import type { Markup } from "../schema/markup.ts";
import { checkParity } from "../rules/check-parity.ts";
import { validateMarkup } from "../rules/validate-markup.ts";

export type JudgedMarkup = Pick<Markup, "errors" | "warnings" | "parity" | "rules_as_of">;

/** Validates JSON-LD with the rules and compares it with the text of its page; null if that is unknown. */
export function judgeMarkup(jsonld: unknown, pageText: string | null): JudgedMarkup {
  const { errors, warnings } = validateMarkup(jsonld);
  const parity = checkParity(jsonld, pageText);
  const hidden = parity.missing.map(({ path, value }) => ({
    path,
    code: "not_visible" as const,
    severity: "error" as const,
    message: `The page does not contain “${value.slice(0, 120)}”.`,
  }));
  return { errors: [...errors, ...hidden], warnings: [...warnings], parity, rules_as_of: MARKUP_RULES_AS_OF };
}
