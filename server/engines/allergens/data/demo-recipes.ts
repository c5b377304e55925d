import type { Claim, Declaration, LineInput, SaleType } from "../schema.ts";
import type { NutritionFacts } from "../schema/nutrition.ts";

export interface DemoRecipe {
  readonly title: string;
  readonly sale_type: SaleType;
  /** Keys of the library with their share, or ingredients of this recipe alone. */
  readonly lines: readonly (readonly [key: string, percent?: number] | LineInput)[];
  readonly warns?: readonly { readonly code: string; readonly note: string }[];
  readonly amounts?: Readonly<Partial<Record<Declaration["code"], number>>>;
  readonly claims?: readonly Claim[];
  readonly nutrition?: NutritionFacts;
  /** Verified unless told; `null`: nobody looked at it yet. */
  readonly verified_days_ago?: number | null;
  /** Days since the recipe changed after it was verified. */
  readonly changed_days_ago?: number;
}

const bench = "Shaped on the bench where almonds and sesame are used";
const fryer = "Fried in the same oil as fish and wings";
const per100 = (
  [fat, saturates, carbohydrate, sugars, fibre, protein, salt]: readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ],
  grams: number,
): NutritionFacts => ({
  basis: "per_100g",
  portion: { size: grams, unit: "g" },
  fat,
  saturates,
  carbohydrate,
  sugars,
  fibre,
  protein,
  salt,
  is_drink: false,
  as_prepared: false,
  source: "calculated",
});

