import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { conflict, conflictWhen, unprocessableWhen } from "../../../lib/errors.ts";
import { mapPage } from "../../../core/map-page.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, empty, item, list } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { ListQuery, withVersion } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { awaitTurns, takeSharedTurn } from "../../../core/room.ts";
import { facet, ingredients, products, readSettings, RECIPE_TURNS } from "../repository.ts";
import { answersAfter, stampAcknowledgements } from "../rules/acknowledge.ts";
import { expandLines, findLineFault, findSizeFault } from "../rules/expand-lines.ts";
import { unresolvedNames } from "../rules/unresolved-names.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { Ingredient, ingredientFields, LineInput } from "../schema/ingredient.ts";
import { UnresolvedName } from "../schema.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import { refuse } from "./refuse.ts";
import { readLibrary } from "./resolve-lines.ts";
import { beginSpread } from "./spread-change.ts";
import { withValue } from "./view-product.ts";
import { newResource } from "../../../lib/new-resource.ts";

const Viewed = Ingredient.extend({
  unresolved_names: z.array(UnresolvedName).meta({
    description: "What the name says and no code declares: add the code, or acknowledge it with a reason",
  }),
});
const IngredientView = withVersion(Viewed);
const Subs = z.array(LineInput).max(ALLERGEN_LIMITS.ingredients);
const Create = z.strictObject({
  ...ingredientFields,
  contains: ingredientFields.contains.default([]),
  may_contain: ingredientFields.may_contain.default([]),
  exemption: ingredientFields.exemption.default(null),
  supplier: ingredientFields.supplier.default(null),
  animal_origin: ingredientFields.animal_origin.default("none"),
  alcohol: z.boolean().default(false),
  gluten_mg_per_kg: ingredientFields.gluten_mg_per_kg.default(null),
  gluten_reduced: z.boolean().default(false),
  sub_ingredients: Subs.default([]),
  nutrition: Ingredient.shape.nutrition,
});
export const IngredientPatch = z
  .strictObject({ ...ingredientFields, sub_ingredients: Subs, nutrition: Ingredient.shape.nutrition })
  .partial();

const invalid = unprocessableWhen(
  "ingredients_invalid",
  "A sub-ingredient is not known, or there are too many of them or too deep",
);
const cycle = unprocessableWhen("ingredient_cycle", "The ingredient would be inside itself");

