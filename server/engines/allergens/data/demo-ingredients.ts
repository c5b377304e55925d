import type { Ingredient } from "../schema/ingredient.ts";

/** Facts of a demo ingredient; the demo adds ids and times. */
export type DemoIngredient = Partial<Omit<Ingredient, "id" | "revision" | "created_at" | "updated_at">> & {
  readonly name: string;
};

/** The bakery's ingredient library, by a key of its own; sub-ingredients name such keys too. */
export const DEMO_INGREDIENTS: Readonly<Record<string, DemoIngredient>> = {
  flour: {
    name: "fortified flour",
    supplier: "Shipton Mill",
    sub_ingredients: [
      { name: "wheat flour", contains: ["wheat"] },
      { name: "calcium carbonate" },
      { name: "iron" },
      { name: "niacin" },
      { name: "thiamin" },
    ],
  },
  rye: { name: "wholemeal rye flour", contains: ["rye"], may_contain: ["wheat"], supplier: "Shipton Mill" },
  butter: { name: "butter", contains: ["milk"], animal_origin: "dairy", supplier: "Netherend Farm" },
  milk: { name: "whole milk", contains: ["milk"], animal_origin: "dairy", supplier: "Estate Dairy" },
  oatDrink: {
    name: "oat drink",
    contains: ["oats"],
    supplier: "Minor Figures",
    sub_ingredients: [{ name: "water" }, { name: "oats", percent: 10, contains: ["oats"] }, { name: "salt" }],
  },
  egg: { name: "free-range egg", contains: ["egg"], animal_origin: "egg", supplier: "Cackleberry Farm" },
  almonds: {
    name: "ground almonds",
    contains: ["almond"],
    may_contain: ["hazelnut"],
    supplier: "Borough Nuts",
  },
  cheddar: {
    name: "mature Cheddar",
    contains: ["milk"],
    animal_origin: "dairy",
    supplier: "Westcombe Dairy",
    sub_ingredients: [
      { name: "milk", contains: ["milk"], animal_origin: "dairy" },
      { name: "salt" },
      { name: "animal rennet", animal_origin: "meat" },
    ],
  },
  ham: {
    name: "dry-cured ham",
    animal_origin: "pork",
    supplier: "Dukeshill",
    sub_ingredients: [
      { name: "pork", animal_origin: "pork" },
      { name: "salt" },
      { name: "preservative: sodium nitrite" },
    ],
  },
  mayonnaise: {
    name: "mayonnaise",
    supplier: "made here",
    sub_ingredients: [
      { name: "rapeseed oil" },
      { name: "pasteurised egg yolk", contains: ["egg"], animal_origin: "egg" },
      { name: "Dijon mustard", contains: ["mustard"] },
      { name: "lemon juice" },
    ],
  },
};
