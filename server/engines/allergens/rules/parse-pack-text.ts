import type { LineInput } from "../schema/ingredient.ts";
import { parseIngredients } from "./parse-ingredients.ts";
import { readFoods } from "./read-foods.ts";
import { narrowerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";

interface ReadDeclaration {
  readonly code: string;
  readonly presence: "contains" | "may_contain";
  readonly note: string;
}

/** The note of a declaration that was read, and not made by a person. */
export const READ_NOTE = "ingredients_text";

/** What the text on a pack says: its ingredients, and the allergens of its statements. */
export interface PackText {
  readonly ingredients: LineInput[];
  readonly declarations: readonly ReadDeclaration[];
  /** Statements in which no allergen could be read. */
  readonly unread: readonly string[];
}

/** "Made in a factory that also handles nuts", "not suitable for nut allergy sufferers". */
const SHARED_PLACE =
  "(?:made|produced|packed|prepared|processed|manufactured) (?:in|on) [^.;\\n]{0,40}?" +
  "(?:factory|facility|plant|bakery|kitchen|environment|equipment|lines?|site|premises|machinery)\\b" +
  "[^.;\\n]{0,30}?\\b(?:handl|process|uses|where)[a-z]*|not suitable for (?=[^.;\\n]{0,60}allerg)";
/** "We cannot guarantee that it is free from nuts", "not guaranteed nut free", "is not free from nuts": it may contain them. */
const NO_GUARANTEE =
  "(?:(?:we |they )?(?:can ?not|can['’]t|do not|don['’]t|are unable to) guarantee|(?:can ?not|can['’]t) be guaranteed|not guaranteed|no guarantee|" +
  "(?:is|are|may)(?: not|n['’]t) (?:be )?(?=(?:[^\\s.;]+ )?free\\b))";
/** In the middle of a sentence, after its reason or after a title: "Ingredients: cannot guarantee nut free". */
const INSIDE_GUARANTEE = new RegExp(`\\b${NO_GUARANTEE}[^.;\\n]*`, "giu");
const FREE = /\b(?:free(?: (?:from|of))?|without|no|absence of)\b/giu;
const TITLE = `(?:may (?:also )?contain|${SHARED_PLACE}|${NO_GUARANTEE}|peut (?:aussi |également )?contenir|kann (?:auch )?(?:spuren|enthalten)|contains|contient|enthält)\\b`;
/** A statement at the beginning of a sentence, up to its end. One space at most: more of them would take the square of their number. */
const STATEMENT = new RegExp(`(?:^|[.;\\n])\\s?(?<statement>${TITLE}[^.\\n]*)`, "giu");
/** Where one statement begins inside another: "may contain nuts; contains milk". */
const INSIDE = new RegExp(`(?<!\\b(?:we|they) )(?=\\b${TITLE})`, "iu");
/** Ingredients of a small share, as packs in the United States list them: no statement, and no name. */
const SMALL_SHARE =
  /\bcontains (?:less than )?(?:\d{1,2}(?:\.\d)?\s?%|(?:one|two) percent)(?: or less)? of(?: each of)?(?: the following)?\s?:?/giu;

/**
 * The text of a pack, in English, French or German: "Wheat flour 52%, butter (milk). May contain nuts." Statements are
 * read as declarations; a wider word (nuts) is declared as contained only where no ingredient says which.
 */
export function parsePackText(given: string): PackText {
  const text = given
    .replaceAll(/\s+/gu, (space) => (space.includes("\n") ? "\n" : " "))
    .replaceAll(SMALL_SHARE, ",")
    .replaceAll(INSIDE_GUARANTEE, (found) =>
      codesIn(withoutPromise(found)).length > 0 ? `.${found}` : found,
    );
  const statements = [...text.matchAll(STATEMENT)]
    .flatMap(({ groups: { statement = "" } = {} }) => statement.split(INSIDE))
    .map((statement) => ({
      presence: /^(?:contains|contient|enthält)/iu.test(statement)
        ? ("contains" as const)
        : ("may_contain" as const),
      text: statement.trim(),
      codes: [...new Set(codesIn(withoutPromise(statement)))],
    }));
  const ingredients = parseIngredients(text.replaceAll(STATEMENT, ".").replaceAll(/\.(?=\s|\.|$)|\n/gu, ","));
  const named = new Set([...walkLines(ingredients)].flatMap(({ line }) => line.contains ?? []));
  const isNarrowed = (code: string): boolean => [...narrowerOf(code)].some((narrower) => named.has(narrower));
  const declared = new Map<string, ReadDeclaration>();
  for (const { presence, codes } of statements.toSorted((a) => (a.presence === "contains" ? -1 : 1))) {
    for (const code of codes.filter((each) =>
      presence === "contains" ? !isNarrowed(each) : !named.has(each),
    )) {
      if (!declared.has(code)) declared.set(code, { code, presence, note: READ_NOTE });
    }
  }
  return {
    ingredients,
    declarations: [...declared.values()],
    unread: statements.filter(({ codes }) => codes.length === 0).map(({ text: found }) => found),
  };
}

const codesIn = (text: string): string[] => readFoods(text).flatMap(({ codes }) => codes);

const withoutPromise = (statement: string): string =>
  IS_NO_GUARANTEE.test(statement) ? statement.replace(IS_NO_GUARANTEE, ",").replaceAll(FREE, ",") : statement;
const IS_NO_GUARANTEE = new RegExp(`^${NO_GUARANTEE}`, "iu");
