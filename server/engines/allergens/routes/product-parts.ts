import { z } from "zod";

import { giveWay } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { products } from "../repository.ts";
import { diffDeclarations } from "../rules/diff-declarations.ts";
import { byHand, redeclare, withoutOldAmounts } from "../rules/merge-declarations.ts";
import { Declaration } from "../schema/declaration.ts";
import { ProductView } from "../schema.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";
import { declareFrom, disagreement } from "./declare-from.ts";
import { toDeclaration } from "./products.ts";
import { EITHER, ingredientsFields, isEither, readIngredients } from "./read-text.ts";
import { productErrors, refuse } from "./refuse.ts";
import { refreshLines, resolveLines } from "./resolve-lines.ts";
import { saveProduct } from "./save-product.ts";
import type { Change } from "./save-product.ts";
import { toView } from "./view-product.ts";
import { readProduct, stateOf } from "./read-products.ts";

const ApplyQuery = z.object({
  apply: z
    .enum(["true", "false"])
    .default("false")
    .meta({ description: "true: the proposed declarations take the place of those that there are" }),
});
const Roll = z.object({
  product: ProductView.omit({ version: true }),
  applied: z.boolean(),
  proposed: z
    .array(Declaration)
    .meta({ description: "What the ingredients call for, and what was declared by hand" }),
  diff: z.object({
    added: z.array(Declaration),
    removed: z.array(Declaration),
    changed: z.array(z.object({ code: z.string(), before: Declaration, after: Declaration })),
  }),
  conflict: z
    .object({ code: z.string(), detail: z.string() })
    .nullable()
    .meta({ description: "Why the proposal cannot be applied" }),
  gone: z
    .array(z.string())
    .meta({ description: "Ingredients that left the library; they stay as they were taken" }),
});

const putIngredients = defineRoute({
  id: "allergens.products.set-ingredients",
  method: "PUT",
  path: "/products/:id/ingredients",
  summary: "Replace the ingredients of a product and roll them up",
  description:
    "In descending order of weight. The answer proposes declarations; with apply=true they are stored in the same " +
    "write. A line keeps its id by that id, or by its name.",
  query: ApplyQuery,
  body: z
    .strictObject(ingredientsFields)
    .refine(isEither, EITHER)
    .refine(({ ingredients, ingredients_text: text }) => ingredients !== undefined || text !== undefined, {
      path: ["ingredients"],
      message: "Specify ingredients or ingredients_text.",
    }),
  data: Roll,
  errors: [...productErrors],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    query: { apply: "false" },
    body: {
      ingredients: [
        { name: "wheat flour", percent: 52, contains: ["wheat"] },
        { ingredient_id: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0", percent: 24 },
        { name: "salt" },
      ],
    },
  },
  async handle({ params, query, body }, ctx) {
    const before = await ctx.current(products, params.id);
    const read = readIngredients(body);
    const { lines, refusal } = await resolveLines(ctx, read.ingredients ?? [], before.value.ingredients);
    refuse(refusal);
    await giveWay(ctx.tx.part);
    return ok(
      await rollUpInto(ctx, before, {
        lines,
        declared: read.declarations.map(toDeclaration),
        gone: [],
        apply: query.apply === "true",
        kind: "ingredients_changed",
      }),
    );
  },
});

const derive = defineRoute({
  id: "allergens.products.derive",
  method: "POST",
  path: "/products/:id/derive",
  summary: "Propose the declarations of a product from its ingredients",
  description:
    "Takes what the ingredient library says by now. Without apply=true nothing is stored. A declaration made by hand " +
    "stays; one that no ingredient brings any more goes.",
  query: ApplyQuery,
  data: Roll,
  errors: [...productErrors],
  example: { params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" }, query: { apply: "false" } },
  async handle({ params, query }, ctx) {
    const before = await ctx.tx.require(products, params.id);
    const { lines, gone, refusal } = await refreshLines(ctx, before.value.ingredients);
    refuse(refusal);
    await giveWay(ctx.tx.part);
    const apply = query.apply === "true";
    if (apply) return ok(await rollUpInto(ctx, before, { lines, gone, apply, kind: "derived" }));
    const { state, stored } = await readProduct(ctx.tx, params.id);
    const product = toView(stored.value, ctx.now, { state, mode: undefined });
    return ok({ ...propose(before.value, { lines, gone }), applied: false, product });
  },
});

interface RollJob {
  readonly lines: IngredientLine[];
  /** What a text declares in addition. */
  readonly declared?: Declaration[];
  readonly gone: string[];
  readonly apply: boolean;
  readonly kind: Change["kind"];
}

async function rollUpInto(ctx: Ctx, before: Stored<Product>, job: RollJob): Promise<z.input<typeof Roll>> {
  const value = {
    ...before.value,
    declarations: [...before.value.declarations, ...newIn(job, before.value)],
  };
  const measured = withoutOldAmounts(value.declarations, value.ingredients, job.lines);
  const declarations = job.apply ? declareFrom(job.lines, measured) : measured;
  await giveWay(ctx.tx.part);
  const draft = { ...value, ingredients: job.lines, declarations };
  const state = await stateOf(ctx.tx, draft);
  const mode = state.settings.default_mode;
  const stored = await saveProduct(ctx, before, draft, { kind: job.kind, mode, by: ctx.caller });
  await giveWay(ctx.tx.part);
  const product = toView(stored.value, ctx.now, { state, mode });
  await giveWay(ctx.tx.part);
  const proposal = propose(value, job);
  await giveWay(ctx.tx.part);
  return { ...proposal, applied: job.apply, product };
}

/** Declarations of a text that the product does not have by hand yet: a warning of milk does not say that it contains milk. */
const newIn = ({ declared = [] }: RollJob, { declarations }: Product): Declaration[] =>
  declared.filter(
    ({ code, presence }) =>
      !byHand(declarations).some(
        (each) => each.code === code && ["contains", presence].includes(each.presence),
      ),
  );

/** What deriving would do to a product as it is. */
function propose(
  product: Product,
  { lines, gone }: Pick<RollJob, "lines" | "gone">,
): Omit<z.input<typeof Roll>, "product" | "applied"> {
  const refusal = disagreement(lines, byHand(product.declarations));
  const proposed = redeclare(lines, withoutOldAmounts(product.declarations, product.ingredients, lines));
  return {
    proposed,
    diff: diffDeclarations(product.declarations, proposed),
    conflict: refusal === null ? null : { code: refusal.code, detail: refusal.detail },
    gone,
  };
}

export const productPartRoutes = [putIngredients, derive];
