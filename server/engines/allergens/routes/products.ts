import { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import { created, empty, item, values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Instant, listFields } from "../../../core/schema.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { NutritionFacts } from "../schema/nutrition.ts";
import { isPublished, products, readSettings } from "../repository.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { ClaimInput, Declaration, DeclarationInput, DietaryClaim } from "../schema/declaration.ts";
import { ModeId } from "../schema/ingredient.ts";
import { productFields, Product, ProductItem, ProductView, Recipe, Status } from "../schema.ts";
import type { LineInput } from "../schema/ingredient.ts";
import { stampTitle } from "../rules/acknowledge.ts";
import { statusIn } from "../rules/freshness.ts";
import { byHand, withoutOldAmounts } from "../rules/merge-declarations.ts";
import { claimsInForce } from "../rules/write-metafields.ts";
import { declareFrom } from "./declare-from.ts";
import { filterPage } from "./filter-page.ts";
import { readFilters } from "./product-filters.ts";
import { ListText, readChoices } from "./read-codes.ts";
import { productErrors, refuse } from "./refuse.ts";
import { EITHER, ingredientsFields, isEither, readIngredients } from "./read-text.ts";
import { resolveLines } from "./resolve-lines.ts";
import { removeProduct, saveProduct } from "./save-product.ts";
import { toView, viewProduct } from "./view-product.ts";
import type { UnversionedView } from "./view-product.ts";
import { openStore, readProduct, stateOf } from "./read-products.ts";
import { shopDateAt } from "./shop-date.ts";

export const ModeQuery = z.object({
  mode: ModeId.optional().meta({ description: "Default: the default mode of the settings" }),
});
const Claims = z.array(ClaimInput).max(ALLERGEN_LIMITS.claims);
const Declarations = z.array(DeclarationInput).max(ALLERGEN_LIMITS.declarations);

const ProductInput = z
  .strictObject({
    ...productFields,
    sale_type: productFields.sale_type.default("prepacked"),
    contains_statement: productFields.contains_statement.default(null),
    external_refs: productFields.external_refs.default([]),
    ...ingredientsFields,
    declarations: Declarations.default([]).meta({
      description: "In addition to those that the ingredients require",
    }),
    dietary: Claims.default([]),
    nutrition: NutritionFacts.nullable().default(null),
    recipe: Recipe.nullable().optional(),
  })
  .refine(isEither, EITHER);
const Patch = z
  .strictObject({
    ...productFields,
    declarations: Declarations,
    dietary: Claims,
    nutrition: NutritionFacts.nullable(),
    recipe: Recipe.nullable(),
    ingredients_text: ingredientsFields.ingredients_text,
  })
  .partial();

const INCLUDES = [
  "may_contain",
  "dietary",
  "nutrition",
  "declarations",
  "status",
  "revision",
  "changed_allergens",
] as const;
/** Declarations hold notes, and revisions are the shop's own. */
const PUBLIC_INCLUDES = ["may_contain", "dietary", "nutrition", "status"] as const;
const ListItem = ProductItem.extend({
  may_contain: z.array(z.string()),
  dietary: z.array(DietaryClaim),
  nutrition: NutritionFacts.nullable(),
  declarations: z.array(Declaration),
  status: Status,
  revision: z.int(),
  changed_allergens: Product.shape.changed_allergens,
}).partial({
  may_contain: true,
  dietary: true,
  nutrition: true,
  declarations: true,
  status: true,
  revision: true,
});

const productResource = routesOf({
  id: "allergens.products",
  view: ProductView,
  example: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listProducts = productResource.list({
  open: "public",
  summary: "Products with their allergens, newest first",
  description:
    "Each filter is served by an index; several filters together, excludes and status=stale are compared with what the first " +
    "lists, or all: such a page may hold fewer items than limit and still have a next one. With updated_since the " +
    "longest unchanged product comes first. With a publishable key: products that have been verified, and claims in force.",
  query: z.object({
    ...listFields,
    ...ModeQuery.shape,
    allergen: ListText.meta({ description: "Codes, separated by commas: contains all of them" }),
    excludes: ListText.meta({
      description: "Codes that are certainly not in it: verified, and neither contained nor warned of",
    }),
    diet: ListText.meta({ description: "Dietary claims in force, separated by commas: has all of them" }),
    status: Status.optional(),
    q: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Words of the title, or beginnings of at least three characters" }),
    updated_since: Instant.optional(),
    include: ListText.meta({ description: `Some of ${INCLUDES.join(", ")}, separated by commas` }),
  }),
  data: z.array(ListItem),
  async handle({ query }, { tx, now, isPublic }) {
    const include = readChoices("include", query.include, isPublic ? PUBLIC_INCLUDES : INCLUDES);
    const [store, today] = await Promise.all([openStore(tx), shopDateAt(tx, now)]);
    const { start, isWanted } = readFilters(query, { store, now, today });
    const page = await filterPage(
      tx,
      products,
      { ...start, limit: query.limit, cursor: query.cursor },
      async (listed) => {
        const read = isPublic && !isPublished(listed) ? null : await store.current(listed);
        if (read === null || !isWanted(read)) return null;
        const view = toView(read.product, now, { state: read.state, mode: query.mode });
        const extra = include.map(
          (member) => [member, isPublic ? publicMember(view, member, today) : view[member]] as const,
        );
        return { id: view.id, title: view.title, allergens: view.allergens, ...Object.fromEntries(extra) };
      },
    );
    return values(page.items, page);
  },
});

const createProduct = productResource.create({
  summary: "Create a product",
  description: "What its ingredients bring is declared at once; declarations are for everything else.",
  body: ProductInput,
  errors: productErrors,
  example: {
    body: {
      title: "All-butter croissant",
      sale_type: "ppds",
      external_refs: [{ system: "shopify", id: "gid://shopify/Product/108828310" }],
      ingredients: [
        { name: "wheat flour", percent: 52, contains: ["wheat"] },
        { ingredient_id: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0", percent: 24 },
        { name: "salt" },
      ],
      declarations: [{ code: "hazelnut", presence: "may_contain", note: "Same line as the praline twists" }],
      dietary: [{ claim: "vegetarian" }],
    },
  },
  async handle({ body }, ctx) {
    const { ingredients_text: _text, ...rest } = body;
    const read = readIngredients(body);
    const { lines, refusal } = await resolveLines(ctx, read.ingredients ?? [], []);
    refuse(refusal);
    const given = withRead(read.declarations, body.declarations.map(toDeclaration));
    const draft = {
      ...newProduct(ctx),
      ...stampTitle(rest, null, { by: ctx.caller, at: ctx.nowAt }),
      ingredients: lines,
      declarations: declareFrom(lines, given),
    };
    const state = await stateOf(ctx.tx, draft);
    const mode = state.settings.default_mode;
    const stored = await saveProduct(ctx, null, draft, { kind: "created", mode, by: ctx.caller });
    return created(viewProduct(stored, ctx.now, { state, mode }), `/products/${stored.id}`);
  },
});

const getProduct = productResource.get({
  summary: "Show a product",
  query: ModeQuery,
  async handle({ params, query }, { tx, now }) {
    const { state, stored } = await readProduct(tx, params.id);
    return item(viewProduct(stored, now, { state, mode: query.mode }));
  },
});

const updateProduct = productResource.update({
  summary: "Change a product",
  description:
    "declarations replaces those made by hand; what the ingredients bring stays. Ingredients are changed as text here, or " +
    "as lines by PUT /products/{id}/ingredients. Other ingredients or declarations make a verified product stale.",
  body: Patch,
  errors: [...productErrors],
  example: { body: { title: "All-butter croissant, large" } },
  async handle({ params, body }, ctx) {
    const before = await ctx.current(products, params.id);
    const { declarations, ingredients_text: text, ...rest } = body;
    const stamped = stampTitle(rest, before.value, { by: ctx.caller, at: ctx.nowAt });
    const read = readIngredients({ ingredients_text: text });
    const patched = mergePatch<Product>(before.value, stamped);
    const ingredients = await linesAfter(ctx, before.value, read.ingredients);
    const given =
      declarations === undefined
        ? byHand(withoutOldAmounts(before.value.declarations, before.value.ingredients, ingredients))
        : declarations.map(toDeclaration);
    const draft =
      declarations === undefined && text === undefined
        ? patched
        : {
            ...patched,
            ingredients,
            declarations: declareFrom(ingredients, withRead(read.declarations, given)),
          };
    const state = await stateOf(ctx.tx, draft);
    const mode = state.settings.default_mode;
    const stored = await saveProduct(ctx, before, draft, { kind: "updated", mode, by: ctx.caller });
    return item(viewProduct(stored, ctx.now, { state, mode }));
  },
});

const deleteProduct = productResource.remove({
  summary: "Delete a product",
  description: "Its history stays.",
  async handle({ params }, ctx) {
    const before = await ctx.current(products, params.id);
    const settings = await readSettings(ctx.tx);
    await removeProduct(ctx, before, { kind: "deleted", mode: settings.default_mode, by: ctx.caller });
    return empty();
  },
});

/** A member of a product as pages are shown it: claims in force, and what its status is worth in the mode. */
function publicMember(view: UnversionedView, member: (typeof INCLUDES)[number], today: string): unknown {
  if (member === "dietary") return claimsInForce(view, { mode: view.mode, today });
  return member === "status" ? statusIn(view, view, view.mode) : view[member];
}

/** The lines of a product after a request that may replace them. Throws 422. */
async function linesAfter(
  ctx: Ctx,
  { ingredients: before }: Product,
  requested: LineInput[] | undefined,
): Promise<Product["ingredients"]> {
  if (requested === undefined) return before;
  const { lines, refusal } = await resolveLines(ctx, requested, before, ["ingredients_text"]);
  refuse(refusal);
  return lines;
}

/** A product before anything is known of it. */
export const newProduct = ({ newId, nowAt }: Pick<Ctx, "newId" | "nowAt">) => ({
  id: newId("prd"),
  created_at: nowAt,
  status: "unverified" as const,
  stale_reasons: [],
  verified_at: null,
  verified_by: null,
  verified_note: null,
  verified_mode: null,
});

/** Declarations of a text, and those made by hand: of one code, the stronger counts, since a text that says "contains" now may have warned only. */
export const withRead = (
  read: readonly z.output<typeof DeclarationInput>[],
  hand: readonly Declaration[],
): Declaration[] => [...read.map(toDeclaration), ...hand];

export const toDeclaration = (input: z.output<typeof DeclarationInput>): Declaration => ({
  ...input,
  derived_from: [],
});

export const productRoutes = [listProducts, createProduct, getProduct, updateProduct, deleteProduct];