const ingredientResource = routesOf({
  id: "allergens.ingredients",
  view: IngredientView,
  example: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

/** A page of ingredients as large as documents may be ends early: each is served with what its names leave open. */
const PAGE_BYTES = 1_000_000;

const listIngredients = ingredientResource.list({
  summary: "List the ingredient library, newest first",
  query: ListQuery,
  async handle({ query }, { tx }) {
    const read = { ...query, bytes: PAGE_BYTES };
    return list(await mapPage(tx, ingredients, read, (stored) => viewIngredient(tx, stored)));
  },
});

const createIngredient = ingredientResource.create({
  summary: "Add an ingredient to the library",
  body: Create,
  errors: [invalid, cycle],
  example: {
    body: { name: "butter", contains: ["milk"], supplier: "Long Clawson Dairy", animal_origin: "dairy" },
  },
  async handle({ body }, ctx) {
    const { tx, nowAt } = ctx;
    const value: Ingredient = {
      ...newResource(ctx.newId("ing"), nowAt),
      revision: 1,
      ...stampOwn(ctx, body, null),
    };
    await checkIngredient(tx, value);
    if (body.sub_ingredients.length > 0) await takeSharedTurn(tx, RECIPE_TURNS, value.id);
    return created(await viewIngredient(tx, tx.create(ingredients, value)), `/ingredients/${value.id}`);
  },
});

const getIngredient = ingredientResource.get({
  summary: "Show an ingredient of the library",
  handle: async ({ params }, { tx }) =>
    item(await viewIngredient(tx, await tx.require(ingredients, params.id))),
});

const updateIngredient = ingredientResource.update({
  summary: "Change an ingredient of the library",
  description:
    "Every product that uses it, directly or inside another ingredient, follows from this response on: its allergens are " +
    "those of the changed ingredient, claims that it breaks are withdrawn, and a verification lapses. changed_allergens " +
    "and GET /ingredients/{id}/impact list what to review.",
  body: IngredientPatch,
  errors: [invalid, cycle],
  example: { body: { supplier: "Netherend Farm", may_contain: ["soy"] } },
  async handle({ params, body }, ctx) {
    const before = await ctx.current(ingredients, params.id);
    const patched = mergePatch<Ingredient>(before.value, stampOwn(ctx, body, before.value));
    if (isDeepStrictEqual(patched, before.value)) return item(await viewIngredient(ctx.tx, before));
    // Names in other languages are read when a label is written: what was verified is the same food.
    const isSameFood = isDeepStrictEqual(
      { ...patched, names: undefined },
      { ...before.value, names: undefined },
    );
    const value = {
      ...patched,
      revision: isSameFood ? patched.revision : patched.revision + 1,
      updated_at: ctx.nowAt,
    };
    if (isSameFood) return item(await viewIngredient(ctx.tx, ctx.tx.put(ingredients, before, value)));
    await checkIngredient(ctx.tx, value);
    if (body.sub_ingredients !== undefined) await takeSharedTurn(ctx.tx, RECIPE_TURNS, value.id);
    // A recipe that takes it in meanwhile would keep what it was, and no change would be pending.
    await awaitTurns(ctx.tx, RECIPE_TURNS);
    const settings = await readSettings(ctx.tx);
    const [line] = expandIngredient(value, await readLibrary(ctx.tx, value.sub_ingredients));
    const change = { ingredient_id: value.id, name: value.name, revision: value.revision, line };
    const stored = ctx.tx.put(ingredients, before, value);
    await beginSpread(ctx, change, settings.default_mode);
    return item(await viewIngredient(ctx.tx, stored));
  },
});

const removeIngredient = ingredientResource.remove({
  summary: "Delete an ingredient of the library",
  errors: [conflictWhen("in_use", "A product or another ingredient is made of it")],
  async handle({ params }, ctx) {
    const before = await ctx.current(ingredients, params.id);
    await awaitTurns(ctx.tx, RECIPE_TURNS);
    await refuseInUse(ctx.tx, params.id);
    ctx.tx.remove(ingredients, before);
    return empty();
  },
});

/** An ingredient as it is served, with what its names leave open. */
async function viewIngredient(tx: Tx, stored: Stored<Ingredient>): Promise<Stored<z.output<typeof Viewed>>> {
  const { value } = stored;
  const lines = expandIngredient(value, await readLibrary(tx, value.sub_ingredients));
  const unresolved = unresolvedNames({ ingredients: lines, declarations: [] });
  return withValue(stored, { ...value, unresolved_names: unresolved });
}

/** An ingredient as a product would take it. */
const expandIngredient = (value: Ingredient, library: ReadonlyMap<string, Ingredient>): IngredientLine[] =>
  expandLines([{ ingredient_id: value.id }], new Map([...library, [value.id, value]]), () => value.id);

/** Records who answered what a name says; members that a request leaves out stay left out. */
function stampOwn<T extends Pick<LineInput, "name" | "acknowledgements" | "sub_ingredients">>(
  { caller, nowAt }: Pick<Ctx, "caller" | "nowAt">,
  body: T,
  before: Ingredient | null,
): T {
  const stamp = { by: caller, at: nowAt };
  const { name = before?.name, sub_ingredients: subs } = body;
  const acknowledgements = answersAfter(body, before);
  const [own] = stampAcknowledgements<LineInput>(
    [{ name, acknowledgements }],
    before === null ? [] : [before],
    stamp,
  );
  return {
    ...body,
    ...(acknowledgements === undefined ? {} : { acknowledgements: own?.acknowledgements }),
    ...(subs === undefined
      ? {}
      : { sub_ingredients: stampAcknowledgements(subs, before?.sub_ingredients ?? [], stamp) }),
  };
}

async function refuseInUse(tx: Tx, id: string): Promise<void> {
  const [inProducts, inLibrary] = await Promise.all([
    tx.peekPage(products, { index: "by", value: facet.ingredient(id), limit: 1 }),
    tx.peekPage(ingredients, { index: "uses", value: id, limit: 1 }),
  ]);
  const user = inProducts.items[0]?.value.title ?? inLibrary.items[0]?.value.name;
  if (user === undefined) return;
  throw conflict("in_use", `${user} is made of it. Take it out there first.`);
}

/** Throws when the contents cannot be: unknown, too much, or the ingredient itself. */
async function checkIngredient(tx: Tx, value: Ingredient): Promise<void> {
  const path = ["sub_ingredients"];
  const library = await readLibrary(tx, value.sub_ingredients);
  if (library.has(value.id)) {
    const detail = "It would be inside itself.";
    refuse({ type: "unprocessable_content", code: "ingredient_cycle", detail, path });
  }
  refuse(findLineFault(value.sub_ingredients, library, path));
  // Depth and number count as they will in a product, one level further in.
  const [line] = expandIngredient(value, library);
  refuse(line === undefined ? null : findSizeFault([line], path));
}

export const ingredientRoutes = [
  listIngredients,
  createIngredient,
  getIngredient,
  updateIngredient,
  removeIngredient,
];
