import type { Losses, Path } from "./losses.ts";
import type { ProductFacts } from "./tree-view.ts";

/**
 * Allergen codes and dietary claims in the vocabularies of other systems. Our codes are those of /v1/allergens: the
 * specific
 * nut or cereal. A word for a group (gluten, tree nuts) is imported as a group and never
 * guessed to be a specific cereal or nut; on export a code without an equivalent falls back to the next wider one,
 * which is reported.
 *
 * Sources: Square - connect-api-specification api.json @5733f66, CatalogItemFoodAndBeverageDetailsIngredient-
 * StandardIngredient and ...StandardDietaryPreference. Deliverect - developers.deliverect.com/page/custom-tags-and-
 * allergens and /page/allergens-and-tags (2026-08-27). Otter - Public API, AllergenClassification and
 * DietaryClassification. Uber Eats - DietaryLabelInfo (VEGAN, VEGETARIAN, GLUTEN_FREE); its `allergens` is a list of
 * free text, exported in plain English.
 */

/** The next wider code of a code, for systems without an equivalent. */
const WIDER: Readonly<Record<string, string>> = {
  ...toEach("wheat", "spelt khorasan kamut"),
  ...toEach("gluten", "wheat rye barley oats triticale"),
  ...toEach(
    "tree_nuts",
    "almond brazil_nut cashew hazelnut macadamia pecan pistachio walnut pine_nut black_walnut california_walnut heartnut",
  ),
  tree_nuts: "nuts",
  ...toEach("crustacean", "crab crayfish langoustine lobster prawn shrimp"),
  ...toEach("mollusc", "clam mussel octopus oyster scallop squid"),
  ...toEach(
    "fish",
    "anchovy bass cod flounder haddock halibut herring mackerel pollock salmon sardine trout tuna",
  ),
};

const GROUPS: readonly string[] = ["gluten", "nuts", "tree_nuts", "shellfish"];

/** A system's word by our code or group; codes without an equivalent are missing. */
export type Words<W extends string | number> = Readonly<Record<string, W>>;

export interface FoodTags<W extends string | number> {
  readonly allergens: Words<W>;
  /** Synonyms, used for import only. */
  readonly allergenSynonyms?: Words<W>;
  readonly diets: Words<W>;
}

export const SQUARE_TAGS = {
  allergens: {
    celery: "CELERY",
    crustacean: "CRUSTACEANS",
    egg: "EGGS",
    fish: "FISH",
    gluten: "GLUTEN",
    lupin: "LUPIN",
    milk: "MILK",
    mollusc: "MOLLUSCS",
    mustard: "MUSTARD",
    peanut: "PEANUTS",
    sesame: "SESAME",
    soy: "SOY",
    sulphites: "SULPHITES",
    tree_nuts: "TREE_NUTS",
  },
  diets: {
    milk_free: "DAIRY_FREE",
    gluten_free: "GLUTEN_FREE",
    halal: "HALAL",
    kosher: "KOSHER",
    nut_free: "NUT_FREE",
    vegan: "VEGAN",
    vegetarian: "VEGETARIAN",
  },
} as const satisfies FoodTags<string>;

export const DELIVERECT_TAGS = {
  allergens: {
    celery: 100,
    gluten: 101,
    crustacean: 102,
    fish: 103,
    egg: 104,
    lupin: 105,
    milk: 106,
    mollusc: 107,
    mustard: 108,
    nuts: 109,
    peanut: 110,
    sesame: 111,
    soy: 112,
    sulphites: 113,
    almond: 114,
    barley: 115,
    brazil_nut: 116,
    cashew: 117,
    hazelnut: 118,
    kamut: 119,
    macadamia: 120,
    oats: 121,
    pecan: 122,
    pistachio: 123,
    rye: 124,
    spelt: 125,
    walnut: 126,
    wheat: 127,
    shellfish: 132,
    tree_nuts: 133,
  },
  // Dairy, Queensland nuts (macadamia by its other name), sources of gluten.
  allergenSynonyms: { milk: 129, macadamia: 131, gluten: 134 },
  diets: { halal: 2, kosher: 3, vegan: 4, vegetarian: 5, gluten_free: 1101 },
} as const satisfies FoodTags<number>;

/** Deliverect's tag for products that contain alcohol. */
export const DELIVERECT_ALCOHOL = 1;

export const OTTER_TAGS = {
  allergens: {
    gluten: "GLUTEN",
    milk: "DAIRY",
    wheat: "WHEAT",
    rye: "RYE",
    barley: "BARLEY",
    oats: "OAT",
    spelt: "SPELT",
    kamut: "KAMUT",
    crustacean: "CRUSTACEAN",
    mollusc: "MOLLUSK",
    egg: "EGG",
    fish: "FISH",
    peanut: "PEANUT",
    soy: "SOYBEAN",
    tree_nuts: "NUT",
    almond: "ALMOND",
    hazelnut: "HAZELNUT",
    walnut: "WALNUT",
    cashew: "CASHEW",
    pecan: "PECAN",
    brazil_nut: "BRAZIL_NUT",
    pistachio: "PISTACHIO",
    macadamia: "MACADAMIA_NUT",
    lupin: "LUPIN",
    celery: "CELERY",
    mustard: "MUSTARD",
    sesame: "SESAME_SEED",
    sulphites: "SULFITE",
  },
  allergenSynonyms: { macadamia: "QUEENSLAND_NUT" },
  diets: { vegan: "VEGAN", vegetarian: "VEGETARIAN", kosher: "KOSHER", halal: "HALAL" },
} as const satisfies FoodTags<string>;

