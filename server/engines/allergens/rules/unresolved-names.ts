import { MODE_IDS } from "../data/modes.ts";
import { isExempt } from "../data/exemptions.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product, UnresolvedName } from "../schema.ts";
import { acknowledges } from "./acknowledge.ts";
import { READ_NOTE } from "./parse-pack-text.ts";
import { hasUnreadWords, readFoods } from "./read-foods.ts";
import { namedIn } from "./read-names.ts";
import { exemptionOf } from "./roll-up.ts";
import { avoidedWith, isRelated, widerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";
import type { PlacedLine } from "./walk-lines.ts";

type Named = Pick<Product, "ingredients" | "declarations"> &
  Partial<Pick<Product, "title" | "acknowledgements">>;

/** Products are values that never change, and one request asks for the names of the same product in each language. */
const known = new WeakMap<Named, readonly UnresolvedName[]>();

/**
 * What the title and the names of a recipe say and its codes deny, each name and code once. A reading is answered by a related code of
 * the ingredient, of one inside it or of the one around it, by an exemption, or by an acknowledgement of this name. What a compound
 * usually contains is not asked for where its own ingredients are listed.
 */
export function unresolvedNames(product: Named): UnresolvedName[] {
  const names = known.get(product) ?? collect(product);
  known.set(product, names);
  return [...names];
}

function collect(product: Named): UnresolvedName[] {
  const { ingredients, declarations } = product;
  const found = new Map<string, UnresolvedName>();
  for (const { code, certain } of openTitleReadings(product)) {
    const name = product.title ?? "";
    found.set(`${name}\0${code}`, { line_id: null, name, code, certain, declared: false });
  }
  for (const placed of walkLines(ingredients)) {
    const { id, name } = placed.line;
    for (const { code, certain } of openReadings(placed)) {
      const key = `${name}\0${code}`;
      if (found.has(key)) continue;
      found.set(key, { line_id: id, name, code, certain, declared: isDeclared(code, declarations) });
    }
  }
  return [...found.values()];
}

/** Those that keep a product from being verified. */
export const barringNames = (product: Named): UnresolvedName[] =>
  unresolvedNames(product).filter(({ declared }) => !declared);

export const describeName = ({ name, code, certain }: UnresolvedName): string =>
  certain
    ? `The name "${name}" says ${code}, which no code declares.`
    : `"${name}" usually contains ${code}, which no code declares.`;

/**
 * Names of which it is unknown what they say, each once: a title only where there are no ingredients. A code that the name itself does
 * not say answers it, as do its own ingredients, an acknowledgement, and any declaration that a person made.
 */
export function unreadNames({
  title = "",
  ingredients,
  declarations,
  acknowledgements = [],
}: Named): string[] {
  if (declarations.some(({ source, note }) => source !== "ingredient" && note !== READ_NOTE)) return [];
  const lines = [...walkLines(ingredients)].map(({ line }) => line);
  const open = lines.filter(
    ({ name, contains, sub_ingredients: parts, acknowledgements: answers = [] }) =>
      parts.length + answers.length === 0 &&
      hasUnreadWords(name) &&
      contains.every((code) => namedIn(name).includes(code)),
  );
  if (lines.length > 0) return [...new Set(open.map(({ name }) => name))];
  return acknowledgements.length === 0 && hasUnreadWords(title) ? [title] : [];
}

export const describeUnread = ([name = "", ...others]: readonly string[]): string => {
  const more =
    others.length === 0 ? "" : ` and ${others.length} other ${others.length === 1 ? "name" : "names"}`;
  return `"${name}"${more} could not be read: the vocabulary lacks words of this language. Add its codes, or declare what the product contains or is free from.`;
};

/** What a title says is answered by any ingredient, by a declaration made by hand, or by an acknowledgement of the product. */
function openTitleReadings({
  title = "",
  ingredients,
  declarations,
  acknowledgements,
}: Named): { code: string; certain: boolean }[] {
  const coded = new Set([
    ...[...walkLines(ingredients)].flatMap(({ line }) => line.contains),
    ...declarations.flatMap(({ code, presence }) => (presence === "contains" ? [code] : [])),
  ]);
  return codesRead(title, ingredients.length > 0).filter(
    ({ code, certain }) => !isAnswered(coded, code, certain) && !acknowledges({ acknowledgements }, code),
  );
}

/** What a name says, each code once as certain and once as not. Without what it only usually contains where its parts are listed. */
function codesRead(name: string, hasParts: boolean): { code: string; certain: boolean }[] {
  const read = new Map<string, { code: string; certain: boolean }>();
  for (const { codes, certain } of readFoods(name)) {
    if (!certain && hasParts) continue;
    for (const code of codes) read.set(`${code} ${certain}`, { code, certain });
  }
  return [...read.values()];
}

function openReadings(placed: PlacedLine<IngredientLine>): { code: string; certain: boolean }[] {
  const { line, inside } = placed;
  const around = [...inside, line];
  // Each code once: a line may have thousands of lines inside it, and a name may say the same code dozens of times.
  const coded = new Set(around.flatMap(({ contains }) => contains));
  for (const sub of walkLines(line.sub_ingredients)) for (const code of sub.line.contains) coded.add(code);
  const exemption = exemptionOf(placed);
  return codesRead(line.name, line.sub_ingredients.length > 0).filter(
    ({ code, certain }) =>
      !isAnswered(coded, code, certain) &&
      !MODE_IDS.some((mode) => isExempt(exemption, code, mode)) &&
      !acknowledges(line, code),
  );
}

const isAnswered = (coded: ReadonlySet<string>, read: string, certain: boolean): boolean =>
  coded.has(read) || [...coded].some((each) => answers(each, read, certain));

/** A related code answers, and one of the same food; for what is only usually in it, such as wheat, another of the group as well. */
const answers = (coded: string, read: string, certain: boolean): boolean =>
  isRelated(coded, read) ||
  avoidedWith(coded).has(read) ||
  (!certain && GROUPS.some((group) => widerOf(coded).has(group) && widerOf(read).has(group)));

const GROUPS = ["fish", "crustacean", "mollusc", "gluten", "nuts"];

const isDeclared = (code: string, declarations: readonly Declaration[]): boolean =>
  declarations.some(({ code: each, presence }) => presence === "contains" && isRelated(each, code));
