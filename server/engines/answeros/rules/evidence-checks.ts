import type { PageFacts } from "../../../lib/text/model.ts";
import type { Check, PageType } from "../schema.ts";
import { checkOf, steps } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";

const component = "evidence";
/** Types of pages on which visitors expect a price. */
const PRICED: ReadonlySet<PageType> = new Set(["product", "menu", "catering"]);

/** C1–C4: figures, quotations, sources and prices, which engines quote more often than claims. */
export function evidenceChecks({
  facts,
  url,
  page_type: type,
}: Pick<ScoreInput, "facts" | "url" | "page_type">): Check[] {
  const { text, counts } = facts.text;
  const perThousand = (count: number): number => (counts.words === 0 ? 0 : (count * 1000) / counts.words);
  const figures = figuresIn(text);
  const quotation = quotationIn(facts);
  const domains = outsideDomains(facts, url);
  const price = pricesIn(text)[0];
  return [
    checkOf({
      id: "C1",
      component,
      title: "Figures",
      points: steps(perThousand(figures.length), [5, 8], [2, 4]),
      max: 8,
      evidence: `${figures.length} figures with a unit, a currency or % in ${counts.words} words.`,
      fix: "Add amounts, durations and quantities: at least five figures with a unit per thousand words.",
    }),
    checkOf({
      id: "C2",
      component,
      title: "Quotation with attribution",
      points: quotation === null ? 0 : 5,
      max: 5,
      evidence: quotation === null ? "No attributed quotation." : `“${clip(quotation)}”`,
      fix: "Quote an expert verbatim, with their name.",
    }),
    checkOf({
      id: "C3",
      component,
      title: "External sources",
      points: steps(perThousand(domains.length), [2, 6], [1, 3]),
      max: 6,
      evidence:
        domains.length === 0
          ? "No links to other sites."
          : `${domains.length} other sites in ${counts.words} words: ${domains.slice(0, 5).join(", ")}.`,
      fix: "Link the sources of the page's claims: two external sites per thousand words.",
    }),
    checkOf({
      id: "C4",
      component,
      title: "Explicit price",
      points: PRICED.has(type) ? (price === undefined ? 0 : 6) : null,
      max: 6,
      evidence: price === undefined ? "No price in the text." : `Price in the text: ${price}`,
      fix: "Add the price with its currency to the text.",
    }),
  ];
}

const NUMBER = String.raw`\d+(?:[.,]\d+)*`;
/** A number from its first digit: trying each digit would take quadratic time for a long one. */
const WHOLE = String.raw`(?<!\d|\d[.,])${NUMBER}`;
const CURRENCY = "[£$€¥]|\\b(?:GBP|EUR|USD|CHF)\\b";
const UNIT =
  "%|per ?cent|percent|kg|g|mg|grams?|kilos?|kilograms?|ml|l|litres?|liters?|oz|lb|lbs|pounds?|cm|mm|m|km|miles?|inch(?:es)?|" +
  "°c|°f|degrees?|seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|kcal|calories|kj|people|guests?|" +
  "portions?|servings?|slices?|pieces?|loaves|orders?|customers?|stars?";
const FIGURE = new RegExp(
  `(?:${CURRENCY})\\s?${NUMBER}|${WHOLE}\\s?(?:${CURRENCY})|(?<![\\w.,])${NUMBER}(?:\\s|-)?(?:${UNIT})(?![\\p{L}\\p{N}])`,
  "giu",
);
const PRICE = new RegExp(`(?:${CURRENCY})\\s?${NUMBER}|${WHOLE}\\s?(?:${CURRENCY})`, "giu");

/** Numbers with a unit, a per-cent sign or a currency, in order of the text. */
export const figuresIn = (text: string): string[] => text.match(FIGURE) ?? [];
const pricesIn = (text: string): string[] => text.match(PRICE) ?? [];

const SAYING =
  /\b(?:says?|said|writes?|wrote|explains?|explained|according to|notes?|noted|told|recommends?|recommended)\b/i;
const SIGNED = /[—–]\s*\p{Lu}|-\s+\p{Lu}/u;
const isSaid = (text: string): boolean => SAYING.test(text) || SIGNED.test(text);
const QUOTED = /[“"«„]([^”"»“«„]{10,400})[”"»“]/gu;
const QUOTED_WORDS = 4;

/** An attributed quotation: in quotation marks next to a verb of saying, or a block with its author. */
function quotationIn({ text }: PageFacts): string | null {
  for (const [index, block] of text.blocks.entries()) {
    const quoted = Array.from(block.text.matchAll(QUOTED), ([, words = ""]) => words).find(
      (words) => words.trim().split(/\s+/).length >= QUOTED_WORDS,
    );
    if (quoted !== undefined && isSaid(block.text.replace(quoted, ""))) return quoted;
    if (block.kind !== "quote") continue;
    const next = text.blocks[index + 1]?.text ?? "";
    if (/[—–]\s*\p{Lu}/u.test(block.text) || /^[—–-]\s*\p{Lu}/u.test(next)) return block.text;
  }
  return null;
}

function outsideDomains({ text }: PageFacts, url: string | null): string[] {
  const own = url === null ? null : domainOf(url);
  const hosts = text.links
    .filter(({ kind }) => kind === "outbound")
    .flatMap(({ href }) => domainOf(href) ?? [])
    .filter((domain) => domain !== own);
  return [...new Set(hosts)];
}

const domainOf = (address: string): string | null =>
  URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, "") : null;

const clip = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);
