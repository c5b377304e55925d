import { annexFoods, loadFoods } from "../data/foods.ts";
import type { FoodEntry } from "../data/foods.ts";
import type { AnimalOrigin } from "../schema/ingredient.ts";
import { toPhrases, toSingular } from "./food-tokens.ts";
import type { Phrase } from "./food-tokens.ts";
import { widerOf } from "./taxonomy.ts";

/** What a name says is in the food. `word` is the part of the name that says so. */
export interface FoodReading {
  readonly word: string;
  readonly codes: readonly string[];
  /** Animals that it may come from; one of them is enough against a diet. */
  readonly origins: readonly AnimalOrigin[];
  readonly alcohol: boolean;
  /** False: the food usually holds it, as pesto holds cheese. */
  readonly certain: boolean;
}

/**
 * Reads what the name of a food says is in it, in English, French and German and by the commonest words of other languages;
 * the longest food of the vocabulary first.
 * "Coconut milk" says nothing of milk, "milk-free" and "without milk" deny it, "vegan butter" is of no animal.
 * The time is linear in the text, and a name that was read before costs a look-up.
 */
export function readFoods(text: string): readonly FoodReading[] {
  const known = memory.get(text);
  if (known !== undefined) return known;
  const readings = toPhrases(text).flatMap((phrase) => readPhrase(splitCompounds(phrase.map(toNamed))));
  if (text.length <= MEMORY_CHARS) {
    if (memory.size >= MEMORY_NAMES) memory.clear();
    memory.set(text, readings);
  }
  return readings;
}

/**
 * True for a name with a word that the vocabulary lacks, in a script of which it has the commonest words only: of such a name it is
 * unknown what it says. Vietnamese has letters of its own. A Greek letter by itself is a sign, as in β-carotene.
 */
export const hasUnreadWords = (text: string): boolean =>
  OTHER_SCRIPT.test(text) &&
  (text.match(/[\p{L}\p{M}]+/gu) ?? []).some(
    (word) =>
      OTHER_SCRIPT.test(word) &&
      !toPhrases(word)
        .flat()
        .every((each) => lexicon().words.all.has(each)),
  );
const OTHER_SCRIPT =
  /\p{Script=Greek}{2}|(?!\p{Script=Latin}|\p{Script=Greek}|\p{Script=Common}|\p{Script=Inherited})\p{L}|[\u1EA0-\u1EF9]/u;

const MEMORY_NAMES = 4_096;
const MEMORY_CHARS = 200;
const memory = new Map<string, readonly FoodReading[]>();

/** What one of the entries under a name says, with the words around it that make it say nothing. */
interface Meaning {
  readonly entry: FoodEntry;
  readonly notAfter: ReadonlySet<string>;
  readonly notBefore: readonly string[];
}

interface Lexicon {
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>;
  /** Words of the longest name that begins with a word. */
  readonly longest: ReadonlyMap<string, number>;
  /** Words of all names, and of those in each language. */
  readonly words: Readonly<Record<"all" | keyof FoodEntry["names"], ReadonlySet<string>>>;
  readonly parts: ReadonlySet<string>;
  readonly longestPart: number;
}

let loaded: Lexicon | undefined;
const lexicon = (): Lexicon => (loaded ??= buildLexicon());

function buildLexicon(): Lexicon {
  const { entries: known, compound_parts: parts } = loadFoods();
  const entries = [...known, ...annexFoods()];
  const meanings = new Map<string, Meaning[]>();
  for (const [at, entry] of entries.entries()) {
    const meaning = {
      entry,
      notAfter: new Set(entry.not_after.map(keyOf)),
      notBefore: entry.not_before.map(keyOf),
    };
    const names = Object.values(entry.names).flatMap((each) => Object.keys(each));
    for (const key of new Set(names.map(keyOf))) {
      const others = meanings.get(key);
      if (others === undefined) meanings.set(key, [meaning]);
      // What the vocabulary has as well is more precise: "lait" is none of almonds.
      else if (at < known.length) others.push(meaning);
    }
  }
  const longest = new Map<string, number>();
  for (const words of [...meanings.keys()].map((key) => key.split(" ")))
    longest.set(words[0] ?? "", Math.max(words.length, longest.get(words[0] ?? "") ?? 0));
  const wordsOf = (languages: readonly (keyof FoodEntry["names"])[]): ReadonlySet<string> =>
    new Set(
      entries.flatMap(({ names }) =>
        languages.flatMap((language) =>
          Object.keys(names[language]).flatMap((name) => keyOf(name).split(" ")),
        ),
      ),
    );
  return {
    meanings,
    words: {
      all: wordsOf(["en", "fr", "de", "other"]),
      en: wordsOf(["en"]),
      fr: wordsOf(["fr"]),
      de: wordsOf(["de"]),
      other: wordsOf(["other"]),
    },
    longest,
    parts: new Set(parts),
    longestPart: Math.max(...parts.map(({ length }) => length)),
  };
}

