import { z } from "zod";

import { Id, Minor, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Code, ExternalRefs, Factor, Kcal, Sku, Title } from "./parts.ts";

/** A prefix or suffix of a modifier that changes its price: EXTRA, LIGHT, ON THE SIDE. */
const PreModifier = z
  .strictObject({
    code: Code,
    title: Title,
    factor: Factor.nullable().default(null),
    fixed_price: Minor.nullable().default(null),
    position: z.enum(["prefix", "suffix"]).default("prefix"),
  })
  .refine(({ factor, fixed_price }) => factor === null || fixed_price === null, {
    path: ["fixed_price"],
    message: "Specify either factor or fixed_price, not both.",
  });
type PreModifier = z.output<typeof PreModifier>;
/** A part of the dish that a modifier applies to: left half, whole. */
const Portion = z.strictObject({ code: Code, title: Title, scale: Factor });
type Portion = z.output<typeof Portion>;

export const modifierGroupFields = {
  title: Title,
  min: z.int().min(0).max(1_000).meta({ description: "Minimum of units over all modifiers" }),
  max: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .meta({ description: "Maximum of units over all modifiers; null: no limit" }),
  min_distinct: z.int().min(0).max(100).nullable().meta({ description: "Minimum of different modifiers" }),
  max_distinct: z.int().min(1).max(100).nullable().meta({ description: "Maximum of different modifiers" }),
  free_quantity: z.int().min(0).max(1_000).meta({ description: "Number of free units" }),
  free_policy: z.enum(["cheapest_first", "first_selected"]),
  defaults_charged: z.boolean().meta({ description: "Whether default modifiers are charged" }),
  substitution: z.boolean().meta({
    description: "Whether a modifier that replaces a removed default costs the difference only",
  }),
  modifier_ids: z.array(Id).max(MENU_LIMITS.modifiersPerGroup),
  display_mode: z.enum(["required", "forced", "optional"]),
  pre_modifiers: z.array(PreModifier).max(20),
  portions: z.array(Portion).max(10),
  external_refs: ExternalRefs,
};
export const ModifierGroup = z.object({ ...resourceFields, ...modifierGroupFields });
export type ModifierGroup = z.output<typeof ModifierGroup>;

export const modifierFields = {
  title: Title,
  price: Minor,
  sku: Sku.nullable(),
  item_id: Id.nullable().meta({
    description: "The item as which it is also sold on its own: both share the same stock",
  }),
  product_id: Id.nullable().meta({ description: "The product of /v1/allergens that it adds" }),
  default: z.boolean(),
  max_quantity: z.int().min(1).max(1_000),
  nested_group_ids: z.array(Id).max(MENU_LIMITS.nestedGroups),
  removes: z
    .array(Code)
    .max(20)
    .meta({ description: `Allergen codes that it removes, as "no cheese" removes milk` }),
  removes_ingredient_ids: z.array(Id).max(20).meta({
    description:
      "Ingredients of /v1/allergens that it removes; without them, removes is evaluated conservatively",
  }),
  kcal: Kcal.nullable(),
  external_refs: ExternalRefs,
};
export const Modifier = z.object({ ...resourceFields, ...modifierFields });
export type Modifier = z.output<typeof Modifier>;
