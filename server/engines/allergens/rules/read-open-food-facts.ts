import { z } from "zod";

import { ALLERGEN_TAGS, LABEL_TAGS, NUTRIMENTS } from "../data/open-food-facts.ts";
import { NutritionFacts } from "../schema/nutrition.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Claim } from "../schema/declaration.ts";
import type { ExternalRef } from "../schema.ts";
import type { LineInput } from "../schema/ingredient.ts";
import { namedLine, namesIn, parseIngredients } from "./parse-ingredients.ts";
import { narrowerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";

const Amount = z.union([z.number(), z.string().max(40)]);
const Tags = z.array(z.string().max(120)).max(200).default([]);
interface OffIngredient {
  text: string;
  percent?: number | string | undefined;
  ingredients?: OffIngredient[] | undefined;
}
const OffIngredient: z.ZodType<OffIngredient, OffIngredient> = z.object({
  text: z.string().max(1_000),
  percent: Amount.optional(),
  get ingredients(): z.ZodType<OffIngredient[] | undefined, OffIngredient[] | undefined> {
    return z.array(OffIngredient).max(300).optional();
  },
});

/** A product as Open Food Facts gives it out; of its some two hundred members these are read. */
export const OffProduct = z.object({
  code: z.string().min(1).max(60),
  product_name: z.string().max(300).default(""),
  product_name_en: z.string().max(300).optional(),
  ingredients_text: z.string().max(20_000).default(""),
  ingredients_text_en: z.string().max(20_000).optional(),
  ingredients: z.array(OffIngredient).max(300).optional(),
  allergens_tags: Tags,
  traces_tags: Tags,
  labels_tags: Tags,
  nutriments: z.record(z.string(), z.unknown()).default({}),
  nutrition_data_per: z.string().max(20).optional(),
});
export type OffProduct = z.output<typeof OffProduct>;

/** What an import takes from another system's product. */
export interface ReadProduct {
  readonly external_ref: ExternalRef;
  readonly title: string;
  readonly ingredients: LineInput[];
  readonly declarations: {
    readonly code: string;
    readonly presence: "contains" | "may_contain";
    readonly note: string;
  }[];
  readonly claims: Claim[];
  readonly nutrition: NutritionFacts | null;
  /** What was left out, for the person who reviews the import. */
  readonly warnings: string[];
}

/**
 * A product of Open Food Facts as one of ours: an unverified draft, since its tags are read off packs by volunteers and
 * by machine. A wider tag (en:nuts) is declared only where no ingredient says which nut.
 */
export function readOpenFoodFacts(product: OffProduct): ReadProduct {
  const ingredients = readLines(product);
  const named = new Set([...walkLines(ingredients)].flatMap(({ line }) => line.contains ?? []));
  const contains = readTags(product.allergens_tags);
  const traces = readTags(product.traces_tags);
  const { nutrition, warning } = readNutriments(product);
  const tagged = contains.codes.filter(
    (code) => ![...narrowerOf(code)].some((narrower) => named.has(narrower)),
  );
  return {
    external_ref: { system: "open_food_facts", id: product.code },
    title: (product.product_name_en || product.product_name).trim().slice(0, 200),
    ingredients,
    declarations: [
      ...tagged.map((code) => ({ code, presence: "contains" as const, note: "allergens_tags" })),
      ...traces.codes
        .filter((code) => !tagged.includes(code) && !named.has(code))
        .map((code) => ({ code, presence: "may_contain" as const, note: "traces_tags" })),
    ],
    claims: [...new Set(product.labels_tags.flatMap((tag) => LABEL_TAGS.get(tag) ?? []))],
    nutrition,
    warnings: [
      ...[...contains.unknown, ...traces.unknown].map((tag) => `No code for the tag ${tag}.`),
      ...(warning === null ? [] : [warning]),
    ],
  };
}

function readLines(product: OffProduct): LineInput[] {
  const { ingredients } = product;
  // Its own reading of the text shows the nesting; where there is none, the text is read here.
  if (ingredients !== undefined && ingredients.length > 0)
    return ingredients.flatMap((each) => toLine(each, 1));
  return parseIngredients(product.ingredients_text_en || product.ingredients_text);
}

function toLine({ text, percent, ingredients }: OffIngredient, level: number): LineInput[] {
  const [name, ...rest] = namesIn(text.replaceAll(/[_*]/g, "").replaceAll(/\s+/g, " "));
  if (name === undefined) return [];
  const share = toNumber(percent);
  const isDeepest = level >= ALLERGEN_LIMITS.depth;
  const subs = (ingredients ?? []).flatMap((each) => toLine(each, isDeepest ? level : level + 1));
  return [
    {
      ...namedLine(name),
      ...(share === null || share > 100 ? {} : { percent: share }),
      ...(subs.length === 0 || isDeepest ? {} : { sub_ingredients: subs }),
    },
    ...rest.map(namedLine),
    // What can be no deeper is listed behind it: it may be an allergen.
    ...(isDeepest ? subs : []),
  ];
}

function readTags(tags: readonly string[]): { codes: string[]; unknown: string[] } {
  const codes = tags.flatMap((tag) => ALLERGEN_TAGS.get(tag) ?? []);
  return { codes: [...new Set(codes)], unknown: tags.filter((tag) => !ALLERGEN_TAGS.has(tag)) };
}

function readNutriments({ nutriments, nutrition_data_per: per }: OffProduct): {
  nutrition: NutritionFacts | null;
  warning: string | null;
} {
  const amounts = NUTRIMENTS.flatMap(([theirs, ours]) => {
    const amount = toNumber(nutriments[theirs]);
    return amount === null ? [] : [[ours, amount] as const];
  });
  if (amounts.length === 0) return { nutrition: null, warning: null };
  const energy = [
    ["energy_kj", toNumber(nutriments["energy-kj_100g"])],
    ["energy_kcal", toNumber(nutriments["energy-kcal_100g"])],
  ].filter(([, amount]) => amount !== null);
  const read = NutritionFacts.safeParse({
    basis: per === "100ml" ? "per_100ml" : "per_100g",
    is_drink: per === "100ml",
    source: "manual",
    ...Object.fromEntries(energy),
    ...Object.fromEntries(amounts),
  });
  if (read.success) return { nutrition: read.data, warning: null };
  const [issue] = read.error.issues;
  return {
    nutrition: null,
    warning: `Nutrition left out: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim(),
  };
}

/** Amounts come as numbers and as texts. */
function toNumber(value: unknown): number | null {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? amount : null;
}