/** Plural endings that `toSingular` leaves, or made of another ending, with what the singular has in their place: cookies are no cooky. */
const PLURALS = [
  { language: "en", ending: "y", instead: "ie" },
  { language: "de", ending: "n", instead: "" },
  { language: "de", ending: "en", instead: "" },
  { language: "de", ending: "e", instead: "" },
  { language: "de", ending: "er", instead: "" },
  { language: "fr", ending: "x", instead: "" },
  { language: "fr", ending: "ss", instead: "sse" },
] as const;
const STEM_MIN = 4;

/** A plural that the vocabulary does not have, as its singular in the same language: Schnecken, bigorneaux. */
function toNamed(word: string): string {
  const { words } = lexicon();
  if (words.all.has(word)) return word;
  for (const { language, ending, instead } of PLURALS) {
    if (!word.endsWith(ending)) continue;
    const stem = toSingular(`${word.slice(0, word.length - ending.length)}${instead}`);
    if (stem.length >= STEM_MIN && words[language].has(stem)) return stem;
  }
  return word;
}

const keyOf = (name: string): string => toPhrases(name).flat().join(" ");

interface Found {
  readonly reading: FoodReading;
  readonly at: number;
}

function readPhrase(words: Phrase): FoodReading[] {
  const { meanings, longest } = lexicon();
  const spans = spansOf(words);
  const found: Found[] = [];
  const denied: Exclusion[] = [];
  const isOffer = words.some((word) => OFFERED.has(word));
  for (let from = 0; from < words.length;) {
    let next = from + 1;
    const most = longest.get(words[from] ?? "") ?? 0;
    for (let to = Math.min(words.length, from + most); to > from; to -= 1) {
      const word = words.slice(from, to).join(" ");
      const named = meanings.get(word);
      if (named === undefined) continue;
      const isWithout = !isOffer && isDenied(words, from, to);
      const free = (isWithout && substitutedBy(words, from)) || named;
      // What is free from lactose still holds milk.
      if (isWithout && !LACTOSE.has(word)) denied.push(...free.map(({ entry }) => denialOf(entry, from)));
      for (const each of named)
        if (isWithout ? free !== named : isMeant(each, words, from, to))
          found.push({ reading: (isWithout ? leftOf(free) : toReading(word))(each), at: from });
      next = to;
      break;
    }
    from = next;
  }
  const scopes = isOffer ? [] : scopesOf([...exclusionsOf(words), ...denied], spans);
  return found
    .map((one) =>
      scopes.reduce((left, each) => (isAbout(each, one, spans) ? each.take(left) : left), one.reading),
    )
    .filter(saysAnything);
}

const toReading =
  (word: string) =>
  ({ entry }: Meaning): FoodReading => ({
    word,
    codes: entry.contains,
    origins: entry.origins,
    alcohol: entry.alcohol,
    certain: entry.certain,
  });

const saysAnything = ({ codes, origins, alcohol }: FoodReading): boolean =>
  codes.length + origins.length > 0 || alcohol;

function isMeant({ notAfter, notBefore }: Meaning, words: Phrase, from: number, to: number): boolean {
  const before = words[from - 1];
  if (before !== undefined && notAfter.has(before)) return false;
  if (from > 1 && notAfter.has(words.slice(from - 2, from).join(" "))) return false;
  const rest = `${words.slice(to, to + 4).join(" ")} `;
  return !notBefore.some((phrase) => rest.startsWith(`${phrase} `));
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" ").map(toSingular));
const DENIED_BEFORE = setOf(
  "no non not without sans ohne kein keine sin senza sem zonder bez utan uden uten",
);
const DENIED_BEHIND = setOf("free frei freie freier freies freien");
/** A pizza with a gluten-free option is one of wheat, and a burger with or without cheese may have it. */
const OFFERED = setOf("option optional available possible request moglich wunsch disponible demande");
const OR = setOf("or oder ou");

