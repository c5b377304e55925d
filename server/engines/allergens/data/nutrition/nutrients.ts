/** Members of nutrition facts that are amounts of the food, in the unit of their member. */
export const NUTRIENTS = [
  "fat",
  "saturates",
  "monounsaturates",
  "polyunsaturates",
  "trans_fat",
  "carbohydrate",
  "sugars",
  "added_sugars",
  "free_sugars",
  "polyols",
  "erythritol",
  "starch",
  "fibre",
  "protein",
  "salt",
  "sodium_mg",
  "cholesterol_mg",
  "alcohol",
  "organic_acids",
  "salatrims",
] as const;
export type Nutrient = (typeof NUTRIENTS)[number];
