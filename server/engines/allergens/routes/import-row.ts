import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { inTurn } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { NutritionFacts } from "../schema/nutrition.ts";
import { externalRefId, externalRefs, products, readSettings } from "../repository.ts";
import { stampTitle } from "../rules/acknowledge.ts";
import { findClaimConflict } from "../rules/check-claims.ts";
import { byHand, withoutOldAmounts } from "../rules/merge-declarations.ts";
import { barringNames, describeName, describeUnread, unreadNames } from "../rules/unresolved-names.ts";
import { readOpenFoodFacts } from "../rules/read-open-food-facts.ts";
import type { OffProduct } from "../rules/read-open-food-facts.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { ClaimInput, DeclarationInput } from "../schema/declaration.ts";
import { ExternalRef, productFields, Recipe } from "../schema.ts";
import type { Declaration, DietaryClaim } from "../schema/declaration.ts";
import type { LineInput } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";
import { declareFrom } from "./declare-from.ts";
import { newProduct, toDeclaration, withRead } from "./products.ts";
import { EITHER, ingredientsFields, isEither, readIngredients } from "./read-text.ts";
import { refuse } from "./refuse.ts";
import { resolveLines } from "./resolve-lines.ts";
import { checkProduct, saveProduct, withCalculatedNutrition } from "./save-product.ts";
import type { Draft } from "./save-product.ts";

/** A product of ours in an import: what it leaves out stays as it is, or has its default in a new product. */
export const OwnRow = z
  .strictObject({
    external_ref: ExternalRef,
    title: productFields.title,
    titles: productFields.titles,
    acknowledgements: productFields.acknowledgements,
    sale_type: productFields.sale_type.optional(),
    contains_statement: productFields.contains_statement.optional(),
    ...ingredientsFields,
    declarations: z.array(DeclarationInput).max(ALLERGEN_LIMITS.declarations).optional(),
    dietary: z.array(ClaimInput).max(ALLERGEN_LIMITS.claims).optional(),
    nutrition: NutritionFacts.nullable().optional(),
    recipe: Recipe.nullable().optional(),
  })
  .refine(isEither, EITHER);
type OwnRow = z.output<typeof OwnRow>;

export interface RowInput extends OwnRow {
  /** Claims that do not fit are dropped with a warning instead of refusing the row. */
  readonly drops_claims: boolean;
  readonly warnings: readonly string[];
}

/** A row of either format as one of ours. */
export function readRow(row: OwnRow | OffProduct): RowInput {
  if ("external_ref" in row) return { ...row, drops_claims: false, warnings: [] };
  const { declarations, claims, nutrition, warnings, ...read } = readOpenFoodFacts(row);
  return {
    ...read,
    declarations: declarations.map((each) => DeclarationInput.parse(each)),
    dietary: claims.map((claim) => ClaimInput.parse({ claim })),
    ...(nutrition === null ? {} : { nutrition }),
    drops_claims: true,
    warnings,
  };
}

type Work = Pick<Ctx, "tx" | "newId" | "nowAt" | "caller">;

export interface RowDone {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly product_id: string | null;
  readonly warnings: readonly string[];
}

/** Creates or updates the product that a row is about. A dry run checks all of it and stages nothing. */
export async function importRow(ctx: Work, row: RowInput, dryRun: boolean): Promise<RowDone> {
  const { default_mode: mode } = await readSettings(ctx.tx);
  if (row.title === "") {
    const detail = "The product has no name.";
    refuse({ type: "unprocessable_content", code: "title_missing", detail, path: ["title"] });
  }
  const before = await findByRef(ctx.tx, row.external_ref);
  const merged = await mergeRow(ctx, before?.value ?? null, row);
  const { dietary, warnings } = row.drops_claims
    ? fittingClaims(merged, mode)
    : { dietary: merged.dietary, warnings: [] };
  const draft = await withCalculatedNutrition(ctx.tx, { ...merged, dietary });
  const unread = unreadNames(draft);
  const unresolved = [
    ...barringNames(draft).map(describeName),
    ...(unread.length === 0 ? [] : [describeUnread(unread)]),
  ];
  if (before !== null && isSame(before.value, draft))
    return { outcome: "unchanged", product_id: before.id, warnings: [...warnings, ...unresolved] };
  const outcome = before === null ? "created" : "updated";
  if (dryRun) {
    checkProduct(before?.value ?? null, draft, mode);
    return { outcome, product_id: before?.id ?? null, warnings: [...warnings, ...unresolved] };
  }
  const stored = await saveProduct(ctx, before, draft, { kind: "imported", mode, by: ctx.caller });
  return { outcome, product_id: stored.id, warnings: [...warnings, ...unresolved] };
}

export async function findByRef(tx: Tx, ref: ExternalRef): Promise<Stored<Product> | null> {
  const found = await tx.get(externalRefs, externalRefId(ref));
  return found === null ? null : tx.get(products, found.value.product_id);
}

async function mergeRow(ctx: Work, before: Product | null, row: RowInput): Promise<Draft> {
  const current: Draft =
    before === null
      ? {
          ...newProduct(ctx),
          title: row.title,
          sale_type: "prepacked" as const,
          contains_statement: null,
          external_refs: [row.external_ref],
          ingredients: [],
          declarations: [],
          dietary: [],
          nutrition: null,
        }
      : withoutTimes(before);
  const read = await inTurn(ctx.tx.part, () => readIngredients(row));
  const lines = await linesOf(ctx, current.ingredients, read.ingredients);
  const hand: Declaration[] =
    row.declarations === undefined
      ? byHand(withoutOldAmounts(current.declarations, current.ingredients, lines))
      : row.declarations.map(toDeclaration);
  const given = withRead(read.declarations, hand);
  const { acknowledgements } = stampTitle(row, before, { by: ctx.caller, at: ctx.nowAt });
  return {
    ...current,
    title: row.title,
    ...(row.titles === undefined ? {} : { titles: row.titles }),
    ...(acknowledgements === undefined ? {} : { acknowledgements }),
    sale_type: row.sale_type ?? current.sale_type,
    contains_statement:
      row.contains_statement === undefined ? current.contains_statement : row.contains_statement,
    ingredients: lines,
    declarations: declareFrom(lines, given),
    dietary: row.dietary ?? current.dietary,
    nutrition: row.nutrition === undefined ? current.nutrition : row.nutrition,
    ...(row.recipe === undefined ? {} : { recipe: row.recipe }),
  };
}

async function linesOf(
  ctx: Work,
  before: Product["ingredients"],
  ingredients: LineInput[] | undefined,
): Promise<Product["ingredients"]> {
  if (ingredients === undefined) return before;
  const { lines, refusal } = await resolveLines(ctx, ingredients, before);
  refuse(refusal);
  return lines;
}

/** Claims of another system that a rule refuses are left out: it claims gluten-free without saying how much. */
function fittingClaims(
  draft: Draft,
  mode: Parameters<typeof findClaimConflict>[1],
): { dietary: DietaryClaim[]; warnings: string[] } {
  const dietary: DietaryClaim[] = [];
  const warnings: string[] = [];
  for (const claim of draft.dietary) {
    const conflict = findClaimConflict({ ...draft, dietary: [claim] }, mode);
    if (conflict === null) dietary.push(claim);
    else warnings.push(`Claim ${claim.claim} left out: ${conflict.detail}`);
  }
  return { dietary, warnings };
}

/** The order of members says nothing. */
const isSame = (before: Product, draft: Draft): boolean => isDeepStrictEqual(draft, withoutTimes(before));

function withoutTimes({ revision: _revision, updated_at: _updated, ...rest }: Product): Draft {
  return rest;
}
