import type { Declaration, DietaryClaim } from "../../../server/engines/allergens/schema/declaration.ts";
import type { IngredientLine } from "../../../server/engines/allergens/schema/ingredient.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import type { Settings } from "../../../server/engines/allergens/schema/settings.ts";
import type { Freshness } from "../../../server/engines/allergens/rules/freshness.ts";

let made = 0;

/** An ingredient of a recipe; `line("spelt", ["spelt"])` contains spelt. */
export function line(
  name: string,
  contains: readonly string[] = [],
  more: Partial<IngredientLine> = {},
): IngredientLine {
  made += 1;
  return {
    id: `lin_${made}`,
    ingredient_id: null,
    ingredient_revision: null,
    percent: null,
    quantity_g: null,
    name,
    contains: [...contains],
    may_contain: [],
    exemption: null,
    supplier: null,
    animal_origin: "none",
    alcohol: false,
    gluten_mg_per_kg: null,
    gluten_reduced: false,
    sub_ingredients: [],
    ...more,
  };
}

export const declared = (
  code: string,
  presence: Declaration["presence"] = "contains",
  more: Partial<Declaration> = {},
): Declaration => ({
  code,
  presence,
  concentration_mg_per_kg: null,
  evidence: null,
  note: null,
  source: "manual",
  derived_from: [],
  ...more,
});

export const claimed = (claim: DietaryClaim["claim"], more: Partial<DietaryClaim> = {}): DietaryClaim => ({
  claim,
  status: "claimed",
  certifier: null,
  certificate_ref: null,
  valid_until: null,
  gluten_mg_per_kg: null,
  ...more,
});

export const NOW = "2026-06-01T09:00:00.000Z";

export const product = (more: Partial<Product> = {}): Product => ({
  id: "prd_1",
  created_at: NOW,
  updated_at: NOW,
  title: "Loaf",
  sale_type: "prepacked",
  contains_statement: null,
  external_refs: [],
  ingredients: [],
  declarations: [],
  dietary: [],
  nutrition: null,
  status: "unverified",
  stale_reasons: [],
  verified_at: null,
  verified_by: null,
  verified_note: null,
  verified_mode: null,
  revision: 1,
  ...more,
});

export const verified = (more: Partial<Product> = {}): Product =>
  product({ status: "verified", verified_at: NOW, verified_by: "Priya", verified_mode: "uk", ...more });

export const settings = (more: Partial<Settings> = {}): Settings => ({
  id: "settings",
  default_mode: "uk",
  require_verified: true,
  stale_after_days: 365,
  calorie_labelling: false,
  updated_at: null,
  ...more,
});

export const fresh: Freshness = { status: "verified", stale_reasons: [] };
export const textOf = (segments: readonly { text: string; emphasised: boolean }[]): string =>
  segments.map(({ text, emphasised }) => (emphasised ? `*${text}*` : text)).join("");