/** "Free range eggs", "eggs free range", "peanuts free from salt", "frei von Schale": what follows is what it is free from, or how it lived. */
const FREE_OF_ANOTHER = setOf("from of von range ranging run roaming flowing trade");
/** Parts of a food: milk that is fat free is still milk. */
const PARTS = setOf("fat sugar");
const LACTOSE = setOf("lactose laktose lactosa lattosio");

/** "Milk-free", "free from milk", "ohne Milch", but not "not milk-free". */
function isDenied(words: Phrase, from: number, to: number): boolean {
  const [first, second] = [words[from - 2], words[from - 1]];
  const [behind, next] = [words[to], words[to + 1]];
  if (second !== undefined && DENIED_BEFORE.has(second) && !OR.has(first ?? ""))
    return !NEGATIONS.has(second) || behind === undefined || !DENIED_BEHIND.has(behind);
  if (first === "free" && (second === "from" || second === "of")) return true;
  if (behind === undefined || !DENIED_BEHIND.has(behind)) return false;
  if (next !== undefined && FREE_OF_ANOTHER.has(next)) return false;
  return to - from === 1 || !PARTS.has(words[to - 1] ?? "");
}

/** No-fish fingers and no egg noodles are without fish and egg only: wheat usually is in them still. */
function substitutedBy(words: Phrase, from: number): readonly Meaning[] | undefined {
  const first = lexicon().meanings.get(words[from] ?? "");
  return words[from - 1] === "no" &&
    first?.some(({ entry }) => entry.contains.length + entry.origins.length > 0)
    ? first
    : undefined;
}

const leftOf =
  (first: readonly Meaning[]) =>
  (each: Meaning): FoodReading => ({
    ...without(toReading("")(each), (wider) =>
      first.some(({ entry }) => entry.contains.some((code) => wider.has(code))),
    ),
    origins: [],
    certain: false,
  });

/** What begins another food, which "vegan" or "gluten-free" in front of it says nothing of: a vegan patty with cheese, vegan cheese or cheddar. */
const WITH = setOf("with w in on plus add or avec au aux sur dans ou mit im auf oder");
const AND = setOf("and et und");

/** Which part of a phrase each of its words is in: `parts` end at "with", `pieces` also at "and". */
interface Spans {
  readonly parts: readonly number[];
  readonly pieces: readonly number[];
}

function spansOf(words: Phrase): Spans {
  let [part, piece] = [0, 0];
  const spans = { parts: [] as number[], pieces: [] as number[] };
  for (const word of words) {
    if (WITH.has(word)) part += 1;
    if (WITH.has(word) || AND.has(word)) piece += 1;
    spans.parts.push(part);
    spans.pieces.push(piece);
  }
  return spans;
}

/** What a word of a phrase takes away from foods: vegan butter, gluten-free bread, alcohol-free wine, egg-free mayonnaise. */
interface Exclusion {
  /** What is excluded: a word of the code below, or a food of the vocabulary. */
  readonly kind: unknown;
  readonly at: number;
  /** It is also said of what usually is in what follows with "and": gluten-free bread and muffins, but not muffins and gluten-free bread. */
  readonly goesOn: boolean;
  readonly take: (reading: FoodReading) => FoodReading;
}

/** All places of one kind of exclusion: a long text has many, and there are only so many kinds. */
interface Scope {
  readonly take: Exclusion["take"];
  readonly pieces: Set<number | undefined>;
  /** Where it is first said in a part, of what usually is in what follows as well. */
  readonly since: Map<number | undefined, number>;
}

function scopesOf(exclusions: readonly Exclusion[], { parts, pieces }: Spans): Scope[] {
  const scopes = new Map<unknown, Scope>();
  for (const { kind, at, goesOn, take } of exclusions) {
    const scope = scopes.get(kind) ?? { take, pieces: new Set(), since: new Map() };
    scopes.set(kind, scope);
    scope.pieces.add(pieces[at]);
    const before = scope.since.get(parts[at]) ?? Infinity;
    if (goesOn) scope.since.set(parts[at], Math.min(before, at));
  }
  return [...scopes.values()];
}

