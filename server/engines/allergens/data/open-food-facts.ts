import type { Claim } from "../schema/declaration.ts";

/**
 * Tags of Open Food Facts as in its taxonomies (allergens.txt, labels.txt). en:gluten and en:nuts are wider
 * words; what they stand for is looked for in the ingredients.
 */
export const ALLERGEN_TAGS: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    "en:gluten": "gluten",
    "en:wheat": "wheat",
    "en:rye": "rye",
    "en:barley": "barley",
    "en:oats": "oats",
    "en:spelt": "spelt",
    "en:kamut": "kamut",
    "en:milk": "milk",
    "en:eggs": "egg",
    "en:fish": "fish_unspecified",
    "en:crustaceans": "crustacean",
    "en:molluscs": "mollusc",
    "en:nuts": "nuts",
    "en:almonds": "almond",
    "en:hazelnuts": "hazelnut",
    "en:walnuts": "walnut",
    "en:cashew-nuts": "cashew",
    "en:pecan-nuts": "pecan",
    "en:brazil-nuts": "brazil_nut",
    "en:pistachio-nuts": "pistachio",
    "en:macadamia-nuts": "macadamia",
    "en:peanuts": "peanut",
    "en:soybeans": "soy",
    "en:sesame-seeds": "sesame",
    "en:celery": "celery",
    "en:mustard": "mustard",
    "en:lupin": "lupin",
    "en:sulphur-dioxide-and-sulphites": "sulphites",
  }),
);

/** Labels that are dietary claims. Gluten-free is one too, but a claim needs the measured amount. */
export const LABEL_TAGS: ReadonlyMap<string, Claim> = new Map<string, Claim>(
  Object.entries({
    "en:vegan": "vegan",
    "en:vegetarian": "vegetarian",
    "en:halal": "halal",
    "en:kosher": "kosher",
    "en:gluten-free": "gluten_free",
    "en:no-gluten": "gluten_free",
    "en:no-milk": "milk_free",
    "en:no-eggs": "egg_free",
    "en:no-nuts": "nut_free",
    "en:no-peanuts": "peanut_free",
    "en:no-soy": "soy_free",
  }),
);

/** Members of `nutriments` in grams per 100 g or ml, and the member of ours that each is. */
export const NUTRIMENTS = [
  ["fat_100g", "fat"],
  ["saturated-fat_100g", "saturates"],
  ["monounsaturated-fat_100g", "monounsaturates"],
  ["polyunsaturated-fat_100g", "polyunsaturates"],
  ["trans-fat_100g", "trans_fat"],
  ["carbohydrates_100g", "carbohydrate"],
  ["sugars_100g", "sugars"],
  ["added-sugars_100g", "added_sugars"],
  ["polyols_100g", "polyols"],
  ["erythritol_100g", "erythritol"],
  ["starch_100g", "starch"],
  ["fiber_100g", "fibre"],
  ["proteins_100g", "protein"],
  ["salt_100g", "salt"],
] as const;
