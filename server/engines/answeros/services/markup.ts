import type { PageFacts } from "../../../lib/text/model.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { MARKUP_RULES_AS_OF } from "../data/markup-rules.ts";
import { pageContents, pages } from "../repository.ts";
import { checkParity } from "../rules/check-parity.ts";
import { validateMarkup } from "../rules/validate-markup.ts";
import type { Page } from "../schema.ts";
import type { Markup } from "../schema/markup.ts";
import { readFacts } from "./score.ts";

/** Content of the last fetched page; null if it was never fetched. */
export async function factsOfPage(
  tx: Tx,
  pageId: string,
): Promise<{ readonly page: Stored<Page>; readonly facts: PageFacts | null }> {
  const page = await tx.require(pages, pageId);
  const content = await tx.get(pageContents, pageId);
  const facts =
    content === null
      ? null
      : await readFacts({ ...content.value, url: page.value.url, locale: page.value.locale });
  return { page, facts };
}

type Judged = Pick<Markup, "errors" | "warnings" | "parity" | "rules_as_of">;

/** Validates JSON-LD with the rules and compares it with the page. */
export function judgeMarkup(jsonld: unknown, facts: PageFacts | null): Judged {
  const { errors, warnings } = validateMarkup(jsonld);
  const parity = checkParity(jsonld, facts?.text.text ?? null);
  const hidden = parity.missing.map(({ path, value }) => ({
    path,
    code: "not_visible" as const,
    severity: "error" as const,
    message: `The page does not contain “${value.slice(0, 120)}”.`,
  }));
  return { errors: [...errors, ...hidden], warnings: [...warnings], parity, rules_as_of: MARKUP_RULES_AS_OF };
}
