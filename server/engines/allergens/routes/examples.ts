import type { z } from "zod";

import { writeIngredients } from "../rules/write-ingredients.ts";
import { ingredientsHtml } from "../rules/render-label.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { Ingredient, IngredientLine } from "../schema/ingredient.ts";
import type { Product, ProductView } from "../schema.ts";

const lineFacts = {
  ingredient_id: null,
  ingredient_revision: null,
  percent: null,
  quantity_g: null,
  may_contain: [],
  exemption: null,
  supplier: null,
  animal_origin: "none",
  alcohol: false,
  gluten_mg_per_kg: null,
  gluten_reduced: false,
  sub_ingredients: [],
} satisfies Partial<IngredientLine>;

const butter: IngredientLine = {
  ...lineFacts,
  id: "lin_01JD8Z5T9QK3M4N5P6R7S8T9V3",
  ingredient_id: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ingredient_revision: 1,
  name: "butter",
  percent: 24,
  contains: ["milk"],
  animal_origin: "dairy",
};
const exampleLines: IngredientLine[] = [
  {
    ...lineFacts,
    id: "lin_01JD8Z5T9QK3M4N5P6R7S8T9V1",
    name: "wheat flour",
    percent: 52,
    contains: ["wheat"],
  },
  butter,
  { ...lineFacts, id: "lin_01JD8Z5T9QK3M4N5P6R7S8T9V4", name: "salt", contains: [] },
];

const declared = (code: string, line: IngredientLine | undefined): Declaration => ({
  code,
  presence: "contains",
  concentration_mg_per_kg: null,
  evidence: null,
  note: null,
  source: "ingredient",
  derived_from:
    line === undefined
      ? []
      : [{ line_id: line.id, ingredient_id: line.ingredient_id, name: line.name, exemption: null }],
});
export const exampleWarning: Declaration = {
  ...declared("hazelnut", undefined),
  presence: "may_contain",
  source: "manual",
  note: "Same line as the praline twists",
};
export const exampleDeclarations: Declaration[] = [
  declared("wheat", exampleLines[0]),
  declared("milk", butter),
  exampleWarning,
];

const NOW = "2026-06-01T09:00:00.000Z";

export const exampleProduct: Product = {
  id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: NOW,
  updated_at: NOW,
  title: "All-butter croissant",
  sale_type: "ppds",
  contains_statement: null,
  external_refs: [{ system: "shopify", id: "gid://shopify/Product/108828309" }],
  ingredients: exampleLines,
  declarations: exampleDeclarations,
  dietary: [
    {
      claim: "vegetarian",
      status: "claimed",
      certifier: null,
      certificate_ref: null,
      valid_until: null,
      gluten_mg_per_kg: null,
    },
  ],
  nutrition: null,
  status: "verified",
  stale_reasons: [],
  verified_at: NOW,
  verified_by: "Priya, kitchen manager",
  verified_note: null,
  verified_mode: "uk",
  revision: 2,
};
export const exampleView: z.input<typeof ProductView> = {
  ...exampleProduct,
  mode: "uk",
  allergens: ["wheat", "milk"],
  may_contain: ["hazelnut"],
  unresolved_names: [],
  version: 14,
};
const { version: _version, ...unversioned } = exampleView;
export const exampleUnversioned = unversioned;
export const exampleItem = {
  id: exampleProduct.id,
  title: exampleProduct.title,
  allergens: ["wheat", "milk"],
};

export const exampleSegments = writeIngredients(exampleLines, ["wheat", "milk"], {
  mode: "uk",
  locale: "en",
});
export const exampleHtml = ingredientsHtml(exampleSegments);

export const exampleIngredient: Ingredient = {
  id: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: NOW,
  updated_at: NOW,
  revision: 1,
  name: "butter",
  contains: ["milk"],
  may_contain: [],
  exemption: null,
  supplier: "Long Clawson Dairy",
  animal_origin: "dairy",
  alcohol: false,
  gluten_mg_per_kg: null,
  gluten_reduced: false,
  sub_ingredients: [],
};
export const exampleIngredientView = { ...exampleIngredient, unresolved_names: [] };
