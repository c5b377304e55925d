import { z } from "zod";

import { Id, Instant, LocalDate, resourceFields } from "../../core/schema.ts";
import { EXEMPTION_CODES } from "./data/exemptions.ts";
import { isKnownCode } from "./data/codes.ts";
import { LANGUAGES, MODE_IDS } from "./data/modes.ts";
import { describeUnknownCode, toCode } from "./rules/understand-code.ts";
import { NutritionFacts } from "./schema/nutrition.ts";
import { Portion } from "./schema/nutrition-fields.ts";

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

export const ModeId = z.enum(MODE_IDS);
export const Locale = z.enum(LANGUAGES);

/** A code of the taxonomy, or an English name of it. */
export const Code = z
  .string()
  // A longer text is not searched for what it may mean.
  .max(40, { abort: true })
  .overwrite(toCode)
  .refine(isKnownCode, { error: ({ input }) => describeUnknownCode(String(input)) })
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
const MgPerKg = z.number().min(0).max(1_000_000);

const Name = z.string().trim().min(1).max(200);
/** A name in other languages than the store's own. */
const Translations = z.partialRecord(Locale, Name);

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
  quantity_g: z.number().positive().max(1_000_000).nullable(),
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

const Presence = z.enum(["contains", "may_contain", "free_from"]);
export const Origin = z.strictObject({
  line_id: Id.meta({ description: "Id of the ingredient's line in the product" }),
  ingredient_id: Id.nullable().meta({ description: "Library ingredient that the line was taken from" }),
  name: z.string(),
  exemption: ExemptionCode.nullable(),
});
export type Origin = z.output<typeof Origin>;

const declarationFields = {
  code: Code,
  presence: Presence,
  concentration_mg_per_kg: MgPerKg.nullable().meta({
    description: "Measured in the food; decides on sulphites",
  }),
  evidence: z.string().trim().min(1).max(500).nullable(),
  note: z.string().trim().min(1).max(500).nullable(),
};
/** What is known of one allergen in a product, whatever has to be declared of it where. */
export const Declaration = z.strictObject({
  ...declarationFields,
  source: z.enum(["ingredient", "manual", "modifier"]),
  derived_from: z.array(Origin).max(ALLERGEN_LIMITS.ingredients),
});
export type Declaration = z.output<typeof Declaration>;
export const DeclarationInput = z.strictObject({
  code: Code,
  presence: Presence,
  source: z.enum(["manual", "modifier"]).default("manual"),
  concentration_mg_per_kg: declarationFields.concentration_mg_per_kg.default(null),
  evidence: declarationFields.evidence.default(null),
  note: declarationFields.note.default(null),
});

export const CLAIMS = [
  "vegan",
  "vegetarian",
  "halal",
  "kosher",
  "gluten_free",
  "very_low_gluten",
  "milk_free",
  "egg_free",
  "nut_free",
  "peanut_free",
  "soy_free",
  "sesame_free",
  "fish_free",
  "alcohol_free",
] as const;
export const Claim = z.enum(CLAIMS);
export type Claim = z.output<typeof Claim>;
const claimFields = {
  claim: Claim,
  certifier: z.string().trim().min(1).max(120).nullable(),
  certificate_ref: z.string().trim().min(1).max(120).nullable(),
  valid_until: LocalDate.nullable().meta({ description: "Last day of the certificate" }),
  gluten_mg_per_kg: MgPerKg.nullable(),
};
export const DietaryClaim = z.strictObject({
  ...claimFields,
  status: z.enum(["claimed", "certified", "withdrawn"]),
});
export type DietaryClaim = z.output<typeof DietaryClaim>;
export const ClaimInput = z.strictObject({
  claim: Claim,
  status: DietaryClaim.shape.status.default("claimed"),
  certifier: claimFields.certifier.default(null),
  certificate_ref: claimFields.certificate_ref.default(null),
  valid_until: claimFields.valid_until.default(null),
  gluten_mg_per_kg: claimFields.gluten_mg_per_kg.default(null),
});

export const SaleType = z.enum(["prepacked", "ppds", "loose"]).meta({
  description: "ppds: packed on the site where it is sold, before the order",
});
export type SaleType = z.output<typeof SaleType>;
export const Status = z.enum(["unverified", "verified", "stale"]);
export type Status = z.output<typeof Status>;

export const ExternalRef = z.strictObject({
  system: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,39}$/, "Expected a name such as shopify or open_food_facts."),
  id: z.string().trim().min(1).max(120),
});
export type ExternalRef = z.output<typeof ExternalRef>;

const StaleReason = z.strictObject({
  code: z.enum(["changed", "ingredient_changed", "too_old", "name_unresolved"]),
  detail: z.string(),
});

/** What a customer writes of a product, in addition to its parts. */
export const productFields = {
  title: Name,
  titles: Translations.optional().meta({ description: "The title in other languages, for labels in them" }),
  sale_type: SaleType,
  contains_statement: z.string().trim().min(1).max(500).nullable().meta({
    description:
      "A statement of your own, in the language of the settings; each mode specifies whether the label may have it",
  }),
  external_refs: z.array(ExternalRef).max(ALLERGEN_LIMITS.externalRefs),
  acknowledgements: z.array(Acknowledgement).max(ALLERGEN_LIMITS.acknowledgements).optional().meta({
    description: "Answers to what the title says and no ingredient contains, as milk in Milk Street loaf",
  }),
};
/** How a product is made of its ingredients, for calculating its nutrition. */
export const Recipe = z
  .strictObject({
    yield_g: z.number().positive().max(1_000_000).optional().meta({
      description:
        "Weight of the finished recipe. Default: the weight of the ingredients less weight_loss_percent",
    }),
    weight_loss_percent: z.number().min(0).max(99).optional().meta({ description: "Water lost in cooking" }),
    portion: Portion.optional(),
    is_drink: z.boolean().default(false),
  })
  .refine(({ yield_g: yieldG, weight_loss_percent: loss }) => yieldG === undefined || loss === undefined, {
    path: ["weight_loss_percent"],
    message: "Specify either yield_g or weight_loss_percent.",
  });
