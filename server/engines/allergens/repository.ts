import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { defineCollection, timeOrder } from "../../core/collection.ts";
import { sha256Hex } from "../../core/ids.ts";
import { Id, Instant } from "../../core/schema.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { fail } from "../../lib/errors.ts";
import { allDeclarations } from "./rules/declare.ts";
import { searchWords, stemOf } from "./rules/search-words.ts";
import { familiesOf } from "./rules/taxonomy.ts";
import { namedIn } from "./rules/walk-lines.ts";
import { Ingredient, IngredientLine, ModeId } from "./schema/ingredient.ts";
import { LabelPrint, Product } from "./schema.ts";
import { ProductVersion } from "./schema/history.ts";
import { Settings } from "./schema/settings.ts";
import { Metafield } from "./schema/declaration.ts";
import type { Claim } from "./schema/declaration.ts";
import type { ExternalRef, Status } from "./schema.ts";

/** Words of a title that can be looked for. */
export const INDEXED_WORDS = 8;

/**
 * Values of the one index that serves the filters, and what asks for them. A code is filed under its family (almond
 * under nuts): a page then reads a few products more, and a product has a quarter of the entries.
 */
export const facet = {
  family: (family: string): string => `has.${family}`,
  status: (status: Status): string => `is.${status}`,
  diet: (claim: Claim): string => `diet.${claim}`,
  ingredient: (id: string): string => `uses.${id}`,
  /** Of a word's first characters; hashed, since a user's text never enters a key. */
  word: (word: string): string => `word.${sha256Hex(stemOf(word)).slice(0, 12)}`,
} as const;

export const products = defineCollection({
  name: "allergens.products",
  schema: Product,
  indexes: {
    by: { values: (product) => facetsOf(product) },
    /** The longest unchanged first: read on from an instant, it is what changed since. */
    updated: { values: () => [""], order: ({ updated_at: at }) => timeOrder(at) },
    /** Verified products, the oldest verification first. */
    verified: {
      values: ({ status }) => (status === "verified" ? [""] : []),
      order: ({ verified_at: at }) => timeOrder(at ?? ""),
    },
  },
});

/** Pages of a shop show what was verified at least once; what has changed since is marked stale. */
export const isPublished = ({ verified_at: at }: Product): boolean => at !== null;

/** The product, for a page only if it is published. Throws 404. */
export async function requireShown(tx: Tx, id: string, isPublic: boolean): Promise<Stored<Product>> {
  const stored = await tx.require(products, id);
  assertShown(stored.value, isPublic);
  return stored;
}

export function assertShown(product: Product, isPublic: boolean): void {
  if (isPublic && !isPublished(product)) throw fail("not_found", "No published product with this id.");
}

/** Operations of a commit that replaces a product, with its version and event: an estimate from above. */
export function costOfChange(before: Product, after: Product): number {
  const old = new Set(facetsOf(before));
  const next = new Set(facetsOf(after));
  const changed =
    [...old].filter((each) => !next.has(each)).length + [...next].filter((each) => !old.has(each)).length;
  return CHANGE_OPS + changed;
}
/** The product, its index entries by time and verification, its version with three entries, and an event. */
const CHANGE_OPS = 14;

function facetsOf(product: Product): string[] {
  const { title, status, dietary, ingredients } = product;
  const contained = allDeclarations(product).filter(({ presence }) => presence === "contains");
  const claims = dietary.filter((claim) => claim.status !== "withdrawn");
  return [
    ...new Set([
      facet.status(status),
      ...contained.flatMap(({ code }) => familiesOf(code)).map(facet.family),
      ...claims.map(({ claim }) => facet.diet(claim)),
      ...namedIn(ingredients).map(facet.ingredient),
      ...searchWords(title).slice(0, INDEXED_WORDS).map(facet.word),
    ]),
  ];
}

/** Which product another system's id belongs to: one document each, so that no two products can have the same. */
export const externalRefs = defineCollection({
  name: "allergens.external_refs",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), product_id: Id }),
});
export const externalRefId = ({ system, id }: ExternalRef): string =>
  `ref_${sha256Hex(`${system}\0${id}`).slice(0, 40)}`;

export const metafieldDocs = defineCollection({
  name: "allergens.metafields",
  unlisted: true,
  schema: z.strictObject({ id: Id, metafields: z.array(Metafield), updated_at: Instant }),
});

/** The public link of the allergen sheet; another `link_id` ends the one before. */
export const sheetLinks = defineCollection({
  name: "allergens.sheet_links",
  unlisted: true,
  schema: z.strictObject({ id: z.literal("sheet"), link_id: Id, title: z.string(), mode: ModeId }),
});
export type SheetLink = z.output<typeof sheetLinks.schema>;

export const labelPrints = defineCollection({
  name: "allergens.label_prints",
  schema: LabelPrint,
  indexes: { product: { values: ({ product_id: id }) => [id] } },
});

/** Every change of every product; written once and never changed. */
export const productVersions = defineCollection({
  name: "allergens.product_versions",
  unlisted: true,
  schema: ProductVersion,
  indexes: {
    /** The oldest change first. */
    feed: { values: () => [""], order: ({ at }) => timeOrder(at) },
    /** Of one product, the newest first; and the one of a revision. */
    product: {
      values: ({ product_id: id, revision }) => [id, revisionFacet(id, revision)],
    },
    /** In the order in which they were written. */
    chain: {
      values: ({ seq }) => (seq === undefined ? [] : [""]),
      order: ({ seq = 0 }) => historyOrder(seq),
    },
  },
});
export const historyOrder = (seq: number): string => String(seq).padStart(15, "0");

/** End of the chain of a store's history: each change reads and writes it, so all of them happen one after the other. */
export const historyHeads = defineCollection({
  name: "allergens.history_head",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), seq: z.int().min(0), hash: z.string() }),
});
export const HISTORY_HEAD = "head";
export const revisionFacet = (productId: string, revision: number): string => `${productId}.${revision}`;

export const ingredients = defineCollection({
  name: "allergens.ingredients",
  schema: Ingredient,
  indexes: {
    /** By the library ingredients that it contains. */
    uses: {
      values: ({ sub_ingredients: subs }) => namedIn(subs),
    },
  },
});

/** Recipes that come to contain a library ingredient take a shared turn, and its changes and its deletion wait for them. */
export const RECIPE_TURNS = "allergens.recipes";

/**
 * A change of a library ingredient on its way to the products that use it: one for each ingredient. While it is there,
 * every read treats those products as stale already; a job marks them, some at a time, and then removes it.
 */
export const ripples = defineCollection({
  name: "allergens.ripples",
  schema: z.strictObject({
    id: z.string(),
    ingredient_id: Id,
    name: z.string(),
    /** Current revision of the ingredient; products with it or a later one are up to date. */
    revision: z.int(),
    /** The ingredient as a product takes it now. */
    line: IngredientLine.optional(),
    /** Where the job goes on; null at the beginning. */
    cursor: z.string().nullable(),
    created_at: Instant,
  }),
});
export type Ripple = z.output<typeof ripples.schema>;
export const rippleId = (ingredientId: string): string => `rip_${ingredientId.replace(/^ing_/, "")}`;

const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  default_mode: "uk",
  require_verified: true,
  stale_after_days: 365,
  calorie_labelling: false,
  updated_at: null,
};

export const allergenSettings = defineSettings<Settings>({
  engine: "allergens",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: {},
});

export const readSettings = allergenSettings.read;
