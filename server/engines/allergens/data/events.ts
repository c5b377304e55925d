import type { EventType } from "../../../core/engine.ts";

const product = {
  product_id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  revision: 4,
  status: "verified",
  mode: "uk",
  added: [],
  removed: [],
};

/** Events of products and of what is declared of them. */
export const allergenEvents: readonly EventType[] = [
  {
    type: "allergens.product.created",
    summary: "A product was created.",
    example: { ...product, revision: 1, status: "unverified" },
  },
  { type: "allergens.product.updated", summary: "A product changed.", example: product },
  {
    type: "allergens.product.ingredients_changed",
    summary: "The recipe of a product changed.",
    example: { ...product, status: "stale", added: ["milk"] },
  },
  {
    type: "allergens.product.derived",
    summary: "The allergens of a product were derived from its recipe.",
    example: { ...product, added: ["milk"] },
  },
  {
    type: "allergens.product.nutrition_changed",
    summary: "The nutrition facts of a product changed.",
    example: product,
  },
  {
    type: "allergens.product.verified",
    summary: "The declarations of a product were verified.",
    example: product,
  },
  {
    type: "allergens.product.became_stale",
    summary: "The verification of a product is no longer valid.",
    example: { ...product, status: "stale" },
  },
  {
    type: "allergens.product.imported",
    summary: "A product was imported.",
    example: { ...product, status: "unverified" },
  },
  { type: "allergens.product.deleted", summary: "A product was deleted.", example: product },
];
