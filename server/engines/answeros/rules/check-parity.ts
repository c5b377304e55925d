import { withoutMarks } from "../../../lib/text/marks.ts";
import type { Parity } from "../schema/markup.ts";
import { valuesAt } from "./json-ld.ts";
import { nodesOf } from "./json-ld.ts";

/** Properties whose values must be visible on the page. */
const SEEN: readonly (readonly [types: readonly string[], paths: readonly string[]])[] = [
  [
    ["Product", "Recipe", "Service"],
    ["name", "aggregateRating/ratingValue"],
  ],
  [["Bakery", "LocalBusiness", "Restaurant", "FoodEstablishment", "Store", "CafeOrCoffeeShop"], ["name"]],
  [["Article", "NewsArticle", "BlogPosting"], ["headline"]],
  [
    ["Offer", "AggregateOffer"],
    ["price", "lowPrice", "highPrice"],
  ],
  [["Question"], ["name", "acceptedAnswer/text", "suggestedAnswer/text"]],
];

/**
 * Values of JSON-LD that the visible text of a page does not contain: names, prices, ratings, questions and answers.
 * Numbers are compared as numbers (4.50 matches 4.5), texts ignoring case, accents and spaces.
 */
export function checkParity(jsonld: unknown, visibleText: string | null): Parity {
  if (visibleText === null) return { checked: false, missing: [] };
  const text = ` ${plain(visibleText)} `;
  const numbers = numbersIn(visibleText);
  const missing = nodesOf(jsonld).flatMap(({ path, types, value }) =>
    SEEN.filter(([names]) => names.some((name) => types.includes(name))).flatMap(([, paths]) =>
      paths
        .flatMap((member) => valuesAt(value, member))
        .filter(({ value: one }) => !isSeen(one, text, numbers))
        .map(({ path: below, value: one }) => ({ path: `${path}${below}`, value: show(one) })),
    ),
  );
  const seen = new Set<string>();
  return { checked: true, missing: missing.filter(({ path }) => !seen.has(path) && seen.add(path)) };
}

function isSeen(value: unknown, text: string, numbers: ReadonlySet<number>): boolean {
  const written = show(value);
  if (/^\d+(\.\d+)?$/.test(written)) return numbers.has(Number(written));
  // Answers may be HTML; a name with a < is not.
  return [stripTags(written), written].some((one) => {
    const words = plain(one);
    return words === "" || text.includes(` ${words} `);
  });
}

const show = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);

const stripTags = (text: string): string => text.replaceAll(/<[^<>]*>/g, " ");

const plain = (text: string): string =>
  withoutMarks(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Numbers in any notation: £1,250.00 and 1250 are equal; 4,5 is also parsed as 4.5, and 1.250,50 as 1250.5. */
function numbersIn(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [match] of text.matchAll(/\d+(?:[.,]\d+)*/g)) {
    numbers.add(Number(match.replaceAll(",", "")));
    if (/^(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d{1,2})?$/.test(match))
      numbers.add(Number(match.replaceAll(".", "").replace(",", ".")));
  }
  return numbers;
}
