import { z } from "zod";

import { Id, LocalDate } from "../../../core/schema.ts";
import { Code, ExemptionCode, MgPerKg } from "./ingredient.ts";
import { ALLERGEN_LIMITS } from "./limits.ts";

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

const MetafieldNamespace = z.enum(["allergens", "dietary", "nutrition"]);
const MetafieldType = z.enum([
  "single_line_text_field",
  "multi_line_text_field",
  "list.single_line_text_field",
  "boolean",
  "number_integer",
  "number_decimal",
  "date",
  "date_time",
  "json",
]);
export const Metafield = z.strictObject({
  namespace: MetafieldNamespace,
  key: z.string().regex(/^[a-z0-9_-]{2,64}$/, "Expected 2 to 64 of a-z, 0-9, _ and -."),
  type: MetafieldType,
  value: z.string().max(5_000),
});
export type Metafield = z.output<typeof Metafield>;
