import type { PageFacts } from "../../../lib/text/model.ts";

/** A suggested question and its origin. */
export interface Suggestion {
  readonly text: string;
  readonly intent: "informational" | "commercial" | "transactional" | "navigational" | "local";
  /** The existing answer of the page; null if there is none. */
  readonly answer: string | null;
  readonly reason: string;
}

type Intent = Suggestion["intent"];

/** Common customer questions, by intent. */
const PATTERNS: readonly (readonly [intent: Intent, make: (entity: string) => string, reason: string])[] = [
  ["informational", (entity) => `What is ${entity}?`, "Definitions are quoted about twice as often."],
  ["commercial", (entity) => `How much does ${entity} cost?`, "Explicit prices are quoted more often."],
  ["transactional", (entity) => `How do I order ${entity}?`, "Commonly asked before a purchase."],
  ["informational", (entity) => `Which allergens are in ${entity}?`, "Commonly asked about food."],
  ["local", (entity) => `Where is ${entity} delivered?`, "Commonly asked of stores that deliver."],
  ["informational", (entity) => `How long does ${entity} keep?`, "Commonly asked about food."],
];

/**
 * Suggestions for a page: questions in its headings, with the text below them, then common questions about any
 * product.
 * Existing ones (ignoring case and punctuation) are omitted.
 */
export function suggestQuestions(
  { facts, entity }: { readonly facts: PageFacts | null; readonly entity: string },
  existing: readonly string[],
  count: number,
): Suggestion[] {
  const seen = new Set(existing.map(plain));
  const headings = (facts?.text.headings ?? []).filter((heading) => heading.is_question);
  const suggestions = headings.map(({ text, block }): Suggestion => {
    const next = facts?.text.blocks[block + 1];
    const answer = next === undefined || next.kind === "heading" ? null : next.text;
    return { text, intent: intentOf(text), answer, reason: "The page contains it as a heading." };
  });
  const usual = PATTERNS.map(([intent, make, reason]) => ({
    text: make(entity),
    intent,
    answer: null,
    reason,
  }));
  return [...suggestions, ...usual]
    .filter(({ text }) => text.length >= 3 && !seen.has(plain(text)) && seen.add(plain(text)))
    .slice(0, count);
}

export function intentOf(question: string): Intent {
  if (/\b(price|cost|cheap|best|compare|versus|vs)\b|how much/i.test(question)) return "commercial";
  if (/\b(buy|order|book|subscribe|pay|checkout)\b/i.test(question)) return "transactional";
  if (/\b(where|near|open|opening|deliver(?:y|ed|s)?|address)\b/i.test(question)) return "local";
  if (/\b(log ?in|contact|website|account)\b/i.test(question)) return "navigational";
  return "informational";
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
