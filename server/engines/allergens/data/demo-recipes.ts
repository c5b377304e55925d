import type { Claim, Declaration } from "../schema/declaration.ts";
import type { LineInput } from "../schema/ingredient.ts";
import type { SaleType } from "../schema.ts";
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
  /** Default: verified; `null`: not verified yet. */
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

/** What the bakery and its kitchen sell, in the order of the list; keys that the menus' demo has too mean the same. */
export const DEMO_RECIPES = {
  sourdough: {
    title: "Country sourdough",
    sale_type: "ppds",
    lines: [["flour", 58], { name: "water" }, ["rye", 6], { name: "sea salt" }],
    warns: [{ code: "sesame", note: bench }],
    claims: ["vegan", "vegetarian"],
    nutrition: per100([1.1, 0.2, 48.5, 2.3, 3.4, 9.1, 1.1], 80),
  },
  croissant: {
    title: "Butter croissant",
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
    title: "Seeded rye",
    sale_type: "ppds",
    lines: [
      ["rye", 54],
      { name: "water" },
      { name: "sunflower seeds" },
      { name: "sesame seeds", contains: ["sesame"] },
      { name: "barley malt extract", contains: ["barley"] },
      { name: "salt" },
    ],
    claims: ["vegan", "vegetarian"],
  },
  baguette: {
    title: "Baguette",
    sale_type: "ppds",
    lines: [["flour", 60], { name: "water" }, { name: "yeast" }, { name: "salt" }],
    warns: [{ code: "sesame", note: bench }],
    claims: ["vegan", "vegetarian"],
  },
  pissaladiere: {
    title: "Pissaladière",
    sale_type: "ppds",
    lines: [
      ["flour", 40],
      { name: "onions", percent: 38 },
      { name: "olive oil" },
      { name: "anchovies", contains: ["anchovy"], animal_origin: "fish" },
      { name: "black olives" },
      { name: "yeast" },
      { name: "salt" },
    ],
    verified_days_ago: 31,
  },
  porridge: {
    title: "Oat porridge",
    sale_type: "loose",
    lines: [["oatDrink", 68], { name: "jumbo oats", percent: 32, contains: ["oats"] }],
    claims: ["vegan", "vegetarian"],
    nutrition: per100([2.6, 0.4, 17.9, 2.9, 2.1, 3.0, 0.09], 300),
  },
  eggs: {
    title: "Eggs on toast",
    sale_type: "loose",
    lines: [["egg", 90], ["butter", 8], { name: "chives" }],
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
    title: "Ham and mustard sandwich",
    sale_type: "ppds",
    lines: [
      ["flour", 42],
      ["ham", 26],
      { name: "water" },
      ["butter", 7],
      ["mayonnaise", 5],
      { name: "wholegrain mustard", contains: ["mustard"] },
      { name: "yeast" },
      { name: "salt" },
    ],
    nutrition: per100([11.6, 4.9, 27.3, 1.9, 1.8, 13.8, 1.62], 210),
  },
  burger: {
    title: "Cheeseburger",
    sale_type: "loose",
    lines: [
      { name: "beef patty", percent: 52, animal_origin: "meat" },
      {
        name: "brioche bun",
        percent: 32,
        sub_ingredients: [
          { name: "wheat flour", contains: ["wheat"] },
          { name: "egg", contains: ["egg"], animal_origin: "egg" },
          { name: "butter", contains: ["milk"], animal_origin: "dairy" },
          { name: "sesame seeds", contains: ["sesame"] },
        ],
      },
      ["cheddar", 9],
      ["mayonnaise", 5],
      { name: "pickled cucumber", contains: ["mustard", "sulphites"] },
    ],
    amounts: { sulphites: 14 },
    verified_days_ago: 12,
  },
  wings: {
    title: "Ten wings",
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
  pizza: {
    title: "Margherita",
    sale_type: "loose",
    lines: [
      ["flour", 48],
      { name: "tomatoes", percent: 26 },
      { name: "mozzarella", percent: 22, contains: ["milk"], animal_origin: "dairy" },
      { name: "olive oil" },
      { name: "basil" },
      { name: "salt" },
    ],
    claims: ["vegetarian"],
    verified_days_ago: 31,
  },
  soup: {
    title: "Soup of the day: roast tomato",
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
    title: "Grain salad",
    sale_type: "loose",
    lines: [
      { name: "pearl barley", percent: 40, contains: ["barley"] },
      { name: "roast squash" },
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
  espresso: {
    title: "Espresso",
    sale_type: "loose",
    lines: [{ name: "coffee" }, { name: "water" }],
    claims: ["vegan", "vegetarian"],
  },
  oatLatte: {
    title: "Oat latte",
    sale_type: "loose",
    lines: [["oatDrink", 85], { name: "espresso", percent: 15 }],
    claims: ["vegan", "vegetarian"],
  },
  orangeJuice: {
    title: "Fresh orange juice",
    sale_type: "loose",
    lines: [{ name: "oranges" }],
    claims: ["vegan", "vegetarian"],
  },
  beer: {
    title: "Pale ale",
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