export const UBER_TAGS = {
  allergens: {
    wheat: "Wheat",
    rye: "Rye",
    barley: "Barley",
    oats: "Oats",
    spelt: "Spelt",
    khorasan: "Khorasan wheat",
    kamut: "Kamut",
    triticale: "Triticale",
    gluten: "Gluten",
    crustacean: "Crustaceans",
    mollusc: "Molluscs",
    fish: "Fish",
    egg: "Eggs",
    milk: "Milk",
    peanut: "Peanuts",
    soy: "Soya",
    sesame: "Sesame",
    almond: "Almonds",
    brazil_nut: "Brazil nuts",
    cashew: "Cashews",
    hazelnut: "Hazelnuts",
    macadamia: "Macadamia nuts",
    pecan: "Pecan nuts",
    pistachio: "Pistachios",
    walnut: "Walnuts",
    pine_nut: "Pine nuts",
    tree_nuts: "Tree nuts",
    shellfish: "Shellfish",
    celery: "Celery",
    mustard: "Mustard",
    lupin: "Lupin",
    sulphites: "Sulphites",
  },
  diets: { vegan: "VEGAN", vegetarian: "VEGETARIAN", gluten_free: "GLUTEN_FREE" },
} as const satisfies FoodTags<string>;

/** Our code for a system's word, case-insensitive; null for an unknown word. */
export function codeOfWord(words: Words<string | number>, word: string | number): string | null {
  const normalised = String(word).trim().toLowerCase();
  return Object.entries(words).find(([, other]) => String(other).toLowerCase() === normalised)?.[0] ?? null;
}

/** The code itself, then the wider ones, nearest first. */
export function widening(code: string): string[] {
  const codes = [code];
  for (let wider = WIDER[code]; wider !== undefined; wider = WIDER[wider]) codes.push(wider);
  return codes;
}

/** True for a word that covers several allergens without specifying which. */
export const isGroup = (code: string): boolean => GROUPS.includes(code);

function toEach(wider: string, codes: string): Record<string, string> {
  return Object.fromEntries(codes.split(" ").map((code) => [code, wider]));
}

/** Our code for an allergen in a system's vocabulary, including synonyms; null if unknown. */
export const allergenOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.allergens, word) ?? codeOfWord(tags.allergenSynonyms ?? {}, word);

/** Our claim for a diet in a system's vocabulary; null if unknown. */
export const dietOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.diets, word);

/**
 * Allergens and diets of a product in the vocabulary of a system. Nothing is exported about an unknown product:
 * absence is not "free from". A code without an equivalent is exported as its group, which is reported.
 */
export function wordsOf<W extends string | number>(
  tags: FoodTags<W>,
  facts: ReadonlyMap<string, ProductFacts>,
  productId: string | null,
  { losses, path, itemId }: { readonly losses: Losses; readonly path: Path; readonly itemId?: string },
): { allergens: W[]; diets: W[] } {
  const ofItem = itemId === undefined ? undefined : facts.get(itemId);
  const declared = productId === null ? undefined : (ofItem ?? facts.get(productId));
  if (declared === undefined) {
    if (productId !== null)
      losses.add([...path, "product_id"], "The product has no verified allergen information.");
    return { allergens: [], diets: [] };
  }
  if (declared.lapsed)
    losses.add(
      [...path, "product_id"],
      "The product is no longer verified: only what it contains, as far as recorded, is exported.",
    );
  if (declared.may_contain.length > 0)
    losses.add(
      [...path, "product_id"],
      `That it may contain ${declared.may_contain.join(", ")} is not exported.`,
    );
  const allergens = declared.contains.flatMap((code): W[] => {
    const match = widening(code).find((wider) => tags.allergens[wider] !== undefined);
    const word = match === undefined ? undefined : tags.allergens[match];
    if (word === undefined) losses.add([...path, "product_id"], `The format has no equivalent of ${code}.`);
    else if (match !== code) losses.add([...path, "product_id"], `${code} is exported as ${word}.`);
    return word === undefined ? [] : [word];
  });
  const diets = declared.diets.flatMap((claim): W[] => {
    const word = tags.diets[claim];
    if (word === undefined) losses.add([...path, "product_id"], `The format has no equivalent of ${claim}.`);
    return word === undefined ? [] : [word];
  });
  return { allergens: [...new Set(allergens)], diets: [...new Set(diets)] };
}
