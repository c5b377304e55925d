import type { DraftContent } from "../schema/draft.ts";
import type { Generation } from "../schema/generation.ts";
import { CONTENT_LIMITS } from "../schema.ts";

/** A draft's content with an applied generation, and the text before and after whose new paragraphs came from it. */
export interface Applied {
  readonly content: DraftContent;
  readonly written: { readonly before: string; readonly after: string };
}

/**
 * Applies the output: titles, descriptions, summaries and keywords to their fields, a rewritten or
 * drafted text as the body, outlines and questions after it. `choice` selects one of several titles.
 */
export function applyGeneration(
  content: DraftContent,
  { operation, output, items }: Pick<Generation, "operation" | "output" | "items">,
  choice: number,
): Applied {
  const chosen = items[choice]?.text ?? output;
  const member = (members: Partial<DraftContent>): Applied => ({
    content: { ...content, ...members },
    written: { before: "", after: "" },
  });
  switch (operation) {
    case "meta_description":
      return member({ seo: { ...content.seo, description: output.slice(0, 500) } });
    case "title_suggestions":
      return member({ title: chosen.slice(0, CONTENT_LIMITS.titleChars) });
    case "summarise":
      return member({ excerpt: output.slice(0, CONTENT_LIMITS.excerptChars) });
    case "keywords": {
      const phrases = items.map(({ text }) => text.trim().slice(0, 120)).filter((text) => text !== "");
      const secondary_keyphrases = [...new Set(phrases)].slice(0, CONTENT_LIMITS.keyphrases);
      return member({ seo: { ...content.seo, secondary_keyphrases } });
    }
    case "outline":
    case "faq":
      return {
        content: { ...content, body: joined(content.body, output) },
        written: { before: "", after: output },
      };
    case "rewrite":
    case "draft":
      return { content: { ...content, body: output }, written: { before: content.body, after: output } };
  }
}

/** Whether it replaces the body: then it must have been generated from the current body. */
export const replacesBody = ({ operation }: Pick<Generation, "operation">): boolean =>
  operation === "rewrite" || operation === "draft";

const joined = (body: string, more: string): string =>
  body.trim() === "" ? more : `${body.trimEnd()}\n\n${more}`;