/** In vegan bacon and egg the egg may be one of a hen: beyond "and", what is named is not taken away. */
const isAbout = ({ pieces, since }: Scope, { reading, at }: Found, spans: Spans): boolean =>
  pieces.has(spans.pieces[at]) || (!reading.certain && (since.get(spans.parts[at]) ?? Infinity) < at);

/** "Non-vegan", "not gluten-free". */
const NEGATIONS = setOf("non not no nicht pas");
const VEGAN = setOf("vegan vegane veganer veganes vegalien vegano vegana veganistische vegansk veganske");
/** Of plants: the one food that it is said of, as in "huile végétale et beurre". */
const VEGETAL = setOf("vegetal vegetale");
const VEGETARIAN = setOf("vegetarian veggie vegetarische vegetarien meatless");
const ANIMAL_CODES = ["milk", "egg", "fish", "crustacean", "mollusc"];
const FLESH: ReadonlySet<AnimalOrigin> = new Set(["meat", "pork", "fish", "other"]);

const without = (reading: FoodReading, isTaken: (wider: ReadonlySet<string>) => boolean): FoodReading => ({
  ...reading,
  codes: reading.codes.filter((code) => !isTaken(widerOf(code))),
});

const takeAnimals = (reading: FoodReading): FoodReading => ({
  ...without(reading, (wider) => ANIMAL_CODES.some((animal) => wider.has(animal))),
  origins: [],
});
const takeFlesh = (reading: FoodReading): FoodReading => ({
  ...reading,
  origins: reading.origins.filter((origin) => !FLESH.has(origin)),
});
/** A cereal that is named is in it, gluten-free or not, and beer is brewed from barley, of which the gluten was taken out. */
const takeGluten = (reading: FoodReading): FoodReading =>
  reading.certain || reading.alcohol ? reading : without(reading, (wider) => wider.has("gluten"));
const takeAlcohol = (reading: FoodReading): FoodReading => ({ ...reading, alcohol: false });

/** What is denied in so many words is not taken to be in it as usual. */
const denialOf = (entry: FoodEntry, at: number): Exclusion => ({
  kind: entry,
  at,
  goesOn: true,
  take: (reading) =>
    entry.contains.includes("gluten")
      ? takeGluten(reading)
      : reading.certain
        ? reading
        : without(reading, (wider) => entry.contains.some((code) => wider.has(code))),
});

const exclusionsOf = (words: Phrase): Exclusion[] =>
  words.flatMap((word, at): Exclusion[] => {
    const before = words[at - 1];
    const isPair = word === "free" || word === "based";
    if (NEGATIONS.has((isPair ? words[at - 2] : before) ?? "")) return [];
    if (VEGAN.has(word) || (before === "plant" && word === "based"))
      return [{ at, goesOn: true, kind: takeAnimals, take: takeAnimals }];
    if (VEGETAL.has(word)) return [{ at, goesOn: false, kind: takeAnimals, take: takeAnimals }];
    if (VEGETARIAN.has(word)) return [{ at, goesOn: true, kind: takeFlesh, take: takeFlesh }];
    if (
      (before === "gluten" && word === "free") ||
      (before === SANS && word === "gluten") ||
      word === "glutenfrei"
    )
      return [{ at, goesOn: true, kind: takeGluten, take: takeGluten }];
    if ((before === "alcohol" && word === "free") || word === "alkoholfrei")
      return [{ at, goesOn: false, kind: takeAlcohol, take: takeAlcohol }];
    return [];
  });
const SANS = toSingular("sans");

/** German compounds in their parts; what the vocabulary has as a whole stays whole. */
function splitCompounds(words: Phrase): Phrase {
  const { meanings } = lexicon();
  return words.flatMap((word) => (word.length < 7 || meanings.has(word) ? [word] : partsOf(word)));
}

function partsOf(word: string): string[] {
  const { parts, longestPart } = lexicon();
  const found: string[] = [];
  for (let from = 0; from < word.length;) {
    let next = from + 1;
    for (let length = Math.min(longestPart, word.length - from); length >= 4; length -= 1) {
      const part = word.slice(from, from + length);
      if (!parts.has(part)) continue;
      found.push(toSingular(part));
      next = from + length;
      break;
    }
    from = next;
  }
  if (found.length === 0) return [word];
  return /frei(?:e[nrs]?)?$/.test(word) ? [...found, "frei"] : found;
}
