import { MODE_IDS } from "../data/modes.ts";
import type { ModeId } from "../data/modes.ts";
import { isExempt } from "../data/exemptions.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { AnimalOrigin, IngredientLine } from "../schema/ingredient.ts";
import type { Product, UnresolvedName } from "../schema.ts";
import { acknowledges } from "./acknowledge.ts";
import { READ_NOTE } from "./parse-pack-text.ts";
import { hasUnreadWords, readFoods } from "./read-foods.ts";
import { containedPart, namedIn } from "./read-names.ts";
import { exemptionOf } from "./roll-up.ts";
import { avoidedWith, isRelated, widerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";
import type { PlacedLine } from "./walk-lines.ts";

type Named = Pick<Product, "ingredients" | "declarations"> &
  Partial<Pick<Product, "title" | "contains_statement" | "acknowledgements" | "verified_mode">>;

/** Products are values that never change, and one request asks for the names of the same product in each language. */
const known = new WeakMap<Named, readonly UnresolvedName[]>();

/**
 * What the title and the names of a recipe say and its codes deny, each name and code once. A reading is answered by a related code of
 * the ingredient, of one inside it or of the one around it, by an exemption of the mode in which the product was verified (of any mode
 * before), or by an acknowledgement of this name. What a compound usually contains is not asked for where its own ingredients are
 * listed. What is exempt in another ingredient answers nothing: soy sauce is no refined soya oil.
 */
export function unresolvedNames(product: Named): UnresolvedName[] {
  const names = known.get(product) ?? collect(product);
  known.set(product, names);
  return [...names];
}

function collect(product: Named): UnresolvedName[] {
  const { ingredients, declarations, verified_mode: verified = null } = product;
  const modes = verified === null ? MODE_IDS : [verified];
  const found = new Map<string, UnresolvedName>();
  for (const each of openProductReadings(product))
    found.set(`${each.name}\0${each.code}`, { line_id: null, ...each, declared: false });
  for (const placed of walkLines(ingredients)) {
    const { id, name } = placed.line;
    for (const { code, certain } of openReadings(placed, modes)) {
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

/**
 * What a title and the product's own statement say is answered by any ingredient, by a declaration made by hand, or by an
 * acknowledgement of the product.
 */
function openProductReadings({
  title = "",
  contains_statement: statement,
  ingredients,
  declarations,
  acknowledgements,
}: Named): Omit<UnresolvedName, "line_id" | "declared">[] {
  const coded = new Set([
    ...[...walkLines(ingredients)].flatMap(answersOf),
    ...declarations.flatMap((each) => (isForAll(each) ? [each.code] : [])),
  ]);
  const openIn = (name: string, read: ReturnType<typeof codesRead>) =>
    read.flatMap(({ code, certain }) =>
      isAnswered(coded, code, certain) || acknowledges({ acknowledgements }, code)
        ? []
        : [{ name, code, certain }],
    );
  return [
    ...openIn(title, codesRead(title, ingredients.length > 0)),
    ...openIn(statement ?? "", codesRead(containedPart(statement ?? ""), true)),
  ];
}

/** Codes of an ingredient that answer what other names say: those that no mode exempts it from. */
const answersOf = (placed: PlacedLine<IngredientLine>): string[] => {
  const exemption = exemptionOf(placed);
  return placed.line.contains.filter((code) => !isExemptIn(MODE_IDS, exemption, code));
};

const isExemptIn = (
  modes: readonly ModeId[],
  exemption: IngredientLine["exemption"],
  code: string,
): boolean => exemption !== null && modes.some((mode) => isExempt(exemption, code, mode));

/** True where every mode that regulates the code has it declared as contained: not with origins alone that one of them exempts. */
export const isForAll = ({ code, derived_from: origins, presence, source }: Declaration): boolean =>
  presence === "contains" &&
  (source !== "ingredient" ||
    origins.length === 0 ||
    origins.some(({ exemption }) => !isExemptIn(MODE_IDS, exemption, code)));

/** What a name says, each code once as certain and once as not. Without what it only usually contains where its parts are listed. */
function codesRead(name: string, hasParts: boolean): { code: string; certain: boolean }[] {
  const read = new Map<string, { code: string; certain: boolean }>();
  for (const { codes, certain } of readFoods(name)) {
    if (!certain && hasParts) continue;
    for (const code of codes) read.set(`${code} ${certain}`, { code, certain });
  }
  return [...read.values()];
}

/** What the name of an ingredient says, and the animal that it comes from. */
function openReadings(
  placed: PlacedLine<IngredientLine>,
  modes: readonly ModeId[],
): { code: string; certain: boolean }[] {
  const { line, inside } = placed;
  // Each code once: a line may have thousands of lines inside it, and a name may say the same code dozens of times.
  const coded = new Set(line.contains);
  for (const [at, outer] of inside.entries())
    for (const code of answersOf({ ...placed, line: outer, inside: inside.slice(0, at) })) coded.add(code);
  for (const sub of walkLines(line.sub_ingredients, [...inside, line]))
    for (const code of answersOf(sub)) coded.add(code);
  const exemption = exemptionOf(placed);
  const isOpen = (code: string, certain: boolean): boolean =>
    !isAnswered(coded, code, certain) && !isExemptIn(modes, exemption, code) && !acknowledges(line, code);
  const read = codesRead(line.name, line.sub_ingredients.length > 0).filter(({ code, certain }) =>
    isOpen(code, certain),
  );
  const ofOrigin = CODES_OF_ORIGIN[line.animal_origin] ?? [];
  const [first] = ofOrigin;
  const isAsked =
    first !== undefined &&
    !read.some(({ code }) => ofOrigin.some((each) => isRelated(each, code))) &&
    ofOrigin.every((code) => isOpen(code, false)) &&
    !acknowledges(line, line.animal_origin);
  return isAsked ? [...read, { code: first, certain: false }] : read;
}

/** What comes from an animal, usually of the first code: a prawn may be recorded as fish. */
const CODES_OF_ORIGIN: Readonly<Partial<Record<AnimalOrigin, readonly string[]>>> = {
  dairy: ["milk"],
  egg: ["egg"],
  fish: ["fish", "crustacean", "mollusc"],
};

const isAnswered = (coded: ReadonlySet<string>, read: string, certain: boolean): boolean =>
  coded.has(read) || [...coded].some((each) => answers(each, read, certain));

/** A related code answers, and one of the same food; for what is only usually in it, such as wheat, another of the group as well. */
const answers = (coded: string, read: string, certain: boolean): boolean =>
  isRelated(coded, read) ||
  avoidedWith(coded).has(read) ||
  (!certain && GROUPS.some((group) => widerOf(coded).has(group) && widerOf(read).has(group)));

const GROUPS = ["fish", "crustacean", "mollusc", "gluten", "nuts"];

const isDeclared = (code: string, declarations: readonly Declaration[]): boolean =>
  declarations.some((each) => isForAll(each) && isRelated(each.code, code));
