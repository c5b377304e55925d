import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { createNewId } from "../../core/ids.ts";
import { DEMO_INGREDIENTS } from "./data/demo-ingredients.ts";
import { demoRecipes, RECIPE_KEYS } from "./data/demo-recipes.ts";
import type { DemoRecipe } from "./data/demo-recipes.ts";
import { externalRefId, HISTORY_HEAD } from "./repository.ts";
import { declaredIn } from "./rules/declare.ts";
import { expandLines, factsOf } from "./rules/expand-lines.ts";
import { GENESIS, linkAfter } from "./rules/history-chain.ts";
import type { Link } from "./rules/history-chain.ts";
import { redeclare } from "./rules/merge-declarations.ts";
import type { ChangeKind, ProductVersion } from "./schema/history.ts";
import type { Declaration } from "./schema/declaration.ts";
import type { Ingredient, LineInput } from "./schema/ingredient.ts";
import type { Product } from "./schema.ts";
import type { Settings } from "./schema/settings.ts";
import { newResource } from "../../lib/new-resource.ts";

const VERIFIED_DAYS_AGO = 20;
const CREATED_DAYS_AGO = 60;
const KEEPER = "Priya, kitchen manager";

/** Ids of the demo documents: the same in every run, so that examples and the menus' demo can refer to them. */
const DEMO_IDS = makeIds();

function makeIds() {
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  // Ids of one millisecond count upwards from a first one, which this makes the same each time.
  const newId = createNewId(clock, { next: () => 0.75, bytes: (count) => new Uint8Array(count) });
  const idsOf = (keys: readonly string[], prefix: string): ReadonlyMap<string, string> =>
    // The last is the newest and comes first in a list.
    new Map(keys.toReversed().map((key) => [key, newId(prefix)]));
  return {
    ingredients: idsOf(Object.keys(DEMO_INGREDIENTS), "ing"),
    products: idsOf(RECIPE_KEYS, "prd"),
    created: idsOf(RECIPE_KEYS, "ver"),
    verified: idsOf(RECIPE_KEYS, "ver"),
    changed: idsOf(RECIPE_KEYS, "ver"),
  };
}

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoAllergens(now: number) {
  const createdAt = toInstant(now - CREATED_DAYS_AGO * DAY_MS);
  const ingredients = Object.entries(DEMO_INGREDIENTS).map(([key, facts]): Ingredient => ({
    ...newResource(idOf(DEMO_IDS.ingredients, key), createdAt),
    revision: 1,
    ...factsOf(facts),
    sub_ingredients: facts.sub_ingredients ?? [],
  }));
  const library = new Map(ingredients.map((ingredient) => [ingredient.id, ingredient]));
  const made = Object.entries(demoRecipes()).map(([key, recipe]) => demoProduct(key, recipe, library, now));
  const products = made.map(({ product }) => product);
  const versions = chained(made.flatMap((each) => each.versions));
  return {
    settings: {
      id: "settings",
      default_mode: "uk",
      require_verified: true,
      stale_after_days: 365,
      calorie_labelling: true,
      updated_at: createdAt,
    } satisfies Settings,
    ingredients,
    products,
    versions,
    historyHeads: [{ id: HISTORY_HEAD, seq: versions.length, hash: versions.at(-1)?.hash ?? GENESIS.hash }],
    externalRefs: products.flatMap(({ id, external_refs: refs }) =>
      refs.map((ref) => ({ id: externalRefId(ref), product_id: id })),
    ),
  };
}

/** In the order of their times. */
function chained(versions: readonly ProductVersion[]): ProductVersion[] {
  let head: Link = GENESIS;
  return [...versions]
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map((version) => {
      const entry = linkAfter(head, version);
      head = entry;
      return entry;
    });
}

function demoProduct(
  key: string,
  recipe: DemoRecipe,
  library: ReadonlyMap<string, Ingredient>,
  now: number,
): { product: Product; versions: ProductVersion[] } {
  const id = idOf(DEMO_IDS.products, key);
  const createdAt = toInstant(now - CREATED_DAYS_AGO * DAY_MS);
  const inputs = recipe.lines.map(toInput);
  let made = 0;
  const lines = expandLines(inputs, library, () => `lin_${id.slice(-12)}.${(made += 1)}`);
  const draft: Product = {
    ...newResource(id, createdAt),
    title: recipe.title,
    sale_type: recipe.sale_type,
    contains_statement: null,
    external_refs: [{ system: "demo_till", id: key }],
    ingredients: lines,
    declarations: redeclare(lines, handDeclared(recipe)),
    dietary: (recipe.claims ?? []).map((claim) => ({
      claim,
      status: "claimed",
      certifier: null,
      certificate_ref: null,
      valid_until: null,
      gluten_mg_per_kg: null,
    })),
    nutrition: recipe.nutrition ?? null,
    status: "unverified",
    stale_reasons: [],
    verified_at: null,
    verified_by: null,
    verified_note: null,
    verified_mode: null,
    revision: 1,
  };
  const created = demoVersion(idOf(DEMO_IDS.created, key), draft, "created");
  const days = recipe.verified_days_ago === undefined ? VERIFIED_DAYS_AGO : recipe.verified_days_ago;
  if (days === null) return { product: draft, versions: [created] };
  const verifiedAt = toInstant(now - days * DAY_MS);
  const product: Product = {
    ...draft,
    status: "verified",
    verified_at: verifiedAt,
    verified_by: KEEPER,
    verified_mode: "uk",
    updated_at: verifiedAt,
    revision: 2,
  };
  const verified = demoVersion(idOf(DEMO_IDS.verified, key), product, "verified");
  if (recipe.changed_days_ago === undefined) return { product, versions: [created, verified] };
  const stale: Product = {
    ...product,
    status: "stale",
    stale_reasons: [
      { code: "changed", detail: "Its ingredients or declarations changed after it was verified." },
    ],
    updated_at: toInstant(now - recipe.changed_days_ago * DAY_MS),
    revision: 3,
  };
  const changed = demoVersion(idOf(DEMO_IDS.changed, key), stale, "ingredients_changed");
  return { product: stale, versions: [created, verified, changed] };
}

function demoVersion(id: string, product: Product, change: ChangeKind): ProductVersion {
  return {
    id,
    product_id: product.id,
    revision: product.revision,
    at: product.updated_at,
    change,
    by: change === "verified" ? KEEPER : null,
    note: null,
    title: product.title,
    status: product.status,
    mode: "uk",
    added: change === "created" ? declaredIn(product, "uk").allergens : [],
    removed: [],
    product,
  };
}

function toInput(line: DemoRecipe["lines"][number]): LineInput {
  if (!isShared(line)) return line;
  const [key, percent] = line;
  return { ingredient_id: idOf(DEMO_IDS.ingredients, key), ...(percent === undefined ? {} : { percent }) };
}

const isShared = (line: DemoRecipe["lines"][number]): line is [string] | [string, number] =>
  Array.isArray(line);

function handDeclared({ warns = [], amounts = {} }: DemoRecipe): Declaration[] {
  const base = { evidence: null, source: "manual" as const, derived_from: [] };
  return [
    ...warns.map(({ code, note }): Declaration => ({
      ...base,
      code,
      presence: "may_contain",
      concentration_mg_per_kg: null,
      note,
    })),
    ...Object.entries(amounts).map(([code, amount]): Declaration => ({
      ...base,
      code,
      presence: "contains",
      concentration_mg_per_kg: amount ?? null,
      note: "Supplier's analysis",
    })),
  ];
}

function idOf(ids: ReadonlyMap<string, string>, key: string): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The demo has no ${key}.`);
  return id;
}
