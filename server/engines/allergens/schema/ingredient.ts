import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";
import { isKnownCode } from "../data/codes.ts";
import { EXEMPTION_CODES } from "../data/exemptions.ts";
import { LANGUAGES, MODE_IDS } from "../data/modes.ts";
import { describeUnknownCode, toCode } from "../rules/understand-code.ts";
import { ALLERGEN_LIMITS } from "./limits.ts";
import { LEAST } from "./nutrition-fields.ts";
import { NutritionFacts } from "./nutrition.ts";

export const ModeId = z.enum(MODE_IDS);

export const Locale = z.enum(LANGUAGES);

/** A code of the taxonomy, or an English name of it. */
export const Code = z
  .string()
  // A longer text is not searched for what it may mean.
  .max(40, { abort: true })
  .overwrite(toCode)
  .refine(isKnownCode, { params: { describe: describeUnknownCode } })
  .meta({ description: "Allergen code, as milk or hazelnut; an English name of it is understood, as eggs" });

const Codes = z.array(Code).max(ALLERGEN_LIMITS.codesPerIngredient);

export const ExemptionCode = z.enum(EXEMPTION_CODES);

export const AnimalOrigin = z.enum([
  "none",
  "dairy",
  "egg",
  "honey",
  "fish",
  "meat",
  "pork",
  "insect",
  "other",
]);
export type AnimalOrigin = z.output<typeof AnimalOrigin>;

const READINGS: ReadonlySet<string> = new Set([
  ...AnimalOrigin.options.filter((each) => each !== "none"),
  "alcohol",
]);

/** Recorded answer to what a name says: that it is not in the food, and why. */
export const Acknowledgement = z.strictObject({
  reading: z
    .string()
    .max(40)
    .refine(
      (reading) => isKnownCode(reading) || READINGS.has(reading),
      "Expected an allergen code, an animal origin or alcohol.",
    )
    .meta({
      description: "What the name was read as and is not: an allergen code, an animal origin or alcohol",
    }),
  reason: z.string().trim().min(1).max(500),
  by: z.string().trim().min(1).max(120).nullable().optional().meta({
    description: "Person who answers for it. Default: the caller",
  }),
  at: Instant.optional().meta({ description: "Set by the server" }),
});
export type Acknowledgement = z.output<typeof Acknowledgement>;

const Percent = z.number().min(0).max(100);

export const MgPerKg = z.number().min(0).max(1_000_000);

export const Name = z.string().trim().min(1).max(200);

/** A name in other languages than the store's own. */
export const Translations = z.partialRecord(Locale, Name);

/** What is true of an ingredient wherever it is used. */
export const ingredientFields = {
  name: Name,
  names: Translations.optional().meta({
    description: "The name in other languages, for labels in them. `name` is in the language of the settings",
  }),
  contains: Codes.meta({
    description: "Codes it contains itself, in addition to those of its sub-ingredients",
  }),
  may_contain: Codes,
  exemption: ExemptionCode.nullable().meta({
    description:
      "Why its allergen need not be declared; GET /modes lists what each mode exempts. Diets ignore it",
  }),
  supplier: z.string().trim().min(1).max(120).nullable(),
  animal_origin: AnimalOrigin,
  alcohol: z.boolean(),
  gluten_mg_per_kg: MgPerKg.nullable().meta({ description: "Measured gluten" }),
  gluten_reduced: z
    .boolean()
    .meta({ description: "A cereal that was specially processed to reduce its gluten" }),
  acknowledgements: z.array(Acknowledgement).max(ALLERGEN_LIMITS.acknowledgements).optional().meta({
    description: "Answers to what the name says and the codes deny, as milk in a coconut milk",
  }),
};

const lineFields = {
  percent: Percent.nullable(),
  quantity_g: z.number().min(LEAST).max(1_000_000).nullable(),
};

const FlatLine = z.strictObject({
  id: Id,
  ingredient_id: Id.nullable().meta({ description: "Library ingredient it was taken from" }),
  ingredient_revision: z
    .int()
    .nullable()
    .meta({ description: "Revision of that ingredient when it was taken" }),
  ...lineFields,
  ...ingredientFields,
});

/** An ingredient as in a recipe: all that labels and roll-up need, with nothing left to look up. */
export interface IngredientLine extends z.output<typeof FlatLine> {
  sub_ingredients: IngredientLine[];
}

export const IngredientLine: z.ZodType<IngredientLine, IngredientLine> = z.strictObject({
  ...FlatLine.shape,
  get sub_ingredients(): z.ZodType<IngredientLine[], IngredientLine[]> {
    return z.array(IngredientLine).max(ALLERGEN_LIMITS.ingredients);
  },
});

const FlatInput = z
  .strictObject({ ...lineFields, ...ingredientFields })
  .partial()
  .extend({
    // Lines inside a library ingredient add a number to it for each level, and are ids as well.
    id: Id.max(44).optional().meta({
      description: "Id of the line that this one replaces. Default: the line with its name",
    }),
    ingredient_id: Id.optional(),
  });

/**
 * An ingredient as a request writes it: either `ingredient_id`, which takes everything else from the library, or a
 * `name` with what is known of it.
 */
export interface LineInput extends z.output<typeof FlatInput> {
  sub_ingredients?: LineInput[] | undefined;
}

export const LineInput: z.ZodType<LineInput, LineInput> = z
  .strictObject({
    ...FlatInput.shape,
    get sub_ingredients(): z.ZodType<LineInput[] | undefined, LineInput[] | undefined> {
      return z.array(LineInput).max(ALLERGEN_LIMITS.ingredients).optional();
    },
  })
  .meta({ description: "ingredient_id of a library ingredient, or a name with what is known of it" });

/** A shared ingredient of the store's library. */
export const Ingredient = z.strictObject({
  ...resourceFields,
  // Without a description of its own: the document then has the schema of facts once.
  nutrition: NutritionFacts.nullable().optional(),
  revision: z.int().positive().meta({ description: "1, and one more with every change" }),
  ...ingredientFields,
  sub_ingredients: z.array(LineInput).max(ALLERGEN_LIMITS.ingredients),
});
export type Ingredient = z.output<typeof Ingredient>;
