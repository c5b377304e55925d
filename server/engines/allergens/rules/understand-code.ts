import { CODES, isKnownCode } from "../data/codes.ts";

/**
 * The code that a text means: the code itself in any case, or an English name of it in singular or plural, as eggs, soya
 * or brazil nuts. A text that may mean several codes stays as it is.
 */
export function toCode(text: string): string {
  const key = keyOf(text);
  return isKnownCode(key) ? key : (byName().get(key) ?? text);
}

/** What is wrong with a text that is no code, with what it may have meant. */
export function describeUnknownCode(text: string): string {
  const key = keyOf(text);
  const parts = key.split("_").flatMap((part) => (isKnownCode(toCode(part)) ? [toCode(part)] : []));
  const near = CODES.map(({ code }) => code).filter((code) => isNear(key, code));
  const meant = [...new Set([...near, ...parts])];
  const suggestion = meant.length === 0 ? "" : ` Did you mean ${meant.slice(0, 3).join(" or ")}?`;
  return `No such allergen code: ${text}.${suggestion} GET /v1/allergens/codes lists them.`;
}

const keyOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");

let names: ReadonlyMap<string, string> | undefined;
const byName = (): ReadonlyMap<string, string> => (names ??= collectNames());

function collectNames(): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const { code, names: own, names_in: namesIn, kind } of CODES) {
    const words = [own.en.label, own.en.statement, ...Object.values(namesIn)].map(keyOf);
    for (const word of words.flatMap((each) => [each, `${each}s`, each.replace(/s$/, "")])) {
      // "Fish" is the allergen; that its kind is not known is said by the code itself.
      if (kind === "specific" || code === "nuts" || code === "tree_nuts")
        found.set(word, new Set([...(found.get(word) ?? []), code]));
    }
  }
  for (const [word, code] of Object.entries(SPELLINGS)) found.set(word, new Set([code]));
  return new Map([...found].flatMap(([word, [code, ...others]]) => pairOf(word, code, others)));
}

const pairOf = (word: string, code: string | undefined, others: readonly string[]): [string, string][] =>
  code === undefined || others.length > 0 || isKnownCode(word) ? [] : [[word, code]];

/** Spellings that are no plural of a name. */
const SPELLINGS: Readonly<Record<string, string>> = {
  soybean: "soy",
  soybeans: "soy",
  soja: "soy",
  sulfite: "sulphites",
  sulfites: "sulphites",
  mollusk: "mollusc",
  mollusks: "mollusc",
  lupine: "lupin",
  anchovies: "anchovy",
  oat: "oats",
  groundnut: "peanut",
  groundnuts: "peanut",
};

/** True when one insertion, deletion or replacement makes one text of the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || b.length < 3) return false;
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let tail = 0;
  while (tail < a.length - from && tail < b.length - from && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return Math.max(a.length, b.length) - from - tail <= 1;
}
