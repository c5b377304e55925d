import { z } from "zod";

import { conflict } from "../../../lib/errors.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import { OffProduct } from "../rules/read-open-food-facts.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { ExternalRef } from "../schema.ts";
import { importRow, OwnRow, readRow } from "./import-row.ts";
import { settleRows } from "./settle-rows.ts";

const Request = z
  .strictObject({
    dry_run: z.boolean().default(false),
    rows: z.array(OwnRow).max(ALLERGEN_LIMITS.importRows).default([]),
    open_food_facts: z
      .array(OffProduct)
      .max(ALLERGEN_LIMITS.importRows)
      .default([])
      .meta({ description: "Products as Open Food Facts returns them, instead of rows" }),
  })
  .refine(({ rows, open_food_facts: off }) => rows.length > 0 !== off.length > 0, {
    path: ["rows"],
    message: "Specify either rows or open_food_facts.",
  });

const Outcome = z.enum(["created", "updated", "unchanged", "refused"]);
const RowResult = z.object({
  row: z.int().nonnegative(),
  external_ref: ExternalRef,
  outcome: Outcome,
  product_id: Id.nullable().meta({ description: "Null where nothing was written" }),
  error: z.object({ code: z.string().nullable(), detail: z.string() }).nullable(),
  warnings: z.array(z.string()),
});
const Answer = z.object({
  dry_run: z.boolean(),
  counts: z.object({ created: z.int(), updated: z.int(), unchanged: z.int(), refused: z.int() }),
  rows: z.array(RowResult),
});
type RowResult = z.input<typeof RowResult>;

const importProducts = defineRoute({
  id: "allergens.products.import",
  cost: 10,
  method: "POST",
  path: "/products/import",
  summary: "Create or update many products by their external reference",
  description:
    "Up to 500 rows in a body of 1 MB, some 2 KB each. Every row is written in its own commit, so that a refused row does " +
    "not affect the others, and sending the same rows again changes nothing. A row replaces the members that it has. " +
    "Products of open_food_facts are imported unverified, and what could not be imported is listed in warnings. dry_run " +
    "reports what would happen.",
  body: Request,
  data: Answer,
  errors: [],
  example: {
    body: {
      dry_run: true,
      open_food_facts: [
        {
          code: "0000000000017",
          product_name: "Oat biscuits",
          ingredients_text: "_Oat_ flakes 42%, _wheat_ flour, sugar, palm oil",
          allergens_tags: ["en:gluten"],
          traces_tags: ["en:nuts"],
          nutriments: {
            fat_100g: 21,
            "saturated-fat_100g": 9.1,
            carbohydrates_100g: 62,
            sugars_100g: 24,
            proteins_100g: 7,
          },
        },
      ],
    },
  },
  async handle({ body }, ctx) {
    const inputs = await mapInSlices([...body.rows, ...body.open_food_facts], ctx.tx.part, readRow);
    const seen = new Set<string>();
    const rows = inputs.map((input, row) => {
      const name = `${input.external_ref.system} ${input.external_ref.id}`;
      const isRepeated = seen.has(name);
      seen.add(name);
      return { row, input, isRepeated };
    });
    const settled = await settleRows(ctx, rows, ({ input, isRepeated }, work) =>
      isRepeated ? refuseRepeated() : importRow(work, input, body.dry_run),
    );
    const results = settled.map(({ row: { row, input }, value, error }): RowResult => ({
      row,
      external_ref: input.external_ref,
      outcome: value?.outcome ?? "refused",
      product_id: value?.product_id ?? null,
      error,
      warnings: [...input.warnings, ...(value?.warnings ?? [])],
    }));
    return ok({ dry_run: body.dry_run, counts: countOf(results), rows: results });
  },
});

function refuseRepeated(): never {
  throw conflict("row_repeated", "A row before it has the same external reference.");
}

function countOf(results: readonly RowResult[]): z.input<typeof Answer>["counts"] {
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

export const importRoutes = [importProducts];