export type Recipe = z.output<typeof Recipe>;

/** A product as it is stored. What is declared where is worked out from `declarations` when it is read. */
export const Product = z.strictObject({
  ...resourceFields,
  ...productFields,
  ingredients: z.array(IngredientLine).max(ALLERGEN_LIMITS.ingredients),
  declarations: z.array(Declaration).max(ALLERGEN_LIMITS.declarations),
  dietary: z.array(DietaryClaim).max(ALLERGEN_LIMITS.claims),
  nutrition: NutritionFacts.nullable(),
  recipe: Recipe.nullable()
    .optional()
    .meta({
      description:
        "Set: nutrition is calculated from quantity_g of the ingredients and the facts of the library, and is null while " +
        "an ingredient has none",
    }),
  status: Status,
  stale_reasons: z.array(StaleReason).max(3),
  changed_allergens: z
    .strictObject({ added: z.array(z.string()), removed: z.array(z.string()) })
    .optional()
    .meta({
      description: "Declared codes added and removed since the last verification, in the default mode",
    }),
  verified_at: Instant.nullable(),
  verified_by: z.string().nullable(),
  verified_note: z.string().nullable(),
  verified_mode: ModeId.nullable().meta({ description: "The mode whose codes were looked at" }),
  revision: z.int().positive().meta({ description: "1, and one more with every change" }),
});
export type Product = z.output<typeof Product>;

export const UnresolvedName = z.strictObject({
  line_id: Id.nullable().meta({ description: "Null: the title of the product" }),
  name: z.string(),
  code: z.string().meta({ description: "Allergen code that the name was read as" }),
  certain: z.boolean().meta({ description: "False: the food usually contains it" }),
  declared: z.boolean().meta({
    description: "True: the product declares it for another reason, so that it does not bar verification",
  }),
});

/** Labels that were printed, with what they said. Never changed. */
export const LabelPrint = z.strictObject({
  ...resourceFields,
  product_id: Id,
  revision: z.int().positive().meta({ description: "Revision of the product that was printed" }),
  mode: ModeId,
  copies: z.int().positive(),
  by: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .nullable()
    .meta({ description: "Person who printed. Default: the caller" }),
  allergens: z.array(z.string()),
  may_contain: z.array(z.string()),
  text: z.string(),
});
export type LabelPrint = z.output<typeof LabelPrint>;

/** A product as it is served. */
export const ProductView = Product.extend({
  mode: ModeId,
  allergens: z.array(z.string()).meta({ description: "Codes that must be declared in the mode" }),
  may_contain: z.array(z.string()),
  unresolved_names: z.array(UnresolvedName).meta({
    description:
      "What names of ingredients say and no code declares: add the code, or acknowledge it with a reason",
  }),
  version: z.int().positive().meta({ description: "Changes with every write; the ETag" }),
});
export type ProductView = z.output<typeof ProductView>;

/** The item of the products listing: these three members, as the specification shows it, and what `include` adds. */
export const ProductItem = z.object({
  id: Id,
  title: z.string(),
  allergens: z.array(z.string()),
});

export const settingsFields = {
  default_mode: ModeId.meta({ description: "The mode of a request that specifies none" }),
  require_verified: z.boolean().meta({
    description:
      "A label of a product that is not verified has an error, and its metafields are not given out",
  }),
  stale_after_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .meta({ description: "Days after which a verification has to be repeated; null: never" }),
  language: Locale.optional().meta({ description: "Language of names and titles. Default: en" }),
  calorie_labelling: z.boolean().meta({
    description: "The business has to show calories (England: 250 or more employees, SI 2021/909)",
  }),
};
export const Settings = z.object({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults hold" }),
});
export type Settings = z.output<typeof Settings>;

export const ChangeKind = z.enum([
  "created",
  "updated",
  "ingredients_changed",
  "derived",
  "nutrition_changed",
  "verified",
  "became_stale",
  "imported",
  "deleted",
]);
export type ChangeKind = z.output<typeof ChangeKind>;

/** One change of a product: what it did to the declared allergens, and the product as it then was. Never changed. */
export const ProductVersion = z.strictObject({
  id: Id,
  product_id: Id,
  revision: z.int().positive(),
  at: Instant,
  change: ChangeKind,
  by: z.string().nullable(),
  note: z.string().nullable(),
  title: z.string(),
  status: Status,
  mode: ModeId.meta({ description: "The mode in which added and removed were worked out" }),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  seq: z
    .int()
    .positive()
    .optional()
    .meta({ description: "Number in the history of the store. Absent for entries before the chain began" }),
  previous_hash: z.string().optional(),
  hash: z
    .string()
    .optional()
    .meta({ description: "SHA-256 of the entry, which contains the hash of the one before" }),
  product: Product,
});
export type ProductVersion = z.output<typeof ProductVersion>;

/** Why a change cannot be: for the caller to turn into an answer. `path` names the member that is to blame. */
export interface Refusal {
  readonly type: "conflict" | "unprocessable_content";
  readonly code: string;
  readonly detail: string;
  readonly path: readonly (string | number)[];
}
