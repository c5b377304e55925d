import { MODE_IDS } from "../data/modes.ts";
import { isExempt } from "../data/exemptions.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product, UnresolvedName } from "../schema.ts";
import { acknowledges } from "./acknowledge.ts";
import { readFoods } from "./read-foods.ts";
import { exemptionOf } from "./roll-up.ts";
import { isRelated, widerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";
import type { PlacedLine } from "./walk-lines.ts";

type Named = Pick<Product, "ingredients" | "declarations"> &
  Partial<Pick<Product, "title" | "acknowledgements">>;

/**
 * What the title and the names of a recipe say and its codes deny, each name and code once. A reading is answered by a related code of
 * the ingredient, of one inside it or of the one around it, by an exemption, or by an acknowledgement. What a compound
 * usually contains is not asked for where its own ingredients are listed.
 */
export function unresolvedNames(product: Named): UnresolvedName[] {
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

/** What a title says is answered by any ingredient, by a declaration made by hand, or by an acknowledgement of the product. */
function openTitleReadings({
  title = "",
  ingredients,
  declarations,
  acknowledgements,
}: Named): { code: string; certain: boolean }[] {
  const coded = [
    ...[...walkLines(ingredients)].flatMap(({ line }) => line.contains),
    ...declarations.flatMap(({ code, presence }) => (presence === "contains" ? [code] : [])),
  ];
  return readFoods(title)
    .filter(({ certain }) => certain || ingredients.length === 0)
    .flatMap(({ codes, certain }) => codes.map((code) => ({ code, certain })))
    .filter(
      ({ code, certain }) =>
        !coded.some((each) => answers(each, code, certain)) && !acknowledges({ acknowledgements }, code),
    );
}

function openReadings(placed: PlacedLine<IngredientLine>): { code: string; certain: boolean }[] {
  const { line, inside } = placed;
  const around = [...inside, line];
  const coded = [...around, ...[...walkLines(line.sub_ingredients)].map((sub) => sub.line)].flatMap(
    ({ contains }) => contains,
  );
  const exemption = exemptionOf(placed);
  return readFoods(line.name)
    .filter(({ certain }) => certain || line.sub_ingredients.length === 0)
    .flatMap(({ codes, certain }) => codes.map((code) => ({ code, certain })))
    .filter(
      ({ code, certain }) =>
        !coded.some((each) => answers(each, code, certain)) &&
        !MODE_IDS.some((mode) => isExempt(exemption, code, mode)) &&
        !around.some((each) => acknowledges(each, code)),
    );
}

/** A related code answers; another species of the group as well, and another cereal for what is only usually wheat. */
const answers = (coded: string, read: string, certain: boolean): boolean =>
  isRelated(coded, read) ||
  [...SPECIES, ...(certain ? [] : ["gluten", "nuts"])].some(
    (group) => widerOf(coded).has(group) && widerOf(read).has(group),
  );

const SPECIES = ["fish", "crustacean", "mollusc"];

const isDeclared = (code: string, declarations: readonly Declaration[]): boolean =>
  declarations.some(({ code: each, presence }) => presence === "contains" && isRelated(each, code));
