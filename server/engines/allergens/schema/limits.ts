/** Named limits of the engine: everything a customer can fill has one. */
export const ALLERGEN_LIMITS = {
  /** Ingredients of one product or library entry, those inside others included. */
  ingredients: 300,
  /** How deep ingredients nest. */
  depth: 6,
  /** Library ingredients that one product is made of: each is an index entry of the product. */
  libraryUses: 50,
  declarations: 40,
  claims: 20,
  externalRefs: 5,
  /** Answers to readings of one name. */
  acknowledgements: 10,
  codesPerIngredient: 20,
  metafields: 30,
  importRows: 500,
  checkTargets: 100,
  selections: 100,
  history: 1_000,
} as const;
