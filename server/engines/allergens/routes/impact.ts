import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import { mapPage } from "../../../core/map-page.ts";
import { values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, Instant, ListQuery } from "../../../core/schema.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { facet, ingredients, labelPrints, products } from "../repository.ts";
import { diffCodes, joinDiffs } from "../rules/changed-allergens.ts";
import type { CodeDiff } from "../rules/changed-allergens.ts";
import type { ModeId } from "../data/modes.ts";
import { findClaimConflict } from "../rules/check-claims.ts";
import { declaredIn } from "../rules/declare.ts";
import { expandLines } from "../rules/expand-lines.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { unresolvedNames } from "../rules/unresolved-names.ts";
import { Claim } from "../schema/declaration.ts";
import { ProductView, Status } from "../schema.ts";
import type { Ingredient } from "../schema/ingredient.ts";
import type { LabelPrint, Product } from "../schema.ts";
import { IngredientPatch } from "./ingredients.ts";
import { readLibrary } from "./resolve-lines.ts";
import { openStore } from "./read-products.ts";

/** Prints of one product that are looked at. */
const PRINTS_MAX = 50;

const Row = z.object({
  product_id: Id,
  title: z.string(),
  status: Status,
  revision: z.int(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  withdrawn_claims: z.array(Claim).meta({ description: "Dietary claims that the change breaks" }),
  unresolved_names: ProductView.shape.unresolved_names,
  menu_items: z.array(z.object({ id: Id, title: z.string() })),
  printed_labels: z
    .array(z.object({ id: Id, at: Instant, by: z.string().nullable(), copies: z.int() }))
    .meta({ description: "Recorded prints whose allergens differ" }),
});
type Row = z.input<typeof Row>;

const ingredientResource = routesOf({
  id: "allergens.ingredients",
  view: z.array(Row),
  example: "ing_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const getImpact = ingredientResource.read("impact", {
  summary: "List what the changes of an ingredient touch",
  description:
    "Every product that uses it, directly or inside another ingredient, with what was added and removed since its last " +
    "verification, its menu items, and the printed labels that are wrong by now. Review the rows, then send their ids and " +
    "revisions to POST /products/verify.",
  query: ListQuery,
  async handle({ params, query }, ctx) {
    const store = await openStore(ctx.tx);
    await ctx.tx.require(ingredients, params.id);
    return impactOf(ctx, { id: params.id, query, store, next: null });
  },
});

const previewChange = ingredientResource.action("preview", {
  scope: "read",
  summary: "List what a change of an ingredient would touch",
  description: "As GET /ingredients/{id}/impact, for a change that is sent and not stored.",
  query: ListQuery,
  body: IngredientPatch,
  example: { body: { contains: ["milk", "sesame"] } },
  async handle({ params, query, body }, ctx) {
    const store = await openStore(ctx.tx);
    const { value } = await ctx.tx.require(ingredients, params.id);
    const next = mergePatch<Ingredient>(value, body);
    const isSame = isDeepStrictEqual(next, value);
    const revised = { ...next, revision: value.revision + (isSame ? 0 : 1) };
    return impactOf(ctx, { id: params.id, query, store, next: revised });
  },
});

interface Question {
  readonly id: string;
  readonly query: z.output<typeof ListQuery>;
  readonly store: Awaited<ReturnType<typeof openStore>>;
  /** The ingredient as it would be; null: as it is. */
  readonly next: Ingredient | null;
}

async function impactOf(ctx: Ctx, { id, query, store, next }: Question) {
  const previewed = next === null ? null : await asPending(ctx, next);
  const mode = store.settings.default_mode;
  const used = { index: "by", value: facet.ingredient(id), ...query };
  const { items: read, ...page } = await mapPage(ctx.tx, products, used, async (listed) => {
    const found = await store.current(listed.value);
    if (found === null) return null;
    const { product: value, state } = found;
    const changed = previewed === null ? state.pending : new Map([...state.pending, [id, previewed]]);
    const after = freshen(value, changed, mode);
    const { status, stale_reasons: _reasons } = freshnessOf(value, ctx.now, { ...state, pending: changed });
    return {
      product_id: value.id,
      title: value.title,
      status,
      revision: value.revision,
      ...toCodes(value, after, { mode, isPreview: next !== null }),
      withdrawn_claims: brokenClaims(value, after, mode),
      unresolved_names: unresolvedNames(after),
      printed_labels: outdated(await readPrints(ctx, value.id), after),
    };
  });
  const items = read.filter((row) => row !== null);
  const menuItems = await ctx.ports.engines.menuItemsOf(
    ctx.tx,
    items.map((row) => row.product_id),
  );
  const rows = items.map(({ printed_labels, ...row }): Row => ({
    ...row,
    menu_items: (menuItems.get(row.product_id) ?? []).map((item) => ({ ...item })),
    printed_labels,
  }));
  return values(rows, page);
}

const asPending = async ({ tx }: Pick<Ctx, "tx">, next: Ingredient) => {
  const library = await readLibrary(tx, next.sub_ingredients);
  const [line] = expandLines(
    [{ ingredient_id: next.id }],
    new Map([...library, [next.id, next]]),
    () => next.id,
  );
  return { revision: next.revision, name: next.name, line };
};

/** Of a preview what it would change now; else all since the last verification. */
function toCodes(
  before: Product,
  after: Product,
  { mode, isPreview }: { readonly mode: ModeId; readonly isPreview: boolean },
): CodeDiff {
  const diff = diffCodes(before, after, mode);
  return isPreview ? diff : joinDiffs(before.changed_allergens, diff);
}

/** Claims that are or were made and that the ingredients break. */
const brokenClaims = (before: Product, after: Product, mode: ModeId): Claim[] =>
  before.dietary
    .filter((claim) => {
      const claimed = {
        ...claim,
        status: claim.certifier === null ? ("claimed" as const) : ("certified" as const),
      };
      return findClaimConflict({ ...after, dietary: [claimed] }, mode) !== null;
    })
    .map(({ claim }) => claim);

/** A print without the text of its labels, which is most of it. */
type PrintedCodes = Pick<
  LabelPrint,
  "id" | "created_at" | "by" | "copies" | "mode" | "allergens" | "may_contain"
>;

async function readPrints({ tx }: Pick<Ctx, "tx">, productId: string): Promise<PrintedCodes[]> {
  const query = { index: "product", value: productId, limit: PRINTS_MAX };
  const { items } = await mapPage(tx, labelPrints, query, ({ value }) => {
    const { id, created_at, by, copies, mode, allergens, may_contain } = value;
    return { id, created_at, by, copies, mode, allergens, may_contain };
  });
  return items;
}

function outdated(prints: readonly PrintedCodes[], product: Product): Row["printed_labels"] {
  const modes = [...new Set(prints.map(({ mode }) => mode))];
  const declared = new Map(modes.map((mode) => [mode, declaredIn(product, mode)]));
  return prints
    .filter(({ mode, allergens, may_contain }) =>
      isChanged(declared.get(mode) ?? declaredIn(product, mode), { allergens, may_contain }),
    )
    .map(({ id, created_at: at, by, copies }) => ({ id, at, by, copies }));
}

const isChanged = (a: ReturnType<typeof declaredIn>, b: ReturnType<typeof declaredIn>): boolean =>
  !isSameSet(a.allergens, b.allergens) || !isSameSet(a.may_contain, b.may_contain);
const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  isDeepStrictEqual(new Set(a), new Set(b));

export const impactRoutes = [getImpact, previewChange];