/** What the bakery and its kitchen sell, in the order of the list; the keys are those of the menus' demo. */
export const DEMO_RECIPES = {
  sourdough: {
    title: "Sourdough loaf",
    sale_type: "ppds",
    lines: [["flour", 58], { name: "water" }, ["rye", 6], { name: "sea salt" }],
    warns: [{ code: "sesame", note: bench }],
    claims: ["vegan", "vegetarian"],
    nutrition: per100([1.1, 0.2, 48.5, 2.3, 3.4, 9.1, 1.1], 80),
  },
  croissant: {
    title: "All-butter croissant",
    sale_type: "ppds",
    lines: [
      ["flour", 46],
      ["butter", 24],
      ["milk", 14],
      { name: "sugar" },
      ["egg", 4],
      { name: "yeast" },
      { name: "salt" },
    ],
    warns: [{ code: "almond", note: bench }],
    claims: ["vegetarian"],
    nutrition: per100([21.4, 13.2, 45.8, 6.1, 2.2, 8.3, 0.93], 70),
  },
  almondCroissant: {
    title: "Almond croissant",
    sale_type: "ppds",
    lines: [
      ["flour", 34],
      ["butter", 22],
      ["almonds", 14],
      { name: "sugar" },
      ["egg", 8],
      ["milk", 8],
      { name: "yeast" },
      { name: "salt" },
    ],
    claims: ["vegetarian"],
    nutrition: per100([26.9, 12.1, 40.2, 17.8, 3.1, 9.6, 0.71], 95),
  },
  cinnamonBun: {
    title: "Cinnamon bun",
    sale_type: "ppds",
    lines: [
      ["flour", 48],
      ["milk", 18],
      { name: "brown sugar" },
      ["butter", 11],
      ["egg", 5],
      { name: "cinnamon" },
      { name: "yeast" },
      { name: "salt" },
    ],
    warns: [{ code: "almond", note: bench }],
    claims: ["vegetarian"],
    nutrition: per100([11.8, 7.1, 52.6, 19.4, 2.3, 7.7, 0.66], 110),
  },
  rye: {
    title: "Dark rye loaf",
    sale_type: "ppds",
    lines: [
      ["rye", 54],
      { name: "water" },
      { name: "barley malt extract", contains: ["barley"] },
      { name: "salt" },
    ],
    warns: [{ code: "sesame", note: bench }],
    claims: ["vegan", "vegetarian"],
  },
  baguette: {
    title: "Baguette",
    sale_type: "ppds",
    lines: [["flour", 60], { name: "water" }, { name: "yeast" }, { name: "salt" }],
    warns: [{ code: "sesame", note: bench }],
    claims: ["vegan", "vegetarian"],
  },
  porridge: {
    title: "Oat porridge with honey",
    sale_type: "loose",
    lines: [
      ["oatDrink", 62],
      { name: "jumbo oats", percent: 30, contains: ["oats"] },
      { name: "honey", animal_origin: "honey" },
    ],
    claims: ["vegetarian"],
    nutrition: per100([2.6, 0.4, 17.9, 5.6, 2.1, 3.0, 0.09], 300),
  },
  eggs: {
    title: "Scrambled eggs on sourdough",
    sale_type: "loose",
    lines: [
      ["egg", 48],
      {
        name: "sourdough",
        percent: 38,
        sub_ingredients: [
          { name: "wheat flour", contains: ["wheat"] },
          { name: "rye flour", contains: ["rye"] },
          { name: "salt" },
        ],
      },
      ["butter", 8],
      { name: "chives" },
    ],
    claims: ["vegetarian"],
  },
  baconRoll: {
    title: "Bacon roll",
    sale_type: "loose",
    lines: [
      {
        name: "soft roll",
        percent: 52,
        sub_ingredients: [
          { name: "wheat flour", contains: ["wheat"] },
          { name: "milk powder", contains: ["milk"], animal_origin: "dairy" },
          { name: "yeast" },
        ],
      },
      { name: "smoked bacon", percent: 40, animal_origin: "pork" },
      ["butter", 8],
    ],
  },
  hamSandwich: {
    title: "Ham and Cheddar sandwich",
    sale_type: "ppds",
    lines: [
      ["flour", 38],
      ["ham", 24],
      ["cheddar", 18],
      { name: "water" },
      ["mayonnaise", 6],
      { name: "yeast" },
      { name: "salt" },
    ],
    nutrition: per100([12.4, 5.6, 27.3, 1.9, 1.8, 15.2, 1.62], 210),
  },
  burger: {
    title: "Beef burger in a brioche bun",
    sale_type: "loose",
    lines: [
      { name: "beef patty", percent: 45, animal_origin: "meat" },
      {
        name: "brioche bun",
        percent: 28,
        sub_ingredients: [
          { name: "wheat flour", contains: ["wheat"] },
          { name: "egg", contains: ["egg"], animal_origin: "egg" },
          { name: "butter", contains: ["milk"], animal_origin: "dairy" },
          { name: "sesame seeds", contains: ["sesame"] },
        ],
      },
      ["cheddar", 12],
      ["mayonnaise", 5],
      { name: "pickled cucumber", contains: ["mustard", "sulphites"] },
    ],
    amounts: { sulphites: 14 },
    verified_days_ago: 12,
  },
  pizza: {
    title: "Pizza with anchovies and capers",
    sale_type: "loose",
    lines: [
      ["flour", 44],
      { name: "tomatoes", percent: 22 },
      { name: "mozzarella", percent: 20, contains: ["milk"], animal_origin: "dairy" },
      { name: "anchovies", contains: ["anchovy"], animal_origin: "fish" },
      { name: "capers" },
    ],
    verified_days_ago: 31,
  },
  wings: {
    title: "Chicken wings",
    sale_type: "loose",
    lines: [
      { name: "chicken wings", animal_origin: "meat" },
      {
        name: "soy sauce",
        sub_ingredients: [
          { name: "water" },
          { name: "soybeans", contains: ["soy"] },
          { name: "wheat", contains: ["wheat"] },
          { name: "salt" },
        ],
      },
      { name: "chilli" },
    ],
    warns: [{ code: "fish", note: fryer }],
    verified_days_ago: null,
  },
  soup: {
    title: "Roast tomato soup",
    sale_type: "loose",
    lines: [
      { name: "tomatoes", percent: 68 },
      {
        name: "vegetable stock",
        sub_ingredients: [
          { name: "water" },
          { name: "celery", contains: ["celery"] },
          { name: "carrot" },
          { name: "salt" },
        ],
      },
      { name: "olive oil" },
      { name: "basil" },
    ],
    claims: ["vegan", "vegetarian"],
    nutrition: per100([2.9, 0.4, 5.2, 4.3, 1.2, 1.1, 0.55], 350),
  },
  salad: {
    title: "Roast squash and walnut salad",
    sale_type: "loose",
    lines: [
      { name: "squash", percent: 55 },
      { name: "leaves" },
      { name: "walnuts", contains: ["walnut"] },
      {
        name: "tahini dressing",
        sub_ingredients: [{ name: "tahini", contains: ["sesame"] }, { name: "lemon juice" }],
      },
    ],
    claims: ["vegan", "vegetarian"],
    verified_days_ago: 45,
    changed_days_ago: 2,
  },
  flatWhite: {
    title: "Flat white",
    sale_type: "loose",
    lines: [["milk", 80], { name: "espresso", percent: 20 }],
    claims: ["vegetarian"],
  },
  latte: {
    title: "Oat latte",
    sale_type: "loose",
    lines: [["oatDrink", 85], { name: "espresso", percent: 15 }],
    claims: ["vegan", "vegetarian"],
  },
  beer: {
    title: "Pale ale, 330 ml",
    sale_type: "prepacked",
    lines: [
      { name: "water" },
      { name: "malted barley", contains: ["barley"] },
      { name: "hops" },
      { name: "yeast" },
      { name: "isinglass", contains: ["fish"], animal_origin: "fish", exemption: "fish_fining" },
    ],
  },
} satisfies Record<string, DemoRecipe>;
