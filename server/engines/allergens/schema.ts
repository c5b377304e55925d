import { z } from "zod";

import { Id, Instant, resourceFields } from "../../core/schema.ts";
import { Declaration, DietaryClaim } from "./schema/declaration.ts";
import { Acknowledgement, IngredientLine, ModeId, Name, Translations } from "./schema/ingredient.ts";
import { ALLERGEN_LIMITS } from "./schema/limits.ts";
import { LEAST, Portion } from "./schema/nutrition-fields.ts";
import { NutritionFacts } from "./schema/nutrition.ts";

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
    yield_g: z.number().min(LEAST).max(1_000_000).optional().meta({
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
  line_id: Id.nullable().meta({ description: "Null: the title of the product, or its statement" }),
  name: z.string(),
  code: z.string().meta({ description: "Allergen code that the name was read as" }),
  certain: z.boolean().meta({ description: "False: the food usually contains it" }),
  declared: z.boolean().meta({
    description: "True: the product declares it for another reason, so that it does not bar verification",
  }),
});
export type UnresolvedName = z.output<typeof UnresolvedName>;

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

/** Why a change cannot be: for the caller to turn into an answer. `path` names the member that is to blame. */
export interface Refusal {
  readonly type: "conflict" | "unprocessable_content";
  readonly code: string;
  readonly detail: string;
  readonly path: readonly (string | number)[];
}
