import { z } from "zod";

import { Id, Minor, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Code, ExternalRefs, Factor, Kcal, Sku, Title } from "./parts.ts";

/** A word before or after a modifier that changes its price: EXTRA, LIGHT, ON THE SIDE. */
export const PreModifier = z
  .strictObject({
    code: Code,
    title: Title,
    factor: Factor.nullable().default(null),
    fixed_price: Minor.nullable().default(null),
    position: z.enum(["prefix", "suffix"]).default("prefix"),
  })
  .refine(({ factor, fixed_price }) => factor === null || fixed_price === null, {
    path: ["fixed_price"],
    message: "Give factor or fixed_price, not both.",
  });
export type PreModifier = z.output<typeof PreModifier>;
/** A part of the dish that a modifier goes on: left half, whole. */
export const Portion = z.strictObject({ code: Code, title: Title, scale: Factor });
export type Portion = z.output<typeof Portion>;

export const modifierGroupFields = {
  title: Title,
  min: z.int().min(0).max(1_000).meta({ description: "Least units over all modifiers" }),
  max: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .meta({ description: "Most units over all modifiers; null: no limit" }),
  min_distinct: z.int().min(0).max(100).nullable().meta({ description: "Least different modifiers" }),
  max_distinct: z.int().min(1).max(100).nullable().meta({ description: "Most different modifiers" }),
  free_quantity: z.int().min(0).max(1_000).meta({ description: "Units that cost nothing" }),
  free_policy: z.enum(["cheapest_first", "first_selected"]),
  defaults_charged: z.boolean().meta({ description: "Whether default modifiers cost their price" }),
  substitution: z.boolean().meta({
    description: "Whether a modifier in place of a removed default costs the difference only",
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
    description: "The item it is, when it is sold by itself too: they share stock",
  }),
  product_id: Id.nullable().meta({ description: "The product of /v1/allergens that it adds" }),
  default: z.boolean(),
  max_quantity: z.int().min(1).max(1_000),
  nested_group_ids: z.array(Id).max(MENU_LIMITS.nestedGroups),
  removes: z
    .array(Code)
    .max(20)
    .meta({ description: "Allergen codes that it takes away, as no cheese does milk" }),
  removes_ingredient_ids: z.array(Id).max(20).meta({
    description: "Ingredients of /v1/allergens that it takes away; without them removes is judged cautiously",
  }),
  kcal: Kcal.nullable(),
  external_refs: ExternalRefs,
};
export const Modifier = z.object({ ...resourceFields, ...modifierFields });
export type Modifier = z.output<typeof Modifier>;
